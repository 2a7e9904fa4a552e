"""`agentctx report`: what is known, as one page that a team can look at (A12)."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.activity import extraction_told
from agentctx.cli.opening import (
    STORE_ERRORS,
    open_for_reading,
    problem_of,
    project_at,
)
from agentctx.cli.remembered import OWNER, why_empty
from agentctx.cli.status import status_of
from agentctx.config import environment
from agentctx.memory.notices import STORE_FAILURES
from agentctx.memory.opening import open_memory
from agentctx.memory.store import RandomIds
from agentctx.report.page import page
from agentctx.report.remembered import remembered
from agentctx.report.stored import stored
from agentctx.report.target import require_target, write_report
from agentctx.report.values import Health, Remembered, Report
from corpus.cli.render import counted, json_text, visible
from corpus.errors import UsageError
from corpus.jsoninput import STANDARD_INPUT as STANDARD_OUTPUT

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.cli.remembered import MemoryCard
    from agentctx.cli.status import Status
    from agentctx.config import Problem
    from agentctx.project import Project
    from agentctx.report.values import Stored
    from corpus.cli.call import Call

SUMMARY = "Write what is known as one page that a team can look at."
EXAMPLE = "agentctx report --html weather.html"

MOST, FEWEST_SHOWN, MOST_SHOWN = 100, 1, 1000
"""How many of each kind a page shows, if nothing else is said, and the bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Where the page is, and what it could not tell; None went to standard output."""

    path: str | None
    size: int
    records: int
    problem: Problem | None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "path": self.path,
            "bytes": self.size,
            "records": self.records,
            "problem": None if self.problem is None else self.problem._asdict(),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--html",
        metavar="FILE",
        required=True,
        help="where the page goes, always to be said; `-` is standard output",
    )
    parser.add_argument(
        "--project",
        metavar="FOLDER",
        help="the project that this folder is in (default: the working directory's)",
    )
    parser.add_argument(
        "--everywhere",
        action="store_true",
        help="show your records and instructions for every project, too",
    )
    parser.add_argument(
        "--most",
        type=int,
        metavar="N",
        default=MOST,
        help=f"of each kind the newest N, {FEWEST_SHOWN} to {MOST_SHOWN}"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace a file that is no report, too",
    )


def run(
    call: Call,
    *,
    html: str,
    project: str | None,
    everywhere: bool,
    most: int,
    force: bool,
) -> Written:
    """Write the page; what cannot be read is told in it."""
    if not FEWEST_SHOWN <= most <= MOST_SHOWN:
        bounds = f"{FEWEST_SHOWN} to {MOST_SHOWN}"
        raise UsageError(problem=f"`--most` is a number from {bounds}")
    if not html or "\x00" in html:
        raise UsageError(problem="a file has a name, and no NUL in it")
    path = os.path.abspath(html)  # noqa: PTH100 - without following links
    if html != STANDARD_OUTPUT:
        require_target(path, force=force)
    found = project_at(project)
    report = _report(call, found, everywhere=everywhere, most=most)
    text = page(report)
    content = text.encode()
    if html == STANDARD_OUTPUT:
        call.write_lines(text.rstrip("\n").split("\n"))
    else:
        write_report(path, content, force=force)
    return Written(
        path=None if html == STANDARD_OUTPUT else path,
        size=len(content),
        records=0 if report.stored is None else report.stored.known.total,
        problem=report.why,
    )


def exit_status(value: Written) -> int:
    """Answer 1 where the store could not be read."""
    return int(value.problem is not None)


def lines(value: Written) -> Iterator[str]:
    """Say where the page is, and what it lacks; nothing after the page itself."""
    if value.path is None:
        return
    about = f"{counted(value.records, 'record')}, {value.size:,} bytes"
    yield f"{visible(value.path)} ({about}); only you can read the file"
    if value.problem is not None:
        yield f"the store was not read: {value.problem.code}"
        yield f"hint: {visible(value.problem.hint)}"


def _json_lines(value: Written) -> Iterator[str]:
    """Give the same as JSON, in whatever format was asked for beside the page."""
    if value.path is not None:
        yield from json_text(value.as_json()).split("\n")


FORMATS = {"json": _json_lines, "text": lines}
"""How what was done is told; the page is HTML in any case."""


def _report(call: Call, project: Project, *, everywhere: bool, most: int) -> Report:
    card = status_of(call, project)
    kept: Stored | None = None
    why: Problem | None = None
    try:
        with open_for_reading(call, project) as opened:
            kept = stored(
                opened.store,
                project,
                environment(),
                everywhere=everywhere,
                most=most,
                now=call.now,
            )
    except STORE_ERRORS as error:
        why = problem_of(error)
    return Report(
        name=project.name,
        project_id=project.project_id,
        at=call.now,
        most=most,
        everywhere=everywhere,
        stored=kept,
        why=why,
        memory=_remembered(call, card.memory, most=most),
        health=_health(card),
    )


def _remembered(call: Call, card: MemoryCard, *, most: int) -> Remembered:
    """Look into memory where it is on and sound, else say why not."""
    if card.tally is None:
        return Remembered(told=f"Conversation memory is {why_empty(card)}")
    ids = RandomIds(call.random)
    forgotten = card.tally.items["forgotten"]
    try:
        with (
            open_memory(card.root, clock=call.clock, ids=ids, owner=OWNER) as memory,
            memory.looking() as db,
        ):
            return remembered(db, most=most, forgotten=forgotten)
    except STORE_FAILURES as error:
        return Remembered(told=f"Conversation memory cannot be read: {error}")


def _health(card: Status) -> Health:
    seen = card.activity
    codes = (*seen.worker.problems, *([card.memory.waits] if card.memory.waits else []))
    return Health(
        worker_runs=seen.worker.running,
        waiting=seen.worker.waiting + seen.worker.memories,
        waits_because=tuple(dict.fromkeys(codes)),
        extraction=extraction_told(seen.extraction),
        degraded=card.degraded,
        failures=seen.failures,
    )
