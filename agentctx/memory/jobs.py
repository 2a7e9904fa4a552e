"""Jobs: claimed by lease, fenced, retried once, ended with a closed diagnosis (M4).

A claim takes a batch; whoever claimed it must still hold it whenever it calls a model
or writes. The fence is the generation, the database's uuid, the owner and the claim
itself, so neither clearing nor a later claim lets a late result in (H7, M4.11).
"""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.clock import stamp
from agentctx.memory.model import CandidateId, JobId, ThreadId, Turn, TurnId
from agentctx.memory.refusals import (
    MemoryFencedError,
    MemoryRuleError,
)
from agentctx.memory.store import Fence, fence_of
from agentctx.memory.turns import as_turn, renew_owned

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

LEASE = timedelta(seconds=120)
RETRY_DELAY = timedelta(seconds=5)
QUIET = timedelta(seconds=30)
"""The age at which one pending turn is reason enough to begin (M4.1)."""

ENOUGH_TURNS, MOST_TURNS = 2, 4
MOST_CLAIMS, MOST_CALLS = 2, 3

JobKind = Literal["extraction", "consolidation"]
JobStatus = Literal[
    "pending", "leased", "retry_wait", "succeeded", "succeeded_no_output", "failed"
]
FailureClass = Literal[
    "provider_transient",
    "provider_permanent",
    "provider_timeout",
    "sqlite_locked",
    "contract_structure",
    "contract_semantic",
    "capacity",
    "lease_lost",
    "schema_damaged",
    "internal",
]
FailurePhase = Literal[
    "claim", "prepare", "call", "parse", "validate", "commit", "heartbeat"
]
FailureCall = Literal["primary", "repair"]

_KINDS = "('extraction', 'consolidation')"
_UNFINISHED = "('pending', 'leased', 'retry_wait')"
_EXPIRED = """(j.status = 'leased' AND (j.lease_expires_at <= :now
                OR j.lease_expires_at > :furthest))"""
_READY = f"""j.status IN {_UNFINISHED} AND (j.status = 'pending' OR {_EXPIRED}
              OR (j.status = 'retry_wait' AND j.next_retry_at <= :now))"""
_AMONG = """(:among IS NULL OR j.id IN (SELECT value FROM json_each(:among))
             OR (j.kind = 'consolidation' AND EXISTS (
                   SELECT 1 FROM json_each(j.payload_json, '$.derived_from') d
                    WHERE d.value IN (SELECT value FROM json_each(:among)))))"""
"""A job that was captured, or the consolidation that was derived of one (M3.3)."""

_RULE = "[a-z0-9_.]{1,64}"


class Failure(NamedTuple):
    """Why a job failed, or had no output: closed words, never a text (M8.1)."""

    failure_class: FailureClass
    phase: FailurePhase
    call: FailureCall | None = None
    rule: str | None = None


class Job(NamedTuple):
    """A job as it was claimed."""

    id: JobId
    kind: JobKind
    thread_id: ThreadId
    turn_id: TurnId | None
    derived_from: tuple[JobId, ...]
    candidate_ids: tuple[CandidateId, ...]
    claim_count: int
    provider_calls: int


class Batch(NamedTuple):
    """Jobs that were claimed together, by whom, and for which state of memory."""

    kind: JobKind
    jobs: tuple[Job, ...]
    turns: tuple[Turn, ...]
    owner: str
    fence: Fence

    @property
    def thread_id(self) -> ThreadId:
        """The thread all of them belong to."""
        return self.jobs[0].thread_id


class Watermark(NamedTuple):
    """The unfinished jobs of one moment; what is derived of them counts too (M3.1)."""

    job_ids: tuple[JobId, ...]


def claim(
    writing: Writing,
    kind: JobKind,
    *,
    drain: bool = False,
    among: Watermark | None = None,
) -> Batch | None:
    """Take the next batch that is due, or None.

    Extraction waits for two turns or for 30 seconds unless `drain` is true, and takes
    at most four turns of one session with the same counters, in their order (M4.1,
    H1). One thread's extractions, and all consolidations, go one after the other. A
    lease that ran out is due again until its two claims are used.
    """
    values = _moment(writing, among)
    _end_exhausted(writing, values)
    chosen = (
        _next_consolidation(writing.tx, values)
        if kind == "consolidation"
        else _next_extraction(writing, values, drain=drain)
    )
    if not chosen:
        return None
    fence = fence_of(writing.tx)
    writing.tx.execute(
        """
        UPDATE memory_jobs
           SET status = 'leased', lease_owner = :owner, lease_expires_at = :until,
               next_retry_at = NULL, claim_count = claim_count + 1,
               generation = :generation, updated_at = :now
         WHERE id IN (SELECT value FROM json_each(:ids))
        """,
        {
            "owner": writing.owner,
            "until": stamp(writing.now + LEASE),
            "generation": fence.generation,
            "now": writing.stamp,
            "ids": json.dumps(chosen),
        },
    )
    jobs = tuple(_jobs(writing.tx, chosen))
    turns = _turns(writing.tx, jobs)
    return Batch(kind, jobs, turns, writing.owner, fence)


