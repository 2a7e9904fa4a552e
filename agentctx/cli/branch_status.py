"""`agentctx branch status`: what waits on branches, once what has merged has joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.branching import BranchCard, branch_card, branch_lines
from agentctx.cli.opening import open_for_writing
from agentctx.config import environment
from agentctx.records.read import current_records
from agentctx.team.settling import Settled, settle_project
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "Ask git about branches: what merged joins; show what waits."
EXAMPLE = "agentctx branch status"


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchStatus:
    """What joined just now, and what waits, with its records."""

    card: BranchCard
    settled: Settled
    records: tuple[Record, ...]

    def as_json(self) -> dict[str, object]:
        """Give the status as one JSON object."""
        return {
            **self.card.as_json(),
            "joined": self.settled.joined,
            "records": [
                {
                    "id": one.id,
                    "branch": one.branch,
                    "type": one.type,
                    "title": one.title,
                }
                for one in self.records
            ],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> BranchStatus:
    """Look at the branches as the worker does, then at what waits."""
    with open_for_writing(call) as opened:
        store, root = opened.store, str(opened.project.main_root)
        settled = settle_project(store, opened.project_id, root, environment())
        card = branch_card(opened)
        records = [
            record
            for one in card.waiting
            for record in current_records(store.db, one.branch.staging_id)
        ]
        return BranchStatus(card=card, settled=settled, records=tuple(records))


def lines(value: BranchStatus) -> Iterator[str]:
    """Say what joined, then draw the card and list what waits."""
    if value.settled.joined:
        yield f"joined the main line: {counted(value.settled.joined, 'record')}"
    yield from branch_lines(value.card)
    for one in value.records:
        branch = visible(one.branch or "")
        yield f"{one.id}  {one.type}  {visible(one.title)}  (on {branch})"
    if not value.card.waiting:
        yield "nothing waits on a branch"
