"""Turns of outside clients: begun by one process, asked by another, ended by a third.

A client's hooks begin and end a turn, and its memory server spends from the request
that was opened with it; the session's id is all they share (H2, H3, H4, H6).
"""

from __future__ import annotations

from agentctx.clock import stamp
from agentctx.memory.binding import note_end, note_return
from agentctx.memory.clipping import api_tokens
from agentctx.memory.model import ItemId, RecallQuery, TurnId
from agentctx.memory.rawtext import dumped
from agentctx.memory.threads import thread_of
from agentctx.memory.turns import (
    EXTERNAL_LEASE,
    NewTurn,
    begin_turn,
    complete_turn,
    fail_turn,
    interrupt_turn,
    session_turn,
    turn_of,
)
from agentctx.memory.underreview import review_of, stop_review
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet
    from datetime import datetime, timedelta

    from agentctx.memory.clipping import Tokens
    from agentctx.memory.mapping import Map
    from agentctx.memory.model import RecallPolicy, Turn
    from agentctx.memory.store import MemoryStore, Writing
    from agentctx.memory.underreview import StoredReview
    from corpus.sqlite import Db

RECALL_TOKENS = 24_576
"""What one request of an outside client may read and search; its Map is within."""

OWNER = "session"
"""Whose the open turns of outside clients are: any hook of the session ends them."""


class Prompt(NamedTuple):
    """What a client's user said, and what of memory may be added to it.

    `paths` are the files it is about, `turn_id` is what its turn is to be called.
    `seen` are items that the session was shown;
    `map_tokens` and `checkpoint_tokens` are counted by `tokens`.
    """

    session_id: str
    text: str
    intent: str = ""
    paths: tuple[str, ...] = ()
    seen: AbstractSet[str] = frozenset()
    map_tokens: int = 0
    checkpoint_tokens: int = 0
    tokens: Tokens = api_tokens
    turn_id: str = ""


class Live(NamedTuple):
    """What an item is at present: the id of its revision, and when that was made."""

    id: ItemId
    created_at: str


class Begun(NamedTuple):
    """A turn that was kept, its Map, and the checkpoint as far as it was asked for."""

    turn: Turn
    map: Map
    checkpoint: str


def begin(
    writing: Writing, prompt: Prompt, *, lease: timedelta = EXTERNAL_LEASE
) -> Begun:
    """Keep what was said, and open the request of its turn, in one transaction (H6).

    The profile is that of the review the session is in, if it is in one; it is fixed
    from here on (H3). What always applies is not given with small talk.
    """
    from agentctx.memory.recall import (  # noqa: PLC0415 - who ends a turn asks nothing
        open_recall,
        policy_for,
    )
    from agentctx.memory.requests import keep_request  # noqa: PLC0415 - as above

    review = review_of(writing.tx, prompt.session_id)
    turn = begin_turn(writing, _new_turn(prompt, review), lease=lease)
    note_return(writing, prompt.session_id)
    query = _query(turn, prompt, review)
    policy = policy_for(
        turn.profile, turn.thread_id, recall=RECALL_TOKENS, mapped=prompt.map_tokens
    )
    state, found = open_recall(
        writing.tx,
        query,
        policy,
        prompt.tokens,
        seen=prompt.seen,
        standing=review is not None or is_about_something(query),
    )
    keep_request(writing, turn.id, state)
    return Begun(turn, found, _checkpoint(writing, policy, prompt))


def is_about_something(query: RecallQuery) -> bool:
    """Say whether a prompt has a word that names anything: small talk has none."""
    from agentctx.memory.terms import map_terms  # noqa: PLC0415 - as above

    return any(not (one.common or one.form) for one in map_terms(query))


def complete(
    store: MemoryStore, session_id: str, answer: str, *, turn_id: str = ""
) -> Turn | None:
    """Keep the last visible answer of a session's turn; None where it has no turn.

    It is the latest, or the one that is named. Raises `TurnEndedError`,
    `TurnLateError`, `TurnLeaseError`, and `TurnNotFoundError` for the one named.
    """
    turn = turn_for(store, session_id, turn_id)
    return None if turn is None else complete_turn(store, turn.id, answer)


