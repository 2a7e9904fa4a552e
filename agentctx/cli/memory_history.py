"""`agentctx memory history`: every revision of an item, the oldest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, kept_memory
from agentctx.cli.memory_sheet import entry_lines, whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.model import Item
    from corpus.cli.call import Call

SUMMARY = "Show every revision of an item, the oldest first."
EXAMPLE = "agentctx memory history 3f2a9c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """The revisions of one item."""

    revisions: tuple[Item, ...]

    def as_json(self) -> dict[str, object]:
        """Give them as one JSON object."""
        return {
            "logical_id": self.revisions[0].logical_id,
            "revisions": [whole(one) for one in self.revisions],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)


def run(call: Call, *, id: str) -> Chain:  # noqa: A002 - the argument's name
    """Look them up by any of them."""
    with kept_memory(call) as memory:
        return Chain(revisions=memory.revisions(memory.find(id)))


def lines(value: Chain) -> Iterator[str]:
    """Show a revision after the other, with since when and until when."""
    for one in value.revisions:
        yield from entry_lines(one)
        until = "now" if one.status == "active" else one.updated_at
        yield f"  {one.created_at} to {until}"
