"""`agentctx memory review stop`: let a session's next turns be ordinary again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here, owner
from agentctx.cli.memory_review_start import add_session
from agentctx.memory.opening import open_memory
from agentctx.memory.rawtext import session_name
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import refuse_off
from agentctx.memory.underreview import stop_review
from agentctx.memory.verdict import Absent, judge

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "End a session's review: its next turns are ordinary again."
EXAMPLE = "agentctx memory review stop --session 4f1c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A session that is in no review now; `stopped` says whether it was in one."""

    session: str
    stopped: bool

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {"session": self.session, "stopped": self.stopped}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_session(parser)


def run(call: Call, *, session: str) -> Stopped:
    """End the review; a turn that is open stays one of it."""
    here = memory_here()
    if here.off == "no_folder":
        refuse_off(here.off)
    name = session_name(session)
    if isinstance(judge(here.root), Absent):
        return Stopped(session=name, stopped=False)
    ids = RandomIds(call.random)
    with (
        open_memory(here.root, clock=call.clock, ids=ids, owner=owner(call)) as store,
        store.writing() as writing,
    ):
        return Stopped(session=name, stopped=stop_review(writing, name))


def lines(value: Stopped) -> Iterator[str]:
    """Say that the session is in no review."""
    if value.stopped:
        yield f"session {value.session}: its review is over"
    else:
        yield f"session {value.session} was in no review"
