"""`agentctx memory import`: take an export into an empty memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here, memory_in_use, named_file
from agentctx.cli.memory_state import note_waiting
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.importing import Imported
    from corpus.cli.call import Call

SUMMARY = "Take an export into an empty memory."
EXAMPLE = "agentctx memory import memory.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "file", metavar="FILE", help="what `agentctx memory export` wrote"
    )


def run(call: Call, *, file: str) -> Imported:
    """Take in all of it, or nothing."""
    path = named_file(file)
    with memory_in_use(call) as memory:
        taken = memory.take_in(path)
    note_waiting(call, memory_here().root)
    return taken


def as_json(value: Imported) -> dict[str, object]:
    """Give the counts as one JSON object."""
    return value._asdict()


def lines(value: Imported) -> Iterator[str]:
    """Say how much was taken in."""
    told = [
        counted(value.threads, "thread"),
        counted(value.turns, "turn"),
        counted(value.items, "revision of items", "revisions of items"),
    ]
    yield f"taken in: {', '.join(told)}"
