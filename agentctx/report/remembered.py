"""What conversation memory holds, as a report shows it; nothing that was forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.memory.items import chain, items
from agentctx.memory.steering import reasons_of
from agentctx.report.values import Believed, Remembered, Some

if TYPE_CHECKING:
    from agentctx.memory.model import Item
    from corpus.sqlite import Db

MOST_REASONS = 5
"""Quotes of one item that are shown."""

MOST_BEFORE = 20
"""Earlier revisions of one item that are shown."""


def remembered(db: Db, *, most: int, forgotten: int) -> Remembered:
    """Gather the items that are believed, the newest first, with their quotes."""
    active = items(db)
    shown = tuple(_believed(db, one) for one in active[:most])
    return Remembered(items=Some(shown, len(active)), forgotten=forgotten)


def _believed(db: Db, item: Item) -> Believed:
    reasons = reasons_of(db, item.id)
    before = [one for one in chain(db, item.logical_id) if one.status == "superseded"]
    return Believed(
        item,
        Some(reasons[:MOST_REASONS], len(reasons)),
        tuple(reversed(before[-MOST_BEFORE:])),
    )
