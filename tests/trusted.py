"""Projects that may be written: a corpus, the owner's grant, a writer."""

from __future__ import annotations

import hashlib
import itertools
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus.authority import RUNTIME_HARD_LIMITS, Session
from corpus.confined.reader import open_root
from corpus.grant import Grant
from corpus.sources.scan import read_policy
from corpus.trust import grant_path, write_grant
from corpus.writes.writer import open_writer
from tests.corpora import HOME, READ, REQUIREMENTS, dirs_of, task_page, write_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus.writes.writer import Writer

MOMENT = datetime(2026, 1, 10, 12, 0, 0, tzinfo=UTC)
STATUS = f"{HOME}/state/STATUS.md"
WRITE = (STATUS, f"{HOME}/tasks/**", f"{HOME}/reports/**")


def editing_policy(
    project_id: str = "demo-one",
    *,
    allow: Sequence[str] = tuple(sorted(RUNTIME_HARD_LIMITS)),
    read: Sequence[str] = (*READ, f"{HOME}/audit/**"),
    write: Sequence[str] = WRITE,
    deny: Sequence[str] = (),
) -> str:
    """Write a SAFE_EDIT policy that offers everything a test may need."""

    def listed(values: Sequence[str]) -> str:
        return "[" + ", ".join(f'"{value}"' for value in values) + "]"

    rows = [
        'policy_version = "2.0"',
        f'project_id = "{project_id}"',
        'profile = "SAFE_EDIT"',
        "[capabilities]",
        f"allow = {listed(allow)}",
        "[scopes]",
        f"read = {listed(read)}",
        f"write = {listed(write)}",
        f"deny = {listed(deny)}",
        "[requirements]",
        *(f"{name} = true" for name in REQUIREMENTS),
    ]
    return "\n".join(rows) + "\n"


def write_trusted(
    root: Path, *, policy: str | None = None, tasks: Mapping[str, str] | None = None
) -> Path:
    """Write a corpus with two tasks that its owner granted everything, give `root`."""
    if tasks is None:
        tasks = {
            "task-one": task_page("task-one", status="ACTIVE"),
            "task-two": task_page("task-two"),
        }
    write_corpus(root, policy=policy or editing_policy(), tasks=tasks)
    grant_everything(root)
    return root


def grant_everything(root: Path, **changes: object) -> Path:
    """Make the owner's grant in the default place, changed as a test wants it."""
    with open_root(root) as opened:
        policy = read_policy(opened)
        grant = Grant(
            project_id=policy.project_id,
            physical_root=str(root.resolve()),
            root_identity=opened.identity,
            policy_sha256=policy.sha256,
            capability_ceiling=RUNTIME_HARD_LIMITS,
            filesystem=opened.filesystem,
            transports=frozenset({"cli", "stdio-mcp"}),
            approved_at="2026-01-01T00:00:00Z",
            protocol_version="2.0",
            limits=None,
        )
    path = grant_file(root, policy.project_id)
    write_grant(
        path,
        grant._replace(**changes),  # type: ignore[arg-type]
        root=root,
        replace=path.exists(),
        random=counted(),
    )
    return path


def grant_file(root: Path, project_id: str = "demo-one") -> Path:
    """Say where the grant of a test's project lies."""
    return grant_path(project_id, directory=dirs_of(root).trust)  # type: ignore[arg-type]


@contextmanager
def writer_of(
    root: Path, session: Session | None = None, *, seed: str = "one"
) -> Iterator[Writer]:
    """Open a writer with a clock that stands still and countable randomness."""
    with open_writer(
        root,
        grant_file(root),
        session or Session(transport="cli"),
        state=dirs_of(root).state,
        clock=lambda: MOMENT,
        random=counted(seed),
    ) as writer:
        yield writer


def counted(seed: str = "one") -> Callable[[int], bytes]:
    """Give randomness that differs at every call and is the same at every run."""
    calls = itertools.count()

    def random(count: int) -> bytes:
        text = f"{seed}-{next(calls)}".encode()
        return hashlib.sha512(text).digest()[:count]

    return random


def hash_of(path: Path) -> str:
    """Hash a file as it is now."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def leftovers(root: Path) -> list[str]:
    """Name what a write may have left: stages here, anything in the runtime folder."""
    here = [path.name for path in (root / HOME).rglob("*.stage")]
    writes = dirs_of(root).state / "writes"
    there = [path.name for path in writes.rglob("*") if path.is_file()]
    return sorted(here + there)
