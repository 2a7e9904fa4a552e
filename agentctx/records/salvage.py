"""A store that cannot be used is set aside whole; what can be read starts a new one.

The file keeps its bytes under another name, its log beside it. Rows are read out of a
copy, one at a time where pages are damaged, and each passes the checks of a new record
before it enters.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import parse_moment
from agentctx.ids import is_record_id
from agentctx.privatefile import folder_lock
from agentctx.records.damage import rebuild_store
from agentctx.records.memories import note_memory
from agentctx.records.model import TRUSTS, TYPES, check_body, check_title
from agentctx.records.preferences import refresh_preferences
from agentctx.records.rows import (
    LATE,
    PROVENANCE_COLUMNS,
    RECORD_COLUMNS,
    point_to_successor,
    put_record,
    put_row_if_new,
)
from agentctx.records.staged import BRANCH_COLUMNS, STAGED_COLUMNS
from agentctx.records.store import open_store, prepare_home, store_path
from agentctx.records.terms import index_missing
from agentctx.records.wreck import DAMAGE, loose_rows, open_wreck, wreck_images
from corpus.errors import CodedError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from agentctx.clock import Clock
    from agentctx.records.rows import Cell
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

MOST_PROBES = 200_000
"""Single rows looked for between damaged pages, at most."""

_FEWEST_PROBES, _PROBES_A_PAGE = 1000, 100
"""So many of them for a file of no page, and more for each that it has."""

_BESIDE = ("", "-wal", "-shm")
_LARGEST = 2**63 - 1
_MOST_A_SECOND = 100
_FOLLOWING: dict[str, tuple[str, ...]] = {
    "reinforcements": ("record_id", "session_id", "at"),
    "tombstones": ("id", "project_id", "content_sha256", "signature", "deleted_at"),
    "nodes": ("id", "project_id", "kind", "name"),
    "edges": ("id", "from_id", "to_id", "rel_type", "weight"),
    "record_entities": ("record_id", "entity_id"),
    "namespaces": ("project_id", "number", "name", "root"),
    "shared": ("project_id", "block", "record_id", "origin", "held", "sha256"),
    "branches": BRANCH_COLUMNS,
    "staged": STAGED_COLUMNS,
    "sessions": (
        "session_id",
        "project_id",
        "started_at",
        "ended_at",
        "tokens_injected",
        "extraction_cost_usd",
    ),
}
"""The tables that are read besides the records, in the order they are put back."""


class Repaired(NamedTuple):
    """Where the old file lies now, how many records came out of it, how many did not.

    `refused` counts rows that could be read and are no records. `expected` is how many
    records the store seems to have had, None where nothing in it could be counted.
    """

    aside: str
    recovered: int
    refused: int
    expected: int | None = None

    @property
    def whole(self) -> bool:
        """Whether every record that the store had came out of it, as far as known."""
        return self.expected is not None and self.recovered >= self.expected

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {**self._asdict(), "whole": self.whole}


def repair_store(
    home: str, *, clock: Clock, random: Callable[[int], bytes]
) -> Repaired:
    """Set the present file aside and start anew with what can be read of it.

    Whether that is wanted is the caller's to decide: a sound file is set aside too.
    What follows from the records is made anew. Raises `HomeError`.
    """
    prepare_home(home, create=False)
    aside = _set_aside(home, clock().strftime("%Y%m%dT%H%M%SZ"))
    with open_store(home, clock=clock, random=random) as store:
        done = _recovered(store, aside)
        rebuild_store(store)
        refresh_preferences(store)
        return done


def _recovered(store: Store, aside: str) -> Repaired:
    """Read the image of the wreck that gives the most records."""
    best: tuple[int, bytes] | None = None
    spare: bytes | None = None
    with suppress(OSError):
        for image in wreck_images(aside):
            spare = image
            with closing(open_wreck(image)) as wreck:
                found = sum(1 for _ in _readable(wreck, "records", RECORD_COLUMNS))
                if best is None or found > best[0]:
                    best = found, image
                if found and found == _counted(wreck):
                    spare = None  # nothing is lost
                    break
    if best is None:
        return Repaired(aside, 0, 0)  # no page of it can be read
    with closing(open_wreck(best[1])) as wreck:
        return _recover(store, wreck, aside, spare=spare)


def _set_aside(home: str, moment: str) -> str:
    """Rename the file and what lies beside it, under the lock of those who create."""
    path = store_path(home)
    with folder_lock(home):
        for number in range(_MOST_A_SECOND):
            aside = f"{path}.corrupt-{moment}{f'-{number}' if number else ''}"
            if not any(os.path.lexists(aside + end) for end in _BESIDE):
                break
        for end in _BESIDE:
            with suppress(FileNotFoundError):
                os.rename(path + end, aside + end)  # noqa: PTH104 - text
    return aside


def _recover(store: Store, wreck: Db, aside: str, *, spare: bytes | None) -> Repaired:
    recovered = refused = 0
    known: set[str] = set()
    successors: list[tuple[str, str]] = []
    with store_failures(), store.writing() as tx:
        origins = {str(row["record_id"]): row for row in _origins(wreck, spare)}
        for row in _records(wreck, spare, known):
            if not _put(tx, row, origins.get(str(row["id"]))):
                refused += 1
                continue
            recovered += 1
            known.add(str(row["id"]))
            if isinstance(row[LATE], str):
                successors.append((str(row["id"]), str(row[LATE])))
        for earlier, later in successors:
            point_to_successor(tx, earlier, later)
        for table, columns in _FOLLOWING.items():
            for row in _readable(wreck, table, columns):
                with suppress(sqlite3.IntegrityError):
                    put_row_if_new(tx, table, columns, row)
        _note_memories(store, tx, wreck)
        index_missing(tx, limit=None)
    counted = _counted(wreck)
    expected = None if counted is None else max(counted, recovered + refused)
    return Repaired(aside, recovered, refused, expected)


def _note_memories(store: Store, tx: Tx, wreck: Db) -> None:
    """Let the worker look at every memory anew: what was noted of it may be wrong."""
    for row in _readable(wreck, "memories", ("root", "asks")):
        root = row["root"]
        if isinstance(root, str) and os.path.isabs(root) and "\x00" not in root:  # noqa: PTH117 - text
            note_memory(tx, root, asks=row["asks"] == 1, now=store.clock())


def _origins(wreck: Db, spare: bytes | None) -> Iterator[Mapping[str, Cell]]:
    """Give where records come from; what is read in its place outweighs the rest."""
    for row in _loose(spare, "provenance", PROVENANCE_COLUMNS):
        if row["trust"] in TRUSTS and is_record_id(str(row["record_id"])):
            yield row
    yield from _readable(wreck, "provenance", PROVENANCE_COLUMNS)


def _records(
    wreck: Db, spare: bytes | None, known: set[str]
) -> Iterator[Mapping[str, Cell]]:
    """Give the records in their place, then those of pages that nothing leads to."""
    yield from _readable(wreck, "records", RECORD_COLUMNS)
    for row in _loose(spare, "records", RECORD_COLUMNS):
        if row["type"] in TYPES and _is_record(row) and str(row["id"]) not in known:
            yield row


def _loose(
    spare: bytes | None, table: str, columns: Sequence[str]
) -> Iterator[Mapping[str, Cell]]:
    return iter(()) if spare is None else loose_rows(spare, table, columns)


def _counted(wreck: Db) -> int | None:
    """Count the records by whatever can be read whole: the table, or what follows it.

    An index may know of rows whose own page is lost.
    """
    found = []
    for source in _COUNTED:
        with suppress(*DAMAGE):
            found.append(
                int(wreck.execute(f"SELECT count(*) FROM {source}").fetchone()[0])
            )
    return max(found, default=None)


_COUNTED = ("records", "records NOT INDEXED", "provenance", "indexed_records")


def _put(tx: Tx, row: Mapping[str, Cell], origin: Mapping[str, Cell] | None) -> bool:
    """Put a row among the records if it is one; a row without origin is a tool's."""
    if not _is_record(row):
        return False
    known = origin or {"trust": "tool", "confirmed": 0, "key": None}
    provenance = {
        "rationale": None,
        "quote": None,
        **known,
        "record_id": row["id"],
    }
    tx.execute("SAVEPOINT one_row")
    try:
        put_record(tx, row, provenance)
    except sqlite3.IntegrityError:
        tx.execute("ROLLBACK TO one_row")
        return False
    finally:
        tx.execute("RELEASE one_row")
    return True


