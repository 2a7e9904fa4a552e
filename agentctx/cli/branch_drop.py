"""`agentctx branch drop`: end what waits on a branch; it can be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.branch_join import add_branch
from agentctx.cli.branching import find_branch
from agentctx.cli.opening import open_for_writing
from agentctx.records.joining import drop_branch
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "End what waits on a branch that will not be merged; nothing is deleted."
EXAMPLE = "agentctx branch drop feature/parser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The branch, and the ids of what ended or waits again."""

    branch: str
    ids: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {"branch": self.branch, "records": list(self.ids)}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_branch(parser)


def run(call: Call, *, branch: str) -> Outcome:
    """End them all; raises `BranchUnknownError`."""
    with open_for_writing(call) as opened:
        found = find_branch(opened.store.db, opened.project_id, branch)
        return Outcome(branch=found.name, ids=drop_branch(opened.store, found))


def lines(value: Outcome) -> Iterator[str]:
    """Say how many ended, and how to take it back."""
    yield f"dropped {counted(len(value.ids), 'record')} of {visible(value.branch)}"
    if value.ids:
        yield f"put back: `agentctx branch restore {visible(value.branch)}`"
