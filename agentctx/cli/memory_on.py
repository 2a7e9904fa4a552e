"""`agentctx memory on`: remember this project's conversations from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here, owner
from agentctx.cli.memory_state import Switched
from agentctx.memory.refusals import MemoryAbsentError
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import turn_on

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Remember this project's conversations from now on."
EXAMPLE = "agentctx memory on"


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Switched:
    """Make the project's memory where there is none, and let it be used."""
    here = memory_here()
    ids = RandomIds(call.random)
    turn_on(here.root, clock=call.clock, ids=ids, owner=owner(call))
    off = memory_here().off
    if off == "no_folder":  # the folder that was made is the user's own store
        raise MemoryAbsentError
    return Switched(root=here.root, off=off)


def lines(value: Switched) -> Iterator[str]:
    """Say that it is on, or what still keeps it off."""
    return value.lines()
