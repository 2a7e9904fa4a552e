"""`agentctx consolidate`: put the records in order; say what a person may decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import row
from agentctx.config import environment
from agentctx.records.proposals import MERGE, PRUNE, open_proposals
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.extraction.consolidation import Consolidated
    from agentctx.records.proposals import Proposal
    from corpus.cli.call import Call

SUMMARY = "Put the records in order: scores, digests, drift, proposals."
EXAMPLE = "agentctx consolidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was done, and what waits for a person in this project."""

    done: Consolidated
    proposals: tuple[Proposal, ...]

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            **self.done.as_json(),
            "proposals": [one.as_json() for one in self.proposals],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Order:
    """Consolidate every changed project; list the proposals of this one."""
    from agentctx.extraction.consolidation import (  # noqa: PLC0415 - when it works
        consolidate,
    )

    with open_for_writing(call, create=True) as opened:
        done = consolidate(opened.store, environ=environment())
        proposals = open_proposals(opened.store.db, opened.project_id)
    return Order(done=done, proposals=tuple(proposals))


def lines(value: Order) -> Iterator[str]:
    """Say what was done, then one proposal a block, with what to type."""
    yield from consolidated_lines(value.done)
    for one in value.proposals:
        yield ""
        yield from proposal_lines(one)


def consolidated_lines(value: Consolidated) -> Iterator[str]:
    """Say what was put in order."""
    yield from row("digests", f"{value.digests} made")
    if value.archived:
        yield from row("past", f"{counted(value.archived, 'unused record')} ended")
    proposed = value.merges + value.prunes
    if proposed:
        told = "see `agentctx consolidate`"
        yield from row("proposals", f"{proposed} new; {told}")


def proposal_lines(one: Proposal) -> Iterator[str]:
    """Say what is proposed and what a person can type."""
    title = visible(one.title)
    if one.kind == PRUNE:
        yield f"nobody ever said again or fetched: {title}"
        yield f"  keep it: agentctx reinforce {one.record_id}"
        yield f"  drop it: agentctx delete {one.record_id}"
        return
    other = visible(one.other_title or "")
    if one.kind == MERGE:
        yield f"these seem to state the same: {title} | {other}"
        yield f"  drop one: agentctx delete {one.record_id}"
        yield f"  or:       agentctx delete {one.other_id}"
        return
    yield f"this seems to replace a record: {title} | {other}"
    yield f"  if so: agentctx delete {one.other_id}"
