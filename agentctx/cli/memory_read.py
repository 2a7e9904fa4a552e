"""`agentctx memory read`: one active item, bounded as an agent reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, kept_memory
from agentctx.cli.memory_sheet import detail, quote_lines
from agentctx.memory.mapping import CONTENT_CHARACTERS, one_line, shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.telling import Shown
    from corpus.cli.call import Call

SUMMARY = "Read one item as an agent may: what it says and its newest words."
EXAMPLE = "agentctx memory read 3f2a9c"

as_json = detail


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)


def run(call: Call, *, id: str) -> Shown:  # noqa: A002 - the argument's name
    """Read it; MemoryItemOldError names the live revision of an old one."""
    with kept_memory(call) as memory:
        return memory.read(memory.find(id))


def lines(value: Shown) -> Iterator[str]:
    """Show what it says, then the words it stands on."""
    said = value.item.meaning
    yield f"{value.item.id}  {one_line(said.subject)}"
    yield one_line(said.statement)
    if said.content != said.statement:
        yield ""
        yield from shown(said.content[:CONTENT_CHARACTERS]).splitlines()
    for one in value.sources:
        yield ""
        yield from quote_lines(one)
