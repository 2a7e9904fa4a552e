"""How commands of memory reach the records that were made of an item.

The item is what was asked about: where the store of records cannot be used that is
told, and the answer stands.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here, owner
from agentctx.cli.opening import STORE_ERRORS, open_for_reading, open_for_writing
from agentctx.config import home
from agentctx.extraction.following import keep_in_step
from agentctx.extraction.rising import LetGoOf, forget_records_of, let_records_go
from agentctx.memory.notices import STORE_FAILURES
from agentctx.memory.opening import open_memory
from agentctx.memory.store import RandomIds
from agentctx.records.risen import records_of_item
from agentctx.records.store import store_path
from agentctx.records.tombstones import forget_tombstone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.cli.opening import Opened
    from agentctx.memory.model import Item
    from agentctx.records.model import Record
    from corpus.cli.call import Call


def forget_its_records(call: Call, item: Item) -> LetGoOf:
    """Let the records of a forgotten item go, where there is a store at all."""
    if not os.path.lexists(store_path(home())):
        return LetGoOf()
    try:
        with open_for_writing(call) as opened:
            return forget_records_of(opened.store, opened.project_id, item)
    except STORE_ERRORS as error:
        told = f"the records of the item were not reached: {error}"
        call.notify(error.code, told)
        return LetGoOf()


def let_records_follow(call: Call) -> None:
    """Let the records of items that a person changed say what the items say now.

    What is left of very many is done by the worker's next visit.
    """
    if not os.path.lexists(store_path(home())):
        return
    ids, root = RandomIds(call.random), memory_here().root
    try:
        with (
            open_for_writing(call) as opened,
            open_memory(root, clock=call.clock, ids=ids, owner=owner(call)) as memory,
        ):
            keep_in_step(memory, opened.store, opened.project_id)
    except (*STORE_ERRORS, *STORE_FAILURES) as error:
        told = f"the records of the items were not reached: {error}"
        call.notify(error.code, told)


def let_all_records_go(call: Call, logical_ids: Iterable[str]) -> int:
    """Let the records of items go that are no more; say of how many items."""
    if not os.path.lexists(store_path(home())):
        return 0
    try:
        with open_for_writing(call) as opened:
            gone = [_without_a_trace(opened, one) for one in logical_ids]
    except STORE_ERRORS as error:
        told = f"the records of the items were not reached: {error}"
        call.notify(error.code, told)
        return 0
    return sum(1 for one in gone if one.deleted or one.ended)


def _without_a_trace(opened: Opened, logical_id: str) -> LetGoOf:
    """Let records go that may be made again, as when an export is taken in."""
    store, project_id = opened.store, opened.project_id
    known = records_of_item(store.db, project_id, logical_id)
    gone = let_records_go(store, project_id, logical_id)
    with store.writing() as tx:
        for one in known:
            if str(one.id) in gone.deleted:
                forget_tombstone(store, tx, project_id, one.title, one.body)
    return gone


def its_records(call: Call, item: Item) -> tuple[Record, ...]:
    """Give what was made of an item, past and present, the oldest first."""
    try:
        with open_for_reading(call) as opened:
            db, project_id = opened.store.db, opened.project_id
            return tuple(records_of_item(db, project_id, item.logical_id))
    except STORE_ERRORS as error:
        call.notify(error.code, f"the records of the item cannot be read: {error}")
        return ()