def require_held(db: Db, batch: Batch) -> None:
    """Raise `MemoryFencedError` unless the batch is still its claimer's (M4.9)."""
    if fence_of(db) != batch.fence:
        raise MemoryFencedError(reason="it was cleared")
    for job in batch.jobs:
        row = db.execute(
            "SELECT 1 FROM memory_jobs WHERE id = ? AND status = 'leased'"
            " AND lease_owner = ? AND claim_count = ? AND generation = ?",
            (job.id, batch.owner, job.claim_count, batch.fence.generation),
        ).fetchone()
        if row is None:
            raise MemoryFencedError(reason="its lease is another's")


def renew(writing: Writing, batch: Batch) -> None:
    """Hold a batch and the owner's open turns longer (M4.8, M3.5)."""
    require_held(writing.tx, batch)
    _set(
        writing,
        batch,
        "lease_expires_at = :until",
        {"until": stamp(writing.now + LEASE)},
    )
    renew_owned(writing, lease=LEASE)


def count_call(writing: Writing, batch: Batch) -> None:
    """Count a call of the model before it is made, if there is one left and we may."""
    require_held(writing.tx, batch)
    spent = writing.tx.execute(
        "SELECT max(provider_calls) FROM memory_jobs"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps([job.id for job in batch.jobs]),),
    ).fetchone()[0]
    if spent >= MOST_CALLS:
        raise MemoryRuleError(
            reason="a job calls the model three times at most", rule="provider_calls"
        )
    _set(writing, batch, "provider_calls = provider_calls + 1", {})


def uncount_call(writing: Writing, batch: Batch) -> None:
    """Take back the count of a call that reached nobody."""
    require_held(writing.tx, batch)
    _set(writing, batch, "provider_calls = provider_calls - 1", {})


def finish(
    writing: Writing, batch: Batch, *, output: bool, note: Failure | None = None
) -> None:
    """End a batch well; `note` says why it had no output, where that needs a reason.

    What a consolidation left undecided is suppressed with it (M4.4).
    """
    require_held(writing.tx, batch)
    for job in batch.jobs:
        _suppress(writing, job.id)
    _end(writing, batch, "succeeded" if output else "succeeded_no_output", note)
    writing.tx.execute(
        "UPDATE memory_meta SET last_succeeded_at = :now, updated_at = :now",
        {"now": writing.stamp},
    )


def fail(
    writing: Writing, batch: Batch, failure: Failure, *, retryable: bool
) -> JobStatus:
    """Let a batch wait for its one retry, or end it as failed (M4.7, M10.2, M10.3).

    The candidates of a consolidation that failed are suppressed (M4.6(c)).
    """
    require_held(writing.tx, batch)
    if retryable and batch.jobs[0].claim_count < MOST_CLAIMS:
        _set(
            writing,
            batch,
            "status = 'retry_wait', next_retry_at = :retry, lease_owner = NULL,"
            " lease_expires_at = NULL, failure_class = :class,"
            " failure_phase = :phase, failure_call = :call, failure_rule = :rule",
            {"retry": stamp(writing.now + RETRY_DELAY), **_diagnosis(failure)},
        )
        return "retry_wait"
    _end(writing, batch, "failed", failure)
    for job in batch.jobs:
        _suppress(writing, job.id)
    return "failed"


def give_back(writing: Writing, batch: Batch) -> None:
    """Put a batch back unused: no model could be asked, and no claim was (Spend)."""
    require_held(writing.tx, batch)
    _set(
        writing,
        batch,
        "status = 'pending', claim_count = claim_count - 1, lease_owner = NULL,"
        " lease_expires_at = NULL",
        {},
    )


