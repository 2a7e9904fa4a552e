"""Records that come from a teammate's text: as rows of this store, and no more (A8.2).

Nobody here has stood for them: they are a teammate's, never pinned, and end no record
of another project. Whether one may take another's place is the caller's to decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import later, stamp
from agentctx.records.graph import link_supersession
from agentctx.records.model import COLUMNS, FROM, TRUSTS, record_of
from agentctx.records.rows import put_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.records.model import Record
    from agentctx.records.rows import Cell
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx


class Arrived(NamedTuple):
    """What a teammate's text says, checked: the fields of a row that are theirs."""

    id: str
    type: str
    title: str
    body: str
    confidence: str
    valid_from: str | None


def add_arrived(
    store: Store, tx: Tx, project_id: str, one: Arrived, *, old: Record | None = None
) -> str:
    """Add a teammate's record, in the place of another of the project; give its id.

    Its terms are to be indexed with all others that arrive.
    """
    now = stamp(store.clock())
    if old is not None and now <= old.recorded_at:
        now = later(old.recorded_at, milliseconds=1)
    trust = "teammate"
    if old is not None and not old.by_person:
        trust = max(trust, old.trust, key=TRUSTS.index)
    confidence = "inferred" if trust in {"file", "tool"} else one.confidence
    put_record(
        tx,
        {
            **one._asdict(),
            "confidence": confidence,
            "valid_from": one.valid_from or now,
            "project_id": project_id,
            "recorded_at": now,
            **_AS_NEW,
        },
        {**_UNCONFIRMED, "record_id": one.id, "trust": trust},
    )
    if old is not None:
        tx.execute(
            "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
            " WHERE id = ?",
            (now, one.id, old.id),
        )
        link_supersession(store, tx, one.id, old.id)
    return one.id


_AS_NEW: dict[str, Cell] = {
    "scope": "project",
    "pinned": 0,
    "reinforce_count": 0,
    "superseded_at": None,
    "access_count": 0,
    "last_accessed": None,
    "score": 1.0,
    "claudemd_drift_score": 0.0,
    "source": "import",
    "session_id": None,
    "pending_embedding": 1,
}
_UNCONFIRMED: dict[str, Cell] = {
    "confirmed": 0,
    "key": None,
    "rationale": None,
    "quote": None,
}


def end_arrived(store: Store, tx: Tx, record: Record) -> None:
    """End a record whose block is gone; nothing takes its place."""
    now = stamp(store.clock())
    if now <= record.recorded_at:
        now = later(record.recorded_at, milliseconds=1)
    tx.execute(
        "UPDATE records SET superseded_at = ?, pinned = 0 WHERE id = ?",
        (now, record.id),
    )


def revive_arrived(tx: Tx, record: Record) -> None:
    """Let a record hold again whose block was gone and is back, word for word."""
    tx.execute(
        "UPDATE records SET superseded_at = NULL"
        " WHERE id = ? AND superseded_by IS NULL",
        (record.id,),
    )


class Worded(NamedTuple):
    """What a record says. `gone` is an imported one that ended without a successor."""

    id: str
    type: str
    title: str
    body: str
    current: bool
    gone: bool


def worded(db: Db, project_id: str) -> Iterator[Worded]:
    """Give what a project's records say: what ended, the newest last, then the rest."""
    rows = db.execute(
        """
          SELECT id, type, title, body, superseded_at IS NULL AS current,
                 superseded_at IS NOT NULL AND superseded_by IS NULL
                 AND source = 'import' AS gone
            FROM records
           WHERE project_id = ?
        ORDER BY superseded_at IS NULL, recorded_at, id
        """,
        (project_id,),
    )
    for row in rows:
        found = Worded(*row)
        yield found._replace(current=bool(found[4]), gone=bool(found[5]))


def records_called(db: Db, ids: Iterable[str]) -> dict[str, Record]:
    """Give the records with these whole ids, of whatever project."""
    found: dict[str, Record] = {}
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = db.execute(f"SELECT {COLUMNS} FROM {FROM} WHERE r.id IN ({marks})", some)
        found.update((row["id"], record_of(row)) for row in rows)
    return found


_AT_ONCE = 500
