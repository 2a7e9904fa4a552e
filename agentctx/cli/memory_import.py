"""`agentctx memory import`: take an export into an empty memory."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_in_use
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
    path = os.path.abspath(file)  # noqa: PTH100 - text
    with memory_in_use(call) as memory:
        return memory.take_in(path)


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
