"""The items of a review as another program wrote them: a JSON array of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from agentctx.memory.model import ReviewItem
from agentctx.memory.refusals import MemoryRuleError

if TYPE_CHECKING:
    from corpus.canonical import Json

MOST_ITEMS = 10_000
TEXT_CHARACTERS = 4_000

_NEEDED, _OTHERS = ("item_id", "path"), ("rule_id", "message")


def review_items(value: Json) -> tuple[ReviewItem, ...]:
    """Read the items; `MemoryRuleError` says which of them is none, and why."""
    if not isinstance(value, list):
        _refuse("the items of a review are a JSON array")
    if len(value) > MOST_ITEMS:
        _refuse("a review has 10,000 items at most")
    items = tuple(_item(number, one) for number, one in enumerate(value, 1))
    known: set[str] = set()
    for number, one in enumerate(items, 1):
        if one.item_id in known:
            _refuse(f"item {number} has the `item_id` of another")
        known.add(one.item_id)
    return items


def _item(number: int, value: Json) -> ReviewItem:
    if not isinstance(value, dict):
        _refuse(f"item {number} is no object")
    for name in (*_NEEDED, *_OTHERS):
        text = value.get(name, "")
        if not isinstance(text, str) or len(text) > TEXT_CHARACTERS:
            _refuse(f"item {number}: `{name}` is a text of at most 4,000 characters")
        if name in _NEEDED and not text.strip():
            _refuse(f"item {number} has no `{name}`")
    return ReviewItem(*(str(value.get(name, "")) for name in (*_NEEDED, *_OTHERS)))


def _refuse(reason: str) -> NoReturn:
    raise MemoryRuleError(reason=reason, rule="review_items")
