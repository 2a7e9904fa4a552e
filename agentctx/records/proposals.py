"""What could be tidied up, for a person to decide: merge, supersede, prune (A6.7).

Nothing is done by itself. A proposal about a record that is not current any more is
over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp

if TYPE_CHECKING:
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

MERGE, SUPERSEDE, PRUNE = "merge", "supersede", "prune"


class Proposal(NamedTuple):
    """One proposal: the record it is about, and the other one, if there is one."""

    id: str
    kind: str
    record_id: str
    title: str
    other_id: str | None
    other_title: str | None
    at: str

    def as_json(self) -> dict[str, object]:
        """Give the proposal as one JSON object."""
        return dict(self._asdict())


def propose(
    store: Store,
    tx: Tx,
    project_id: str,
    kind: str,
    records: tuple[str, str | None],
) -> bool:
    """Keep a proposal unless there is one like it; say whether it is new."""
    record_id, other_id = records
    known = tx.execute(
        """
        SELECT 1 FROM proposals
         WHERE kind = :kind AND (
           (record_id = :one AND other_id IS :two)
           OR (record_id IS :two AND other_id = :one))
        """,
        {"kind": kind, "one": record_id, "two": other_id},
    ).fetchone()
    if known is not None:
        return False
    tx.execute(
        "INSERT INTO proposals (id, project_id, kind, record_id, other_id, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            store.ids.new(),
            project_id,
            kind,
            record_id,
            other_id,
            stamp(store.clock()),
        ),
    )
    return True


def open_proposals(db: Db, project_id: str) -> list[Proposal]:
    """List the proposals of a project whose records are still current."""
    rows = db.execute(
        """
          SELECT q.id, q.kind, q.record_id, r.title, q.other_id,
                 o.title AS other_title, q.at
            FROM proposals q JOIN records r ON r.id = q.record_id
            LEFT JOIN records o ON o.id = q.other_id
           WHERE q.project_id = ? AND r.superseded_at IS NULL
             AND (q.other_id IS NULL OR o.superseded_at IS NULL)
        ORDER BY q.id
        """,
        (project_id,),
    )
    return [Proposal(**dict(row)) for row in rows]
