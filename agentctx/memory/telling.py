"""What memory tells about itself, as values: status, one item, what was done (M8.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.memory.items import chain, item_by_id
from agentctx.memory.mapping import SOURCES
from agentctx.memory.recallindex import newest_sources
from agentctx.memory.schema import VERSION

if TYPE_CHECKING:
    from agentctx.memory.model import Item, ItemId, JobId, ThreadId
    from agentctx.memory.recallindex import Quoted
    from agentctx.memory.refusals import MemoryDegradedError
    from agentctx.memory.summary import Summary
    from agentctx.memory.tally import Tally
    from corpus.sqlite import Db

State = Literal["healthy", "degraded", "absent"]


class Status(NamedTuple):
    """How memory is; `tally` is there for a healthy one, `problem` for a degraded."""

    state: State
    summary: Summary
    tally: Tally | None = None
    problem: MemoryDegradedError | None = None

    def as_json(self) -> dict[str, object]:
        """Give the status as one JSON object, without any text of a conversation."""
        told: dict[str, object] = {"state": self.state, "schema_version": VERSION}
        if self.tally is not None:
            told |= self.tally.as_json()
        told["state"] = self.state
        told["summary"] = self.summary._asdict()
        if self.problem is not None:
            told["problem"] = str(self.problem)
        return told


class Shown(NamedTuple):
    """An item, its newest words, and the ids of all its revisions, oldest first."""

    item: Item
    sources: tuple[Quoted, ...]
    revisions: tuple[ItemId, ...]


class NewThread(NamedTuple):
    """What beginning a thread came to; `pending` and `failed` are of the old one."""

    thread_id: ThreadId
    archived_thread_id: ThreadId
    timed_out: bool
    pending: tuple[JobId, ...]
    failed: tuple[JobId, ...]


class Flushed(NamedTuple):
    """What a pass before the exit left; what waits is taken up at the next start.

    `held` says how many of the pending another process is at work on.
    """

    pending: tuple[JobId, ...]
    failed: tuple[JobId, ...]
    timed_out: bool
    held: int = 0

    @property
    def text(self) -> str:
        """What a person is told; empty when all is done."""
        told = []
        waits, left = len(self.pending), counted(len(self.pending), "memory job")
        if self.held:
            which = "it" if waits == 1 else f"{self.held} of them"
            told.append(f"{left} left: another process is at work on {which}")
        elif waits:
            told.append(
                f"{left} {'waits' if waits == 1 else 'wait'} for the next start"
            )
        if self.failed:
            told.append(f"{counted(len(self.failed), 'memory job')} failed")
        return "; ".join(told)


def counted(number: int, one: str) -> str:
    """Write a number with its noun: `1 turn`, `2 turns`."""
    return f"{number} {one if number == 1 else f'{one}s'}"


def shown_item(db: Db, item_id: ItemId) -> Shown:
    """Give any revision of an item with what it stands on."""
    item = item_by_id(db, item_id)
    revisions = tuple(one.id for one in chain(db, item.logical_id))
    return Shown(item, newest_sources(db, item.id, SOURCES), revisions)
