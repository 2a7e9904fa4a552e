"""Turns: what was said, kept before it is answered, and how each of them ended (M2).

A session has one open turn at most. Whatever ends a turn queues it for extraction in
the same transaction, so no ended turn is ever without its job (M4.0(a)).
"""

from __future__ import annotations

from datetime import timedelta

from agentctx.clock import stamp
from agentctx.memory.model import NAME_CHARACTERS, Profile, ThreadId, Turn, TurnId
from agentctx.memory.queueing import queue_turn
from agentctx.memory.rawtext import (
    bounded_scope,
    dumped,
    error_code,
    evidence,
    loaded,
    raw,
    session_name,
)
from agentctx.memory.refusals import (
    MemoryRuleError,
    TurnEndedError,
    TurnLateError,
    TurnLeaseError,
    TurnNotFoundError,
)
from agentctx.memory.threads import active_thread
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from typing import Literal

    from agentctx.memory.store import MemoryStore, Writing
    from corpus.sqlite import Db

EXTERNAL_LEASE = timedelta(minutes=30)
"""How long a turn of an outside client stays open without a sign of it (H4)."""

LONGEST_LEASE = timedelta(days=1, minutes=5)
"""The longest lease a setting gives, and what clocks may differ by."""

REVIEW_TURNS = 20
_PROFILES = ("ordinary", "review")
_COLUMNS = (
    "id, thread_id, sequence, profile, intent, session_id, user_text, assistant_text,"
    " scope_paths_json, evidence_keys_json, state, created_at, updated_at"
)


class NewTurn(NamedTuple):
    """What a turn begins with."""

    session_id: str
    profile: Profile
    intent: str
    user_text: str
    scope_paths: Sequence[str] = ()
    evidence_keys: Sequence[str] = ()
    id: str = ""
    """Its id, where that is known before; one is made otherwise."""


class _Ending(NamedTuple):
    state: Literal["completed", "failed", "interrupted"]
    assistant_text: str = ""
    error_code: str | None = None


def begin_turn(
    writing: Writing, new: NewTurn, *, lease: timedelta = EXTERNAL_LEASE
) -> Turn:
    """Keep what the user said, before anything answers it (M2.0(a)).

    A turn of the same session that is still open was given up: it is interrupted and
    queued in this transaction. `MemoryRuleError` for a turn that is none. A long text
    is better made `raw` before.
    """
    session, keys = check_turn(new)
    for row in writing.tx.execute(
        "SELECT id FROM turns WHERE session_id = ? AND state = 'open'", (session,)
    ).fetchall():
        _end(writing, TurnId(row["id"]), _Ending("interrupted"))
    thread = active_thread(writing.tx)
    turn_id = TurnId(new.id or writing.ids.new("turn"))
    writing.tx.execute(
        """
        INSERT INTO turns (id, thread_id, sequence, profile, intent, session_id,
                           user_text, scope_paths_json, evidence_keys_json, state,
                           lease_owner, lease_expires_at, created_at, updated_at)
        VALUES (:id, :thread,
                (SELECT COALESCE(max(sequence), 0) + 1
                   FROM turns WHERE thread_id = :thread),
                :profile, :intent, :session, :text, :paths, :keys, 'open',
                :owner, :until, :now, :now)
        """,
        {
            "id": turn_id,
            "thread": thread,
            "profile": new.profile,
            "intent": raw(new.intent)[:NAME_CHARACTERS],
            "session": session,
            "text": raw(new.user_text),
            "paths": dumped(bounded_scope(new.scope_paths)),
            "keys": dumped(keys),
            "owner": writing.owner,
            "until": stamp(writing.now + lease),
            "now": writing.stamp,
        },
    )
    return turn_of(writing.tx, turn_id)


def fill_turn(store: MemoryStore, turn_id: TurnId, user_text: str) -> None:
    """Keep all that the user said in an open turn that was begun with its ends.

    Raises `TurnNotFoundError` and `TurnEndedError`.
    """
    text = raw(user_text)
    with store.writing() as writing:
        filled = writing.tx.execute(
            "UPDATE turns SET user_text = :text, updated_at = :now"
            " WHERE id = :id AND state = 'open'",
            {"text": text, "now": writing.stamp, "id": turn_id},
        )
        if not filled.rowcount:
            found = turn_of(writing.tx, turn_id)
            raise TurnEndedError(turn_id=turn_id, state=found.state)


