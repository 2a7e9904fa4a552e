"""What a store adds up to: records by kind, tokens injected, dollars spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.model import GLOBAL
from agentctx.records.spending import spent_on

if TYPE_CHECKING:
    from datetime import datetime

    from corpus.sqlite import Db


class Counts(NamedTuple):
    """Current records of a project, by type and by confidence, most first."""

    by_type: dict[str, int] = {}  # noqa: RUF012 - never changed
    by_confidence: dict[str, int] = {}  # noqa: RUF012 - never changed
    pinned: int = 0
    past: int = 0
    global_records: int = 0

    def as_json(self) -> dict[str, object]:
        """Give the counts as one JSON object."""
        return {
            "total": sum(self.by_type.values()),
            "by_type": self.by_type,
            "by_confidence": self.by_confidence,
            "pinned": self.pinned,
            "past": self.past,
            "global": self.global_records,
        }


class Spent(NamedTuple):
    """Tokens injected into a project's sessions; dollars spent in the whole store."""

    session_tokens: int = 0
    tokens: int = 0
    today_usd: float = 0.0
    usd: float = 0.0


def records_counted(db: Db, project_id: str) -> Counts:
    """Count the records of a project, and the global ones."""
    by_type: dict[str, int] = {}
    by_confidence: dict[str, int] = {}
    pinned = past = others = 0
    for row in db.execute(
        """
          SELECT project_id, type, confidence, superseded_at IS NOT NULL AS is_past,
                 count(*) AS number, sum(pinned) AS pinned
            FROM records
           WHERE project_id IN (?, ?)
        GROUP BY 1, 2, 3, 4
        ORDER BY number DESC, type, confidence
        """,
        (project_id, GLOBAL),
    ):
        number = row["number"]
        if row["is_past"]:
            past += number if row["project_id"] == project_id else 0
        elif row["project_id"] == GLOBAL:
            others += number
        else:
            _count(by_type, row["type"], number)
            _count(by_confidence, row["confidence"], number)
            pinned += row["pinned"]
    return Counts(by_type, by_confidence, pinned, past, others)


def tokens_and_cost(db: Db, project_id: str, *, now: datetime) -> Spent:
    """Add up the tokens of a project's sessions and the cost of everybody's."""
    tokens = db.execute(
        "SELECT COALESCE(sum(tokens_injected), 0) FROM sessions WHERE project_id = ?",
        (project_id,),
    ).fetchone()[0]
    last = db.execute(
        """
          SELECT tokens_injected FROM sessions WHERE project_id = ?
        ORDER BY started_at DESC, session_id DESC LIMIT 1
        """,
        (project_id,),
    ).fetchone()
    cost = db.execute(
        """
        SELECT COALESCE(sum(extraction_cost_usd), 0) AS total FROM sessions
        """
    ).fetchone()
    return Spent(
        session_tokens=0 if last is None else last[0] or 0,
        tokens=tokens,
        today_usd=spent_on(db, now),
        usd=float(cost["total"]),
    )


def _count(counts: dict[str, int], name: str, number: int) -> None:
    counts[name] = counts.get(name, 0) + number
