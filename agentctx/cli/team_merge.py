"""`agentctx team merge`: be git's merge driver for the team's file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.team.merging import merge_contexts
from agentctx.team.place import read_side, replace_text_file
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Merge two sides of the team's file block by block; git runs this."
EXAMPLE = "agentctx team merge %O %A %B"


class Torn(NamedTuple):
    """What a person must look at: both texts are in the file."""

    conflicts: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument("base", metavar="%O", help="the file both sides began with")
    parser.add_argument("ours", metavar="%A", help="our side; the result goes there")
    parser.add_argument("theirs", metavar="%B", help="the other side")


def run(call: Call, *, base: str, ours: str, theirs: str) -> Torn | None:
    """Merge into `ours`; nothing is said where nothing is to be looked at."""
    del call
    mine = read_side(ours)
    merged = merge_contexts(read_side(base), mine, read_side(theirs))
    if merged.content != mine:
        replace_text_file(ours, merged.content, old=mine)
    return Torn(merged.conflicts) if merged.conflicts else None


def as_json(value: Torn) -> dict[str, object]:
    """Give the conflicts as one JSON object."""
    return {"conflicts": list(value.conflicts)}


def exit_status(value: Torn | None) -> int:
    """Answer 1 where a person must look, which git calls a conflict."""
    return int(value is not None)


def lines(value: Torn) -> Iterator[str]:
    """Name the conflicts."""
    for one in value.conflicts:
        yield f"both sides changed {visible(one)}: keep one of the two texts"