def complete_turn(store: MemoryStore, turn_id: TurnId, assistant_text: str) -> Turn:
    """Keep the text that the user saw (M2.0(b)), and queue the turn.

    An answer that comes after the turn was taken as interrupted is kept while nothing
    was built on that: the session has no later turn, and nobody took its job (H4).
    Raises `TurnNotFoundError`, `TurnEndedError`, `TurnLateError`, `TurnLeaseError`.
    """
    text = raw(assistant_text)
    if not text.strip():
        raise MemoryRuleError(
            reason="a completed turn has an answer", rule="assistant_text"
        )
    return _finish(store, turn_id, _Ending("completed", text))


def fail_turn(store: MemoryStore, turn_id: TurnId, code: str) -> Turn:
    """Say that a turn failed; what the user said stays (M2.3). Raises the same."""
    return _finish(store, turn_id, _Ending("failed", error_code=error_code(code)))


def interrupt_turn(store: MemoryStore, turn_id: TurnId) -> Turn:
    """Say that a turn was given up before its answer. Raises the same."""
    return _finish(store, turn_id, _Ending("interrupted"))


def renew_session(
    writing: Writing, session_id: str, *, lease: timedelta = EXTERNAL_LEASE
) -> int:
    """Hold the open turn of a session longer (H4); say how many there are."""
    return _renew(writing, "session_id", session_id, lease)


def renew_owned(writing: Writing, *, lease: timedelta) -> int:
    """Hold every open turn of this owner longer (M3.5, M4.8); never shorter."""
    return _renew(writing, "lease_owner", writing.owner, lease)


def recover(writing: Writing) -> tuple[TurnId, ...]:
    """Interrupt and queue the open turns whose lease ran out (M2.3(b)).

    One that lies further ahead than any can was given before the clock was set back.
    `MemoryDegradedError` when the active thread is gone (M2.2).
    """
    active_thread(writing.tx)
    rows = writing.tx.execute(
        "SELECT id FROM turns WHERE state = 'open' AND (lease_expires_at <= ?"
        " OR lease_expires_at > ?) ORDER BY rowid",
        (writing.stamp, stamp(writing.now + LONGEST_LEASE)),
    ).fetchall()
    found = tuple(TurnId(row["id"]) for row in rows)
    for turn_id in found:
        _end(writing, turn_id, _Ending("interrupted"))
    return found


def turn_of(db: Db, turn_id: TurnId) -> Turn:
    """Give a turn; `TurnNotFoundError` when there is none."""
    row = db.execute(f"SELECT {_COLUMNS} FROM turns WHERE id = ?", (turn_id,))
    found = row.fetchone()
    if found is None:
        raise TurnNotFoundError(turn_id=turn_id[:NAME_CHARACTERS])
    return as_turn(found)


def open_turns(db: Db, session_id: str | None = None) -> tuple[Turn, ...]:
    """Give the open turns, of one session or of all."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM turns WHERE state = 'open'"
        " AND (:session IS NULL OR session_id = :session) ORDER BY rowid",
        {"session": session_id},
    )
    return tuple(as_turn(row) for row in rows)


def held_turns(db: Db, *, now: datetime) -> tuple[Turn, ...]:
    """Give the open turns of all sessions that nobody has given up."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM turns WHERE state = 'open' AND lease_expires_at > ?"
        " ORDER BY rowid",
        (stamp(now),),
    )
    return tuple(as_turn(row) for row in rows)


def is_held_until(db: Db, turn_id: TurnId, moment: datetime) -> bool:
    """Say whether a turn is open and its lease lasts until a moment, or longer."""
    row = db.execute(
        "SELECT 1 FROM turns WHERE id = ? AND state = 'open' AND lease_expires_at >= ?",
        (turn_id, stamp(moment)),
    ).fetchone()
    return row is not None


def session_turn(db: Db, session_id: str) -> Turn | None:
    """Give the latest turn of a session: the open one, if it has one."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM turns WHERE session_id = ?"
        " ORDER BY rowid DESC LIMIT 1",
        (raw(session_id),),
    ).fetchone()
    return None if row is None else as_turn(row)


def adjacent_turn(db: Db, first: Turn) -> Turn | None:
    """Give the last completed turn of the same session before a turn (H1)."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM turns WHERE session_id = :session"
        " AND thread_id = :thread AND state = 'completed' AND sequence < :sequence"
        " ORDER BY sequence DESC LIMIT 1",
        {
            "session": first.session_id,
            "thread": first.thread_id,
            "sequence": first.sequence,
        },
    ).fetchone()
    return None if row is None else as_turn(row)


