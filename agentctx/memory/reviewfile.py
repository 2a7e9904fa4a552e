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
_NAMES = (*_NEEDED, *_OTHERS)
_SHOWN = 40


def review_items(value: Json) -> tuple[ReviewItem, ...]:
    """Read the items; `MemoryRuleError` says which of them is none, and why."""
    if not isinstance(value, list):
        _refuse("the items of a review are a JSON array of objects")
    if len(value) > MOST_ITEMS:
        _refuse("a review has 10,000 items at most")
    items = tuple(_item(number, one) for number, one in enumerate(value, 1))
    known: dict[str, int] = {}
    for number, one in enumerate(items, 1):
        first = known.setdefault(one.item_id, number)
        if first != number:
            _refuse(f"item {number} has the id of item {first}")
    return items


def _item(number: int, value: Json) -> ReviewItem:
    if not isinstance(value, dict):
        _refuse(f"item {number} is no object")
    for name in value:
        if name not in _NAMES:
            shown = "".join(c if c.isprintable() else "?" for c in name[:_SHOWN])
            known = ", ".join(f"`{one}`" for one in _NAMES)
            _refuse(f"item {number} has `{shown}`; an item has {known}")
    return ReviewItem(*(_text(number, name, value.get(name)) for name in _NAMES))


def _text(number: int, name: str, value: Json) -> str:
    """Give a text; an optional one may be left out or null."""
    if value is None:
        if name in _NEEDED:
            _refuse(f"item {number} has no `{name}`")
        return ""
    if not isinstance(value, str) or len(value) > TEXT_CHARACTERS:
        _refuse(f"item {number}: `{name}` is a text of at most 4,000 characters")
    if name in _NEEDED and not value.strip():
        _refuse(f"item {number} has an empty `{name}`")
    return value


def _refuse(reason: str) -> NoReturn:
    raise MemoryRuleError(reason=reason, rule="review_items")