def call_back(writing: Writing) -> int:
    """Let extractions under way come to nothing and be asked again (M11.5).

    Their claims stay used, so a late result is fenced. A batch without another claim
    or without two calls left goes on.
    """
    changed = writing.tx.execute(
        "UPDATE memory_jobs SET status = 'pending', lease_owner = NULL,"
        " lease_expires_at = NULL, updated_at = ? WHERE kind = 'extraction'"
        " AND status = 'leased' AND claim_count < ? AND provider_calls < ?",
        (writing.stamp, MOST_CLAIMS, MOST_CALLS - 1),
    )
    return changed.rowcount


def capture(db: Db, thread_id: ThreadId | None = None) -> Watermark:
    """Name the jobs that are unfinished now, of one thread or of all (M3.1, M10)."""
    rows = db.execute(
        f"SELECT id FROM memory_jobs WHERE kind IN {_KINDS} AND status IN {_UNFINISHED}"
        " AND (:thread IS NULL OR thread_id = :thread) ORDER BY rowid",
        {"thread": thread_id},
    )
    return Watermark(tuple(JobId(row["id"]) for row in rows))


def unfinished(db: Db, watermark: Watermark) -> tuple[JobId, ...]:
    """Name what of a watermark, derived consolidations included, is not done."""
    rows = db.execute(
        f"SELECT j.id FROM memory_jobs j WHERE j.kind IN {_KINDS}"
        f" AND j.status IN {_UNFINISHED} AND {_AMONG} ORDER BY j.rowid",
        {"among": json.dumps(watermark.job_ids)},
    )
    return tuple(JobId(row["id"]) for row in rows)


def failed_of(db: Db, watermark: Watermark) -> tuple[JobId, ...]:
    """Name what of a watermark failed for good."""
    rows = db.execute(
        f"SELECT j.id FROM memory_jobs j WHERE j.status = 'failed' AND {_AMONG}"
        " ORDER BY j.rowid",
        {"among": json.dumps(watermark.job_ids)},
    )
    return tuple(JobId(row["id"]) for row in rows)


def next_moment(db: Db, watermark: Watermark) -> str | None:
    """Give the first moment at which something of a watermark may be taken (M3.3).

    None when nothing is left; what can be taken now gives its own time, long past.
    """
    row = db.execute(
        "SELECT min(COALESCE(j.next_retry_at, j.lease_expires_at, j.created_at))"
        f" FROM memory_jobs j WHERE j.status IN {_UNFINISHED} AND {_AMONG}",
        {"among": json.dumps(watermark.job_ids)},
    ).fetchone()
    found: str | None = row[0]
    return found


def _moment(writing: Writing, among: Watermark | None) -> dict[str, str | int | None]:
    return {
        "now": writing.stamp,
        "furthest": stamp(writing.now + LEASE),
        "among": None if among is None else json.dumps(among.job_ids),
    }


def _end_exhausted(writing: Writing, values: dict[str, str | int | None]) -> None:
    """End as failed what was claimed twice and given up twice (M4.7(b))."""
    rows = writing.tx.execute(
        f"SELECT j.id FROM memory_jobs j WHERE j.kind IN {_KINDS} AND {_EXPIRED}"
        f" AND j.claim_count >= {MOST_CLAIMS}",
        values,
    ).fetchall()
    for row in rows:
        writing.tx.execute(
            "UPDATE memory_jobs SET status = 'failed', lease_owner = NULL,"
            " lease_expires_at = NULL, failure_class = 'lease_lost',"
            " failure_phase = 'claim', completed_at = :now, updated_at = :now"
            " WHERE id = :id",
            {"now": writing.stamp, "id": row["id"]},
        )
        _suppress(writing, JobId(row["id"]))


def _next_extraction(
    writing: Writing, values: dict[str, str | int | None], *, drain: bool
) -> list[str]:
    free = f"""
          FROM memory_jobs j JOIN turns t ON t.id = j.turn_id
         WHERE j.kind = 'extraction' AND {_READY} AND {_AMONG}
           AND NOT EXISTS (
             SELECT 1 FROM memory_jobs held
              WHERE held.kind = 'extraction' AND held.thread_id = j.thread_id
                AND held.status = 'leased' AND held.lease_expires_at > :now
                AND held.lease_expires_at <= :furthest)
    """
    head = writing.tx.execute(
        "SELECT j.thread_id, t.session_id, j.claim_count, j.provider_calls,"
        f" j.created_at {free} ORDER BY j.created_at, j.rowid LIMIT 1",
        values,
    ).fetchone()
    if head is None:
        return []
    waited = head["created_at"] <= stamp(writing.now - QUIET)
    if not (drain or waited or head["claim_count"]):
        fresh = f"SELECT count(*) {free} AND j.claim_count = 0"
        if writing.tx.execute(fresh, values).fetchone()[0] < ENOUGH_TURNS:
            return []
    rows = writing.tx.execute(
        f"SELECT j.id {free} AND j.thread_id = :thread AND t.session_id = :session"
        " AND j.claim_count = :claims AND j.provider_calls = :calls"
        f" ORDER BY t.sequence LIMIT {MOST_TURNS}",
        {
            **values,
            "thread": head["thread_id"],
            "session": head["session_id"],
            "claims": head["claim_count"],
            "calls": head["provider_calls"],
        },
    )
    return [str(row["id"]) for row in rows]


