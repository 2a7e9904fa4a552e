"""`agentctx memory reset`: end what is under way; memory itself is kept (M9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import kept_memory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "End what is under way; memory itself is kept."
EXAMPLE = "agentctx memory reset"


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> str:
    """End reviews and what requests had spent."""
    with kept_memory(call) as memory:
        return memory.reset()


def as_json(value: str) -> dict[str, object]:
    """Say that memory was kept, and what clears it."""
    return {
        "memory_kept": True,
        "clear": "agentctx memory clear --confirm",
        "detail": value,
    }


def lines(value: str) -> Iterator[str]:
    """Say the same."""
    yield value
