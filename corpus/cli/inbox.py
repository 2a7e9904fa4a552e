"""What the `candidate` commands share: how a candidate looks, and who keeps origins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.render import visible
from corpus.errors import CodedError
from corpus.refusals import OriginLetGoError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.candidate import Accepted
    from corpus.cli.call import Call
    from corpus.inbox import Entry
    from corpus.origins import Origins

_SHOWN = 100


class Doubt(NamedTuple):
    """Whether a candidate's evidence holds now: a verdict, or what is wrong."""

    verdict: Accepted | None
    problem: CodedError | None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        verdict, problem = self.verdict, self.problem
        warnings = () if verdict is None else verdict.warnings
        return {
            "ok": problem is None,
            "problem": None
            if problem is None
            else {"code": problem.code, "detail": str(problem)},
            "warnings": [one.as_json() for one in warnings],
        }

    def lines(self) -> Iterator[str]:
        """Say what is doubtful."""
        if self.problem is not None:
            yield f"cannot be accepted: {visible(str(self.problem))}"
        if self.verdict is not None:
            for one in self.verdict.warnings:
                yield f"warning[{one.code}] {one.field}: {one.detail}"


def doubt_of(call: Call, root: Path, entry: Entry) -> Doubt:
    """Hold a candidate against the sources, and what it was made of, as they are."""
    from corpus.candidate import validate_candidate  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run
    from corpus.view import open_project  # noqa: PLC0415 - parses Markdown

    try:
        project = open_project(root, dirs=user_dirs())
        verdict = validate_candidate(project, dict(entry.candidate), now=call.now)
    except CodedError as problem:
        return Doubt(None, problem)
    return Doubt(verdict, _let_go(call, root, entry))


def _let_go(call: Call, root: Path, entry: Entry) -> OriginLetGoError | None:
    """Tell where what a candidate was made of is not kept any more."""
    from corpus.origins import is_let_go  # noqa: PLC0415 - only when run

    origin = entry.origin
    if origin is None or not is_let_go(origin.id, root, origins_of(call)):
        return None
    return OriginLetGoError(candidate_id=entry.id)


def entry_json(entry: Entry, doubt: Doubt | None) -> dict[str, object]:
    """Give a candidate as one JSON object; the verdict is null once it is decided."""
    verdict = None if doubt is None else doubt.as_json()
    return {**entry.as_json(), "verdict": verdict}


def origins_of(call: Call) -> tuple[Origins, ...]:
    """Give the keepers of records and items that are installed."""
    from corpus.origins import known_origins  # noqa: PLC0415 - only when run

    return known_origins(clock=call.clock, random=call.random)


def entry_line(entry: Entry) -> str:
    """Show a candidate as one line of a list."""
    said = visible(" ".join(entry.statement.split()))
    said = said if len(said) <= _SHOWN else f"{said[: _SHOWN - 1]}…"
    return f"{entry.id}  {said}  ({entry.state}, {entry.submitted_at[:10]})"


def entry_lines(entry: Entry) -> Iterator[str]:
    """Show a candidate whole: what it says, what it stands on, what became of it."""
    yield f"{entry.id} ({entry.candidate['kind']}, {entry.state})"
    yield from (f"  {visible(line)}" for line in entry.statement.splitlines())
    for one in entry.evidence:
        last = "" if one.line_end == one.line_start else f"-{one.line_end}"
        yield f"cites {one.source_path}:{one.line_start}{last}"
    if entry.origin is not None:
        yield f"made of {visible(entry.origin.place)}"
    yield f"submitted {entry.submitted_at}"
    if entry.reason is not None:
        said = " ".join(entry.reason.split())
        yield f"rejected {entry.decided_at}: {visible(said)}"
    if entry.state == "accepted" and entry.report is not None:
        yield f"accepted {entry.decided_at} as {entry.report.path}"
        yield f"receipt {entry.report.receipt}"
