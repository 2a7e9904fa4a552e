"""`agentctx memory flush`: give every job that waits one chance, within a deadline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_at_work, memory_here
from agentctx.cli.memory_records import let_records_follow
from agentctx.cli.memory_state import add_seconds, note_waiting, waits, waits_lines
from agentctx.memory.api import FLUSH_DEADLINE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.telling import Flushed
    from corpus.cli.call import Call

SUMMARY = "Give every job that waits one chance now, within a deadline."
EXAMPLE = "agentctx memory flush --deadline 60"
STATUS = "The exit status is 1 where a job failed for good in this pass, else 0."


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """What the pass left, and why that waits."""

    flushed: Flushed
    waiting: str | None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "timed_out": self.flushed.timed_out,
            "pending": list(self.flushed.pending),
            "held": self.flushed.held,
            "failed": list(self.flushed.failed),
            "waiting": self.waiting,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.description = f"{SUMMARY}\n{STATUS}"
    add_seconds(parser, "--deadline", FLUSH_DEADLINE, "end after so long")


def run(call: Call, *, deadline: float) -> Passed:
    """Work through what waits now; what is left is taken up at the next start."""
    with memory_at_work(call) as memory:
        done = memory.flush(deadline)
        why = waits(call, memory.waiting) if done.pending else None
    let_records_follow(call)
    if done.pending:
        note_waiting(call, memory_here().root)
    return Passed(flushed=done, waiting=why)


def exit_status(value: Passed) -> int:
    """Tell a script that a job failed for good."""
    return 1 if value.flushed.failed else 0


def lines(value: Passed) -> Iterator[str]:
    """Say what is left, or that nothing is."""
    yield value.flushed.text or "no job is left"
    yield from waits_lines(value.waiting)
    if value.flushed.failed:
        yield "see `agentctx memory status`"
