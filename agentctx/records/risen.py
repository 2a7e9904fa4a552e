"""Records that were made of a memory item: the item's logical id is their key (A6.4).

Of one item there is one current record at most. Where it says what a person stands
for, nothing automatic takes its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.model import COLUMNS, FROM, ITEM_KEYS, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.model import Record
    from corpus.sqlite import Db, Tx

_KEY = re.compile("memory_[0-9a-f]{32}")
_MADE_FROM = re.compile(
    r"from memory item `(memory_[0-9a-f]{32}_r[1-9][0-9]*)`"
    r"(?:, said in turn `(turn_[0-9a-f]{32})`)?"
)

_OWN = """
(r.project_id = ? OR r.project_id IN (SELECT staging_id FROM branches
                                       WHERE project_id = ?))
"""
"""A project's records, and those that wait on its branches."""

_AUTOMATIC = "llm_extraction"
_UNSTATED = frozenset({_AUTOMATIC, "mcp_tool"})
"""Where records come from that no person made: extraction, and what an agent put."""


class Origin(NamedTuple):
    """The revision of an item that a record was made of, and the turn it quotes."""

    item_id: str
    turn_id: str | None


class Risen(NamedTuple):
    """A record without its words: which item it says, and how it stands.

    `followed` says that it follows its item by itself, `goes` that it goes with it.
    """

    id: str
    key: str
    item_id: str | None
    current: bool
    followed: bool
    goes: bool


def is_item_key(key: str | None) -> bool:
    """Say whether a key is the logical id of a memory item."""
    return key is not None and _KEY.fullmatch(key) is not None


def rationale_of(origin: Origin) -> str:
    """Say in a record where it is from; `origin_of` reads it."""
    turn = "" if origin.turn_id is None else f", said in turn `{origin.turn_id}`"
    return f"from memory item `{origin.item_id}`{turn}"


def origin_of(record: Record) -> Origin | None:
    """Give what a record was made of; None where somebody has changed it since."""
    return _origin(record.key, record.rationale)


def is_followed(record: Record) -> bool:
    """Say whether a record follows its item by itself: nobody stands for it."""
    return record.source == _AUTOMATIC and not (record.confirmed or record.pinned)


def goes_with_item(record: Record) -> bool:
    """Say whether a record goes when its item is forgotten: no person stands for it."""
    return record.source in _UNSTATED and not (record.confirmed or record.pinned)


def record_of_item(db: Db, project_id: str, logical_id: str) -> Record | None:
    """Give the current record that was made of an item, if there is one."""
    found = records_of_item(db, project_id, logical_id)
    return next((one for one in reversed(found) if one.current), None)


def records_of_item(db: Db, project_id: str, logical_id: str) -> list[Record]:
    """List what was made of an item, past and present, the oldest first."""
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE p.key = ? AND {_OWN}
        ORDER BY r.recorded_at, r.id
        """,
        (logical_id, project_id, project_id),
    )
    return [record_of(row) for row in rows]


def items_of_records(db: Db, ids: Iterable[str]) -> dict[str, str]:
    """Give the logical ids of the items that some records were made of, by record."""
    wanted = tuple(ids)
    marks = ", ".join("?" * len(wanted))
    rows = db.execute(
        "SELECT record_id, key FROM provenance"
        f" WHERE record_id IN ({marks}) AND key GLOB ?",
        (*wanted, ITEM_KEYS),
    )
    return {str(row["record_id"]): str(row["key"]) for row in rows}


def all_risen(db: Db, project_id: str) -> list[Risen]:
    """List all that was made of items in a namespace, past and present."""
    rows = db.execute(
        f"""
          SELECT r.id, p.key, p.rationale, r.superseded_at IS NULL AS current,
                 NOT r.pinned AND NOT p.confirmed AS free, r.source
            FROM provenance p JOIN records r ON r.id = p.record_id
           WHERE p.key >= 'memory_' AND p.key < 'memory`' AND p.key GLOB ?
             AND {_OWN}
        ORDER BY r.recorded_at, r.id
        """,
        (ITEM_KEYS, project_id, project_id),
    )
    found = []
    for row in rows:
        origin = _origin(row["key"], row["rationale"])
        item_id = None if origin is None else origin.item_id
        free = bool(row["free"])
        found.append(
            Risen(
                row["id"],
                row["key"],
                item_id,
                current=bool(row["current"]),
                followed=free and row["source"] == _AUTOMATIC,
                goes=free and row["source"] in _UNSTATED,
            )
        )
    return found


def unlinked_twin(
    db: Db, project_id: str, record_type: str, words: tuple[str, str]
) -> Record | None:
    """Find a current record of no item that says the same, word for word."""
    row = db.execute(
        f"""
        SELECT {COLUMNS} FROM {FROM}
         WHERE r.project_id = ? AND r.type = ? AND r.title = ? AND r.body = ?
           AND r.superseded_at IS NULL AND p.key IS NULL
         LIMIT 1
        """,
        (project_id, record_type, *words),
    ).fetchone()
    return None if row is None else record_of(row)


def link_to_item(tx: Tx, record: Record, logical_id: str, origin: Origin) -> None:
    """Let a record be that of an item; a reason that somebody gave for it stays."""
    ours = record.rationale is None or origin_of(record) is not None
    tx.execute(
        """
        INSERT INTO provenance (record_id, trust, key, rationale) VALUES (?, ?, ?, ?)
        ON CONFLICT (record_id) DO UPDATE
                SET key = excluded.key, rationale = excluded.rationale
        """,
        (
            *(record.id, record.trust, logical_id),
            rationale_of(origin) if ours else record.rationale,
        ),
    )


def _origin(key: str | None, rationale: str | None) -> Origin | None:
    found = _MADE_FROM.fullmatch(rationale or "")
    if found is None or found[1].rpartition("_r")[0] != key:
        return None
    return Origin(found[1], found[2])
