"""What a claimed batch gives a pipeline to work on (Typed contracts).

Which items a candidate may be about is bounded for each scope; that nothing is
believed twice does not rest on it (M5.13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.memory.candidates import forgotten_quotes, pending_candidates
from agentctx.memory.model import RELATED_TARGETS, Item, ItemId
from agentctx.memory.pipeline import ConsolidationTask, ExtractionTask
from agentctx.memory.related import related_targets
from agentctx.memory.threads import thread_of
from agentctx.memory.turns import adjacent_turn, review_evidence, turn_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.memory.jobs import Batch
    from agentctx.memory.model import Candidate, ThreadId, Turn
    from corpus.sqlite import Db


def extraction_task(db: Db, batch: Batch) -> ExtractionTask:
    """Gather a batch's turns and what was said before; evidence for a review only."""
    first, last = batch.turns[0], batch.turns[-1]
    thread = thread_of(db, batch.thread_id)
    own = {turn.id for turn in batch.turns}
    evidence = (
        review_evidence(db, batch.thread_id, until=last.sequence)
        if any(turn.profile == "review" for turn in batch.turns)
        else ()
    )
    return ExtractionTask(
        batch.thread_id,
        first.session_id,
        "" if thread is None else thread.compaction,
        _unforgotten(db, adjacent_turn(db, first)),
        batch.turns,
        tuple(turn for turn in reversed(evidence) if turn.id not in own),
    )


def consolidation_task(db: Db, batch: Batch) -> ConsolidationTask:
    """Gather the candidates of a batch and the items related to them."""
    candidates = pending_candidates(db, batch)
    spoken = [turn_of(db, one.sources[0].turn_id) for one in candidates[:1]]
    session = spoken[0].session_id if spoken else ""
    return ConsolidationTask(session, candidates, _targets(db, candidates))


def _targets(db: Db, candidates: Sequence[Candidate]) -> tuple[Item, ...]:
    """Give the best of each scope: every candidate's first, then its second, ..."""
    scopes: dict[tuple[ThreadId | None, tuple[str, ...]], list[tuple[Item, ...]]] = {}
    for one in candidates:
        discussed = one.meaning.kind == "discussion_context"
        thread = one.thread_id if discussed else None
        found = related_targets(db, one.meaning, thread)
        scope = thread, one.meaning.applies_to_paths
        scopes.setdefault(scope, []).append(found)
    chosen: dict[ItemId, Item] = {}
    for lists in scopes.values():
        best: dict[ItemId, Item] = {}
        for rank in range(RELATED_TARGETS):
            for found in lists:
                if rank < len(found):
                    best.setdefault(found[rank].id, found[rank])
        chosen |= dict(list(best.items())[:RELATED_TARGETS])
    return tuple(chosen.values())


def _unforgotten(db: Db, turn: Turn | None) -> Turn | None:
    """Give a turn that is shown beside others, unless it said what was forgotten."""
    if turn is not None and forgotten_quotes(db, turn.id):
        return None
    return turn