def review_evidence(db: Db, thread_id: ThreadId, *, until: int) -> tuple[Turn, ...]:
    """Give the newest ended review turns with evidence keys, newest first (M5.5)."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM turns WHERE thread_id = ? AND sequence <= ?"
        " AND profile = 'review' AND state <> 'open' AND evidence_keys_json <> '[]'"
        " ORDER BY sequence DESC LIMIT ?",
        (thread_id, until, REVIEW_TURNS),
    )
    return tuple(as_turn(row) for row in rows)


def completed_turns(db: Db, thread_id: ThreadId) -> Iterator[Turn]:
    """Give a thread's completed ordinary turns, newest first, as many as are taken.

    One that said what was forgotten since is left out (M11.5).
    """
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM turns WHERE thread_id = ? AND state = 'completed'"
        " AND profile = 'ordinary' AND NOT EXISTS (SELECT 1 FROM forgotten_quotes f"
        " WHERE f.turn_id = turns.id) ORDER BY sequence DESC",
        (thread_id,),
    )
    return (as_turn(row) for row in rows)


def as_turn(row: sqlite3.Row) -> Turn:
    """Read the columns of a turn as a value."""
    scope, keys = loaded(row["scope_paths_json"]), loaded(row["evidence_keys_json"])
    ended = (row["state"], row["created_at"], row["updated_at"])
    return Turn._make((*row[:8], scope, keys, *ended))


def check_turn(new: NewTurn) -> tuple[str, tuple[str, ...]]:
    """Give the session and the evidence of a turn; `MemoryRuleError` for none (C3)."""
    session = session_name(new.session_id)
    if new.profile not in _PROFILES:
        raise MemoryRuleError(
            reason="a profile is `ordinary` or `review`", rule="profile"
        )
    if new.evidence_keys and new.profile != "review":
        raise MemoryRuleError(
            reason="only a review turn has evidence", rule="evidence_profile"
        )
    return session, evidence(new.evidence_keys)


def _finish(store: MemoryStore, turn_id: TurnId, ending: _Ending) -> Turn:
    with store.writing() as writing:
        found = writing.tx.execute(
            "SELECT state, lease_owner FROM turns WHERE id = ?", (turn_id,)
        ).fetchone()
        if found is None:
            raise TurnNotFoundError(turn_id=turn_id[:NAME_CHARACTERS])
        if found["state"] in {"completed", "failed"}:
            raise TurnEndedError(turn_id=turn_id, state=found["state"])
        if found["state"] == "open" and found["lease_owner"] != writing.owner:
            raise TurnLeaseError(turn_id=turn_id)
        late = found["state"] == "interrupted" and not _may_be_late(writing.tx, turn_id)
        if late:
            writing.tx.execute(
                "UPDATE turns SET late_refused = 1 WHERE id = ?", (turn_id,)
            )
        else:
            _end(writing, turn_id, ending)
        turn = turn_of(writing.tx, turn_id)
    if late:
        raise TurnLateError(turn_id=turn_id)
    return turn


def _may_be_late(db: Db, turn_id: TurnId) -> bool:
    row = db.execute(
        """
        SELECT EXISTS (SELECT 1 FROM turns later
                        WHERE later.session_id = t.session_id
                          AND later.rowid > t.rowid)
            OR NOT EXISTS (SELECT 1 FROM memory_jobs
                            WHERE turn_id = t.id AND status = 'pending'
                              AND claim_count = 0)
          FROM turns t WHERE t.id = ?
        """,
        (turn_id,),
    ).fetchone()
    return not row[0]


def _end(writing: Writing, turn_id: TurnId, ending: _Ending) -> None:
    """End a turn and queue it; its request's state goes with its being open."""
    writing.tx.execute(
        """
        UPDATE turns
           SET state = :state, assistant_text = :text, error_code = :code,
               lease_owner = NULL, lease_expires_at = NULL, updated_at = :now
         WHERE id = :id
        """,
        {
            "state": ending.state,
            "text": ending.assistant_text,
            "code": ending.error_code,
            "now": writing.stamp,
            "id": turn_id,
        },
    )
    queue_turn(writing, turn_id)


def _renew(writing: Writing, column: str, value: str, lease: timedelta) -> int:
    changed = writing.tx.execute(
        f"UPDATE turns SET lease_expires_at = max(lease_expires_at, :until)"
        f" WHERE {column} = :value AND state = 'open'",
        {"until": stamp(writing.now + lease), "value": value},
    )
    return changed.rowcount
