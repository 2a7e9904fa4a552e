"""`agentctx team import`: take in what teammates wrote in the team's file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.changes import require_seen_consent
from agentctx.cli.consent import add_yes
from agentctx.cli.opening import open_for_reading, open_for_writing
from agentctx.team.importing import Consent, import_context, preview_context
from agentctx.team.planning import FORGOTTEN, ORDERS, YOURS
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.team.importing import Imported
    from corpus.cli.call import Call

SUMMARY = "Take in what teammates wrote in .agentctx/context.md."
EXAMPLE = "agentctx team import --dry-run"

WAITS = {
    ORDERS: "it reads like an order to an agent",
    YOURS: "it ends what you said",
    FORGOTTEN: "it says what was deleted here",
}
"""Why a block waits for a person."""

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was taken in, or, in a dry run, would be."""

    imported: Imported
    dry_run: bool

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {**self.imported.as_json(), "dry_run": self.dry_run}

    def lines(self) -> Iterator[str]:
        """Give it for people."""
        return lines(self)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--dry-run", action="store_true", help="show the plan and change nothing"
    )
    parser.add_argument(
        "--accept",
        metavar="ID",
        action="append",
        default=[],
        help="take in a block that waits for a person; may be said again",
    )
    add_yes(parser)


def run(call: Call, *, dry_run: bool, accept: list[str], yes: bool) -> Outcome:
    """Show the plan, ask, and take in what the file says.

    What a person accepts by its id needs no other word; alone it is all that is done.
    """
    accepted = tuple(accept)
    with open_for_reading(call) as opened:
        root = str(opened.project.main_root)
        plan = preview_context(opened.store, opened.project_id, root, accepted)
    if dry_run or not plan.exists:
        return Outcome(imported=plan, dry_run=dry_run)
    only = bool(accepted) and not yes and not call.asks
    if plan.changes and not only:
        shown = Outcome(imported=plan, dry_run=True)
        question = "\n".join([*shown.lines(), "take this in?"])
        require_seen_consent(call, "team import", question, plan=shown, yes=yes)
    consent = Consent(seen=True, accepted=accepted, only=only, sha256=plan.sha256)
    with open_for_writing(call, create=True) as opened:
        done = import_context(opened.store, opened.project_id, root, consent)
    return Outcome(imported=done, dry_run=False)


def exit_status(value: Outcome) -> int:
    """Answer 1 where a person has something to look at."""
    return int(bool(value.imported.held or value.imported.findings))


def lines(value: Outcome) -> Iterator[str]:
    """Say what was done, or would be, and what waits."""
    found = value.imported
    if not found.exists:
        yield "there is no .agentctx/context.md here"
        return
    yield from change_lines(found, would=value.dry_run)
    if found.added or found.superseded:
        yield "what comes in is a teammate's: searchable, shown as such, never pinned"


def change_lines(found: Imported, *, would: bool) -> Iterator[str]:
    """Say what importing does, or would do, and what waits for a person."""
    for word, taken in (
        ("add", found.added),
        ("supersede", found.superseded),
        ("retire", found.retired),
    ):
        if taken:
            verb = f"would {word}" if would else f"{word.removesuffix('e')}ed"
            yield f"{verb} {counted(len(taken), 'record')}"
            for one in taken[:_MOST_NAMED]:
                yield f"  {one.record or one.block}  {visible(one.title)}"
            if len(taken) > _MOST_NAMED:
                yield f"  and {len(taken) - _MOST_NAMED} more"
    if not found.changes:
        yield "nothing is new"
    for held in found.held:
        place = f"line {held.line}: " if held.line else ""
        yield f"waits: {place}{visible(held.title)}"
        yield f"  {WAITS[held.reason]}{f' ({held.detail})' if held.detail else ''}"
        yield f"  `agentctx team import --accept {held.block}` takes it in"
    for finding in found.findings:
        yield f"left out: line {finding.line}: {visible(finding.title)}"
        yield f"  {visible(finding.reason)}"