def _is_record(row: Mapping[str, Cell]) -> bool:
    title, body = row["title"], row["body"]
    if not isinstance(title, str) or not isinstance(body, str):
        return False
    if not is_record_id(str(row["id"])):
        return False
    try:
        for name in ("valid_from", "recorded_at", "superseded_at"):
            if row[name] is not None:
                parse_moment(str(row[name]), field=name)
        return check_title(title) == title and check_body(body) == body
    except CodedError:
        return False


def _readable(
    wreck: Db, table: str, columns: Sequence[str]
) -> Iterator[Mapping[str, Cell]]:
    """Give every row of a table that can be read, in the order of its rowid.

    From the front up to a damaged page, then from the back, then one by one between;
    where nothing can be read from the back, as far as the file could hold rows.
    """
    front = -1
    named = ", ".join(f"{name} AS {name}" for name in columns)
    query = f"SELECT rowid AS number, {named} FROM {table} WHERE rowid"
    pages = 0
    try:
        pages = wreck.execute("PRAGMA page_count").fetchone()[0]
        wreck.execute(f"{query} = 0").fetchone()
    except sqlite3.OperationalError:
        return  # there is no such table
    except DAMAGE:
        pages = pages or MOST_PROBES  # only that row cannot be read
    for row in _until_damage(wreck, f"{query} >= ? ORDER BY rowid", 0):
        if row["number"] <= front:  # pages that lead back to themselves
            break
        front = row["number"]
        yield row
    tail: list[dict[str, Any]] = []
    for row in _until_damage(wreck, f"{query} <= ? ORDER BY rowid DESC", _LARGEST):
        if row["number"] <= front or (tail and row["number"] >= tail[-1]["number"]):
            break
        tail.append(row)
    most = min(MOST_PROBES, _FEWEST_PROBES + _PROBES_A_PAGE * pages)
    back = tail[-1]["number"] if tail else front + most
    for number in range(front + 1, min(back, front + 1 + most)):
        yield from _until_damage(wreck, f"{query} = ?", number)
    yield from reversed(tail)


def _until_damage(wreck: Db, query: str, start: int) -> Iterator[dict[str, Any]]:
    with suppress(*DAMAGE):
        for row in wreck.execute(query, (start,)):
            yield dict(row)
