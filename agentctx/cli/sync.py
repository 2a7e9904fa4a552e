"""`agentctx sync`: compare CLAUDE.md with the records, and apply what is confirmed."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_reading
from agentctx.config import environment
from agentctx.drift.applied import apply_changes
from agentctx.drift.proposal import MOST_ADDED
from agentctx.drift.report import scan
from agentctx.errors import ChangeNumberError, ConsentError, PlanChangedError
from corpus.cli.render import counted, visible
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.drift.changes import Change
    from agentctx.drift.differences import Held, Missing
    from agentctx.drift.report import Report
    from corpus.cli.call import Call

SUMMARY = "Compare CLAUDE.md with the records, and apply what you confirm."
EXAMPLE = "agentctx sync --apply 1,3"

_PLAN_DIGITS = 12
_LONGEST_SHOWN = 40
_MOST_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What differs, and what of it was applied; `written` are files.

    `decided` says that somebody said what is to be applied, if only that nothing is.
    """

    report: Report
    applied: tuple[int, ...] = ()
    written: tuple[str, ...] = ()
    checked: bool = False
    decided: bool = False

    @property
    def plan(self) -> str:
        """What tells these changes from any others."""
        return _plan(self.report)

    def as_json(self) -> dict[str, object]:
        """Give everything as one JSON object."""
        report = self.report
        return {
            "missing": [one.as_json() for one in report.missing],
            "contradicted": [one.as_json() for one in report.contradicted],
            "proposed_diff": report.proposed_diff,
            "own_diff": report.own_diff,
            "changes": [one.as_json() for one in report.changes],
            "plan": self.plan,
            "files": [one.shown for one in report.loaded.files],
            "findings": [one.as_json() for one in report.findings],
            "deleted": report.deleted,
            "applied": list(self.applied),
            "written": list(self.written),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--apply",
        metavar="CHANGES",
        help="apply these changes without asking: `all`, or numbers such as 1,3",
    )
    parser.add_argument(
        "--plan",
        metavar="PLAN",
        help="apply only while the changes are those of this plan, as JSON names it",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; exit 1 where anything differs",
    )


def run(call: Call, *, apply: str | None, plan: str | None, check: bool) -> Synced:
    """Compare; then apply what `--apply` names, or what a person agrees to."""
    if check and apply is not None:
        raise UsageError(problem="`--check` and `--apply` do not go together")
    with open_for_reading(call) as opened:
        report = scan(opened.store, opened.project, environment(), directory=Path.cwd())
    if plan is not None and plan != _plan(report):
        raise PlanChangedError(expected=plan[:_LONGEST_SHOWN])
    if check:
        return Synced(report=report, checked=True)
    if apply is not None:
        return _applied(report, _named(report, apply))
    if not report.changes:
        return Synced(report=report)
    if not call.asks:
        _show(call, Synced(report=report))
        error = ConsentError(command="sync")
        error.hint = "confirm it on a terminal, or say `--apply all` or `--apply 1,3`"
        raise error
    return _applied(report, _asked(report))


def exit_status(value: Synced) -> int:
    """Answer 1 where a check found that something differs."""
    return int(value.checked and value.report.differs)


def lines(value: Synced) -> Iterator[str]:
    """Show what differs, then the changes by their numbers, or what was done."""
    report = value.report
    yield (
        f"compared {counted(len(report.loaded.files), 'file')}:"
        f" {len(report.missing)} missing, {len(report.contradicted)} contradicted"
    )
    for stale in report.contradicted:
        yield ""
        place = f"{stale.file}:{stale.first_line}"
        yield f"{place}  says what {stale.superseded_id} said"
        yield f"  {stale.statement}"
        if stale.record_id == stale.superseded_id:
            yield f"  that ended: {stale.title}"
        else:
            yield f"  now {stale.record_id}: {stale.title}"
        if stale.held is not None:
            yield f"  {_BY_HAND[stale.held].format(id=stale.record_id)}"
    yield from _held_lines(report)
    for finding in report.findings:
        place = f":{finding.line}" if finding.line else ""
        yield f"note: {finding.path}{place}: {finding.detail} ({finding.code})"
    if value.decided:
        yield _done_line(value)
        return
    for change in report.changes:
        yield ""
        yield from _change_lines(report, change)
    if report.changes:
        yield ""
        yield f"plan {value.plan}: `--apply all --plan {value.plan}` applies just this"


