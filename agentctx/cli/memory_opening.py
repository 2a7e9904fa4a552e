"""How commands of memory find the project's memory, and open it.

Where the project has no memory nothing is made but by `agentctx memory on`. Where it
is off, what is kept can still be looked at, exported and removed; nothing is added.
"""

from __future__ import annotations

import os.path
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from agentctx.cli.opening import this_project
from agentctx.config import environment, home
from agentctx.memory.api import Memory
from agentctx.memory.refusals import MemoryAbsentError, MemoryConsentError
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import memory_root, refuse_off, why_off
from agentctx.memory.verdict import Absent, judge
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from agentctx.memory.notices import Notice
    from agentctx.memory.pipeline import Pipeline
    from agentctx.memory.switch import Off
    from agentctx.project import Project
    from corpus.cli.call import Call

PENDING = "MEMORY_PENDING"

GRACE = 0.5
"""Seconds that a command waits, beyond what was asked for, for work to be put down."""


class Here(NamedTuple):
    """The project here, where its memory lies, and why it is off."""

    project: Project
    root: str
    off: Off | None


def memory_here() -> Here:
    """Look where the memory of this project lies; nothing is made."""
    project = this_project()
    root = memory_root(project)
    return Here(project, root, why_off(root, home=home(), environ=environment()))


@contextmanager
def kept_memory(call: Call) -> Iterator[Memory]:
    """Open memory to look at what is kept, to export it, or to remove it.

    Nothing is written by opening it. `MemoryAbsentError` where nothing can be kept.
    """
    here = memory_here()
    if here.off is not None:
        nothing = isinstance(judge(here.root), Absent)
        if nothing or here.off == "no_folder":
            raise MemoryAbsentError
    with memory_at(call, here.root, recover=False) as memory:
        yield memory


@contextmanager
def memory_in_use(call: Call) -> Iterator[Memory]:
    """Open memory to add to it.

    `MemoryOffError` and `MemoryAbsentError` where it is off.
    """
    with memory_at(call, _root_in_use()) as memory:
        require_sound(memory)
        yield memory


@contextmanager
def memory_at_work(call: Call) -> Iterator[Memory]:
    """Open memory with a model to work on its jobs, where one can be asked.

    What is under way when the command ends goes with it, and is taken up later. What
    is left is in the command's own answer, and told nowhere else.
    """
    root = _root_in_use()
    from agentctx.extraction.memory.opening import (  # noqa: PLC0415 - few commands do
        open_pipeline,
    )

    pipeline = open_pipeline(
        home(), environment(), clock=call.clock, random=call.random
    )
    quiet = call._replace(notify=_but(PENDING, call.notify))
    memory = memory_at(quiet, root, pipeline=pipeline)
    try:
        require_sound(memory)
        yield memory
    finally:
        memory.close(wait=GRACE)


def memory_at(
    call: Call, root: str, *, recover: bool = True, pipeline: Pipeline | None = None
) -> Memory:
    """Open the memory at `root`; what it has to say is told as it comes."""

    def tell(notice: Notice) -> None:
        call.notify(notice.code, notice.text)

    return Memory.open(
        root,
        clock=call.clock,
        ids=RandomIds(call.random),
        owner=owner(call),
        recover=recover,
        tell=tell,
        pipeline=pipeline,
    )


def owner(call: Call) -> str:
    """Name one run of a command in the leases that it holds."""
    return f"command {call.random(8).hex()}"


def require_sound(memory: Memory) -> None:
    """Raise what is wrong with a memory that cannot be used."""
    problem = memory.status().problem
    if problem is not None:
        raise problem


def require_confirmed(command: str, *, confirm: bool) -> None:
    """Refuse what cannot be taken back, unless `--confirm` was said."""
    if not confirm:
        raise MemoryConsentError(command=f"agentctx memory {command}")


def named_file(text: str) -> str:
    """Give the whole path of a file that a person names."""
    if not text or "\x00" in text:
        raise UsageError(problem="a file has a name, and no NUL in it")
    return os.path.abspath(text)  # noqa: PTH100 - text


def add_confirm(parser: argparse.ArgumentParser, about: str) -> None:
    """Declare `--confirm`."""
    parser.add_argument("--confirm", action="store_true", help=about)


def add_item(parser: argparse.ArgumentParser) -> None:
    """Declare ID."""
    parser.add_argument(
        "id", metavar="ID", help="the item: its id, or as much of it as no other has"
    )


def _but(untold: str, notify: Callable[[str, str], None]) -> Callable[[str, str], None]:
    def told(code: str, text: str) -> None:
        if code != untold:
            notify(code, text)

    return told


def _root_in_use() -> str:
    here = memory_here()
    if here.off is not None:
        refuse_off(here.off)
    return here.root
