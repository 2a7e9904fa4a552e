"""Which projects' memories the worker has something to do for, and since when.

A memory lies in its project; here is only where, so that one worker finds them all. A
memory waits as long as it was noted after it was last settled. One that was settled
until a moment, as while a turn of it is open, waits again from then on, or when it is
noted anew.
"""

from __future__ import annotations

from agentctx.clock import stamp
from agentctx.records.transcripts import LONGEST_PUT_OFF
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from corpus.sqlite import Db, Tx

MEMORIES = (
    """
CREATE TABLE memories (
  root TEXT PRIMARY KEY NOT NULL,
  asks INTEGER NOT NULL DEFAULT 1 CHECK (asks IN (0, 1)),
  noted_at TEXT NOT NULL,
  settled_at TEXT,
  retry_at TEXT,
  problem TEXT
) STRICT
""",
    "CREATE INDEX provenance_by_key ON provenance(key) WHERE key IS NOT NULL",
)
"""What a store's third layout adds."""

MEMORIES_TABLES = ("memories",)

NO_MODEL = "NO_LLM"
"""The worker had no key: one that has it, or a session that has it, need not wait."""

_UNSETTLED = "(settled_at IS NULL OR settled_at < noted_at)"


class Remembered(NamedTuple):
    """The memory of the project at `root`. Times are stamps.

    `asks` says that a model may be asked about it, as whoever noted it had a key;
    `problem` is the code of what kept the worker from it last, and `retry_at` is when
    it may be tried again, or looked at again where it is settled.
    """

    root: str
    asks: bool
    noted_at: str
    settled_at: str | None
    retry_at: str | None
    problem: str | None

    @property
    def is_settled(self) -> bool:
        """Whether nothing could be done of what was noted."""
        return self.settled_at is not None and self.settled_at >= self.noted_at


_COLUMNS = ", ".join(Remembered._fields)


def note_memory(tx: Tx, root: str, *, asks: bool, now: datetime) -> None:
    """Note that a memory has something new to be worked on.

    What it was put off for keeps it waiting, but not a moment until which it was
    settled, nor that the worker had no key where this session has one.
    """
    tx.execute(
        f"""
        INSERT INTO memories (root, asks, noted_at) VALUES (:root, :asks, :at)
        ON CONFLICT (root) DO UPDATE
                SET asks = MAX(asks, excluded.asks),
                    noted_at = MAX(noted_at, excluded.noted_at),
                    settled_at = CASE WHEN settled_at >= excluded.noted_at
                                      THEN NULL ELSE settled_at END,
                    retry_at = CASE WHEN {_UNSETTLED} AND (problem IS NOT :no_model
                                                           OR NOT excluded.asks)
                                    THEN retry_at END
        """,
        {"root": root, "asks": asks, "at": stamp(now), "no_model": NO_MODEL},
    )


def waiting_memories(db: Db) -> list[Remembered]:
    """List the memories that wait for the worker, the longest waiting first.

    One that is settled until a moment is among them.
    """
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memories"
        f" WHERE {_UNSETTLED} OR retry_at IS NOT NULL ORDER BY noted_at, root"
    )
    return [_remembered(row) for row in rows]


def memory_at(db: Db, root: str) -> Remembered | None:
    """Give what is noted of one memory."""
    query = f"SELECT {_COLUMNS} FROM memories WHERE root = ?"
    row = db.execute(query, (root,)).fetchone()
    return None if row is None else _remembered(row)


def is_memory_waiting(db: Db, *, now: datetime) -> bool:
    """Say whether a memory that a model may be asked about waits and is not put off."""
    row = db.execute(
        f"""
        SELECT EXISTS (SELECT 1 FROM memories
                        WHERE asks AND ({_UNSETTLED} OR retry_at IS NOT NULL)
                          AND (retry_at IS NULL OR retry_at NOT BETWEEN ? AND ?))
        """,
        (stamp(now), stamp(now + LONGEST_PUT_OFF)),
    )
    return bool(row.fetchone()[0])


def settle_memory(
    tx: Tx,
    one: Remembered,
    *,
    until: datetime | None = None,
    problem: str | None = None,
) -> None:
    """Note that nothing can be done now of what there was when `one` was read.

    `until` is when it is to be looked at again, because of `problem` if there is one.
    """
    tx.execute(
        "UPDATE memories SET settled_at = noted_at, retry_at = ?, problem = ?"
        " WHERE root = ? AND noted_at <= ?",
        (None if until is None else stamp(until), problem, one.root, one.noted_at),
    )


def put_memory_off(tx: Tx, root: str, *, until: datetime, problem: str) -> None:
    """Note what keeps the worker from a memory, and when it may be tried again."""
    tx.execute(
        "UPDATE memories SET retry_at = ?, problem = ? WHERE root = ?",
        (stamp(until), problem, root),
    )


def forget_memory(tx: Tx, root: str) -> None:
    """Know no more of a memory, as when its project is gone."""
    tx.execute("DELETE FROM memories WHERE root = ?", (root,))


def _remembered(row: sqlite3.Row) -> Remembered:
    one = Remembered(*(row[name] for name in Remembered._fields))
    return one._replace(asks=bool(one.asks))
