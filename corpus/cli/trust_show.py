"""`project-corpus trust show`: a grant beside the project as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.granting import (
    account_lines,
    add_trust,
    filesystem_text,
    granted_place,
    row,
)
from corpus.confined.reader import open_root
from corpus.trust import read_grant

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.approval import Account
    from corpus.cli.call import Call

SUMMARY = "Show a grant, its four layers, and why a capability is missing."
EXAMPLE = "project-corpus trust show"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A grant, where it lies, and what it gives now."""

    path: Path
    account: Account

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        return {
            "ok": self.account.standing,
            "project_id": self.account.grant.project_id,
            "trust_path": str(self.path),
            **self.account.as_json(),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_trust(parser)


def run(call: Call, *, root: str | None, trust: str | None) -> Shown:
    """Read the grant and put it beside the project."""
    from corpus.approval import account  # noqa: PLC0415 - parses Markdown

    place = granted_place(call, root, trust)
    with open_root(place.root) as opened:
        grant = read_grant(
            place.path, root=place.root, project_id=_project_id(place.path, trust)
        )
        return Shown(path=place.path, account=account(opened, grant))


def exit_status(value: Shown) -> int:
    """Give 1 when grant and project no longer belong together."""
    return 0 if value.account.standing else 1


def lines(value: Shown) -> Iterator[str]:
    """Draw the card: what is pinned, what differs, what is effective."""
    account = value.account
    grant = account.grant
    yield f"grant for {grant.project_id}, approved {grant.approved_at}"
    yield ""
    yield from row("grant", str(value.path))
    yield from row("root", grant.physical_root)
    yield from row("identity", _identity(account))
    yield from row("its policy", _policy(account))
    yield from row("file system", filesystem_text(account))
    if grant.limits is not None:
        limits = ", ".join(f"{name} {n}" for name, n in grant.limits._asdict().items())
        yield from row("limits", limits)
    yield from row("granted", ", ".join(sorted(grant.capability_ceiling)) or "nothing")
    offered = sorted(account.policy.capabilities)
    yield from row("offered", ", ".join(offered) or "nothing")
    yield from account_lines(account)
    for capability in sorted(account.policy.capabilities - grant.capability_ceiling):
        reasons = ", ".join(account.reasons(capability))
        yield from row("missing", f"{capability}: {reasons}")


def _identity(account: Account) -> str:
    if account.identity_matches:
        return account.root_identity
    if account.root_identity == account.grant.root_identity:
        return "the project is no longer at that path; see `trust renew`"
    return f"this is another folder, {account.root_identity}; see `trust renew`"


def _policy(account: Account) -> str:
    if account.grant.project_id != account.policy.project_id:
        return f"is of another project, {account.policy.project_id}"
    if account.drifted:
        return "changed since it was approved; see `trust approve-policy`"
    return f"as approved, {account.policy.sha256[:16]}"


def _project_id(path: Path, trust: str | None) -> str | None:
    return None if trust is not None else path.stem
