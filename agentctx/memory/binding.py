"""Which turn a memory server asks in: of its session, or of the one after it (H3).

A server is started for a session and may outlive it, as when a client begins another
one in the same window. Only a session that is known to have ended is given up, and
only for the one session that has an open turn: whose window it is is never guessed.
"""

from __future__ import annotations

from datetime import timedelta

from agentctx.clock import stamp
from agentctx.memory.rawtext import raw
from agentctx.memory.refusals import SessionTurnError, SessionUnclearError
from agentctx.memory.turns import (
    EXTERNAL_LEASE,
    held_turns,
    is_held_until,
    open_turns,
    renew_session,
)
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from agentctx.memory.model import Turn
    from agentctx.memory.store import MemoryStore, Writing
    from corpus.sqlite import Db

RENEWAL = timedelta(minutes=5)
"""How long a turn is held before a call that was made in it counts as a sign of it."""

KEPT = timedelta(days=30)
"""How long it is known that a session ended; no server is older."""


def note_end(writing: Writing, session_id: str) -> None:
    """Note that a session has ended."""
    writing.tx.execute(
        "DELETE FROM ended_sessions WHERE ended_at < ?", (stamp(writing.now - KEPT),)
    )
    writing.tx.execute(
        "INSERT OR REPLACE INTO ended_sessions (session_id, ended_at) VALUES (?, ?)",
        (raw(session_id), writing.stamp),
    )


def note_return(writing: Writing, session_id: str) -> None:
    """Note that a session goes on, as one that is resumed does."""
    writing.tx.execute(
        "DELETE FROM ended_sessions WHERE session_id = ?", (raw(session_id),)
    )


def bound_turn(db: Db, session_id: str, *, now: datetime) -> Turn:
    """Give the open turn that a session's server asks in.

    It is the session's own; where the session has ended, that of the one session that
    has one. `SessionTurnError` where there is none, `SessionUnclearError` for several.
    """
    for turn in open_turns(db, raw(session_id)):
        return turn
    found = held_turns(db, now=now) if _has_ended(db, session_id) else ()
    if not found:
        raise SessionTurnError
    if len(found) > 1:
        raise SessionUnclearError(count=len(found))
    return found[0]


def hold(store: MemoryStore, turn: Turn, *, lease: timedelta = EXTERNAL_LEASE) -> bool:
    """Hold a turn longer, at most every few minutes (H4); say whether it was needed."""
    rest = lease - min(RENEWAL, lease / 2)
    with store.looking() as db:
        if is_held_until(db, turn.id, store.clock() + rest):
            return False
    with store.writing() as writing:
        return renew_session(writing, turn.session_id, lease=lease) > 0


def _has_ended(db: Db, session_id: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM ended_sessions WHERE session_id = ?", (raw(session_id),)
    ).fetchone()
    return row is not None
