"""`agentctx memory show`: one item whole, any revision, with its newest words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, kept_memory
from agentctx.cli.memory_sheet import item_lines, quote_lines, quoted, whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.telling import Shown
    from corpus.cli.call import Call

SUMMARY = "Show one item whole, any revision, with the words it stands on."
EXAMPLE = "agentctx memory show 3f2a9c"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)


def run(call: Call, *, id: str) -> Shown:  # noqa: A002 - the argument's name
    """Look it up, also in a memory that has lost its thread."""
    with kept_memory(call) as memory:
        return memory.show(memory.find(id))


def as_json(value: Shown) -> dict[str, object]:
    """Give the item, its newest words and its revisions as one JSON object."""
    return {
        "item": whole(value.item),
        "sources": [quoted(one) for one in value.sources],
        "revisions": list(value.revisions),
    }


def lines(value: Shown) -> Iterator[str]:
    """Draw the item, then what was said."""
    yield from item_lines(value.item)
    for one in value.sources:
        yield ""
        yield from quote_lines(one)
    if len(value.revisions) > 1:
        yield ""
        yield f"{len(value.revisions)} revisions: `agentctx memory history` shows them"
