"""Whether a line of ours is about a record that was deleted here (A7.1, A2.9).

A deletion leaves a copy for some weeks, which has the record's id, and a tombstone,
which knows its words again. Of an id in neither nobody can tell: it may be a
colleague's.
"""

from __future__ import annotations

import heapq
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from agentctx.errors import ForgetKeyError
from agentctx.records.model import GLOBAL
from agentctx.records.remove import copies_folder
from agentctx.records.tombstones import is_forgotten
from agentctx.smallfile import small_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentctx.records.store import Store

_MOST_COPIES = 500
_MOST_BYTES = 4 * 1024 * 1024


def unknown_ids(store: Store, ids: Collection[str]) -> frozenset[str]:
    """Give those of some ids that no record of the store has, in whatever project."""
    query = "SELECT EXISTS (SELECT 1 FROM records WHERE id = ?)"
    return frozenset(
        one for one in ids if not store.db.execute(query, (one,)).fetchone()[0]
    )


def deleted_ids(store: Store, ids: Collection[str]) -> frozenset[str]:
    """Give those of some ids that the copies of deletions have, the newest ones."""
    wanted, found = set(ids), set[str]()
    copies = copies_folder(store.home)
    names: list[str] = []
    with suppress(OSError):
        some = (one.name for one in copies.iterdir())
        names = heapq.nlargest(
            _MOST_COPIES, (one for one in some if one.startswith("deleted-"))
        )
    for name in names:
        if wanted <= found:
            break
        text = small_text(copies / name, limit=_MOST_BYTES) or ""
        found |= wanted.intersection(_ids_in(text))
    return frozenset(found)


def says_what_was_deleted(store: Store, project_id: str, text: str) -> bool:
    """Say whether a tombstone knows a text; no, where nobody can tell."""
    with suppress(ForgetKeyError):
        return any(
            is_forgotten(store, store.db, one, text, "") for one in (project_id, GLOBAL)
        )
    return False


def _ids_in(text: str) -> Iterator[str]:
    """Give the ids of the records that a copy would bring back."""
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return
    rows = kept.get("records") if isinstance(kept, dict) else None
    for row in rows if isinstance(rows, list) else ():
        record = row.get("record") if isinstance(row, dict) else None
        found = record.get("id") if isinstance(record, dict) else None
        if isinstance(found, str):
            yield found
