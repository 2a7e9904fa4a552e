"""`agentctx consolidate`: put the records in order; say what a person may decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import row
from agentctx.config import environment
from agentctx.records.proposals import (
    MERGE,
    PRUNE,
    SUPERSEDE,
    accept_proposal,
    dismiss_proposal,
    open_proposals,
)
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.extraction.consolidation import Consolidated
    from agentctx.records.proposals import Decided, Proposal
    from corpus.cli.call import Call

SUMMARY = "Put the records in order: scores, digests, drift, proposals."
EXAMPLE = "agentctx consolidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What was done and decided, and what waits for a person in this project."""

    done: Consolidated
    proposals: tuple[Proposal, ...]
    decided: tuple[Decided, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            **self.done.as_json(),
            "proposals": [one.as_json() for one in self.proposals],
            "decided": [one.as_json() for one in self.decided],
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--accept",
        metavar="ID",
        action="append",
        help="do what a proposal says; the record that ends stays in the history",
    )
    parser.add_argument(
        "--dismiss",
        metavar="ID",
        action="append",
        help="leave both as they are, and do not propose it again",
    )


def run(call: Call, *, accept: list[str] | None, dismiss: list[str] | None) -> Order:
    """Decide what was named, consolidate, and list the proposals of this project."""
    from agentctx.extraction.consolidation import (  # noqa: PLC0415 - when it works
        consolidate,
    )

    with open_for_writing(call) as opened:
        store, project_id = opened.store, opened.project_id
        decided = [accept_proposal(store, project_id, one) for one in accept or ()]
        decided += [dismiss_proposal(store, project_id, one) for one in dismiss or ()]
        done = consolidate(store, environ=environment())
        proposals = open_proposals(store.db, project_id)
    return Order(done=done, proposals=tuple(proposals), decided=tuple(decided))


def lines(value: Order) -> Iterator[str]:
    """Say what was done, then one proposal a block, with what to type."""
    for decided in value.decided:
        title = visible(decided.proposal.title)
        yield from row(
            "ended" if decided.ended else "dismissed", decided.ended or title
        )
        if decided.kept:
            yield from row("kept", decided.kept)
    yield from consolidated_lines(value.done, seen=True)
    for one in value.proposals:
        yield ""
        yield from proposal_lines(one)


def consolidated_lines(value: Consolidated, *, seen: bool = False) -> Iterator[str]:
    """Say what was put in order; `seen` when the proposals follow."""
    yield from row("digests", f"{value.digests} made")
    if value.archived:
        yield from row("past", f"{counted(value.archived, 'unused record')} ended")
    proposed = value.merges + value.prunes
    if proposed:
        told = "" if seen else "; see `agentctx consolidate`"
        yield from row("proposals", f"{proposed} new{told}")


def proposal_lines(one: Proposal) -> Iterator[str]:
    """Say what is proposed and what a person can type."""
    head, accepted, dismissed = _WORDS[one.kind]
    yield head
    yield f"  [{one.record_id}] {visible(one.title)}"
    if one.other_id is not None:
        yield f"  [{one.other_id}] {visible(one.other_title or '')}"
    yield f"  {accepted}: agentctx consolidate --accept {one.id}"
    yield f"  {dismissed}: agentctx consolidate --dismiss {one.id}"


_WORDS = {
    PRUNE: ("nobody said this again or fetched it:", "let it end", "keep it"),
    MERGE: ("these seem to state the same:", "keep one", "keep both"),
    SUPERSEDE: ("the first seems to replace the second:", "replace it", "keep both"),
}