def fail(
    store: MemoryStore, session_id: str, code: str, *, turn_id: str = ""
) -> Turn | None:
    """Say that a session's turn failed; None where it has none. Raises the same."""
    turn = turn_for(store, session_id, turn_id)
    return None if turn is None else fail_turn(store, turn.id, code)


def give_up(store: MemoryStore, session_id: str) -> Turn | None:
    """Say that the open turn of a session has no answer; None where it has none."""
    turn = turn_for(store, session_id)
    if turn is None or turn.state != "open":
        return None
    return interrupt_turn(store, turn.id)


def leave(store: MemoryStore, session_id: str) -> Turn | None:
    """End a session: its open turn was given up, and its review is over (H3)."""
    ended = give_up(store, session_id)
    with store.writing() as writing:
        stop_review(writing, session_id)
        note_end(writing, session_id)
    return ended


def waits(db: Db, *, now: datetime) -> bool:
    """Say whether the worker has something to do: a job, or a turn nobody holds."""
    row = db.execute(
        """
        SELECT EXISTS (SELECT 1 FROM memory_jobs
                        WHERE status IN ('pending', 'leased', 'retry_wait'))
            OR EXISTS (SELECT 1 FROM turns
                        WHERE state = 'open' AND lease_expires_at <= ?)
        """,
        (stamp(now),),
    ).fetchone()
    return bool(row[0])


def live_items(db: Db, logical_ids: Iterable[str]) -> dict[str, Live]:
    """Give what items are at present, by their logical ids, where they are at all."""
    asked = list(logical_ids)
    if not asked:
        return {}
    rows = db.execute(
        "SELECT i.logical_id, i.id, i.created_at FROM json_each(?) asked"
        " CROSS JOIN memory_items i ON i.logical_id = asked.value"
        " WHERE +i.status = 'active'",
        (dumped(asked),),
    )
    return {
        row["logical_id"]: Live(ItemId(row["id"]), row["created_at"]) for row in rows
    }


def turn_for(store: MemoryStore, session_id: str, turn_id: str = "") -> Turn | None:
    """Give the latest turn of a session, or the one that is named.

    `TurnNotFoundError` where that is not there.
    """
    with store.looking() as db:
        return turn_of(db, TurnId(turn_id)) if turn_id else session_turn(db, session_id)


def _new_turn(prompt: Prompt, review: StoredReview | None) -> NewTurn:
    new = NewTurn(
        prompt.session_id,
        "ordinary",
        prompt.intent,
        prompt.text,
        prompt.paths,
        id=prompt.turn_id,
    )
    if review is None:
        return new
    items = review.about(prompt.text)
    return new._replace(
        profile="review",
        scope_paths=(*dict.fromkeys(one.path for one in items), *prompt.paths),
        evidence_keys=review.keys(items),
    )


def _query(turn: Turn, prompt: Prompt, review: StoredReview | None) -> RecallQuery:
    asked = RecallQuery(turn.profile, turn.thread_id, turn.user_text, turn.scope_paths)
    items = () if review is None else review.about(prompt.text)
    if len(items) != 1:
        return asked
    (one,) = items
    return asked._replace(
        item_path=one.path,
        rule_id=one.rule_id,
        item_message=one.message,
        bound_item_id=one.item_id,
    )


def _checkpoint(writing: Writing, policy: RecallPolicy, prompt: Prompt) -> str:
    if not prompt.checkpoint_tokens:
        return ""
    from agentctx.memory.projection import checkpoint  # noqa: PLC0415 - as above

    thread = thread_of(writing.tx, policy.thread_id)
    text = "" if thread is None else thread.compaction
    return checkpoint(text, policy, prompt.checkpoint_tokens, prompt.tokens)
