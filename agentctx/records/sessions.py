"""The sessions a project has had: when, what they were given, what of it was used."""

from __future__ import annotations

from agentctx.clock import stamp
from corpus.sqlite import store_failures
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx


class Given(NamedTuple):
    """What one answer put into a session: its tokens, and the records it showed."""

    event: str
    tokens: int
    records: Sequence[str] = ()


def last_session_at(db: Db, project_id: str) -> str | None:
    """Give when a session of a project was last seen, or None before the first."""
    row = db.execute(
        "SELECT max(COALESCE(ended_at, started_at)) FROM sessions WHERE project_id = ?",
        (project_id,),
    ).fetchone()
    return None if row[0] is None else str(row[0])


def note_session(tx: Tx, session_id: str, project_id: str, *, now: datetime) -> None:
    """Note that a session is there, and in which project it is now."""
    tx.execute(
        """
        INSERT INTO sessions (session_id, project_id, started_at) VALUES (?, ?, ?)
        ON CONFLICT (session_id) DO UPDATE SET project_id = excluded.project_id
        """,
        (session_id, project_id, stamp(now)),
    )


def end_session(tx: Tx, session_id: str, *, now: datetime) -> None:
    """Note when a session ended."""
    tx.execute(
        "UPDATE sessions SET ended_at = ? WHERE session_id = ?",
        (stamp(now), session_id),
    )


def account(store: Store, session_id: str, project_id: str, given: Given) -> None:
    """Count every token that was put into a session, and which records it was for."""
    now = store.clock()
    with store_failures(), store.writing() as tx:
        note_session(tx, session_id, project_id, now=now)
        tx.execute(
            "UPDATE sessions SET tokens_injected = tokens_injected + ?"
            " WHERE session_id = ?",
            (given.tokens, session_id),
        )
        tx.execute(
            "INSERT INTO injections (session_id, project_id, event, tokens, at)"
            " VALUES (?, ?, ?, ?, ?)",
            (session_id, project_id, given.event, given.tokens, stamp(now)),
        )
        tx.executemany(
            "INSERT OR IGNORE INTO injected_records"
            " (session_id, record_id, project_id, at) VALUES (?, ?, ?, ?)",
            (
                (session_id, record_id, project_id, stamp(now))
                for record_id in given.records
            ),
        )


def note_fetched(
    tx: Tx, record_ids: Iterable[str], *, session_id: str | None, now: datetime
) -> None:
    """Note that records were read whole after a session had been shown them.

    A client that does not name its session is taken for the one shown them last.
    """
    tx.executemany(
        """
        UPDATE injected_records SET fetched_at = COALESCE(fetched_at, :now)
         WHERE record_id = :record AND session_id = COALESCE(:session, (
                 SELECT session_id FROM injected_records
                  WHERE record_id = :record ORDER BY at DESC LIMIT 1))
        """,
        (
            {"now": stamp(now), "record": record_id, "session": session_id}
            for record_id in record_ids
        ),
    )


class Injected(NamedTuple):
    """What one kind of event put into a project's sessions."""

    event: str
    times: int
    tokens: int


def injected_by_event(db: Db, project_id: str) -> list[Injected]:
    """Add up what was put into a project's sessions, the most first."""
    rows = db.execute(
        """
          SELECT event, count(*), sum(tokens) AS tokens FROM injections
           WHERE project_id = ? GROUP BY event ORDER BY tokens DESC, event
        """,
        (project_id,),
    )
    return [Injected(*row) for row in rows]


def records_shown(db: Db, project_id: str) -> tuple[int, int]:
    """Count the records shown in sessions, and those that were then read whole."""
    row = db.execute(
        "SELECT count(*), count(fetched_at) FROM injected_records WHERE project_id = ?",
        (project_id,),
    ).fetchone()
    return row[0], row[1]


def hit_rate(db: Db, project_id: str) -> float | None:
    """Give the share of the records shown in sessions that were then read whole."""
    shown, fetched = records_shown(db, project_id)
    return round(fetched / shown, 4) if shown else None
