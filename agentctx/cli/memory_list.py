"""`agentctx memory list`: what is remembered, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import kept_memory
from agentctx.cli.memory_sheet import entry, entry_lines
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.model import Item
    from corpus.cli.call import Call

SUMMARY = "List what is remembered, the newest first."
EXAMPLE = "agentctx memory list --all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The items that were asked for."""

    items: tuple[Item, ...]

    def as_json(self) -> dict[str, object]:
        """Give them as one JSON object, an entry an item."""
        return {"items": [entry(one) for one in self.items]}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--all",
        action="store_true",
        help="every revision, also what was replaced or forgotten",
    )


def run(call: Call, *, all: bool) -> Listed:  # noqa: A002 - the argument's name
    """List the active items, or every revision."""
    with kept_memory(call) as memory:
        return Listed(items=memory.list(every=all))


def lines(value: Listed) -> Iterator[str]:
    """Show an item a line, then how many there are."""
    for one in value.items:
        yield from entry_lines(one)
    yield counted(len(value.items), "item")
