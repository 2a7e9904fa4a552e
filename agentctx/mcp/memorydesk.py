"""What a memory tool begins with: the project's memory, and the turn it asks in (H3).

All of it is looked at again at every call: whether memory is on, which file it is,
which turn is open. So memory that is off, damaged, locked or gone is noticed at the
next call, and so is its recovery (A5.3).
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from agentctx.config import read_config
from agentctx.mcp.whereabouts import (
    SESSION_VARIABLE,
    Whereabouts,
    can_be_session,
    signature,
)
from agentctx.memory.access import Access
from agentctx.memory.access import Place as MemoryPlace
from agentctx.memory.binding import bound_turn, hold
from agentctx.memory.hosted import OWNER
from agentctx.memory.notices import STORE_FAILURES
from agentctx.memory.refusals import (
    MemoryAbsentError,
    MemoryOffError,
    MemoryRuleError,
    SessionTurnError,
    SessionUnboundError,
    TurnEndedError,
    TurnNotFoundError,
)
from agentctx.memory.requests import OVER, spend
from agentctx.memory.store import RandomIds, memory_failures
from agentctx.memory.switch import memory_root, refuse_off, why_off
from agentctx.memory.verdict import memory_path
from corpus.errors import StoreBusyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentctx.mcp.whereabouts import Place
    from agentctx.memory.model import Turn
    from agentctx.memory.pools import RequestState
    from agentctx.memory.store import MemoryStore

Given = TypeVar("Given")

OTHER_SESSION_VARIABLE = "AGENTCTX_SESSION"
DEGRADED = (*STORE_FAILURES, MemoryOffError)
"""What can be wrong with memory itself; answers are degraded then."""


class MemoryDesk(Whereabouts):
    """Where memory is asked, one call at a time.

    `session` is the one that the server was started for; where it is None the
    environment names it, or nothing does.
    """

    def __init__(self, place: Place, session: str | None = None) -> None:
        super().__init__(place)
        self.session = session or self._named_session()
        self._access: Access | None = None
        self._seen: tuple[int, ...] = ()

    def ask(
        self, step: Callable[[MemoryStore, RequestState], tuple[RequestState, Given]]
    ) -> Given:
        """Ask within what is left to the turn at hand, and hold the turn (H2, H4).

        Raises the errors in `DEGRADED`, `SessionUnboundError`, `SessionTurnError` and
        `SessionUnclearError`, and the breaches of contract that `step` raises.
        """
        with self._memory() as store:
            turn = self._turn(store)
            try:
                given = spend(store, turn.id, step)
            except (TurnEndedError, TurnNotFoundError):  # just now
                raise SessionTurnError from None
            except MemoryRuleError as error:
                if error.facts["rule"] == OVER:
                    raise SessionTurnError from None
                raise
            with suppress(StoreBusyError):  # the answer stands, and the next call holds
                hold(store, turn, lease=self._lease())
        return given

    def forget(self) -> None:
        """Let the memory go; the next call opens it anew."""
        access, self._access = self._access, None
        if access is not None:
            with suppress(*STORE_FAILURES), memory_failures():
                access.close()

    def _turn(self, store: MemoryStore) -> Turn:
        """Give the turn at hand; its session is the server's from now on."""
        if self.session is None:
            raise SessionUnboundError
        with store.looking() as db:
            turn = bound_turn(db, self.session, now=store.clock())
        self.session = turn.session_id
        return turn

    @contextmanager
    def _memory(self) -> Iterator[MemoryStore]:
        """Open the memory of the project as it is now; none is made."""
        place = self.place
        root = memory_root(self.project())
        off = why_off(root, home=place.home, environ=place.environ)
        if off is not None:
            self.forget()
            refuse_off(off)
        path = memory_path(root)
        if not os.path.lexists(path):
            self.forget()
            raise MemoryAbsentError
        with self._opened(root, path)() as store:
            yield store
            self._seen = signature(path)

    def _opened(self, root: str, path: str) -> Access:
        """Give the access to a memory, anew where its file was written by others."""
        if self._access is not None:
            if self._access.place.root == root and signature(path) == self._seen:
                return self._access
            self.forget()
        memory = MemoryPlace(
            root, self.place.clock, RandomIds(self.place.random), OWNER
        )
        self._access, self._seen = Access(memory, create=False), signature(path)
        return self._access

    def _lease(self) -> timedelta:
        settings = read_config(self.place.home)
        return timedelta(minutes=settings.number("turnLeaseMinutes"))

    def _named_session(self) -> str | None:
        for variable in (SESSION_VARIABLE, OTHER_SESSION_VARIABLE):
            named = self.place.environ.get(variable, "")
            if can_be_session(named) and named.strip():
                return named
        return None
