"""Deleting a record for good, and taking the last deletion back (A2.9).

A deleted record leaves the store with every trace of its words: the row, both
indexes, its links, and the log. A tombstone without text stays, so that it is not
learned again. A private copy beside the store can bring it back for thirty days,
unless it is deleted for ever. The versions that stay follow one another without it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp
from agentctx.errors import NothingToUndoError
from agentctx.ids import is_record_id, moment_of_id
from agentctx.privatefile import write_private
from agentctx.records.graph import link_supersession, node_id, unlink
from agentctx.records.model import KEYED
from agentctx.records.namespaces import adopter_of
from agentctx.records.read import by_id, find_record, history_of
from agentctx.records.risen import is_item_key
from agentctx.records.rows import (
    PROVENANCE_COLUMNS,
    RECORD_COLUMNS,
    put_record,
    put_row_if_new,
)
from agentctx.records.staged import STAGED_COLUMNS, project_of
from agentctx.records.terms import index_missing, unindex_record
from agentctx.records.tombstones import bury
from agentctx.smallfile import small_text
from corpus.sqlite import flush_log, store_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from agentctx.ids import RecordId
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

    Values = dict[str, str | int | float | None]

COPIES = "backups"
"""The folder beside the store for backups and for copies of what was deleted."""

KEPT_DAYS = 30
"""How long a deletion can be taken back."""

_PREFIX, _SUFFIX = "deleted-", ".json"
_MOST_BYTES = 64 * 1024 * 1024
_VERSION = 2
_NODES = ("id", "project_id", "kind", "name")
_EDGES = ("id", "from_id", "to_id", "rel_type", "weight")
_REINFORCEMENTS = ("record_id", "session_id", "at")


class Deleted(NamedTuple):
    """What was deleted. `copy` can bring it back; None when it was for ever.

    `erased` says that the log holds no older page with its words any more; another
    process that reads can keep that from being done at once. `gone` is every version
    that was deleted, `left` the ids of the others, the oldest first.
    """

    record: Record
    copy: str | None
    erased: bool
    gone: tuple[Record, ...]
    left: tuple[RecordId, ...]


class Restored(NamedTuple):
    """What a deletion had taken: the record that was named, and every version."""

    record: Record
    versions: tuple[Record, ...]


def delete_record(
    store: Store,
    project_id: str,
    record_id: str,
    *,
    forever: bool = False,
    all_versions: bool = False,
) -> Deleted:
    """Delete a record that the project may see, and leave a tombstone.

    Those it replaced stay in the past, and follow on to what replaced it; with
    `all_versions` they go, too. Raises `IdError`, `IdAmbiguousError`,
    `RecordNotFoundError`; OSError when no copy can be written, and then nothing is
    deleted.
    """
    copy = None
    with store_failures():
        try:
            with store.writing() as tx:
                record = find_record(tx, project_id, record_id)
                chain = history_of(tx, record)
                gone = chain if all_versions else [record]
                kept = _kept(store, tx, gone, chain)
                if not forever:
                    named = {"named": record.id, "deleted_in": project_id}
                    copy = _write_copy(store, {**named, **kept})
                for one in gone:
                    _remove_from_chain(store, tx, one.id)
                forget_words(store, tx)
        except BaseException:
            if copy is not None:
                with suppress(OSError):
                    Path(copy).unlink()  # a copy of what is still there
            raise
    sweep_copies(store)
    if forever:
        _drop_copies_of(store, gone)
    deleted = {one.id for one in gone}
    left = tuple(one.id for one in chain if one.id not in deleted)
    return Deleted(record, copy, flush_log(store.db), tuple(gone), left)


def _drop_copies_of(store: Store, gone: Sequence[Record]) -> None:
    """Remove earlier copies that say what is now deleted for ever."""
    words = {_words(one.title, one.body) for one in gone}
    for path in _copies(store):
        kept = _read_copy(path)
        if kept is None:
            continue
        rows = [one["record"] for one in kept["records"]]
        if any(_words(row["title"], row["body"]) in words for row in rows):
            with suppress(OSError):
                path.unlink()


def _words(title: object, body: object) -> str:
    return " ".join(f"{title}\n{body}".casefold().split())


def undo_delete(store: Store, project_id: str) -> Restored:
    """Bring back what this project deleted last, as it was, and drop its tombstones.

    Where another record with its key has become current, or its successor is gone, it
    comes back as one of the past. `NothingToUndoError` when nothing is kept.
    """
    sweep_copies(store)
    for path in sorted(_copies(store), reverse=True):
        kept = _read_copy(path)
        if kept is None:
            continue
        _follow_adoption(store, kept, moment_of_id(_id_of(path)))
        if kept["deleted_in"] != project_id:
            continue
        with store_failures(), store.writing() as tx:
            ids = [one["record"]["id"] for one in kept["records"]]
            if any(by_id(tx, one) is not None for one in ids):
                continue  # the deletion never happened, or was taken back
            for one in kept["records"]:
                _put_back(tx, one)
            _follow_on(store, tx, kept["chain"])
            for one in kept["records"]:
                _give_way(store, tx, one)
            index_missing(tx)
            found = [by_id(tx, one) for one in ids]
        with suppress(OSError):
            path.unlink()
        versions = tuple(one for one in found if one is not None)
        (record,) = (one for one in versions if one.id == kept["named"])
        return Restored(record, versions)
    raise NothingToUndoError


def remove_row(tx: Tx, record: Record) -> None:
    """Take a record out of the tables and of the index of terms."""
    tx.execute(
        "UPDATE records SET superseded_by = NULL WHERE superseded_by = ?", (record.id,)
    )
    unlink(tx, record.id)
    tx.execute("DELETE FROM records WHERE id = ?", (record.id,))
    unindex_record(tx, record.rowid)


def _remove_from_chain(store: Store, tx: Tx, record_id: str) -> None:
    """Take out one version; those it replaced follow on to what replaced it."""
    record = by_id(tx, record_id)
    assert record is not None, "nothing else deletes in this transaction"
    earlier = _replaced_by(tx, record_id)
    remove_row(tx, record)
    if record.superseded_by is not None:
        for one in earlier:
            _point(store, tx, one, record.superseded_by)


def _replaced_by(tx: Tx, record_id: str) -> list[str]:
    query = "SELECT id FROM records WHERE superseded_by = ? ORDER BY id"
    return [row["id"] for row in tx.execute(query, (record_id,))]


def _point(store: Store, tx: Tx, record_id: str, successor: str) -> None:
    tx.execute(
        "UPDATE records SET superseded_by = ? WHERE id = ?", (successor, record_id)
    )
    link_supersession(store, tx, successor, record_id)


def forget_words(store: Store, tx: Tx) -> None:
    """Let nothing derived hold a word of what was deleted.

    The full-text index only marks what is deleted, and keeps the words until its
    segments are merged.
    """
    if store.full_text:
        tx.execute("INSERT INTO records_fts (records_fts) VALUES ('optimize')")
    tx.execute(  # a model that answered may have used them; it is asked again
        "UPDATE spans SET reply = NULL, state = 'due' WHERE state = 'replied'"
    )


def sweep_copies(store: Store) -> int:
    """Remove the copies of deletions that are too old; give how many there were."""
    oldest = store.clock() - timedelta(days=KEPT_DAYS)
    swept = 0
    for path in _copies(store):
        if moment_of_id(_id_of(path)) < oldest:
            with suppress(OSError):
                path.unlink()
                swept += 1
    return swept


def copies_folder(home: str) -> Path:
    """Say where backups and copies of deletions lie; it may not exist."""
    return Path(home) / COPIES


def _copies(store: Store) -> Iterator[Path]:
    with suppress(OSError):
        for path in copies_folder(store.home).iterdir():
            if (
                path.name.startswith(_PREFIX)
                and path.name.endswith(_SUFFIX)
                and is_record_id(_id_of(path))
            ):
                yield path


def _id_of(path: Path) -> str:
    return path.name.removeprefix(_PREFIX).removesuffix(_SUFFIX)


def _write_copy(store: Store, kept: dict[str, object]) -> str:
    folder = copies_folder(store.home)
    path = f"{folder}/{_PREFIX}{store.ids.new()}{_SUFFIX}"
    write_private(path, json.dumps(kept, ensure_ascii=True).encode("ascii"))
    os.chmod(folder, 0o700)  # noqa: PTH101 - beside the lines above
    return path


def _read_copy(path: Path) -> dict[str, Any] | None:
    """Read one of our own copies; None for what is no copy of this version."""
    text = small_text(path, limit=_MOST_BYTES)
    try:
        kept = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(kept, dict) or kept.get("version") != _VERSION:
        return None
    return kept


def _follow_adoption(store: Store, kept: dict[str, Any], when: datetime) -> None:
    """Let what was deleted belong to whoever adopted its namespace since."""
    old = kept["deleted_in"]
    new = adopter_of(store.db, old, when)
    kept["deleted_in"] = new
    for one in kept["records"]:
        for row in (one["record"], *one["entities"]):
            if row["project_id"] == old:
                row["project_id"] = new


def _kept(
    store: Store, tx: Tx, gone: Sequence[Record], chain: Sequence[Record]
) -> dict[str, object]:
    """Bury what is deleted, and gather its rows and how its versions followed."""
    return {
        "version": _VERSION,
        "chain": {one.id: one.superseded_by for one in chain},
        "records": [
            _rows_of(
                tx,
                one,
                bury(store, tx, project_of(tx, one.project_id), one.title, one.body),
            )
            for one in gone
        ],
    }


def _rows_of(tx: Tx, record: Record, tombstone: str) -> dict[str, object]:
    """Gather every row that goes with a record."""
    wanted = (record.id,)
    node = ", ".join(f"n.{name}" for name in _NODES)
    return {
        "tombstone": tombstone,
        "record": _rows(tx, RECORD_COLUMNS, "records WHERE id = ?", wanted)[0],
        "provenance": _rows(
            tx, PROVENANCE_COLUMNS, "provenance WHERE record_id = ?", wanted
        ),
        "reinforcements": _rows(
            tx, _REINFORCEMENTS, "reinforcements WHERE record_id = ?", wanted
        ),
        "staged": _rows(tx, STAGED_COLUMNS, "staged WHERE record_id = ?", wanted),
        "edges": _rows(tx, _EDGES, "edges WHERE from_id = ? OR to_id = ?", wanted * 2),
        "entities": [
            dict(row)
            for row in tx.execute(
                f"""
                SELECT {node} FROM record_entities e JOIN nodes n ON n.id = e.entity_id
                 WHERE e.record_id = ? ORDER BY n.id
                """,
                wanted,
            )
        ],
    }


def _rows(
    db: Db, columns: tuple[str, ...], rest: str, values: tuple[str, ...]
) -> list[Values]:
    rows = db.execute(f"SELECT {', '.join(columns)} FROM {rest}", values)
    return [dict(row) for row in rows]


def _put_back(tx: Tx, kept: dict[str, Any]) -> None:
    columns, provenance = kept["record"], kept["provenance"]
    put_record(tx, columns, provenance[0] if provenance else None)
    for row in kept["reinforcements"]:
        put_row_if_new(tx, "reinforcements", _REINFORCEMENTS, row)
    for row in kept.get("staged", ()):
        put_row_if_new(tx, "staged", STAGED_COLUMNS, row)
    same: dict[str, str] = {}
    for node in kept["entities"]:
        put_row_if_new(tx, "nodes", _NODES, node)
        same[node["id"]] = node_id(tx, node["project_id"], node["kind"], node["name"])
        entity = {"record_id": columns["id"], "entity_id": same[node["id"]]}
        put_row_if_new(tx, "record_entities", ("record_id", "entity_id"), entity)
    for edge in kept["edges"]:
        ends = {name: same.get(edge[name], edge[name]) for name in ("from_id", "to_id")}
        put_row_if_new(tx, "edges", _EDGES, {**edge, **ends})
    tx.execute("DELETE FROM tombstones WHERE id = ?", (kept["tombstone"],))


def _follow_on(store: Store, tx: Tx, chain: dict[str, str | None]) -> None:
    """Let the versions that are there follow one another as they did.

    One that is gone by now is passed over; what a deletion had joined is parted.
    """
    there = {one: by_id(tx, one) for one in chain}
    for one, record in there.items():
        successor, seen = chain[one], {one}
        while successor in chain and there[successor] is None and successor not in seen:
            seen.add(successor)
            successor = chain[successor]
        if record is None or record.current or successor is None:
            continue
        if there.get(successor) is None:
            continue
        joined = record.superseded_by
        if successor == joined or (joined is not None and joined not in chain):
            continue
        if joined is not None:
            tx.execute(
                "DELETE FROM edges WHERE rel_type = 'supersedes'"
                " AND from_id = ? AND to_id = ?",
                (joined, one),
            )
        _point(store, tx, one, successor)


def _give_way(store: Store, tx: Tx, kept: dict[str, Any]) -> None:
    """End what comes back where its key has another current record by now."""
    columns, provenance = kept["record"], kept["provenance"]
    if columns["superseded_at"] is not None:
        return
    key = (provenance[0]["key"] if provenance else None) or ""
    of_item = is_item_key(key)
    if columns["type"] not in KEYED and not of_item:
        return
    row = tx.execute(
        """
          SELECT r.id FROM records r LEFT JOIN provenance p ON p.record_id = r.id
           WHERE r.project_id = ? AND (r.type = ? OR ?) AND r.superseded_at IS NULL
             AND COALESCE(p.key, '') = ? AND r.id <> ?
        ORDER BY r.recorded_at DESC LIMIT 1
        """,
        (columns["project_id"], columns["type"], of_item, key, columns["id"]),
    ).fetchone()
    if row is not None:
        tx.execute(
            "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
            " WHERE id = ?",
            (stamp(store.clock()), row["id"], columns["id"]),
        )
