"""The records that stand for a project: the pinned, then what persons said, then used.

For whoever tells a session about the project without a question.
"""

from __future__ import annotations

from agentctx.records.model import COLUMNS, FROM, GLOBAL, record_of
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentctx.records.model import Record
    from corpus.sqlite import Db

MOST_READ = 400
"""Records that are looked at."""


class Wording(NamedTuple):
    """What a current record says now, and how sure it is."""

    title: str
    body: str
    confidence: str


def foremost_records(
    db: Db, project_id: str, types: Sequence[str], *, sure: bool
) -> list[Record]:
    """Give current records of some types; only what is no guess if `sure`."""
    marks = ", ".join("?" * len(types))
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id = ? AND r.type IN ({marks})
             AND r.superseded_at IS NULL
             AND (r.confidence <> 'inferred' OR NOT ?)
        ORDER BY r.pinned DESC,
                 (COALESCE(p.trust, 'developer') = 'developer'
                  OR COALESCE(p.confirmed, 0)) DESC,
                 r.score DESC, r.recorded_at DESC, r.id DESC
           LIMIT {MOST_READ}
        """,
        (project_id, *types, sure),
    )
    return [record_of(row) for row in rows]


def current_wordings(
    db: Db, project_id: str, ids: Collection[str]
) -> dict[str, Wording]:
    """Give what those of some records say that are current and can be seen."""
    marks = ", ".join("?" * len(ids))
    rows = db.execute(
        f"""
        SELECT id, title, body, confidence FROM records
         WHERE id IN ({marks}) AND superseded_at IS NULL
           AND (+project_id IN (?, ?)
                OR +project_id IN (SELECT staging_id FROM branches
                                    WHERE project_id = ?))
        """,
        (*ids, project_id, GLOBAL, project_id),
    )
    return {
        row["id"]: Wording(row["title"], row["body"], row["confidence"]) for row in rows
    }
