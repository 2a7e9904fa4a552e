"""`agentctx memory export`: write a snapshot of memory as JSON, to a new file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import kept_memory, named_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Write a snapshot of memory as JSON, to a new file."
EXAMPLE = "agentctx memory export --out memory.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Where the snapshot is."""

    path: str

    def as_json(self) -> dict[str, object]:
        """Give the path as one JSON object."""
        return {"path": self.path}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="the new file; nothing is overwritten (default: one in"
        " `.agentctx/memory-exports/`, named by the time)",
    )


def run(call: Call, *, out: str | None) -> Snapshot:
    """Write it, also of a memory that has lost its thread."""
    path = None if out is None else named_file(out)
    with kept_memory(call) as memory:
        return Snapshot(path=memory.export(path))


def lines(value: Snapshot) -> Iterator[str]:
    """Say where it is, and what is in it."""
    yield value.path
    yield "it holds what was said, without secrets; only you can read it"