def _held_lines(report: Report) -> Iterator[str]:
    """Name the missing records that no change adds, each below the reason."""
    groups: dict[tuple[Held, str], list[Missing]] = {}
    for one in report.missing:
        if one.held is not None:
            groups.setdefault((one.held, one.file), []).append(one)
    for (held, file), some in groups.items():
        yield ""
        reason = _NOT_ADDED[held].format(file=file)
        yield f"{counted(len(some), 'missing record')} not proposed: {reason}"
        for one in some[:_MOST_NAMED]:
            yield f"  {one.record_id}  {one.title}"
        if len(some) > _MOST_NAMED:
            yield f"  and {len(some) - _MOST_NAMED} more"


def _done_line(value: Synced) -> str:
    if value.applied:
        return f"applied {_numbers(value.applied)} to {', '.join(value.written)}"
    return (
        "nothing was applied" if value.report.changes else "there is nothing to apply"
    )


_MOST_NAMED = 40
_BY_HAND: dict[Held, str] = {
    "unconfirmed": (
        "nobody has confirmed it; `agentctx reinforce {id}` lets it be proposed"
    ),
    "edited": "we wrote the line and somebody edited it: change it by hand",
    "more": "the lines say or hold more than that: change them by hand",
    "shape": "a heading, a row or code: change it by hand",
    "outside": "sync does not write this file: change it by hand",
    "taken": "another change is about the same lines; apply it, then run this again",
    "id": "the id is none that agentctx gave: change it by hand",
}
_NOT_ADDED: dict[Held, str] = {
    "later": f"{MOST_ADDED} are enough at once; apply them, then run this again",
    "outside": "they belong into {file}, which sync does not write",
    "unreadable": "{file} is there and cannot be read",
    "open": "{file} ends in a code fence or a comment that nothing closes",
    "id": "their ids are none that agentctx gave",
}


def _change_lines(report: Report, change: Change) -> Iterator[str]:
    yield f"change {change.number} of {len(report.changes)}"
    yield from report.diff([change]).rstrip("\n").split("\n")


def _applied(report: Report, changes: tuple[Change, ...]) -> Synced:
    written = apply_changes(report, changes) if changes else ()
    applied = tuple(one.number for one in changes)
    return Synced(report=report, applied=applied, written=written, decided=True)


def _named(report: Report, asked: str) -> tuple[Change, ...]:
    """Give the changes that `--apply` names."""
    if asked.strip().lower() == "all":
        return report.changes
    chosen: dict[int, Change] = {}
    for part in asked.split(","):
        word = part.strip()
        known = word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS
        number = int(word) if known else 0
        if not 1 <= number <= len(report.changes):
            raise ChangeNumberError(
                found=word[:_LONGEST_SHOWN],
                count=counted(len(report.changes), "change"),
            )
        chosen[number] = report.changes[number - 1]
    return tuple(chosen[number] for number in sorted(chosen))


def _asked(report: Report) -> tuple[Change, ...]:
    """Ask a person about one change after another."""
    chosen: list[Change] = []
    for place, change in enumerate(report.changes):
        answer = _answer("\n".join(_change_lines(report, change)))
        if answer in {"a", "all"}:
            return (*chosen, *report.changes[place:])
        if answer in {"q", "quit", ""}:
            break
        if answer in {"y", "yes"}:
            chosen.append(change)
    return tuple(chosen)


def _answer(shown: str) -> str:
    """Ask on stderr; the end of the input is `quit`, a line of nothing is a no."""
    for line in shown.split("\n"):
        sys.stderr.write(f"{visible(line)}\n")
    sys.stderr.write("apply this change? [y]es, [n]o, [a]ll that follow, [q]uit: ")
    sys.stderr.flush()
    try:
        answer = sys.stdin.readline()
    except ValueError:  # not text
        return "quit"
    return answer.strip().lower() or ("no" if answer else "quit")


def _show(call: Call, value: Synced) -> None:
    if call.format == "json":
        call.write_json(value.as_json())
    else:
        call.write_lines(lines(value))


def _plan(report: Report) -> str:
    from hashlib import sha256  # noqa: PLC0415 - only where it is told

    whole = f"{report.proposed_diff}\n{report.own_diff}"
    content = whole.encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()[:_PLAN_DIGITS]


def _numbers(found: tuple[int, ...]) -> str:
    return f"{counted(len(found), 'change')} ({', '.join(map(str, found))})"
