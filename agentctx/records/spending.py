"""What models were paid: a question reserves the most it may cost, then what it did.

A process that dies in between leaves the reservation, so a cap is never passed (A6.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp

if TYPE_CHECKING:
    from datetime import datetime

    from agentctx.ids import RecordId
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

_DAY = len("YYYY-MM-DD")


class Call(NamedTuple):
    """One question to a model: for which session, what for, and whom."""

    session_id: str
    purpose: str
    model: str


class Cost(NamedTuple):
    """What a question cost, and how it ended: `answered`, or the code of an error."""

    input_tokens: int
    output_tokens: int
    cost_usd: float
    outcome: str


class Paid(NamedTuple):
    """What a project's sessions paid one model on one day for one purpose."""

    day: str
    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float


def reserve(store: Store, tx: Tx, call: Call, cost_usd: float) -> RecordId:
    """Count the most that a question may cost as spent; give its id."""
    call_id = store.ids.new()
    tx.execute(
        """
        INSERT INTO model_calls (id, session_id, purpose, model, cost_usd, outcome, at)
             VALUES (?, ?, ?, ?, ?, 'asked', ?)
        """,
        (call_id, *call, cost_usd, stamp(store.clock())),
    )
    _add_up(tx, call.session_id)
    return call_id


def settle_call(tx: Tx, call_id: str, cost: Cost) -> None:
    """Replace a reservation by what the question did cost."""
    row = tx.execute(
        """
           UPDATE model_calls
              SET input_tokens = ?, output_tokens = ?, cost_usd = ?, outcome = ?
            WHERE id = ? RETURNING session_id
        """,
        (*cost, call_id),
    ).fetchone()
    if row is not None:
        _add_up(tx, row["session_id"])


def spent_in_session(db: Db, session_id: str) -> float:
    """Give the US dollars spent on a session."""
    query = "SELECT COALESCE(sum(cost_usd), 0.0) FROM model_calls WHERE session_id = ?"
    return float(db.execute(query, (session_id,)).fetchone()[0])


def spent_on(db: Db, day: datetime) -> float:
    """Give the US dollars spent on the day of a moment, in UTC."""
    first = stamp(day)[:_DAY]
    row = db.execute(
        "SELECT COALESCE(sum(cost_usd), 0.0) FROM model_calls WHERE at >= ? AND at < ?",
        (first, f"{first}~"),
    ).fetchone()
    return float(row[0])


def paid(db: Db, project_id: str) -> list[Paid]:
    """List what a project's sessions paid, a day, a purpose and a model a row."""
    rows = db.execute(
        f"""
          SELECT substr(c.at, 1, {_DAY}) AS day, c.purpose, c.model, count(*),
                 sum(c.input_tokens), sum(c.output_tokens), sum(c.cost_usd)
            FROM model_calls c
            LEFT JOIN sessions s ON s.session_id = c.session_id
            LEFT JOIN transcripts t ON t.session_id = c.session_id
           WHERE COALESCE(s.project_id, t.project_id) = ?
        GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3
        """,
        (project_id,),
    )
    return [Paid(*row) for row in rows]


def _add_up(tx: Tx, session_id: str) -> None:
    tx.execute(
        """
        INSERT INTO sessions (session_id, extraction_cost_usd)
             VALUES (:session, (SELECT sum(cost_usd) FROM model_calls
                                 WHERE session_id = :session))
        ON CONFLICT (session_id) DO UPDATE
                SET extraction_cost_usd = excluded.extraction_cost_usd
        """,
        {"session": session_id},
    )
