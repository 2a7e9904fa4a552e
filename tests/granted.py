"""Grants and policies for tests of trust, made without touching a project's files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from corpus.grant import Grant
from corpus.policy import Policy, parse_policy
from corpus.refs import ProjectId, Sha256
from tests.corpora import HOME, READ, REQUIREMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ID = ProjectId("demo-one")
WRITE = (f"{HOME}/state/STATUS.md", f"{HOME}/tasks/**", f"{HOME}/reports/**")
ALLOWED = (
    *("corpus.read", "corpus.stat", "corpus.search", "corpus.timeline"),
    *("corpus.context", "corpus.validate", "audit.read", "mcp.stdio"),
    *("state.update", "task.create", "report.create"),
)


def open_policy(
    allow: Iterable[str] = ALLOWED, *, project_id: str = ID, profile: str = "MAINTAINER"
) -> str:
    """Write a policy that offers what a test names."""
    rows = [
        'policy_version = "2.0"',
        f'project_id = "{project_id}"',
        f'profile = "{profile}"',
        "[capabilities]",
        f"allow = {json.dumps(sorted(allow))}",
        "[scopes]",
        f"read = {json.dumps(READ)}",
        f"write = {json.dumps(WRITE)}",
        "[requirements]",
        *(f"{name} = true" for name in REQUIREMENTS),
    ]
    return "\n".join(rows) + "\n"


def policy_offering(*allow: str, project_id: str = ID) -> Policy:
    """Parse such a policy."""
    return parse_policy(open_policy(allow, project_id=project_id).encode())


def sample_grant(root: Path | str = "/srv/demo") -> Grant:
    """Give a grant that reads, for a root that need not exist."""
    return Grant(
        project_id=ID,
        physical_root=str(root),
        root_identity="posix:fe00:1a2b",
        policy_sha256=Sha256("0" * 64),
        capability_ceiling=frozenset({"corpus.read", "corpus.context"}),
        filesystem="ext4",
        transports=frozenset({"cli"}),
        approved_at="2026-01-01T00:00:00Z",
    )
