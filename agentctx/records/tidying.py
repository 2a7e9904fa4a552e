"""What consolidation asks of the records and does to them, in SQL (A6.7).

A score is derived: what was fetched, and what several sessions said, counts more. Age
is not in it; searching and digests weigh that themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.clock import stamp
from agentctx.records.model import COLUMNS, FROM, record_of
from agentctx.records.proposals import UNUSED

if TYPE_CHECKING:
    from datetime import datetime

    from agentctx.records.model import Record
    from corpus.sqlite import Db, Tx

_TIDIED = "tidied"

_SCORE = """
round(1.0 + 0.02 * min(COALESCE(access_count, 0), 25)
          + 0.1 * min(COALESCE(reinforce_count, 0), 5), 4)
"""
"""From 1 to 2: each fetch adds a fiftieth, each session that said it a tenth."""


def rescore(tx: Tx) -> int:
    """Make the scores anew; give how many were others."""
    return tx.execute(
        f"UPDATE records SET score = {_SCORE} WHERE score IS NOT {_SCORE}"
    ).rowcount


def tidied_until(db: Db) -> int:
    """Give the last row that was compared with others."""
    row = db.execute("SELECT value FROM state WHERE name = ?", (_TIDIED,)).fetchone()
    return 0 if row is None else int(row[0])


def mark_tidied(tx: Tx, rowid: int) -> None:
    """Note up to which row records were compared with others."""
    tx.execute(
        "INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)", (_TIDIED, rowid)
    )


def changed_since(db: Db, rowid: int, *, limit: int) -> list[Record]:
    """Give current records that are newer than a row, the oldest first."""
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.rowid > ? AND r.superseded_at IS NULL ORDER BY r.rowid LIMIT ?
        """,
        (rowid, limit),
    )
    return [record_of(row) for row in rows]


def retire_unused(tx: Tx, *, before: datetime, now: datetime) -> int:
    """Put into the past what was only observed or guessed, and nobody ever fetched.

    What is pinned, what a person stands for and what binds a project stays. The record
    stays in the history, and so does what a session said again since `before`.
    """
    return tx.execute(
        """
        UPDATE records SET superseded_at = :now
         WHERE superseded_at IS NULL AND confidence = 'inferred' AND pinned = 0
           AND type IN ('discovery', 'bugfix', 'handover')
           AND recorded_at < :before AND access_count = 0
           AND COALESCE(last_accessed, '') < :before
           AND NOT EXISTS (SELECT 1 FROM provenance p
                            WHERE p.record_id = records.id AND p.confirmed = 1)
           AND NOT EXISTS (SELECT 1 FROM reinforcements s
                            WHERE s.record_id = records.id AND s.at >= :before)
        """,
        {"now": stamp(now), "before": stamp(before)},
    ).rowcount


def unused_guesses(db: Db, *, before: datetime) -> list[tuple[str, str]]:
    """List what was guessed long ago and never said again nor fetched."""
    rows = db.execute(
        f"""
          SELECT r.project_id, r.id
            FROM records r LEFT JOIN provenance p ON p.record_id = r.id
           WHERE {UNUSED} AND r.type IN ('decision', 'convention', 'preference')
             AND r.recorded_at < ?
             AND NOT EXISTS (SELECT 1 FROM proposals q
                              WHERE q.record_id = r.id AND q.kind = 'prune')
        ORDER BY r.id LIMIT 200
        """,
        (stamp(before),),
    )
    return [(row[0], row[1]) for row in rows]


def known_projects(db: Db) -> set[str]:
    """Give the ids of the projects that were noted or have a record."""
    rows = db.execute(
        "SELECT project_id FROM namespaces UNION SELECT project_id FROM records"
    )
    return {row[0] for row in rows}
