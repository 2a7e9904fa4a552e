"""Conversation memory for a program: turns, requests, threads and their work (M2, M3).

A memory that does not work never stops the program: it is told once for each cause, a
turn that was not admitted is None, and a request of it is empty (C2 to C6). Breaches of
contract are raised.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal, Self, TypedDict

from agentctx.memory import jobs, turns
from agentctx.memory.access import Access, Place
from agentctx.memory.budgets import Budgets, ContextProfile, budgets, context_profile
from agentctx.memory.care import Care, Cleared
from agentctx.memory.model import RecallQuery
from agentctx.memory.notices import STORE_FAILURES, TURN_FAILURES, Notice, Notices
from agentctx.memory.outcome import Outcome
from agentctx.memory.processing import Means, Processing
from agentctx.memory.rawtext import raw
from agentctx.memory.recall import policy_within, with_half_map
from agentctx.memory.refusals import MemoryDegradedError, MemoryRuleError
from agentctx.memory.request import Request
from agentctx.memory.requests import drop_requests
from agentctx.memory.reviews import Review, Reviews
from agentctx.memory.running import Ran
from agentctx.memory.saying import Saying
from agentctx.memory.summary import mark_stale
from agentctx.memory.tally import held_elsewhere
from agentctx.memory.telling import Flushed, NewThread, counted
from agentctx.memory.threads import active_thread, new_thread
from agentctx.memory.underreview import stop_reviews

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from types import TracebackType
    from typing import Protocol, Unpack

    from agentctx.clock import Clock
    from agentctx.memory.jobs import Watermark
    from agentctx.memory.model import Profile, ReviewItem, Turn, TurnId
    from agentctx.memory.pipeline import Pipeline
    from agentctx.memory.store import Ids

    class ClockWithNow(Protocol):
        """A clock that is asked by a method."""

        def now(self) -> datetime:
            """Give the present moment, in UTC."""


MODEL = "claude-haiku-5-5"
"""The model whose context the budgets are for, where no capacity is given."""

NEW_THREAD_WAIT, FLUSH_DEADLINE = 5.0, 20.0
"""Seconds that `new_thread` and `flush` wait at most."""

LONGEST_WAIT = 3_600.0
_STAY = "are not done yet; they stay"


class Options(TypedDict, total=False):
    """What `Memory.open` takes besides.

    Without a `pipeline` turns are kept and their jobs wait. `capacity` is the context
    of the model that is talked to; `budgets` overrides what follows from it. `tell`
    hears notices; `before_new_thread` ends what the host has under way. Without
    `recover` nothing is written at the opening: memory is only looked at.
    """

    pipeline: Pipeline | None
    capacity: ContextProfile | None
    budgets: Budgets | None
    tell: Callable[[Notice], None]
    before_new_thread: Callable[[], None]
    recover: bool


class Memory(Care):
    """The memory of a project, open for one program; safe to use from its threads."""

    def __init__(self, place: Place, options: Options) -> None:
        capacity = options.get("capacity") or context_profile(MODEL)
        notices = Notices(options.get("tell"))
        super().__init__(
            Access(place), notices, options.get("budgets") or budgets(capacity)
        )
        self._reviews = Reviews()
        self._before_new_thread = options.get("before_new_thread")
        pipeline = options.get("pipeline")
        self._processing = None
        if pipeline is not None:
            means = Means(
                place.opened, pipeline, notices, self._refresh, self._is_damaged
            )
            self._processing = Processing(means)

    @classmethod
    def open(
        cls,
        root: str,
        *,
        clock: Clock | ClockWithNow,
        ids: Ids,
        owner: str,
        **options: Unpack[Options],
    ) -> Self:
        """Open a project's memory, made at its first opening; a refused one, too.

        `owner` names the program in the leases it holds. Turns that were given up are
        queued, and the summary is refreshed.
        """
        look = clock if callable(clock) else clock.now
        memory = cls(Place(root, look, ids, owner), options)
        if options.get("recover", True):
            memory.recover()
        return memory

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
    def notices(self) -> tuple[Notice, ...]:
        """What was told so far, each cause once."""
        return tuple(self._notices)

    @property
    def waiting(self) -> str | None:
        """The code of what kept the last pass from asking a model, if anything did."""
        return None if self._processing is None else self._processing.waiting

    def close(self, *, wait: float | None = None) -> None:
        """Let no further work begin, wait for what is under way, and let go (M3.4).

        A program that ends anyway may `wait` so many seconds at most: a question that
        is still under way then goes with it, and its job is free after its lease.
        """
        if self._processing is not None:
            self._processing.close(wait=wait)
        self._reviews.end_all()
        self._access.close()

    def recover(self) -> tuple[TurnId, ...]:
        """Interrupt and queue what was given up, and refresh the summary (M2.3)."""
        with self._notices.instead_of(*STORE_FAILURES), self._access() as store:
            try:
                with store.writing() as writing:
                    found = turns.recover(writing)
            except MemoryDegradedError:
                mark_stale(self._root)
                raise
            self._refresh(store)
            return found
        return ()

    def begin_turn(
        self,
        session: str,
        profile: Profile,
        intent: str,
        user_text: str,
        scope_paths: Sequence[str] = (),
        evidence_keys: Sequence[str] = (),
    ) -> Turn | None:
        """Keep what the user said, before it is answered; None where that fails."""
        new = turns.NewTurn(
            session, profile, intent, raw(user_text), scope_paths, evidence_keys
        )
        turns.check_turn(new)
        with (
            self._notices.instead_of(*STORE_FAILURES),
            self._access() as store,
            store.writing() as writing,
        ):
            return turns.begin_turn(writing, new)
        return None

    def complete_turn(self, turn: Turn | None, answer: str | Outcome) -> Turn | None:
        """Keep the text that the user saw; None where only a notice came of it (C5)."""
        text = answer.text if isinstance(answer, Outcome) else answer
        if turn is None:
            return None
        with self._notices.instead_of(*TURN_FAILURES), self._access() as store:
            return turns.complete_turn(store, turn.id, text)
        return None

    def fail_turn(self, turn: Turn | None, code: str) -> Turn | None:
        """Keep that the main work failed, by a code and without a text (M2.6)."""
        if turn is None:
            return None
        with self._notices.instead_of(*TURN_FAILURES), self._access() as store:
            return turns.fail_turn(store, turn.id, code)
        return None

    def interrupt_turn(self, turn: Turn | None) -> Turn | None:
        """Keep that the main work was given up."""
        if turn is None:
            return None
        with self._notices.instead_of(*TURN_FAILURES), self._access() as store:
            return turns.interrupt_turn(store, turn.id)
        return None

    def turn(
        self,
        session: str,
        profile: Profile,
        intent: str,
        user_text: str,
        scope_paths: Sequence[str] = (),
        evidence_keys: Sequence[str] = (),
    ) -> Saying:
        """Begin a turn around a block; it ends with the block, whatever comes of it."""
        begun = self.begin_turn(
            session, profile, intent, user_text, scope_paths, evidence_keys
        )
        return Saying(self, self._notices, begun)

    def open_request(
        self,
        turn: Turn | None,
        query: RecallQuery | None = None,
        *,
        half_map: bool = False,
    ) -> Request:
        """Open what a turn may ask of memory; empty where it was not admitted (C3).

        Without a query it is that of the turn. `half_map` opens it again with half the
        Map, after the context overflowed (C9).
        """
        if turn is None:
            return Request(self._access, self._notices, None, budgets=self._budgets)
        asked = query or RecallQuery(
            turn.profile, turn.thread_id, turn.user_text, turn.scope_paths
        )
        about = (asked.item_path, asked.target_path)
        paths = [one for one in about if one] or asked.paths
        request = Request(
            self._access,
            self._notices,
            turn,
            budgets=self._budgets,
            constraints=self._reviews.constraints(turn.session_id, paths),
        )
        policy = policy_within(turn.profile, turn.thread_id, self._budgets)
        request.bind(asked, with_half_map(policy) if half_map else policy)
        return request

    def review(self, session: str, run: str, items: Iterable[ReviewItem]) -> Review:
        """Begin a review in a session; the one before it there ends."""
        return self._reviews.begin(session, run, items)

    def end_review(self, session: str) -> None:
        """End a session's review, and what was asked of its drafts (M5.4)."""
        self._reviews.end(session)

    def renew(self, session: str) -> int:
        """Hold the open turn of a session longer (H4); say how many there are."""
        with (
            self._notices.instead_of(*STORE_FAILURES),
            self._access() as store,
            store.writing() as writing,
        ):
            return turns.renew_session(writing, session)
        return 0

    def new_thread(self, wait: float = NEW_THREAD_WAIT) -> NewThread:
        """Begin an empty thread, once what waits of the old one had its time (M3).

        The new thread begins in any case; what is unfinished then stays queued.
        """
        seconds = _seconds(wait)
        self._end_what_goes_on()
        with self._access() as store, store.looking() as db:
            old = active_thread(db)
            watermark = jobs.capture(db, old)
        self._work_through(watermark, seconds, wait=True)
        with self._access() as store:
            with store.writing() as writing:
                now = active_thread(writing.tx)  # another program may have been first
                made = now if now != old else new_thread(writing)[0]
                stop_reviews(writing)
                pending = jobs.unfinished(writing.tx, watermark)
                failed = jobs.failed_of(writing.tx, watermark)
            self._refresh(store)
        if pending:
            stays = "is not done yet; it stays" if len(pending) == 1 else _STAY
            told = f"{counted(len(pending), 'memory job')} of the old thread {stays}"
            self._notices.say("MEMORY_PENDING", f"{told} queued", cause=str(old))
        return NewThread(made, old, bool(pending), pending, failed)

    def flush(self, deadline: float = FLUSH_DEADLINE) -> Flushed:
        """Give each job that is pending now one chance, within a bound (M10)."""
        seconds = _seconds(deadline)
        with self._notices.instead_of(*STORE_FAILURES):
            with self._access() as store, store.looking() as db:
                watermark = jobs.capture(db)
            in_time = self._work_through(watermark, seconds, wait=False)
            with self._access() as store, store.looking() as db:
                pending, now = jobs.unfinished(db, watermark), store.clock()
                done = Flushed(
                    pending,
                    jobs.failed_of(db, watermark),
                    timed_out=not in_time,
                    held=held_elsewhere(db, pending, owner=store.owner, now=now),
                )
            if done.text:
                self._notices.say("MEMORY_PENDING", done.text, cause=done.text)
            return done
        return Flushed((), (), timed_out=False)

    def worker(
        self,
        mode: Literal["drain", "watch"],
        stops: Callable[[], bool] = bool,
    ) -> Ran:
        """Work on jobs in this thread: all there are, or what comes until `stops`.

        It ends by itself where no model can be asked. Without a pipeline it does
        nothing.
        """
        if self._processing is None:
            return Ran(waiting="no_pipeline")
        with self._notices.instead_of(*STORE_FAILURES):
            return self._processing.due(watch=mode == "watch", stops=stops)
        return Ran(damaged=True)

    def clear(self, *, confirm: bool = False, backup: bool = True) -> Cleared:
        """Begin memory anew; reviews that go on end with what they were about."""
        cleared = super().clear(confirm=confirm, backup=backup)
        self._reviews.end_all()
        return cleared

    def reset(self) -> str:
        """End what is under way in this program; memory is kept, as it says (M9)."""
        self._end_what_goes_on()
        with (
            self._notices.instead_of(*STORE_FAILURES),
            self._access() as store,
            store.writing() as writing,
        ):
            drop_requests(writing)
            stop_reviews(writing)
        return (
            "The workbench was reset. Memory, its exports and the history of the"
            " terminal were kept; `agentctx memory clear --confirm` clears memory."
        )

    def _end_what_goes_on(self) -> None:
        """End reviews, and what the host has under way (M3.0(a), M3.6)."""
        self._reviews.end_all()
        if self._before_new_thread is not None:
            self._before_new_thread()

    def _work_through(
        self, watermark: Watermark, seconds: float, *, wait: bool
    ) -> bool:
        if self._processing is None or not watermark.job_ids:
            return True
        return self._processing.within(watermark, seconds, wait=wait)

    def _is_damaged(self) -> None:
        """Let status and summary say so at once, the file to everybody (M4.10)."""
        mark_stale(self._root)
        with suppress(MemoryRuleError):
            self._access.refuse(
                MemoryDegradedError(
                    detail="it was damaged while it was open", problem="damaged"
                )
            )


def _seconds(given: float) -> float:
    if not 0 <= given <= LONGEST_WAIT:  # never true of NaN
        raise MemoryRuleError(reason="a wait is 0 to 3,600 seconds", rule="wait")
    return given
