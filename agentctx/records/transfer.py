"""Records written to one JSON document, and read from it (`exports/records`).

The same records make the same bytes: nothing of the moment, the machine or the use is
written. What is read is someone else's text: it is checked whole before the first row
enters, secrets are redacted, and nobody here has stood for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.graph import files_of, link_files, link_supersession
from agentctx.records.model import GLOBAL, KEYED, TRUSTS, NewRecord
from agentctx.records.read import PRESENT, all_records, by_id, holds_at
from agentctx.records.rows import point_to_successor, put_record
from agentctx.records.terms import index_missing
from agentctx.records.tombstones import is_forgotten
from agentctx.records.transferred import KIND, VERSION, Carried, parse_document
from agentctx.records.write import checked_record
from corpus.sqlite import reading, store_failures

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.read import Moment
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx


class Exported(NamedTuple):
    """A document, and how many records it holds."""

    content: bytes
    records: int


class Imported(NamedTuple):
    """What became of the records of a document, by their ids.

    `present` were here already, as they are or in the same words; `conflicts` have the
    id or the key of a record that says something else; `forgotten` were deleted here.
    `elsewhere` are those of the conflicts that another project of this store has.
    """

    added: tuple[str, ...]
    present: tuple[str, ...]
    conflicts: tuple[str, ...]
    forgotten: tuple[str, ...]
    redacted: tuple[tuple[str, int], ...]
    elsewhere: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        redacted = [{"rule": rule, "count": count} for rule, count in self.redacted]
        lists = {name: list(getattr(self, name)) for name in self._fields[:4]}
        return {**lists, "redacted": redacted, "elsewhere": list(self.elsewhere)}


def export_records(
    store: Store, namespace: str, *, name: str, moment: Moment = PRESENT
) -> Exported:
    """Write a namespace's records with their history, the oldest first.

    With a moment, what answers for it, as it stood then: nothing had ended it yet.
    """
    with store_failures(), reading(store.db):
        found = all_records(store.db, (namespace,))
        if not moment.is_present:
            found = [
                one._replace(superseded_at=None, superseded_by=None)
                for one in holds_at(store.db, found, moment)
            ]
        carried = [_carried(store.db, one) for one in found]
    document = {
        "schema_version": VERSION,
        "kind": KIND,
        "project": name,
        "records": [one.as_json() for one in carried],
    }
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return Exported(f"{text}\n".encode("utf-8", "surrogatepass"), len(carried))


def import_records(
    store: Store, project_id: str, content: bytes, *, name: str
) -> Imported:
    """Add the records of a document: all that can be, or none where it is broken.

    They come from a teammate at best, are never pinned, and no person here has
    confirmed them. Raises `ImportFileError`.
    """
    carried = parse_document(content, name=name, now=store.clock())
    clean = [_redacted(one) for one in carried]
    outcome: dict[str, list[str]] = {
        "added": [],
        "present": [],
        "conflicts": [],
        "forgotten": [],
    }
    elsewhere: list[str] = []
    with store_failures(), store.writing() as tx:
        for one, _ in clean:
            namespace = GLOBAL if one.scope == "global" else project_id
            fate = _fate(store, tx, namespace, one)
            outcome[fate].append(one.id)
            if fate == "conflicts" and _is_elsewhere(tx, namespace, one):
                elsewhere.append(one.id)
            if fate == "added":
                _add(store, tx, namespace, one)
        added = set(outcome["added"])
        for one, _ in clean:
            if one.superseded_by and one.id in added:
                namespace = GLOBAL if one.scope == "global" else project_id
                _chain(store, tx, namespace, one)
        index_missing(tx, limit=None)
    fired: dict[str, int] = {}
    for one, receipt in clean:
        if one.id in added:
            for rule, count in receipt:
                fired[rule] = fired.get(rule, 0) + count
    lists = {fate: tuple(ids) for fate, ids in outcome.items()}
    return Imported(
        **lists, redacted=tuple(sorted(fired.items())), elsewhere=tuple(elsewhere)
    )


def _is_elsewhere(tx: Tx, namespace: str, one: Carried) -> bool:
    known = by_id(tx, one.id)
    return known is not None and known.project_id != namespace


def _carried(db: Db, record: Record) -> Carried:
    values = {
        name: getattr(record, name) for name in Carried._fields if name != "files"
    }
    return Carried(**values, files=tuple(files_of(db, record.id)))


def _redacted(one: Carried) -> tuple[Carried, tuple[tuple[str, int], ...]]:
    """Redact what is text, and let the trust be a teammate's at best.

    What a file or a tool said, and a preference for every project, is inferred until
    somebody here confirms it.
    """
    trust = max(one.trust, "teammate", key=TRUSTS.index)
    everywhere = one.type == "preference" and one.scope == "global"
    unsure = everywhere or trust in {"file", "tool"}
    checked, fired = checked_record(
        NewRecord(
            type=one.type,
            title=one.title,
            body=one.body,
            source="import",
            scope=one.scope,
            confidence="inferred" if unsure else one.confidence,
            trust=trust,
            session_id=one.session_id,
            key=one.key if one.type in KEYED else None,
            files=one.files,
            rationale=one.rationale,
            quote=one.quote,
        )
    )
    changed = {
        name: getattr(checked, name)
        for name in (
            *("title", "body", "confidence", "trust", "session_id", "key"),
            *("rationale", "quote"),
        )
    }
    files = tuple(checked.files)
    return one._replace(pinned=False, confirmed=False, files=files, **changed), fired


def _fate(store: Store, tx: Tx, namespace: str, one: Carried) -> str:
    """Say what is to become of a record: the name of one list of the outcome."""
    known = by_id(tx, one.id)
    if known is not None:
        same = (known.project_id, known.type, known.title, known.body) == (
            namespace,
            one.type,
            one.title,
            one.body,
        )
        return "present" if same else "conflicts"
    if is_forgotten(store, tx, namespace, one.title, one.body):
        return "forgotten"
    if one.superseded_at is not None:
        return "added"
    if _current_like(tx, namespace, one, "r.title = ? AND r.body = ?"):
        return "present"
    keyed = one.type in KEYED
    return "conflicts" if keyed and _current_like(tx, namespace, one) else "added"


def _current_like(
    tx: Tx, namespace: str, one: Carried, also: str = "? IS NOT NULL AND ? IS NOT NULL"
) -> bool:
    row = tx.execute(
        f"""
        SELECT 1 FROM records r LEFT JOIN provenance p ON p.record_id = r.id
         WHERE r.project_id = ? AND r.type = ? AND r.superseded_at IS NULL
           AND (? OR COALESCE(p.key, '') = ?) AND {also}
        """,
        (
            *(namespace, one.type, one.type not in KEYED, one.key or ""),
            *(one.title, one.body),
        ),
    ).fetchone()
    return row is not None


def _add(store: Store, tx: Tx, namespace: str, one: Carried) -> None:
    put_record(
        tx,
        {
            **{name: getattr(one, name) for name in _SHARED},
            "project_id": namespace,
            "pinned": 0,
            "source": "import",
            "access_count": 0,
            "last_accessed": None,
            "score": 1.0,
            "claudemd_drift_score": 0.0,
            "pending_embedding": 1,
        },
        {
            "record_id": one.id,
            "trust": one.trust,
            "confirmed": 0,
            "key": one.key,
            "rationale": one.rationale,
            "quote": one.quote,
        },
    )
    link_files(store, tx, namespace, one.id, one.files)


_SHARED = (
    "id",
    "type",
    "title",
    "body",
    "scope",
    "confidence",
    "reinforce_count",
    "valid_from",
    "recorded_at",
    "superseded_at",
    "session_id",
)
"""Columns that an imported row has as the document says."""


def _chain(store: Store, tx: Tx, namespace: str, one: Carried) -> None:
    """Let a record point to its successor, where that is here and of the namespace."""
    later = by_id(tx, str(one.superseded_by))
    if later is not None and later.project_id == namespace:
        point_to_successor(tx, one.id, later.id)
        link_supersession(store, tx, later.id, one.id)
