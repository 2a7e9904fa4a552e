"""`agentctx memory on`: remember this project's conversations from now on."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here, owner
from agentctx.cli.memory_state import Switched
from agentctx.config import home
from agentctx.memory.names import FOLDER
from agentctx.memory.refusals import MemoryPlaceError
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import turn_on
from corpus.errors import StoreUnusableError

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
    folder = f"{here.root}/{FOLDER}"
    if os.path.realpath(folder) == os.path.realpath(home()):
        raise MemoryPlaceError(folder=folder)
    ids = RandomIds(call.random)
    try:
        turn_on(here.root, clock=call.clock, ids=ids, owner=owner(call))
    except OSError as error:
        raise StoreUnusableError(reason=error.strerror or "EIO") from None
    return Switched(root=here.root, off=memory_here().off)


def lines(value: Switched) -> Iterator[str]:
    """Say that it is on, or what still keeps it off."""
    return value.lines()
