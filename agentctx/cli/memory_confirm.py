"""`agentctx memory confirm`: stand for an item; it is hard from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, memory_in_use
from agentctx.cli.memory_state import Changed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Stand for an item: it is explicit and hard from now on."
EXAMPLE = "agentctx memory confirm 3f2a9c"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)


def run(call: Call, *, id: str) -> Changed:  # noqa: A002 - the argument's name
    """Make it a revision of its own; what is hard already stays as it is."""
    with memory_in_use(call) as memory:
        old = memory.find(id)
        return Changed(item=memory.confirm(old), before=old)


def lines(value: Changed) -> Iterator[str]:
    """Show what is remembered now."""
    return value.lines()
