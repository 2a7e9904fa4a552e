"""One request of a program to memory: its Map, searches, reads, history (M6, M7, M3.8).

It stays with the thread of its turn, whatever becomes of the active one, and is gone
when it is closed or its turn ends. Where memory is degraded it gives nothing, and the
work goes on (C3, C4); a breach of contract is always told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.memory import recall
from agentctx.memory.clipping import api_tokens
from agentctx.memory.housekeeping import NO_LONGER_KEPT
from agentctx.memory.mapping import Detail, Map
from agentctx.memory.notices import STORE_FAILURES, TURN_FAILURES
from agentctx.memory.projection import Exchange
from agentctx.memory.projection import checkpoint as checkpoint_within
from agentctx.memory.projection import history as history_within
from agentctx.memory.recall import Answer
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.requests import OVER, drop_request, keep_request, spend
from agentctx.memory.threads import thread_of
from agentctx.memory.turns import completed_turns

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from agentctx.memory.budgets import Budgets
    from agentctx.memory.model import ItemId, RecallPolicy, RecallQuery, Turn
    from agentctx.memory.notices import Notices
    from agentctx.memory.pools import RequestState
    from agentctx.memory.requests import Given
    from agentctx.memory.reviews import Constraint
    from agentctx.memory.store import MemoryStore

    Access = Callable[[], AbstractContextManager[MemoryStore]]
    """Gives the open store to one thread at a time; raises where it is degraded."""

EMPTY_MAP = Map()
EMPTY_ANSWER = Answer((), "")


class Request:
    """What an admitted request may ask; `turn` is None for one that was not admitted.

    `constraints` are what the user asked of the draft at hand (M5.4).
    """

    def __init__(
        self,
        access: Access,
        notices: Notices,
        turn: Turn | None,
        *,
        budgets: Budgets,
        constraints: tuple[Constraint, ...] = (),
    ) -> None:
        self.turn = turn
        self.constraints = constraints
        self._access = access
        self._notices = notices
        self._budgets = budgets
        self._policy: RecallPolicy | None = None
        self._checkpoint = ""
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Say whether there is anything to ask."""
        return self.turn is not None and self._policy is not None

    def bind(self, query: RecallQuery, policy: RecallPolicy) -> None:
        """Open the Map and read the checkpoint; both, or the request is empty (C4)."""
        assert self.turn is not None
        with self._notices.instead_of(*TURN_FAILURES), self._access() as store:
            with store.writing() as writing:
                state, _ = recall.open_recall(writing.tx, query, policy, api_tokens)
                thread = thread_of(writing.tx, self.turn.thread_id)
                keep_request(writing, self.turn.id, state)
            self._checkpoint = thread.compaction if thread is not None else ""
            self._policy = policy

    def map(self) -> Map:
        """Give the Map, made anew for this step (C9)."""
        return self._step(_refreshed, EMPTY_MAP)

    def search(self, text: str) -> Answer:
        """Find items by words (M6.4)."""
        return self._step(
            lambda store, state: recall.search(store.db, state, text, api_tokens),
            EMPTY_ANSWER,
        )

    def read(self, item_id: ItemId) -> Detail:
        """Give an item this request was shown; refused in the same words (C8)."""
        return self._step(
            lambda store, state: recall.read(store.db, state, item_id, api_tokens),
            Detail(item_id, "", 0),
        )

    def history(self, tokens: int | None = None) -> tuple[Exchange, ...]:
        """Give the latest exchanges of the request's thread that fit (M2.0(d)).

        Beside a checkpoint the budget is that of the tail (M2.1(b)).
        """
        if self._policy is None or self.turn is None:
            return ()
        usual = self._budgets.tail if self._checkpoint else self._budgets.history
        budget = usual if tokens is None else tokens
        with (
            self._notices.instead_of(*STORE_FAILURES),
            self._access() as store,
            store.looking() as db,
        ):
            kept = (
                one
                for one in completed_turns(db, self.turn.thread_id)
                if one.user_text != NO_LONGER_KEPT
            )
            return history_within(kept, self._policy, budget, api_tokens)
        return ()

    def checkpoint(self, tokens: int | None = None) -> str:
        """Give what the thread's earlier turns came to, as it was at the opening."""
        if self._policy is None:
            return ""
        budget = self._budgets.checkpoint if tokens is None else tokens
        return checkpoint_within(self._checkpoint, self._policy, budget, api_tokens)

    def close(self) -> None:
        """Let go of what the request may read (M3.8(c))."""
        was_open, self._closed = self.is_open, True
        if not was_open or self.turn is None:
            return
        self._policy, self._checkpoint = None, ""
        with (
            self._notices.instead_of(*TURN_FAILURES),
            self._access() as store,
            store.writing() as writing,
        ):
            drop_request(writing, self.turn.id)

    def _step(
        self,
        ask: Callable[[MemoryStore, RequestState], tuple[RequestState, Given]],
        empty: Given,
    ) -> Given:
        """Ask within what is left; nothing where the request was not admitted."""
        if self.turn is None or self._policy is None:
            if self._closed:
                raise MemoryRuleError(reason="the request is over", rule=OVER)
            return empty
        with self._notices.instead_of(*TURN_FAILURES), self._access() as store:
            return spend(store, self.turn.id, ask)
        return empty


def _refreshed(store: MemoryStore, state: RequestState) -> tuple[RequestState, Map]:
    return recall.refresh(store.db, state, api_tokens)
