"""Ask a model about spans, several at once, within what may be spent (A6.1 to A6.3).

What a question may cost is reserved before it is asked; no transaction is open while
it is. One that fails does not take the answers of others with it.
"""

from __future__ import annotations

import json
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import ModelError
from agentctx.llm.model import Usage
from agentctx.records.spans import give_up, keep_reply, leave_out, try_later
from agentctx.records.spending import (
    Call,
    Cost,
    reserve,
    settle_call,
    spent_in_session,
    spent_on,
)
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from agentctx.llm.model import Ask, Model, Reply
    from agentctx.records.spans import Span
    from agentctx.records.store import Store
    from corpus.sqlite import Tx

AT_ONCE = 4
"""Questions that are under way at the same time, at most."""

MOST_ATTEMPTS = 5
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)
UNTIL_MENDED = timedelta(minutes=15)
"""How long nothing is asked when the key, the account or the address is wrong."""

REPLACED = "WORKER_REPLACED"
SESSION_CAP, DAY_CAP = "SPEND_SESSION", "SPEND_DAY"


class Caps(NamedTuple):
    """The US dollars that may be spent in a session, and in a day."""

    session: float
    day: float


class Question(NamedTuple):
    """What is asked about a span, and the ids of the records that it shows."""

    ask: Ask
    shown: tuple[str, ...]


class Asker:
    """Asks one model, and keeps account of it in the store.

    `stops` is called between questions and says whether there is no time left. `holds`
    says, in a transaction, whether we are still the worker: another one asks then.
    """

    def __init__(
        self,
        store: Store,
        model: Model,
        caps: Caps,
        *,
        stops: Callable[[], bool],
        holds: Callable[[Tx], bool],
    ) -> None:
        self.store = store
        self.model = model
        self.caps = caps
        self.stops = stops
        self.holds = holds
        self.problem: str | None = None

    def ask_spans(
        self,
        session_id: str,
        questions: Mapping[str, Question],
        spans: Sequence[Span],
    ) -> None:
        """Ask about each span; keep each answer, or when to try again."""
        waiting = list(spans)
        running: dict[Future[Reply], tuple[Span, str]] = {}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while waiting or running:
                while waiting and len(running) < AT_ONCE and not self._is_over():
                    span = waiting[0]
                    ask = questions[span.id].ask
                    call_id = self._reserved(session_id, ask, waiting)
                    if call_id is None:
                        break
                    del waiting[0]
                    running[pool.submit(self.model.complete, ask)] = span, call_id
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    span, call_id = running.pop(future)
                    self._take(span, call_id, questions[span.id].shown, future)

    def ask_once(self, session_id: str, ask: Ask) -> object | None:
        """Ask one more question; None when it may not be, or fails."""
        call_id = self._reserved(session_id, ask, ())
        if call_id is None:
            return None
        try:
            reply = self.model.complete(ask)
        except ModelError as error:
            self.problem = error.code
            self._settle(call_id, lost(error))
            return None
        self._settle(call_id, paid(reply))
        return reply.value

    def _is_over(self) -> bool:
        return self.problem is not None or self.stops()

    def _reserved(
        self, session_id: str, ask: Ask, waiting: Sequence[Span]
    ) -> str | None:
        """Count a question as paid; None where that would pass a cap."""
        store, most = self.store, self.model.most_cost(ask)
        now = store.clock()
        with store_failures(), store.writing() as tx:
            if not self.holds(tx):
                self.problem = REPLACED
                return None
            if spent_in_session(tx, session_id) + most > self.caps.session:
                self.problem = SESSION_CAP
                leave_out(tx, [span.id for span in waiting], SESSION_CAP)
                return None
            if spent_on(tx, now) + most > self.caps.day:
                self.problem = DAY_CAP
                for span in waiting:
                    try_later(tx, span, DAY_CAP, until=tomorrow(now), counted=False)
                return None
            call = Call(session_id, ask.purpose, self.model.name)
            return reserve(store, tx, call, most)

    def _take(
        self,
        span: Span,
        call_id: str,
        shown: Sequence[str],
        future: Future[Reply],
    ) -> None:
        """Keep an answer, or what went wrong and when to try again."""
        try:
            reply = future.result()
        except ModelError as error:
            self._settle(call_id, lost(error))
            self._failed(span, error)
            return
        with store_failures(), self.store.writing() as tx:
            settle_call(tx, call_id, paid(reply))
            keep_reply(tx, span.id, json.dumps(reply.value), shown)

    def _failed(self, span: Span, error: ModelError) -> None:
        now = self.store.clock()
        with store_failures(), self.store.writing() as tx:
            if error.code in NOT_THIS_ONE:
                self.problem = error.code
                until = now + UNTIL_MENDED
                try_later(tx, span, error.code, until=until, counted=False)
            elif span.attempts + 1 >= MOST_ATTEMPTS or not _may_help(error):
                give_up(tx, span.id, error.code)
            else:
                pause = min(FIRST_PAUSE * 2**span.attempts, LONGEST_PAUSE)
                asked = timedelta(seconds=min(error.retry_after or 0, 86_400))
                try_later(tx, span, error.code, until=now + max(pause, asked))

    def _settle(self, call_id: str, cost: Cost) -> None:
        with store_failures(), self.store.writing() as tx:
            settle_call(tx, call_id, cost)


NOT_THIS_ONE = frozenset({"MODEL_KEY", "MODEL_MONEY", "MODEL_UNKNOWN", "MODEL_PLACE"})
"""Failures that have nothing to do with what was asked: no other question helps."""

_WORTH_ANOTHER = frozenset({"MODEL_REPLY", "MODEL_TRUNCATED", "MODEL_REFUSED"})
"""Failures of one answer; another one may be better."""


def _may_help(error: ModelError) -> bool:
    return error.retryable or error.code in _WORTH_ANOTHER


def paid(reply: Reply) -> Cost:
    """Say what an answer cost."""
    usage = reply.usage
    return Cost(usage.prompt_tokens, usage.output_tokens, reply.cost_usd, "answered")


def lost(error: ModelError) -> Cost:
    """Say what a question cost that brought no answer."""
    usage = Usage(*error.usage)
    return Cost(usage.prompt_tokens, usage.output_tokens, error.cost_usd, error.code)


def tomorrow(now: datetime) -> datetime:
    """Give the moment when another day's cap holds."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + timedelta(days=1)
