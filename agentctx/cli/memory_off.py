"""`agentctx memory off`: remember nothing from now on; what is kept stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here
from agentctx.cli.memory_state import Switched
from agentctx.memory.refusals import MemoryAbsentError
from agentctx.memory.switch import turn_off
from corpus.errors import StoreUnusableError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Remember nothing from now on; what is kept stays."
EXAMPLE = "agentctx memory off"


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Switched:
    """Turn memory off in this project; MemoryAbsentError where it has none."""
    del call
    here = memory_here()
    if here.off == "no_folder":
        raise MemoryAbsentError
    try:
        turn_off(here.root)
    except OSError as error:
        raise StoreUnusableError(reason=error.strerror or "EIO") from None
    return Switched(root=here.root, off=memory_here().off)


def lines(value: Switched) -> Iterator[str]:
    """Say that it is off."""
    return value.lines()
