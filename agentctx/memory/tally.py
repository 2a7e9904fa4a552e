"""What memory holds, in numbers, and how its jobs failed, in closed words (M8.1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp
from agentctx.memory.schema import VERSION
from agentctx.memory.store import fence_of
from agentctx.memory.threads import active_thread

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentctx.memory.model import JobId
    from corpus.sqlite import Db

MOST_FAILURES = 20


class Tally(NamedTuple):
    """The counts of a healthy memory.

    `refused` counts turns of which something proposed was let go, by the rule it broke.
    """

    generation: int
    active_thread: str
    threads: int
    turns: int
    open_turns: int
    late_refused: int
    items: dict[str, int]
    jobs: dict[str, int]
    failures: tuple[dict[str, str | int | None], ...]
    refused: dict[str, int]
    last_succeeded_at: str | None

    def as_json(self) -> dict[str, object]:
        """Give the counts as a status tells them."""
        return {
            "state": "healthy",
            "schema_version": VERSION,
            **self._asdict(),
            "failures": list(self.failures),
        }


def tally(db: Db) -> Tally:
    """Count what there is; `MemoryDegradedError` when thread or singleton is gone."""
    row = db.execute(
        """
        SELECT (SELECT count(*) FROM threads) AS threads,
               (SELECT count(*) FROM turns) AS turns,
               (SELECT count(*) FROM turns WHERE state = 'open') AS open_turns,
               (SELECT count(*) FROM turns WHERE late_refused) AS late_refused,
               (SELECT last_succeeded_at FROM memory_meta) AS last
        """
    ).fetchone()
    jobs = _counts(db, "memory_jobs")
    succeeded = jobs.get("succeeded", 0) + jobs.get("succeeded_no_output", 0)
    items = _counts(db, "memory_items")
    return Tally(
        fence_of(db).generation,
        active_thread(db),
        row["threads"],
        row["turns"],
        row["open_turns"],
        row["late_refused"],
        {name: items.get(name, 0) for name in ("active", "superseded", "forgotten")},
        {
            "pending": jobs.get("pending", 0),
            "leased": jobs.get("leased", 0),
            "retry": jobs.get("retry_wait", 0),
            "failed": jobs.get("failed", 0),
            "succeeded": succeeded,
        },
        failures(db),
        refusals(db),
        row["last"],
    )


def failures(db: Db) -> tuple[dict[str, str | int | None], ...]:
    """Give the newest retrying and failed jobs with what is known of the failure."""
    rows = db.execute(
        """
          SELECT id AS job_id, failure_class, failure_phase, failure_call,
                 failure_rule, claim_count, provider_calls, updated_at AS at
            FROM memory_jobs
           WHERE status IN ('failed', 'retry_wait')
        ORDER BY updated_at DESC, rowid DESC LIMIT ?
        """,
        (MOST_FAILURES,),
    )
    return tuple(dict(row) for row in rows)


def refusals(db: Db) -> dict[str, int]:
    """Count the turns of which a proposal broke a rule, by the rule."""
    rows = db.execute(
        """
          SELECT failure_rule, count(*)
            FROM memory_jobs
           WHERE kind = 'extraction' AND failure_class = 'contract_semantic'
             AND status IN ('succeeded', 'succeeded_no_output')
        GROUP BY failure_rule ORDER BY failure_rule
        """
    )
    return dict(tuple(row) for row in rows)


def held_elsewhere(db: Db, ids: Sequence[JobId], *, owner: str, now: datetime) -> int:
    """Say how many jobs are leased, as of `now`, to somebody other than `owner`."""
    found: int = db.execute(
        "SELECT count(*) FROM memory_jobs WHERE status = 'leased'"
        " AND lease_owner <> :owner AND lease_expires_at > :now"
        " AND id IN (SELECT value FROM json_each(:ids))",
        {"owner": owner, "now": stamp(now), "ids": json.dumps(ids)},
    ).fetchone()[0]
    return found


def _counts(db: Db, table: str) -> dict[str, int]:
    rows = db.execute(f"SELECT status, count(*) FROM {table} GROUP BY status")
    return dict(tuple(row) for row in rows)
