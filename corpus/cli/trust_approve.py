"""`project-corpus trust approve-policy`: accept the project's policy as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.granting import account_lines, add_trust, granted_place, row
from corpus.confined.reader import open_root
from corpus.trust import read_grant, write_grant

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.approval import Account
    from corpus.cli.call import Call

SUMMARY = "Accept the project's policy as it is now."
EXAMPLE = "project-corpus trust approve-policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """What was accepted; `old_sha256` is the policy that was approved before."""

    path: Path
    old_sha256: str
    account: Account

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        policy = self.account.policy
        granted = self.account.grant.capability_ceiling
        return {
            "ok": True,
            "project_id": policy.project_id,
            "trust_path": str(self.path),
            "changed": self.old_sha256 != policy.sha256,
            "old_policy_sha256": self.old_sha256,
            "offered": sorted(policy.capabilities & granted),
            "not_granted": sorted(policy.capabilities - granted),
            "scopes": {
                "read": list(map(str, policy.read)),
                "write": list(map(str, policy.write)),
                "deny": list(map(str, policy.deny)),
            },
            **self.account.as_json(),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_trust(parser)


def run(call: Call, *, root: str | None, trust: str | None) -> Approved:
    """Pin the policy and say what it now offers within the grant."""
    from corpus.approval import (  # noqa: PLC0415 - parses Markdown
        account,
        approve_policy,
    )

    place = granted_place(call, root, trust)
    with open_root(place.root) as opened:
        old = read_grant(place.path, root=place.root)
        new = approve_policy(opened, old, now=call.now)
        if new != old:
            write_grant(
                place.path, new, root=place.root, replace=old, random=call.random
            )
        return Approved(
            path=place.path,
            old_sha256=old.policy_sha256,
            account=account(opened, new),
        )


def lines(value: Approved) -> Iterator[str]:
    """Show the scopes accepted and what is effective with them."""
    policy = value.account.policy
    changed = value.old_sha256 != policy.sha256
    yield f"{policy.project_id}: " + (
        "policy approved" if changed else "the policy is the one approved before"
    )
    yield ""
    for name in ("read", "write", "deny"):
        for number, scope in enumerate(getattr(policy, name)):
            yield from row("" if number else name, str(scope))
    yield from account_lines(value.account)
    for capability in sorted(
        policy.capabilities - value.account.grant.capability_ceiling
    ):
        yield from row("not granted", capability)
