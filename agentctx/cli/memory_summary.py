"""`agentctx memory summary`: write `memory_summary.md` anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import kept_memory, require_sound

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.summary import Summary
    from corpus.cli.call import Call

SUMMARY = "Write `memory_summary.md` anew."
EXAMPLE = "agentctx memory summary"


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Summary:
    """Overwrite the file, whatever stands in it."""
    with kept_memory(call) as memory:
        require_sound(memory)
        return memory.summary()


def as_json(value: Summary) -> dict[str, object]:
    """Give the state and the path; `error` is empty where it was written."""
    return value._asdict()


def exit_status(value: Summary) -> int:
    """Answer 1 where the file could not be written."""
    return 0 if value.state == "current" else 1


def lines(value: Summary) -> Iterator[str]:
    """Say where it is, and whether it says what memory holds."""
    yield f"{value.path} ({value.state})"
