"""How far the transcript of each session was read, and what is still to be read.

A place is the number of bytes that were taken up. A session waits for the worker as
long as it was heard of after it was last settled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from corpus.sqlite import Db, Tx


class Heard(NamedTuple):
    """One session's transcript. Times are stamps.

    `identity` is a fingerprint of the file's beginning: where it is another, the file
    was written anew and is read from its start. `problem` is the code of what went
    wrong last; `retry_at` is when it may be tried again.
    """

    session_id: str
    project_id: str
    cwd: str
    path: str
    place: int
    identity: str
    heard_at: str
    ended_at: str | None
    settled_at: str | None
    retry_at: str | None
    problem: str | None


class Source(NamedTuple):
    """Where a session is, as its client says."""

    session_id: str
    project_id: str
    cwd: str
    path: str


_COLUMNS = ", ".join(Heard._fields)
_WAITING = """
(settled_at IS NULL OR settled_at < heard_at
 OR (ended_at IS NOT NULL AND settled_at < ended_at))
"""


def hear(tx: Tx, source: Source, *, now: datetime, ended: bool = False) -> None:
    """Note that a session said something new, or that it ended."""
    at = stamp(now)
    tx.execute(
        """
        INSERT INTO transcripts (session_id, project_id, cwd, path, heard_at, ended_at)
             VALUES (:session_id, :project_id, :cwd, :path, :at, :ended)
        ON CONFLICT (session_id) DO UPDATE
                SET project_id = excluded.project_id, cwd = excluded.cwd,
                    path = excluded.path,
                    heard_at = MAX(heard_at, excluded.heard_at),
                    ended_at = excluded.ended_at,
                    settled_at = CASE WHEN settled_at >= excluded.heard_at
                                      THEN NULL ELSE settled_at END
        """,
        {**source._asdict(), "at": at, "ended": at if ended else None},
    )


def waiting(db: Db) -> list[Heard]:
    """List the sessions that the worker has something to do for, the oldest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM transcripts WHERE {_WAITING}"
        " ORDER BY heard_at, session_id"
    )
    return [_heard(row) for row in rows]


def is_waiting(db: Db) -> bool:
    """Say whether the worker has something to do for any session."""
    row = db.execute(f"SELECT EXISTS (SELECT 1 FROM transcripts WHERE {_WAITING})")
    return bool(row.fetchone()[0])


def heard(db: Db, session_id: str) -> Heard | None:
    """Give what is known of one session's transcript."""
    query = f"SELECT {_COLUMNS} FROM transcripts WHERE session_id = ?"
    row = db.execute(query, (session_id,)).fetchone()
    return None if row is None else _heard(row)


def move_on(tx: Tx, session_id: str, *, place: int, identity: str) -> None:
    """Note how far a transcript was taken up."""
    tx.execute(
        "UPDATE transcripts SET place = ?, identity = ? WHERE session_id = ?",
        (place, identity, session_id),
    )


def settle(tx: Tx, one: Heard, *, problem: str | None = None) -> None:
    """Note that nothing is left to do of what a session had said until then."""
    tx.execute(
        """
        UPDATE transcripts SET settled_at = :heard, retry_at = NULL, problem = :problem
         WHERE session_id = :session AND heard_at <= :heard
        """,
        {
            "heard": max(one.heard_at, one.ended_at or ""),
            "problem": problem,
            "session": one.session_id,
        },
    )


def reopen(tx: Tx, session_id: str, *, now: datetime) -> None:
    """Let a session wait for the worker again, at once."""
    tx.execute(
        "UPDATE transcripts SET settled_at = NULL, retry_at = NULL,"
        " ended_at = COALESCE(ended_at, ?) WHERE session_id = ?",
        (stamp(now), session_id),
    )


def put_off(tx: Tx, session_id: str, *, until: datetime, problem: str) -> None:
    """Note what went wrong, and when it may be tried again."""
    tx.execute(
        "UPDATE transcripts SET retry_at = ?, problem = ? WHERE session_id = ?",
        (stamp(until), problem, session_id),
    )


def _heard(row: sqlite3.Row) -> Heard:
    return Heard(*(row[name] for name in Heard._fields))
