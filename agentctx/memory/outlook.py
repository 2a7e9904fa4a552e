"""What a memory still waits for: jobs that come due, and turns that may be given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import moment_of, stamp
from agentctx.memory.jobs import QUIET

if TYPE_CHECKING:
    from datetime import datetime

    from corpus.sqlite import Db


class Outlook(NamedTuple):
    """What is left in a memory.

    `jobs` counts those that are not done. `job_at` is the next moment from now on when
    one of them may become due by itself, and `turn_at` when the first open turn runs
    out; None where there is none such.
    """

    jobs: int
    job_at: datetime | None
    turn_at: datetime | None


def outlook(db: Db, *, now: datetime) -> Outlook:
    """Look at what is left; nothing is written."""
    row = db.execute(
        """
        SELECT (SELECT count(*) FROM memory_jobs
                 WHERE kind IN ('extraction', 'consolidation')
                   AND status IN ('pending', 'leased', 'retry_wait')) AS jobs,
               (SELECT min(created_at) FROM memory_jobs
                 WHERE status = 'pending' AND kind = 'extraction'
                   AND created_at > :quiet) AS fresh,
               (SELECT min(next_retry_at) FROM memory_jobs
                 WHERE kind IN ('extraction', 'consolidation')
                   AND status = 'retry_wait' AND next_retry_at > :now) AS retry,
               (SELECT min(lease_expires_at) FROM memory_jobs
                 WHERE kind IN ('extraction', 'consolidation')
                   AND status = 'leased' AND lease_expires_at > :now) AS leased,
               (SELECT min(lease_expires_at) FROM turns
                 WHERE state = 'open') AS turn_at
        """,
        {"now": stamp(now), "quiet": stamp(now - QUIET)},
    ).fetchone()
    moments = [moment_of(at) for at in (row["retry"], row["leased"]) if at is not None]
    if row["fresh"] is not None:
        moments.append(moment_of(row["fresh"]) + QUIET)
    turn_at = None if row["turn_at"] is None else moment_of(row["turn_at"])
    return Outlook(row["jobs"], min(moments, default=None), turn_at)
