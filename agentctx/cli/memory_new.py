"""`agentctx memory new`: begin an empty thread for the whole project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_at_work, memory_here
from agentctx.cli.memory_records import let_records_follow
from agentctx.cli.memory_state import add_seconds, note_waiting, waits, waits_lines
from agentctx.memory.api import NEW_THREAD_WAIT
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.telling import NewThread
    from corpus.cli.call import Call

SUMMARY = "Begin an empty thread, once the old one's jobs had their time."
EXAMPLE = "agentctx memory new --wait 20"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """The new thread, what is left of the old one, and why that waits."""

    thread: NewThread
    waiting: str | None

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        told = self.thread
        return {
            "thread_id": told.thread_id,
            "archived_thread_id": told.archived_thread_id,
            "timed_out": told.timed_out,
            "pending": list(told.pending),
            "failed": list(told.failed),
            "waiting": self.waiting,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_seconds(parser, "--wait", NEW_THREAD_WAIT, "wait so long for the old thread")


def run(call: Call, *, wait: float) -> Begun:
    """Begin the thread in any case; what is unfinished then stays queued."""
    with memory_at_work(call) as memory:
        made = memory.new_thread(wait)
        why = waits(call, memory.waiting) if made.pending else None
    let_records_follow(call)
    if made.pending:
        note_waiting(call, memory_here().root)
    return Begun(thread=made, waiting=why)


def lines(value: Begun) -> Iterator[str]:
    """Say what thread begins, and what the old one left."""
    told = value.thread
    yield f"a new thread began: {told.thread_id}"
    yield f"archived: {told.archived_thread_id}"
    if told.pending:
        stay = "stays" if len(told.pending) == 1 else "stay"
        yield f"{counted(len(told.pending), 'job')} of it {stay} queued"
    yield from waits_lines(value.waiting)
    if told.failed:
        yield f"{counted(len(told.failed), 'job')} of it failed: see"
        yield "`agentctx memory status`"
    yield "preferences and decisions of the project stay in reach"
