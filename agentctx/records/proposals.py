"""What could be tidied up, for a person to decide: merge, supersede, prune (A6.7).

Nothing is done by itself. A proposal about a record that is not current any more is
over, and so is one that a person dismissed: it is not made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import later, stamp
from agentctx.errors import ProposalError
from agentctx.ids import id_part
from agentctx.records.graph import link_supersession
from agentctx.records.model import GLOBAL
from agentctx.records.read import by_id
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

MERGE, SUPERSEDE, PRUNE = "merge", "supersede", "prune"

UNUSED = """
r.superseded_at IS NULL AND r.confidence = 'inferred' AND r.pinned = 0
AND r.access_count = 0 AND r.reinforce_count = 0 AND COALESCE(p.confirmed, 0) = 0
"""
"""What was guessed once, and never said again, fetched or confirmed."""


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


class Decided(NamedTuple):
    """What became of a proposal: the record that ended, and the one that stays."""

    proposal: Proposal
    ended: str | None = None
    kept: str | None = None

    def as_json(self) -> dict[str, object]:
        """Give the decision as one JSON object."""
        return {"id": self.proposal.id, "ended": self.ended, "kept": self.kept}


def propose(
    store: Store,
    tx: Tx,
    project_id: str,
    kind: str,
    records: tuple[str, str | None],
) -> bool:
    """Keep a proposal unless there was one like it; say whether it is new.

    Records that ended meanwhile are nobody's concern any more.
    """
    record_id, other_id = records
    made = tx.execute(
        """
        INSERT INTO proposals (id, project_id, kind, record_id, other_id, at)
        SELECT :id, :project, :kind, :one, :two, :at
         WHERE EXISTS (SELECT 1 FROM records
                        WHERE id = :one AND superseded_at IS NULL)
           AND (:two IS NULL OR EXISTS (SELECT 1 FROM records
                                         WHERE id = :two AND superseded_at IS NULL))
           AND NOT EXISTS (SELECT 1 FROM proposals
                            WHERE kind = :kind AND (
                              (record_id = :one AND other_id IS :two)
                              OR (record_id IS :two AND other_id = :one)))
        """,
        {
            "id": store.ids.new(),
            "project": project_id,
            "kind": kind,
            "one": record_id,
            "two": other_id,
            "at": stamp(store.clock()),
        },
    )
    return made.rowcount > 0


def open_proposals(db: Db, project_id: str) -> list[Proposal]:
    """List what a person may decide in a project, and what concerns every project."""
    rows = db.execute(
        f"""
          SELECT q.id, q.kind, q.record_id, r.title, q.other_id,
                 o.title AS other_title, q.at
            FROM proposals q JOIN records r ON r.id = q.record_id
            LEFT JOIN provenance p ON p.record_id = r.id
            LEFT JOIN records o ON o.id = q.other_id
           WHERE q.project_id IN (:project, :everywhere) AND q.dismissed_at IS NULL
             AND r.superseded_at IS NULL
             AND (q.other_id IS NULL OR o.superseded_at IS NULL)
             AND (q.kind <> 'prune' OR ({UNUSED}))
        ORDER BY q.id
        """,
        {"project": project_id, "everywhere": GLOBAL},
    )
    return [Proposal(**dict(row)) for row in rows]


def accept_proposal(store: Store, project_id: str, text: str) -> Decided:
    """Do what a proposal says, because a person wants it; nothing is deleted.

    Of two records that state the same, the one that a person stands for is kept, else
    the surer, else the newer. Raises `ProposalError`.
    """
    with store_failures(), store.writing() as tx:
        one = _found(tx, project_id, text)
        about = _record(tx, one.record_id)
        if one.other_id is None:
            _end(store, tx, about, None)
            return Decided(one, ended=about.id)
        kept, ended = about, _record(tx, one.other_id)
        if one.kind == MERGE and _rank(ended) > _rank(kept):
            kept, ended = ended, kept
        _end(store, tx, ended, kept)
        if one.kind == SUPERSEDE:  # a person says that it holds instead
            tx.execute(
                "UPDATE records SET confidence = 'reinforced'"
                " WHERE id = ? AND confidence = 'inferred'",
                (kept.id,),
            )
            tx.execute(
                "UPDATE provenance SET confirmed = 1 WHERE record_id = ?", (kept.id,)
            )
        return Decided(one, ended=ended.id, kept=kept.id)


def dismiss_proposal(store: Store, project_id: str, text: str) -> Decided:
    """Leave everything as it is, and do not propose this again."""
    with store_failures(), store.writing() as tx:
        one = _found(tx, project_id, text)
        tx.execute(
            "UPDATE proposals SET dismissed_at = ? WHERE id = ?",
            (stamp(store.clock()), one.id),
        )
    return Decided(one)


def _found(tx: Tx, project_id: str, text: str) -> Proposal:
    """Find the open proposal whose id alone is a text, or begins or ends with it."""
    part = id_part(text) or "no id"
    found = [
        one
        for one in open_proposals(tx, project_id)
        if one.id.startswith(part) or one.id.endswith(part)
    ]
    if len(found) != 1:
        raise ProposalError(proposal_id=text[:40])
    return found[0]


def _record(tx: Tx, record_id: str) -> Record:
    record = by_id(tx, record_id)
    assert record is not None, "an open proposal is about current records"
    return record


def _rank(record: Record) -> tuple[bool, bool, str, str]:
    sure = record.confidence != "inferred"
    return record.by_person, sure, record.recorded_at, record.id


def _end(store: Store, tx: Tx, old: Record, new: Record | None) -> None:
    """End a record; in its namespace the other one takes its place, and its pin."""
    now = stamp(store.clock())
    if now <= old.recorded_at:
        now = later(old.recorded_at, milliseconds=1)
    heir = new if new is not None and new.project_id == old.project_id else None
    tx.execute(
        "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
        " WHERE id = ?",
        (now, None if heir is None else heir.id, old.id),
    )
    if heir is None:
        return
    link_supersession(store, tx, heir.id, old.id)
    if old.pinned and heir.by_person:
        tx.execute("UPDATE records SET pinned = 1 WHERE id = ?", (heir.id,))
