"""`agentctx branch join`: let what waits on a branch be of the main line, now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.branching import find_branch
from agentctx.cli.opening import open_for_writing
from agentctx.records.joining import Joined, join_branch
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Let what waits on a branch be of the main line, whatever git says."
EXAMPLE = "agentctx branch join feature/parser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The branch, and what became of its records."""

    branch: str
    joined: Joined

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {"branch": self.branch, **self.joined.as_json()}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_branch(parser)
    parser.add_argument(
        "--replace",
        action="store_true",
        help="also in the place of what the main line has by now",
    )


def add_branch(parser: argparse.ArgumentParser) -> None:
    """Declare the branch that is meant."""
    parser.add_argument("branch", metavar="NAME", help="the branch, as git names it")


def run(call: Call, *, branch: str, replace: bool) -> Outcome:
    """Join; raises `BranchUnknownError`."""
    with open_for_writing(call) as opened:
        found = find_branch(opened.store.db, opened.project_id, branch)
        joined = join_branch(opened.store, found, replace=replace)
        return Outcome(branch=found.name, joined=joined)


def exit_status(value: Outcome) -> int:
    """Answer 1 where something still waits for a person."""
    return int(bool(value.joined.contested))


def lines(value: Outcome) -> Iterator[str]:
    """Say how many joined, and which did not."""
    joined = value.joined
    yield f"joined the main line: {counted(len(joined.joined), 'record')}"
    if joined.same:
        yield f"said there already: {counted(len(joined.same), 'record')}"
    for one in joined.contested:
        yield f"contested: {one}"
    if joined.contested:
        yield "the main line has something else in their place:"
        yield f"`agentctx branch join {visible(value.branch)} --replace` lets them win"
