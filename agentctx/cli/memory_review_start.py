"""`agentctx memory review start`: let a session's next turns be a review."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import memory_here, owner
from agentctx.memory.opening import open_memory
from agentctx.memory.reviewfile import review_items
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import refuse_off
from agentctx.memory.underreview import start_review
from corpus.cli.render import counted
from corpus.jsoninput import read_json_anywhere

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.underreview import StoredReview
    from corpus.cli.call import Call

SUMMARY = "Let a session's next turns be a review of some items."
EXAMPLE = "agentctx memory review start --session 4f1c --run lint-7 --items lint.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The review that a session is in from its next turn on."""

    review: StoredReview

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        told = self.review
        return {
            "session": told.session_id,
            "run": told.run,
            "items": [one._asdict() for one in told.items],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_session(parser)
    parser.add_argument(
        "--run",
        required=True,
        metavar="RUN",
        help="the name of this run, without a colon; evidence is kept as `RUN:ITEM`",
    )
    parser.add_argument(
        "--items",
        metavar="FILE",
        help="a JSON array of at most 200 objects with `item_id` and `path`, and"
        " `rule_id` and `message` if you like; `-` reads it from standard input",
    )


def run(call: Call, *, session: str, run: str, items: str | None) -> Started:
    """Begin the review; a turn that is open stays as it is, another review ends."""
    here = memory_here()
    if here.off is not None:
        refuse_off(here.off)
    stdin = getattr(sys.stdin, "buffer", None)
    found = (
        () if items is None else review_items(read_json_anywhere(items, stdin=stdin))
    )
    ids = RandomIds(call.random)
    with (
        open_memory(here.root, clock=call.clock, ids=ids, owner=owner(call)) as store,
        store.writing() as writing,
    ):
        return Started(review=start_review(writing, session, run, found))


def lines(value: Started) -> Iterator[str]:
    """Say what is under review, and until when."""
    told = value.review
    what = counted(len(told.items), "item")
    yield f"session {told.session_id}: its next turns are review {told.run} of {what}"
    yield "they are told of preferences and decisions for the files at hand, no more"
    yield f"end it with `agentctx memory review stop --session {told.session_id}`"


def add_session(parser: argparse.ArgumentParser) -> None:
    """Declare `--session`."""
    parser.add_argument(
        "--session", required=True, metavar="ID", help="the session of the client"
    )
