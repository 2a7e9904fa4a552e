"""What stands in for memory where a project's conversations are not remembered."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentctx.memory.notices import Notices
from agentctx.memory.refusals import MemoryAbsentError
from agentctx.memory.request import Request
from agentctx.memory.reviews import Review, Reviews
from agentctx.memory.running import Ran
from agentctx.memory.saying import Saying
from agentctx.memory.telling import Flushed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from agentctx.memory.budgets import Budgets
    from agentctx.memory.model import Profile, RecallQuery, ReviewItem, Turn
    from agentctx.memory.outcome import Outcome
    from agentctx.memory.store import MemoryStore
    from agentctx.memory.telling import NewThread


class Unkept:
    """Answers as `Memory` does, and keeps nothing."""

    def __init__(self, budgets: Budgets, before_new_thread: Callable[[], None]) -> None:
        self._budgets = budgets
        self._reviews = Reviews()
        self._before_new_thread = before_new_thread

    waiting: str | None = None

    def turn(
        self,
        session: str,
        profile: Profile,
        intent: str,
        user_text: str,
        scope_paths: Sequence[str] = (),
        evidence_keys: Sequence[str] = (),
    ) -> Saying:
        """Begin a turn that is not kept."""
        del session, profile, intent, user_text, scope_paths, evidence_keys
        return Saying(self, Notices(), None)

    def open_request(
        self,
        turn: Turn | None,
        query: RecallQuery | None = None,
        *,
        half_map: bool = False,
    ) -> Request:
        """Open a request that gives nothing."""
        del turn, query, half_map
        return Request(_nothing, Notices(), None, budgets=self._budgets)

    def review(self, session: str, run: str, items: Iterable[ReviewItem]) -> Review:
        """Begin a review in a session."""
        return self._reviews.begin(session, run, items)

    def end_review(self, session: str) -> None:
        """End a session's review."""
        self._reviews.end(session)

    def new_thread(self) -> NewThread | None:
        """End what is under way; there is no thread."""
        self._before_new_thread()
        return None

    def reset(self) -> str:
        """End what is under way, and say so."""
        self._before_new_thread()
        return "The workbench was reset. Nothing is remembered here: memory is off."

    def complete_turn(self, turn: Turn | None, answer: str | Outcome) -> None:
        """Keep nothing."""

    def fail_turn(self, turn: Turn | None, code: str) -> None:
        """Keep nothing."""

    def interrupt_turn(self, turn: Turn | None) -> None:
        """Keep nothing."""

    def worker(self, mode: str, stops: Callable[[], bool]) -> Ran:
        """Do nothing: there are no jobs."""
        del mode, stops
        return Ran(waiting="no_pipeline")

    def flush(self) -> Flushed:
        """Do nothing: there are no jobs."""
        return Flushed((), (), timed_out=False)

    def close(self, *, wait: float | None = None) -> None:
        """Let go of nothing."""
        del wait


@contextmanager
def _nothing() -> Iterator[MemoryStore]:
    raise MemoryAbsentError
    yield  # type: ignore[unreachable]
