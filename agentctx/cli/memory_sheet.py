"""How items of memory look: one a line, one whole, and as JSON.

What is stored is somebody's text. It is shown without what a reader cannot see, and
without secrets, in JSON as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.sheet import row
from agentctx.memory.mapping import (
    CONTENT_CHARACTERS,
    SOURCE_CHARACTERS,
    one_line,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.memory.model import Item
    from agentctx.memory.recallindex import Quoted
    from agentctx.memory.telling import Shown

_DAY = len("2026-05-02")


def entry(item: Item) -> dict[str, object]:
    """Give what a list tells of an item."""
    said = item.meaning
    return {
        "id": item.id,
        "kind": said.kind,
        "subject": one_line(said.subject),
        "statement": one_line(said.statement),
        "strength": said.strength,
        "origin": said.origin,
        "recall_mode": said.recall_mode,
        "applies_to_paths": [one_line(one) for one in said.applies_to_paths],
        "status": item.status,
        "updated_at": item.updated_at,
    }


def whole(item: Item) -> dict[str, object]:
    """Give all that is kept of one revision of an item."""
    said = item.meaning
    return {
        **entry(item),
        "content": shown(said.content),
        "aliases": [one_line(one) for one in said.aliases],
        "keywords": [one_line(one) for one in said.keywords],
        "pinned": item.pinned,
        "logical_id": item.logical_id,
        "revision": item.revision,
        "thread_id": item.thread_id,
        "replaced_by_id": item.replaced_by_id,
        "created_at": item.created_at,
    }


def quoted(one: Quoted) -> dict[str, object]:
    """Give some of the words that an item stands on."""
    return {
        "role": one.role,
        "said_at": one.said_at,
        "quote": excerpt(one.quote),
    }


def excerpt(text: str) -> str:
    """Give a quote, cut where it is long."""
    safe = shown(text)
    most = SOURCE_CHARACTERS
    return safe if len(safe) <= most else f"{safe[: most - 1]}…"


def detail(value: Shown) -> dict[str, object]:
    """Give an item with its newest words, bounded as for an agent that reads it."""
    return {
        **entry(value.item),
        "content": shown(value.item.meaning.content[:CONTENT_CHARACTERS]),
        "sources": [quoted(one) for one in value.sources],
    }


def entry_lines(item: Item) -> Iterator[str]:
    """Show an item as one line of a list, and what it says as another."""
    yield f"{item.id}  {one_line(item.meaning.subject)}  ({standing(item)})"
    if item.meaning.statement != item.meaning.subject:
        yield f"  {one_line(item.meaning.statement)}"


def standing(item: Item) -> str:
    """Say what an item is and how firm, in a few words."""
    said = item.meaning
    words: list[str] = [said.kind, said.strength, said.origin, said.recall_mode]
    words += ["pinned"] if item.pinned else []
    words += [] if item.status == "active" else [item.status]
    return ", ".join(words)


def item_lines(item: Item) -> Iterator[str]:
    """Show one revision whole."""
    said = item.meaning
    yield one_line(said.subject)
    yield ""
    yield f"  {one_line(said.statement)}"
    if said.content not in {said.statement, ""}:
        yield ""
        yield from (f"  {one}" for one in shown(said.content).splitlines())
    yield ""
    yield from row("id", item.id)
    yield from row("is", standing(item))
    for number, path in enumerate(said.applies_to_paths):
        yield from row("" if number else "in", one_line(path))
    names = ", ".join(map(one_line, (*said.aliases, *said.keywords)))
    if names:
        yield from row("found by", names)
    yield from row("since", item.created_at)
    if item.updated_at != item.created_at:
        yield from row("changed", item.updated_at)
    if item.replaced_by_id is not None:
        yield from row("replaced by", item.replaced_by_id)


def quote_lines(one: Quoted) -> Iterator[str]:
    """Show some of the words that an item stands on."""
    yield f"said by the {one.role} on {one.said_at[:_DAY]}:"
    yield from (f"  | {line}" for line in excerpt(one.quote).splitlines())
