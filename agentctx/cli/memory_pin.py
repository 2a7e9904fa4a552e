"""`agentctx memory pin`: show an item with every prompt where it applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, memory_in_use
from agentctx.cli.memory_state import Changed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Show an item with every prompt where it applies, or no longer."
EXAMPLE = "agentctx memory pin 3f2a9c"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)
    parser.add_argument(
        "--off", action="store_true", help="let it wait to be asked for again"
    )


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    off: bool,
) -> Changed:
    """Pin it, or no longer; what is soft has to be confirmed first."""
    with memory_in_use(call) as memory:
        old = memory.find(id)
        return Changed(item=memory.pin(old, on=not off), before=old)


def lines(value: Changed) -> Iterator[str]:
    """Show what is remembered now."""
    return value.lines()
