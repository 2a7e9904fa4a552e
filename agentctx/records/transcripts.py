"""How far the transcript of each session was read, and what is still to be read.

A place is the number of bytes that were taken up. A session waits for the worker as
long as it was heard of after it was last settled.
"""

from __future__ import annotations

from datetime import timedelta

from agentctx.clock import stamp
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from corpus.sqlite import Db, Tx


LONGEST_PUT_OFF = timedelta(days=2)
"""Nothing is put off for longer: a day's cap waits for the next day."""


class Heard(NamedTuple):
    """One session's transcript. Times are stamps.

    `identity` is a fingerprint of the file's beginning: where it is another, the file
    was written anew and is read from its start. `problem` is the code of what went
    wrong last; `retry_at` is when it may be tried again. `asks` says that a model may
    read it, as its own environment had a key; `spoke` that a turn of it has ended.
    """

    session_id: str
    project_id: str
    cwd: str
    path: str
    asks: bool
    spoke: bool
    place: int
    identity: str
    heard_at: str
    ended_at: str | None
    settled_at: str | None
    retry_at: str | None
    problem: str | None


class Source(NamedTuple):
    """Where a session is, as its client says, and whether a model may read it."""

    session_id: str
    project_id: str
    cwd: str
    path: str
    asks: bool = True


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
        INSERT INTO transcripts
                    (session_id, project_id, cwd, path, asks, spoke, heard_at, ended_at)
             VALUES (:session_id, :project_id, :cwd, :path, :asks, :spoke, :at, :ended)
        ON CONFLICT (session_id) DO UPDATE
                SET project_id = excluded.project_id, cwd = excluded.cwd,
                    path = excluded.path, asks = excluded.asks,
                    spoke = MAX(spoke, excluded.spoke),
                    heard_at = MAX(heard_at, excluded.heard_at),
                    ended_at = excluded.ended_at,
                    settled_at = CASE WHEN settled_at >= excluded.heard_at
                                      THEN NULL ELSE settled_at END
        """,
        {
            **source._asdict(),
            "spoke": not ended,
            "at": at,
            "ended": at if ended else None,
        },
    )


def note_source(tx: Tx, source: Source, *, now: datetime) -> None:
    """Know where a session is that has said nothing new yet: nobody has to read it.

    One that waits already goes on waiting as it is; one that goes on has not ended.
    """
    tx.execute(
        f"""
        INSERT INTO transcripts
                    (session_id, project_id, cwd, path, asks, heard_at, settled_at)
             VALUES (:session_id, :project_id, :cwd, :path, :asks, :at, :at)
        ON CONFLICT (session_id) DO UPDATE
                SET project_id = excluded.project_id, cwd = excluded.cwd,
                    path = excluded.path, asks = excluded.asks, ended_at = NULL,
                    heard_at = MAX(heard_at, excluded.heard_at),
                    settled_at = MAX(settled_at, excluded.settled_at)
              WHERE NOT ({_WAITING})
        """,
        {**source._asdict(), "at": stamp(now)},
    )


def unended(db: Db, *, since: datetime, limit: int) -> list[Heard]:
    """List sessions that did not end and wait for nobody, the latest first."""
    rows = db.execute(
        f"""
          SELECT {_COLUMNS} FROM transcripts
           WHERE ended_at IS NULL AND heard_at > ? AND NOT ({_WAITING})
        ORDER BY heard_at DESC, session_id LIMIT ?
        """,
        (stamp(since), limit),
    )
    return [_heard(row) for row in rows]


def waiting(db: Db) -> list[Heard]:
    """List the sessions that the worker has something to do for, the oldest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM transcripts WHERE {_WAITING}"
        " ORDER BY heard_at, session_id"
    )
    return [_heard(row) for row in rows]


def is_waiting(db: Db, *, now: datetime) -> bool:
    """Say whether the worker has something to do for a session that is not put off.

    What was put off for very long was so before the clock was set back.
    """
    row = db.execute(
        f"""
        SELECT EXISTS (SELECT 1 FROM transcripts
                        WHERE {_WAITING}
                          AND (retry_at IS NULL OR retry_at NOT BETWEEN ? AND ?))
        """,
        (stamp(now), stamp(now + LONGEST_PUT_OFF)),
    )
    return bool(row.fetchone()[0])


def is_put_off(until: str | None, *, now: datetime) -> bool:
    """Say whether something waits until a moment that a clock can explain."""
    if until is None:
        return False
    return stamp(now) < until <= stamp(now + LONGEST_PUT_OFF)


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
        "UPDATE transcripts SET settled_at = NULL, retry_at = NULL, asks = 1,"
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
    one = Heard(*(row[name] for name in Heard._fields))
    return one._replace(asks=bool(one.asks), spoke=bool(one.spoke))
