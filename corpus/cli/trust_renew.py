"""`project-corpus trust renew`: accept the folder a project lies in now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.granting import (
    account_lines,
    add_trust,
    add_yes,
    change_lines,
    place_of,
    row,
)
from corpus.cli.render import visible
from corpus.confined.reader import open_root
from corpus.mandate import identity_at
from corpus.trust import read_grant, write_grant

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.approval import Account, Change
    from corpus.cli.call import Call
    from corpus.grant import Grant

SUMMARY = "Accept the folder that a moved or cloned project lies in now."
EXAMPLE = "project-corpus trust renew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """What was accepted: nothing when the folder is the one granted before.

    `taken_from` is the folder that loses the grant, where it is still there.
    """

    path: Path
    changes: tuple[Change, ...]
    account: Account
    taken_from: str | None

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        return {
            "ok": True,
            "project_id": self.account.grant.project_id,
            "trust_path": str(self.path),
            "changes": [change.as_json() for change in self.changes],
            "taken_from": self.taken_from,
            **self.account.as_json(),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_trust(parser)
    add_yes(parser)


def run(call: Call, *, root: str | None, trust: str | None, yes: bool) -> Renewed:
    """Show what changed, ask, and pin it."""
    from corpus.approval import (  # noqa: PLC0415 - parses Markdown
        account,
        changes,
        renew,
    )

    place = place_of(call, root, trust)
    with open_root(place.root) as opened:
        old = read_grant(place.path, root=place.root)
        new = renew(opened, place.root, old, now=call.now)
        changed = changes(old, new)
        loser = _loser(old, new)
        if changed:
            shown = [*change_lines(changed), *_loss_lines(loser)]
            shown.append(f"is this {old.project_id}?")
            call.require_yes("trust renew", "\n".join(shown), yes=yes)
            write_grant(
                place.path, new, root=place.root, replace=old, random=call.random
            )
        return Renewed(
            path=place.path,
            changes=changed,
            account=account(opened, new),
            taken_from=loser,
        )


def lines(value: Renewed) -> Iterator[str]:
    """Show what was accepted and what is effective with it."""
    project_id = value.account.grant.project_id
    if not value.changes:
        yield f"{project_id}: the folder is the one granted before"
        return
    yield f"{project_id}: the grant is for this folder now"
    yield ""
    yield from change_lines(value.changes)
    yield from _loss_lines(value.taken_from)
    if value.account.drifted:
        yield from row("policy", "not the one approved; see `trust approve-policy`")
    yield from account_lines(value.account)


def _loser(old: Grant, new: Grant) -> str | None:
    """Name the folder that was granted before, where it is still there beside ours."""
    same = old.root_identity == new.root_identity
    there = identity_at(old.physical_root) == old.root_identity
    return old.physical_root if there and not same else None


def _loss_lines(loser: str | None) -> Iterator[str]:
    if loser is not None:
        yield f"the grant is taken away from {visible(loser)}, which is still there"
        yield (
            "a second checkout or worktree can have a grant of its own:"
            " `project-corpus trust create --trust FILE`, a file outside the project"
        )
