"""`agentctx memory undo`: take back the last forget or edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_in_use
from agentctx.cli.memory_sheet import entry_lines, whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.steering import Undone
    from corpus.cli.call import Call

SUMMARY = "Take back the last forget or edit."
EXAMPLE = "agentctx memory undo"


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Undone:
    """Believe again what was forgotten, or say again what was edited."""
    with memory_in_use(call) as memory:
        return memory.undo()


def as_json(value: Undone) -> dict[str, object]:
    """Give what was taken back and the item as it is now."""
    return {"undone": value.what, "item": whole(value.item)}


def lines(value: Undone) -> Iterator[str]:
    """Say what was taken back, and show what is remembered now."""
    yield f"taken back: the last {value.what}"
    yield from entry_lines(value.item)
