"""The spans of a transcript that a model is asked about, one by one (A6.2, A6.3).

A span is one or more parts of the file, in bytes. It is due until it was answered, has
a reply until that was stored as records, and is done then. What was left out, for its
size or for want of a model, waits for somebody who asks for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from datetime import datetime

    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

WHOLE, CHUNK, LEFT_OUT = "whole", "chunk", "left_out"
DUE, REPLIED, DONE, FAILED = "due", "replied", "done", "failed"

Parts = tuple[tuple[int, int], ...]


class NewSpan(NamedTuple):
    """Parts of a transcript about one project; `tokens` is an estimate."""

    kind: str
    parts: Parts
    tokens: int
    project_id: str
    cwd: str
    problem: str | None = None


class Span(NamedTuple):
    """A span as it is kept; `reply` is what the model said, as JSON.

    `shown` are the ids of the records that the question showed.
    """

    id: str
    session_id: str
    project_id: str
    cwd: str
    kind: str
    state: str
    parts: Parts
    tokens: int
    attempts: int
    due_at: str
    reply: str | None
    shown: tuple[str, ...]
    problem: str | None


def add_spans(
    store: Store, tx: Tx, session_id: str, spans: Iterable[NewSpan], *, now: datetime
) -> None:
    """Keep new spans; they are due at once."""
    tx.executemany(
        """
        INSERT INTO spans (id, session_id, project_id, cwd, parts, kind, state,
                           tokens, due_at, problem)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                store.ids.new(),
                session_id,
                one.project_id,
                one.cwd,
                json.dumps(one.parts),
                one.kind,
                DUE,
                one.tokens,
                stamp(now),
                one.problem,
            )
            for one in spans
        ],
    )


def spans_of(db: Db, session_id: str) -> list[Span]:
    """List the spans of a session in the order they were made."""
    rows = db.execute(
        """
          SELECT id, session_id, project_id, cwd, kind, state, parts, tokens,
                 attempts, due_at, reply, shown, problem
            FROM spans WHERE session_id = ? ORDER BY id
        """,
        (session_id,),
    )
    return [_span(row) for row in rows]


def keep_reply(tx: Tx, span_id: str, reply: str, shown: Iterable[str]) -> None:
    """Keep what the model said of a span until it is stored as records."""
    tx.execute(
        "UPDATE spans SET state = 'replied', reply = ?, shown = ?, problem = NULL"
        " WHERE id = ?",
        (reply, json.dumps(list(shown)), span_id),
    )


def finish(tx: Tx, span_ids: Iterable[str]) -> None:
    """Note that spans are done; what the model said of them is not kept."""
    tx.executemany(
        "UPDATE spans SET state = 'done', reply = NULL, problem = NULL WHERE id = ?",
        [(span_id,) for span_id in span_ids],
    )


def try_later(
    tx: Tx, span: Span, problem: str, *, until: datetime, counted: bool = True
) -> None:
    """Note what went wrong, and when to try again; `counted` is an attempt at it."""
    tx.execute(
        "UPDATE spans SET attempts = attempts + ?, problem = ?, due_at = ?"
        " WHERE id = ?",
        (int(counted), problem, stamp(until), span.id),
    )


def ask_again(tx: Tx, span: Span, problem: str, *, until: datetime) -> None:
    """Drop an answer that was none, and note when to ask again."""
    tx.execute("UPDATE spans SET state = 'due', reply = NULL WHERE id = ?", (span.id,))
    try_later(tx, span, problem, until=until)


def give_up(tx: Tx, span_id: str, problem: str) -> None:
    """Note that a span is not asked about any more by itself."""
    tx.execute(
        "UPDATE spans SET state = 'failed', reply = NULL, problem = ? WHERE id = ?",
        (problem, span_id),
    )


def leave_out(tx: Tx, span_ids: Iterable[str], problem: str) -> None:
    """Let spans wait for somebody who asks for them."""
    tx.executemany(
        "UPDATE spans SET kind = 'left_out', problem = ? WHERE id = ?",
        [(problem, span_id) for span_id in span_ids],
    )


def take_up(tx: Tx, span_ids: Iterable[str], *, now: datetime) -> None:
    """Let spans that were left out, or failed, be due after all."""
    tx.executemany(
        "UPDATE spans SET kind = 'chunk', state = 'due', attempts = 0, due_at = ?,"
        " problem = NULL WHERE id = ? AND state IN ('due', 'failed')",
        [(stamp(now), span_id) for span_id in span_ids],
    )


def count_yield(tx: Tx, session_id: str, outcome: str, number: int = 1) -> None:
    """Count what became of something that a model found."""
    tx.execute(
        """
        INSERT INTO yields (session_id, outcome, number) VALUES (?, ?, ?)
        ON CONFLICT (session_id, outcome)
                 DO UPDATE SET number = number + excluded.number
        """,
        (session_id, outcome, number),
    )


def yields_of(db: Db, session_id: str) -> dict[str, int]:
    """Give what became of everything that was found in a session."""
    rows = db.execute(
        "SELECT outcome, number FROM yields WHERE session_id = ? ORDER BY outcome",
        (session_id,),
    )
    return {row[0]: row[1] for row in rows}


def _span(row: sqlite3.Row) -> Span:
    values = dict(row)
    parts = tuple((int(start), int(end)) for start, end in json.loads(values["parts"]))
    shown = tuple(map(str, json.loads(values["shown"])))
    return Span(**{**values, "parts": parts, "shown": shown})
