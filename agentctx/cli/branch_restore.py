"""`agentctx branch restore`: let what was dropped of a branch wait there again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.branch_drop import Outcome
from agentctx.cli.branch_join import add_branch
from agentctx.cli.branching import find_branch
from agentctx.cli.opening import open_for_writing
from agentctx.records.joining import restore_branch
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Let what was dropped of a branch wait there again."
EXAMPLE = "agentctx branch restore feature/parser"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_branch(parser)


def run(call: Call, *, branch: str) -> Outcome:
    """Take the drop back; raises `BranchUnknownError`."""
    with open_for_writing(call) as opened:
        found = find_branch(opened.store.db, opened.project_id, branch)
        return Outcome(branch=found.name, ids=restore_branch(opened.store, found))


def lines(value: Outcome) -> Iterator[str]:
    """Say how many wait again."""
    count = counted(len(value.ids), "record")
    yield f"waiting on {visible(value.branch)} again: {count}"
