"""`agentctx doctor`: say what is wrong with the store, rebuild it, or repair it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.opening import open_for_writing
from agentctx.config import environment, home, read_config
from agentctx.records.backup import newest_usable
from agentctx.records.damage import Check, Rebuilt, examine_store, rebuild_store
from agentctx.records.salvage import Repaired, repair_store
from corpus.cli.render import counted, visible
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Say what is wrong with the store, rebuild it, or repair it."
EXAMPLE = "agentctx doctor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was found, after what was done; `backup` is the newest that can be used.

    `digests` counts those that were made anew.
    """

    checks: tuple[Check, ...]
    backup: str | None
    rebuilt: Rebuilt | None = None
    repaired: Repaired | None = None
    digests: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, and nothing was lost."""
        return all(check.ok for check in self.checks) and not self.lost

    @property
    def lost(self) -> bool:
        """Whether a repair left records behind, or cannot know that it did not."""
        return self.repaired is not None and not self.repaired.whole

    def as_json(self) -> dict[str, object]:
        """Give the diagnosis as one JSON object."""
        return {
            "ok": self.ok,
            "checks": [check.as_json() for check in self.checks],
            "rebuilt": None if self.rebuilt is None else self.rebuilt._asdict(),
            "repaired": None if self.repaired is None else self.repaired.as_json(),
            "digests": self.digests,
            "newest_backup": self.backup,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--rebuild",
        action="store_true",
        help="make everything anew that follows from the records",
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="set a store that cannot be used aside, and start with what can be read",
    )
    add_yes(parser)


def run(call: Call, *, rebuild: bool, repair: bool, yes: bool) -> Diagnosis:
    """Look, do what was asked for and is needed, and look again."""
    if rebuild and repair:
        raise UsageError(problem="`--rebuild` and `--repair` do not go together")
    folder = home()
    checks = _examined(folder)
    rebuilt = repaired = None
    digests = 0
    cures = {check.cure for check in checks}
    if repair and "repair" in cures:
        question = (
            "set agentctx.db aside whole, as agentctx.db.corrupt-…, and start anew"
            " with every record that can still be read?"
        )
        require_consent(call, "doctor --repair", question, yes=yes)
        repaired = repair_store(folder, clock=call.clock, random=call.random)
    elif rebuild or (repair and "rebuild" in cures):
        with open_for_writing(call) as opened:
            rebuilt = rebuild_store(opened.store)
    if rebuilt or repaired:
        digests = _remade(call)
        checks = _examined(folder)
    return Diagnosis(
        checks=tuple(checks),
        backup=newest_usable(folder),
        rebuilt=rebuilt,
        repaired=repaired,
        digests=digests,
    )


def _remade(call: Call) -> int:
    """Make what lies beside the store anew, too: digests, scores, the page."""
    from agentctx.extraction.consolidation import (  # noqa: PLC0415 - when it is asked
        remake_derived,
    )

    with open_for_writing(call) as opened:
        return remake_derived(opened.store, environ=environment())


def exit_status(value: Diagnosis) -> int:
    """Answer 1 where something is wrong, or records were lost."""
    return 0 if value.ok else 1


def lines(value: Diagnosis) -> Iterator[str]:
    """Show one check a line, with what helps, then what was done."""
    for check in value.checks:
        yield f"{'ok' if check.ok else 'WRONG':<7}{check.name}"
        if check.problem is not None:
            yield f"       {visible(check.problem)}"
            yield f"       hint: {visible(check.hint or '')}"
    if value.rebuilt is not None:
        yield f"rebuilt what follows from {counted(value.rebuilt.records, 'record')}"
    if value.digests:
        yield f"made {counted(value.digests, 'digest')}"
    if value.repaired is not None:
        yield f"set aside: {visible(value.repaired.aside)}"
        yield _recovered(value.repaired)
    if not value.ok and value.backup is not None:
        yield f"the newest usable backup is {visible(value.backup)}"
        yield f"put it back: agentctx restore {visible(shlex.quote(value.backup))}"
    elif value.lost:
        yield "there is no backup that could be put back"


def _recovered(repaired: Repaired) -> str:
    number = counted(repaired.recovered, "record")
    if repaired.expected is None:
        return f"recovered {number}; how many there were is unknown"
    if repaired.whole:
        return f"recovered {number}"
    return f"recovered {repaired.recovered} of about {repaired.expected} records"


def _examined(folder: str) -> list[Check]:
    problems = [
        Check("config", problem.detail, problem.hint)
        for problem in read_config(folder).problems
    ]
    return [*(problems or [Check("config")]), *examine_store(folder)]
