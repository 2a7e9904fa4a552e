"""Threads: what a conversation belongs to until a person draws a line (M2, M3).

An active thread is made at a first opening, by `new_thread` and by clearing, and
nowhere else (M2.2).
"""

from __future__ import annotations

from agentctx.memory.model import CHECKPOINT_CHARACTERS, ThreadId
from agentctx.memory.names import FILE
from agentctx.memory.rawtext import raw
from agentctx.memory.refusals import (
    MemoryDegradedError,
    MemoryRuleError,
)
from agentctx.memory.store import Fence, fence_of
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

_EVERYTHING = (
    "memory_reviews",
    "ended_sessions",
    "memory_requests",
    "memory_terms",
    "memory_item_candidates",
    "memory_items",
    "candidate_sources",
    "forgotten_quotes",
    "memory_candidates",
    "memory_jobs",
    "turns",
    "threads",
)
"""What clearing empties, in the order that references allow."""


class Thread(NamedTuple):
    """A thread, and what was made of its turns up to one of them."""

    id: ThreadId
    compaction: str
    compaction_sequence: int
    created_at: str
    archived_at: str | None


def active_thread(db: Db) -> ThreadId:
    """Give the one active thread; `MemoryDegradedError` when it is gone (M2.2)."""
    row = db.execute("SELECT id FROM threads WHERE status = 'active'").fetchone()
    if row is None:
        detail = f"`{FILE}` has lost its active thread"
        raise MemoryDegradedError(detail=detail, problem="active_thread")
    return ThreadId(row["id"])


def thread_of(db: Db, thread_id: ThreadId) -> Thread | None:
    """Give a thread by its id."""
    row = db.execute(
        "SELECT id, compaction, compaction_sequence, created_at, archived_at"
        " FROM threads WHERE id = ?",
        (thread_id,),
    ).fetchone()
    return None if row is None else Thread(*row)


def new_thread(writing: Writing) -> tuple[ThreadId, ThreadId]:
    """Archive the active thread and begin an empty one; give the new and the old."""
    old = active_thread(writing.tx)
    writing.tx.execute(
        "UPDATE threads SET status = 'archived', archived_at = ? WHERE id = ?",
        (writing.stamp, old),
    )
    return _begin(writing), old


def write_checkpoint(
    writing: Writing, thread_id: ThreadId, text: str, *, sequence: int | None = None
) -> None:
    """Keep what the turns of a thread come to; `sequence` is the last of them.

    Without one the text was edited, and covers what it covered before (M11.5).
    """
    text = raw(text)
    if len(text) > CHECKPOINT_CHARACTERS or (sequence is not None and not text.strip()):
        raise MemoryRuleError(
            reason="a checkpoint has 1 to 4,000 characters", rule="checkpoint_size"
        )
    writing.tx.execute(
        "UPDATE threads SET compaction = ?,"
        " compaction_sequence = max(compaction_sequence, ?) WHERE id = ?",
        (text, sequence or 0, thread_id),
    )


def checkpoints(db: Db) -> tuple[Thread, ...]:
    """Give every thread that has a checkpoint."""
    rows = db.execute(
        "SELECT id, compaction, compaction_sequence, created_at, archived_at"
        " FROM threads WHERE compaction <> '' ORDER BY rowid"
    )
    return tuple(Thread(*row) for row in rows)


def start_anew(writing: Writing) -> Fence:
    """Delete all that memory holds, fence who works for it, begin an empty thread."""
    fence_of(writing.tx)
    for table in _EVERYTHING:
        writing.tx.execute(f"DELETE FROM {table}")
    writing.tx.execute(
        "UPDATE memory_meta SET generation = generation + 1,"
        " last_succeeded_at = NULL, updated_at = ?",
        (writing.stamp,),
    )
    _begin(writing)
    return fence_of(writing.tx)


def _begin(writing: Writing) -> ThreadId:
    made = ThreadId(writing.ids.new("thread"))
    writing.tx.execute(
        "INSERT INTO threads (id, status, created_at) VALUES (?, 'active', ?)",
        (made, writing.stamp),
    )
    return made
