"""Who does the work in the background: one process at a time, by a lease in the store.

A lease that ran out, whose process is gone, or that lies further ahead than one can be
given (the clock was set back) counts as free.
"""

from __future__ import annotations

import os
from datetime import timedelta

from agentctx.clock import moment_of, stamp
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from corpus.sqlite import Db, Tx

LEASE = timedelta(seconds=60)
"""How long a lease holds unless it is renewed."""

WORKER = "worker"


class Holder(NamedTuple):
    """Who holds a lease, and until when, as a stamp."""

    owner: str
    process: int
    until: str


def holder(db: Db, name: str, *, now: datetime) -> Holder | None:
    """Give the living holder of a lease, None when it is free."""
    row = db.execute(
        "SELECT owner, process, until FROM leases WHERE name = ?", (name,)
    ).fetchone()
    if row is None:
        return None
    left = moment_of(row["until"]) - now
    if not timedelta(0) < left <= LEASE or not _is_alive(row["process"]):
        return None
    return Holder(row["owner"], row["process"], row["until"])


def take(tx: Tx, name: str, owner: str, *, now: datetime) -> bool:
    """Take a lease, or take it again; False when somebody else holds it."""
    held = holder(tx, name, now=now)
    if held is not None and held.owner != owner:
        return False
    tx.execute(
        "INSERT OR REPLACE INTO leases (name, owner, process, until)"
        " VALUES (?, ?, ?, ?)",
        (name, owner, os.getpid(), stamp(now + LEASE)),
    )
    return True


def renew(tx: Tx, name: str, owner: str, *, now: datetime) -> bool:
    """Hold a lease longer; False when it is not ours any more."""
    changed = tx.execute(
        "UPDATE leases SET until = ? WHERE name = ? AND owner = ?",
        (stamp(now + LEASE), name, owner),
    )
    return changed.rowcount > 0


def is_held(db: Db, name: str, owner: str) -> bool:
    """Say whether a lease is still ours: nobody has taken it from us."""
    row = db.execute("SELECT owner FROM leases WHERE name = ?", (name,)).fetchone()
    return row is not None and row["owner"] == owner


def give_back(tx: Tx, name: str, owner: str) -> None:
    """End a lease that is ours."""
    tx.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # there, asking would end the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's
        return True
    return True
