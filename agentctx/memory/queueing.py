"""How work gets into the queue: once for each turn, once for each batch (M4.0)."""

from __future__ import annotations

import json

from agentctx.memory.store import fence_of
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.memory.model import CandidateId, JobId, ThreadId, TurnId
    from agentctx.memory.store import Writing


def queue_turn(writing: Writing, turn_id: TurnId) -> None:
    """Queue the extraction of an ended turn; twice is once."""
    writing.tx.execute(
        """
        INSERT INTO memory_jobs (id, kind, thread_id, turn_id, idempotency_key, status,
                                 generation, created_at, updated_at)
        SELECT :id, 'extraction', t.thread_id, t.id, 'extraction:' || t.id, 'pending',
               :generation, :now, :now
          FROM turns t WHERE t.id = :turn
            ON CONFLICT (idempotency_key) DO NOTHING
        """,
        {
            "id": writing.ids.new("job"),
            "turn": turn_id,
            "now": writing.stamp,
            "generation": fence_of(writing.tx).generation,
        },
    )


def queue_consolidation(
    writing: Writing,
    thread_id: ThreadId,
    *,
    derived_from: Sequence[JobId],
    candidates: Sequence[CandidateId],
) -> None:
    """Queue the consolidation of what one batch of extraction proposed."""
    payload = {"derived_from": list(derived_from), "candidate_ids": list(candidates)}
    writing.tx.execute(
        """
        INSERT INTO memory_jobs (id, kind, thread_id, payload_json, idempotency_key,
                                 status, generation, created_at, updated_at)
        SELECT :id, 'consolidation', :thread, :payload, :key, 'pending',
               :generation, :now, :now
         WHERE true
            ON CONFLICT (idempotency_key) DO NOTHING
        """,
        {
            "id": writing.ids.new("job"),
            "thread": thread_id,
            "payload": json.dumps(payload, separators=(",", ":")),
            "key": f"consolidation:{derived_from[0]}",
            "now": writing.stamp,
            "generation": fence_of(writing.tx).generation,
        },
    )
