"""`agentctx work`: do what waits in the background, and end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.consolidate import consolidated_lines
from agentctx.cli.sheet import row
from agentctx.config import environment, home
from corpus.cli.render import counted
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.extraction.memories import MemoryWork
    from agentctx.extraction.worker import Worked
    from corpus.cli.call import Call

SUMMARY = "Read what sessions said, keep what matters, put records in order."
EXAMPLE = "agentctx work --now"

USUAL, LONGEST = 900, 86_400


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--max-seconds",
        metavar="N",
        type=int,
        default=USUAL,
        help=f"end after so many seconds (default: {USUAL})",
    )
    parser.add_argument(
        "--now",
        action="store_true",
        help="wait for no session to be quiet; return when nothing is due",
    )


def run(call: Call, *, max_seconds: int, now: bool) -> Worked:
    """Be the worker, unless another process is; hurry that one with `--now`."""
    from agentctx.extraction.worker import World, work  # noqa: PLC0415 - when it works

    if not 1 <= max_seconds <= LONGEST:
        raise UsageError(problem=f"`--max-seconds` is 1 to {LONGEST}")
    world = World(home(), environment(), call.clock, call.random)
    return work(world, seconds=max_seconds, hurry=now)


def as_json(value: Worked) -> dict[str, object]:
    """Give what was done as one JSON object."""
    return value.as_json()


def lines(value: Worked) -> Iterator[str]:
    """Say what was done."""
    if value.busy:
        yield "another process is at work"
        return
    yield from row("sessions", counted(value.sessions, "session"))
    yield from row("records", f"{value.records} made")
    yield from consolidated_lines(value.consolidated)
    if value.left:
        yield from row("waiting", counted(value.left, "session"))
    for number, code in enumerate(dict.fromkeys(value.problems)):
        yield from row("" if number else "problems", code)
    yield from _memory_lines(value.memory)


def _memory_lines(value: MemoryWork) -> Iterator[str]:
    """Say what was done for memories, where one was looked at or waits."""
    if not (value.projects or value.left):
        return
    counts = {
        "with items": value.succeeded,
        "without": value.empty,
        "to be tried again": value.retrying,
        "failed": value.failed,
        "lost": value.lost,
    }
    told = [f"{number} {what}" for what, number in counts.items() if number]
    what = f"{counted(value.projects, 'project')} looked at"
    yield from row("memory", ", ".join([what, *told]))
    if value.left:
        yield from row("", f"{counted(value.left, 'memory', 'memories')} waiting")
    for rule, number in value.refused:
        yield from row("", f"{number} refused: {rule}")
    for code in value.waiting:
        yield from row("", f"waits because of {code}")
