"""Records that were made from items of memory: which item, and when.

Such a record's key is the item's logical id. A session is told one of the two (A6.4).
"""

from __future__ import annotations

import json

from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.model import Record
    from corpus.sqlite import Db

_ITEM = "memory_"


class Twin(NamedTuple):
    """One record's other self in memory; it was made as that was then."""

    logical_id: str
    recorded_at: str


def twin_of(record: Record) -> Twin | None:
    """Give the item that a record was made from, if it was made from one."""
    if record.key is None or not record.key.startswith(_ITEM):
        return None
    return Twin(record.key, record.recorded_at)


def twins_of(db: Db, record_ids: Iterable[str]) -> tuple[Twin, ...]:
    """Give the items that some records were made from."""
    rows = db.execute(
        """
        SELECT p.key, r.recorded_at
          FROM json_each(?) one
          JOIN records r ON r.id = one.value
          JOIN provenance p ON p.record_id = r.id
         WHERE substr(p.key, 1, 7) = ?
        """,
        (json.dumps(list(record_ids)), _ITEM),
    )
    return tuple(Twin(row[0], row[1]) for row in rows)
