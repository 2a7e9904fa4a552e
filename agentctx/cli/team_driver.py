"""`agentctx team install-merge-driver`: let git merge the team's file by blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.changes import require_seen_consent
from agentctx.cli.consent import add_yes
from agentctx.cli.opening import this_project
from agentctx.team.driver import LINE, carry_out, plan_driver
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.team.driver import DriverPlan
    from corpus.cli.call import Call

SUMMARY = "Let git merge the team's file block by block, or no longer."
EXAMPLE = "agentctx team install-merge-driver --yes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was changed, or, in a dry run, would be."""

    plan: DriverPlan
    removed: bool
    dry_run: bool

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            **self.plan.as_json(),
            "removed": self.removed,
            "changed": self.plan.changes and not self.dry_run,
            "dry_run": self.dry_run,
        }

    def lines(self) -> Iterator[str]:
        """Give it for people."""
        return lines(self)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument("--remove", action="store_true", help="undo it")
    parser.add_argument(
        "--dry-run", action="store_true", help="show the plan and change nothing"
    )
    add_yes(parser)


def run(call: Call, *, remove: bool, dry_run: bool, yes: bool) -> Outcome:
    """Show what changes, ask, and change it."""
    root = str(this_project().main_root)
    plan = plan_driver(root, remove=remove)
    if plan.changes and not dry_run:
        shown = Outcome(plan=plan, removed=remove, dry_run=True)
        question = "\n".join([*shown.lines(), "change this?"])
        command = "team install-merge-driver"
        require_seen_consent(call, command, question, plan=shown, yes=yes)
        carry_out(root, plan)
    return Outcome(plan=plan, removed=remove, dry_run=dry_run)


def lines(value: Outcome) -> Iterator[str]:
    """Say what was changed, or would be."""
    if not value.plan.changes:
        yield "nothing is to be changed"
        return
    yield from _plan_lines(value.plan, remove=value.removed)
    if not value.dry_run:
        yield "done" if value.removed else "done; commit .gitattributes for the team"


def _plan_lines(plan: DriverPlan, *, remove: bool) -> Iterator[str]:
    if plan.old != plan.new:
        verb = "take out of" if remove else "add to"
        yield f"{verb} {visible(plan.path)}: {LINE}"
    for name, value in plan.settings:
        if value is None:
            yield f"remove from this clone's git settings: {name}"
        else:
            yield f"set in this clone's git settings: {name} = {value}"
