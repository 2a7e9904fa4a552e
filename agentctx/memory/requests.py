"""The state of a request between processes, kept with its turn (H2).

It is made when the turn begins, changed in the transaction that decides, and gone
with the turn's end, which the database sees to. Clearing fences it.
"""

from __future__ import annotations

from agentctx.memory.pools import parse_state, state_text
from agentctx.memory.refusals import (
    MemoryFencedError,
    MemoryRuleError,
    TurnEndedError,
)
from agentctx.memory.store import fence_of
from agentctx.memory.turns import turn_of
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from agentctx.memory.model import TurnId
    from agentctx.memory.pools import RequestState
    from agentctx.memory.store import MemoryStore, Writing
    from corpus.sqlite import Db

    Given = TypeVar("Given")

OVER = "request_over"
"""The rule that is broken by asking what is over."""


def spend(
    store: MemoryStore,
    turn_id: TurnId,
    ask: Callable[[MemoryStore, RequestState], tuple[RequestState, Given]],
) -> Given:
    """Ask within what a turn's request has left, and keep what is left then (H2).

    What costs nothing writes nothing. Another step that was quicker is respected.
    """
    with store.looking() as db:
        before = _state(db, turn_id)
        after, given = ask(store, before)
    if after == before:
        return given
    with store.writing() as writing:
        now = _state(writing.tx, turn_id)
        if now != before:
            after, given = ask(store, now)
        keep_request(writing, turn_id, after)
    return given


def request_state(db: Db, turn_id: TurnId) -> RequestState | None:
    """Give the state of an open turn's request, None when it has none."""
    row = db.execute(
        "SELECT state_json, generation FROM memory_requests WHERE turn_id = ?",
        (turn_id,),
    ).fetchone()
    if row is None:
        return None
    if row["generation"] != fence_of(db).generation:
        raise MemoryFencedError(reason="it was cleared")
    return parse_state(row["state_json"])


def keep_request(writing: Writing, turn_id: TurnId, state: RequestState) -> None:
    """Keep the state of a request; `TurnEndedError` when its turn is over."""
    turn = turn_of(writing.tx, turn_id)
    if turn.state != "open":
        raise TurnEndedError(turn_id=turn_id, state=turn.state)
    writing.tx.execute(
        """
        INSERT INTO memory_requests (turn_id, generation, state_json, created_at,
                                     updated_at)
        VALUES (:turn, :generation, :state, :now, :now)
            ON CONFLICT (turn_id) DO UPDATE
           SET state_json = excluded.state_json, updated_at = excluded.updated_at
        """,
        {
            "turn": turn_id,
            "generation": fence_of(writing.tx).generation,
            "state": state_text(state),
            "now": writing.stamp,
        },
    )


def drop_request(writing: Writing, turn_id: TurnId) -> None:
    """Forget a request before its turn ends (M3.8(c))."""
    writing.tx.execute("DELETE FROM memory_requests WHERE turn_id = ?", (turn_id,))


def drop_requests(writing: Writing) -> None:
    """Forget every request of this owner's open turns (M9.1(a))."""
    writing.tx.execute(
        "DELETE FROM memory_requests WHERE turn_id IN"
        " (SELECT id FROM turns WHERE state = 'open' AND lease_owner = ?)",
        (writing.owner,),
    )


def _state(db: Db, turn_id: TurnId) -> RequestState:
    state = request_state(db, turn_id)
    if state is None:
        turn = turn_of(db, turn_id)  # another program may have cleared memory
        if turn.state == "interrupted":
            raise TurnEndedError(turn_id=turn.id, state=turn.state)
        reason = "the request is over, as is its turn"
        raise MemoryRuleError(reason=reason, rule=OVER)
    return state
