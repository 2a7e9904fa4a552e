"""Which projects' memories the worker has something to do for, and since when.

A memory lies in its project; here is only where, so that one worker finds them all. A
memory waits as long as it was noted after it was last settled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp
from agentctx.records.transcripts import LONGEST_PUT_OFF

if TYPE_CHECKING:
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

_WAITING = "(settled_at IS NULL OR settled_at < noted_at)"


class Remembered(NamedTuple):
    """The memory of the project at `root`. Times are stamps.

    `asks` says that a model may be asked about it, as whoever noted it had a key;
    `problem` is the code of what kept the worker from it last.
    """

    root: str
    asks: bool
    noted_at: str
    settled_at: str | None
    retry_at: str | None
    problem: str | None


def note_memory(tx: Tx, root: str, *, asks: bool, now: datetime) -> None:
    """Note that a memory has something new to be worked on."""
    tx.execute(
        """
        INSERT INTO memories (root, asks, noted_at) VALUES (:root, :asks, :at)
        ON CONFLICT (root) DO UPDATE
                SET asks = MAX(asks, excluded.asks),
                    noted_at = MAX(noted_at, excluded.noted_at),
                    settled_at = CASE WHEN settled_at >= excluded.noted_at
                                      THEN NULL ELSE settled_at END
        """,
        {"root": root, "asks": asks, "at": stamp(now)},
    )


def waiting_memories(db: Db) -> list[Remembered]:
    """List the memories that wait for the worker, the longest waiting first."""
    rows = db.execute(
        "SELECT root, asks, noted_at, settled_at, retry_at, problem FROM memories"
        f" WHERE {_WAITING} ORDER BY noted_at, root"
    )
    return [Remembered(*row)._replace(asks=bool(row["asks"])) for row in rows]


def is_memory_waiting(db: Db, *, now: datetime) -> bool:
    """Say whether a memory that a model may be asked about waits and is not put off."""
    row = db.execute(
        f"SELECT EXISTS (SELECT 1 FROM memories WHERE {_WAITING} AND asks"
        " AND (retry_at IS NULL OR retry_at NOT BETWEEN ? AND ?))",
        (stamp(now), stamp(now + LONGEST_PUT_OFF)),
    )
    return bool(row.fetchone()[0])


def settle_memory(tx: Tx, one: Remembered) -> None:
    """Note that nothing is left to do of what there was when `one` was read."""
    tx.execute(
        "UPDATE memories SET settled_at = noted_at, retry_at = NULL, problem = NULL"
        " WHERE root = ? AND noted_at <= ?",
        (one.root, one.noted_at),
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
