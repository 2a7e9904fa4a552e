"""How commands of memory reach the records that were made of an item.

The item is what was asked about: where the store of records cannot be used that is
told, and the answer stands.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from agentctx.cli.opening import STORE_ERRORS, open_for_reading, open_for_writing
from agentctx.config import home
from agentctx.extraction.rising import LetGoOf, forget_records_of
from agentctx.records.risen import records_of_item
from agentctx.records.store import store_path

if TYPE_CHECKING:
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


def its_records(call: Call, item: Item) -> tuple[Record, ...]:
    """Give what was made of an item, past and present, the oldest first."""
    try:
        with open_for_reading(call) as opened:
            db, project_id = opened.store.db, opened.project_id
            return tuple(records_of_item(db, project_id, item.logical_id))
    except STORE_ERRORS as error:
        call.notify(error.code, f"the records of the item cannot be read: {error}")
        return ()
