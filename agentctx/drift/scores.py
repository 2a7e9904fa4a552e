"""Note on each record how far the instructions are from it; derived (A1.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import GLOBAL

if TYPE_CHECKING:
    from agentctx.drift.report import Report
    from agentctx.records.store import Store


def note_drift(store: Store, project_id: str, report: Report) -> int:
    """Write the drift of every current record; give how many places differ.

    1 is a record whose past version is still stated, 0.5 one that nothing states. Only
    rows that change are written, and the version of the store stays.
    """
    rows = store.db.execute(
        """
        SELECT id, claudemd_drift_score AS score FROM records
         WHERE project_id IN (?, ?)
           AND (claudemd_drift_score != 0 OR superseded_at IS NULL)
        """,
        (project_id, GLOBAL),
    ).fetchall()
    changed = [
        (wanted, row["id"])
        for row in rows
        if (wanted := report.scores.get(row["id"], 0.0)) != row["score"]
    ]
    if changed:
        with store.writing() as tx:
            tx.executemany(
                "UPDATE records SET claudemd_drift_score = ? WHERE id = ?", changed
            )
    return report.candidates
