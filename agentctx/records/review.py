"""What is known of one session, for a person who looks it over (A6.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.model import COLUMNS, FROM, GLOBAL, record_of
from agentctx.records.spans import spans_of, yields_of

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.spans import Span
    from corpus.sqlite import Db


class SessionCard(NamedTuple):
    """A session: when, what it was given, what reading it cost. Times are stamps."""

    session_id: str
    project_id: str
    started_at: str | None
    ended_at: str | None
    tokens_injected: int
    cost_usd: float

    def as_json(self) -> dict[str, object]:
        """Give the card as one JSON object."""
        return dict(self._asdict())


class Review(NamedTuple):
    """A session, the records it made, what became of the rest, what was not read."""

    card: SessionCard
    records: tuple[Record, ...]
    outcomes: dict[str, int]
    spans: tuple[Span, ...]


def recent_sessions(db: Db, project_id: str, *, limit: int) -> list[SessionCard]:
    """List the sessions of a project, the newest first."""
    rows = db.execute(
        f"""
          SELECT {_CARD} FROM sessions
           WHERE project_id = :project OR session_id IN (
                   SELECT session_id FROM records WHERE project_id = :project)
        ORDER BY started_at DESC, session_id LIMIT :limit
        """,
        {"project": project_id, "limit": limit},
    )
    return [SessionCard(*row) for row in rows]


def count_sessions(db: Db, project_id: str) -> int:
    """Say how many sessions of a project are known."""
    row = db.execute(
        """
        SELECT count(*) FROM sessions
         WHERE project_id = :project OR session_id IN (
                 SELECT session_id FROM records WHERE project_id = :project)
        """,
        {"project": project_id},
    ).fetchone()
    return int(row[0])


def find_sessions(db: Db, project_id: str, text: str) -> list[SessionCard]:
    """Find the sessions of a project whose id is a text, or begins with it.

    One that went on elsewhere belongs to every project that it left a record in.
    """
    rows = db.execute(
        f"""
          SELECT {_CARD} FROM sessions
           WHERE (session_id = :text OR substr(session_id, 1, :size) = :text)
             AND (project_id = :project OR session_id IN (
                    SELECT session_id FROM records WHERE project_id = :project))
        ORDER BY session_id = :text DESC, session_id LIMIT 3
        """,
        {"project": project_id, "text": text, "size": len(text)},
    )
    return [SessionCard(*row) for row in rows]


def review_of(db: Db, card: SessionCard, project_id: str) -> Review:
    """Gather what a session yielded in a project, and everywhere."""
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.session_id = ?
             AND (r.project_id IN (?, ?)
                  OR r.project_id IN (SELECT staging_id FROM branches
                                       WHERE project_id = ?))
        ORDER BY r.recorded_at, r.id
        """,
        (card.session_id, project_id, GLOBAL, project_id),
    )
    return Review(
        card=card,
        records=tuple(record_of(row) for row in rows),
        outcomes=yields_of(db, card.session_id),
        spans=tuple(spans_of(db, card.session_id)),
    )


_CARD = (
    "session_id, project_id, started_at, ended_at,"
    " COALESCE(tokens_injected, 0), COALESCE(extraction_cost_usd, 0.0)"
)