def _next_consolidation(db: Db, values: dict[str, str | int | None]) -> list[str]:
    rows = db.execute(
        f"""
          SELECT j.id FROM memory_jobs j
           WHERE j.kind = 'consolidation' AND {_READY} AND {_AMONG}
             AND NOT EXISTS (
               SELECT 1 FROM memory_jobs held
                WHERE held.kind = 'consolidation' AND held.status = 'leased'
                  AND held.lease_expires_at > :now
                  AND held.lease_expires_at <= :furthest)
        ORDER BY j.created_at, j.rowid LIMIT 1
        """,
        values,
    )
    return [str(row["id"]) for row in rows]


def _jobs(db: Db, ids: Sequence[str]) -> list[Job]:
    rows = db.execute(
        "SELECT j.id, j.kind, j.thread_id, j.turn_id, j.payload_json, j.claim_count,"
        " j.provider_calls FROM memory_jobs j LEFT JOIN turns t ON t.id = j.turn_id"
        " WHERE j.id IN (SELECT value FROM json_each(?)) ORDER BY t.sequence, j.rowid",
        (json.dumps(ids),),
    )
    return [_job(row) for row in rows]


def _job(row: sqlite3.Row) -> Job:
    payload = json.loads(row["payload_json"])
    return Job(
        row["id"],
        row["kind"],
        row["thread_id"],
        row["turn_id"],
        tuple(payload.get("derived_from", ())),
        tuple(payload.get("candidate_ids", ())),
        row["claim_count"],
        row["provider_calls"],
    )


def _turns(db: Db, jobs: Sequence[Job]) -> tuple[Turn, ...]:
    rows = db.execute(
        "SELECT id, thread_id, sequence, profile, intent, session_id, user_text,"
        " assistant_text, scope_paths_json, evidence_keys_json, state, created_at,"
        " updated_at FROM turns WHERE id IN (SELECT value FROM json_each(?))"
        " ORDER BY sequence",
        (json.dumps([job.turn_id for job in jobs if job.turn_id]),),
    )
    return tuple(as_turn(row) for row in rows)


def _end(
    writing: Writing, batch: Batch, status: JobStatus, note: Failure | None
) -> None:
    _set(
        writing,
        batch,
        "status = :status, completed_at = :now, lease_owner = NULL,"
        " lease_expires_at = NULL, failure_class = :class, failure_phase = :phase,"
        " failure_call = :call, failure_rule = :rule",
        {"status": status, **_diagnosis(note)},
    )


def _diagnosis(failure: Failure | None) -> dict[str, str | None]:
    words = (None,) * 4 if failure is None else tuple(failure)
    if words[3] is not None and re.fullmatch(_RULE, words[3]) is None:
        raise MemoryRuleError(
            reason="a failure is told by the id of a rule", rule="failure_rule"
        )
    return dict(zip(("class", "phase", "call", "rule"), words, strict=True))


def _suppress(writing: Writing, job_id: JobId) -> None:
    """Suppress what a consolidation was to decide on; other jobs have none such."""
    writing.tx.execute(
        """
        UPDATE memory_candidates SET status = 'suppressed', updated_at = :now
         WHERE status = 'pending' AND id IN (
                 SELECT c.value FROM memory_jobs j,
                        json_each(j.payload_json, '$.candidate_ids') c
                  WHERE j.id = :id AND j.kind = 'consolidation')
        """,
        {"now": writing.stamp, "id": job_id},
    )


def _set(
    writing: Writing, batch: Batch, changes: str, values: dict[str, str | None]
) -> None:
    writing.tx.execute(
        f"UPDATE memory_jobs SET {changes}, updated_at = :now"
        " WHERE id IN (SELECT value FROM json_each(:ids))",
        {
            **values,
            "now": writing.stamp,
            "ids": json.dumps([job.id for job in batch.jobs]),
        },
    )
