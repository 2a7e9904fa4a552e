"""Pays for what a model is asked, out of what record extraction may spend, too (Spend).

What a question may cost is reserved before it is asked; one cap holds for every kind.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from agentctx.errors import HomeError
from agentctx.extraction.asking import DAY_CAP, SESSION_CAP
from agentctx.memory.pipeline import Waiting
from agentctx.records.spending import (
    Call,
    reserve,
    settle_call,
    spent_in_session,
    spent_on,
)
from corpus.errors import StoreBusyError, StoreUnusableError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.extraction.asking import Caps
    from agentctx.records.spending import Cost
    from agentctx.records.store import Store


class Question(Protocol):
    """Anything a model is asked: one question, or a talk."""

    @property
    def purpose(self) -> str:
        """The kind of question, for accounts."""


Asked = TypeVar("Asked", bound=Question)
Asks_contra = TypeVar("Asks_contra", bound=Question, contravariant=True)


class Priced(Protocol[Asks_contra]):
    """Whoever is asked, and says before what that costs at most."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""

    def most_cost(self, ask: Asks_contra, /) -> float:
        """Say how many US dollars an answer may cost at most."""


class Purse:
    """Keeps account in the store of records, which it opens for each entry.

    So a pipeline may be used from any thread. Raises `StoreBusyError` when reserving.
    """

    def __init__(self, opened: Callable[[], Store], caps: Caps) -> None:
        self._opened = opened
        self._caps = caps

    def reserve(
        self, session_id: str, ask: Asked, model: Priced[Asked]
    ) -> str | Waiting:
        """Count a question as paid and give the id of that, unless it passes a cap."""
        most = model.most_cost(ask)
        with self._opened() as store, store_failures(), store.writing() as tx:
            if spent_in_session(tx, session_id) + most > self._caps.session:
                return Waiting(SESSION_CAP, session=True)
            if spent_on(tx, store.clock()) + most > self._caps.day:
                return Waiting(DAY_CAP)
            return reserve(store, tx, Call(session_id, ask.purpose, model.name), most)

    def settle(self, call_id: str, cost: Cost) -> None:
        """Put what a question did cost in place of what was reserved.

        Where that fails the reservation stays: an answer is not lost for it.
        """
        with (
            suppress(HomeError, StoreBusyError, StoreUnusableError),
            self._opened() as store,
            store_failures(),
            store.writing() as tx,
        ):
            settle_call(tx, call_id, cost)
