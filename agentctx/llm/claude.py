"""A model of Anthropic's API, or of a gateway that speaks it.

A question is asked at most `retries` times more, within one bound of time for all of
it. What may have been charged without an answer coming is counted as if it was, so
that a spending cap holds; such a question is asked again only once.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

from agentctx.errors import ModelError, ModelTimeoutError
from agentctx.llm.access import checked_key, checked_place
from agentctx.llm.answer import read_answer
from agentctx.llm.failure import Failure
from agentctx.llm.model import Reply, Usage
from agentctx.llm.prices import cost_of, most_cost_of, price_of
from agentctx.llm.question import fields_for, prompt_tokens_of, request_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentctx.llm.model import Ask, Model, ModelSettings

LONGEST_PAUSE = 20.0
"""Seconds between two attempts; who is asked to wait for longer gives up instead."""

_FIRST_PAUSE = 0.5
_LAST_PAUSE = 8.0
_NOTHING = Usage(0, 0, 0, 0)


class Pace(NamedTuple):
    """How to wait, what time it is, and chance; tests have their own."""

    wait: Callable[[float], None] = time.sleep
    ticks: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random


def open_model(
    settings: ModelSettings,
    *,
    key: str,
    base_url: str | None = None,
    pace: Pace | None = None,
) -> Model:
    """Give the model that settings name; nothing is sent yet, nor the SDK loaded.

    Raises ModelKeyError for what can be no key and ModelPlaceError for no address.
    """
    line = Later(checked_key(key), checked_place(base_url))
    return Claude(settings, line, Pace() if pace is None else pace)


class Claude:
    """See `agentctx.llm.model.Model`."""

    def __init__(
        self, settings: ModelSettings, line: Callable[[], Line], pace: Pace
    ) -> None:
        self._settings = settings
        self._line = line
        self._pace = pace
        self._price = price_of(settings.model, settings.prices)
        self._fields = fields_for(settings.model)

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return self._settings.model

    def most_cost(self, ask: Ask) -> float:
        """Say what an answer may cost at most, with an attempt that is lost."""
        return self._once(ask) * (2 if self._settings.retries > 0 else 1)

    def complete(self, ask: Ask) -> Reply:
        """Answer, or raise a ModelError."""
        self._line()  # what loading the client takes is no part of the time
        until = self._pace.ticks() + self._settings.timeout
        lost = 0.0
        attempts = lost_attempts = 0
        while True:
            got = self._attempt(ask, until)
            if isinstance(got, bytes):
                return self._reply(ask, got, lost)
            attempts += 1
            if got.billed:
                lost += self._once(ask)
                lost_attempts += 1
            pause = pause_before(attempts, got.error, until, self._settings, self._pace)
            if not got.again or pause is None or lost_attempts > 1:
                got.error.cost_usd = lost
                raise got.error
            self._pace.wait(pause)

    def _attempt(self, ask: Ask, until: float) -> bytes | Failure:
        """Ask in the form this service is known to take, and find that form."""
        fields = self._fields
        while True:
            left = min(until - self._pace.ticks(), self._settings.attempt)
            if left <= 0:
                return Failure(self._too_late())
            got = self._line().send(request_for(ask, self.name, fields), left)
            if isinstance(got, bytes):
                self._fields &= fields  # what was left out to be understood
                return got
            if not got.doubts or not fields:
                return got
            fields -= (got.doubts & fields) or fields

    def _reply(self, ask: Ask, body: bytes, lost: float) -> Reply:
        answer = read_answer(body, limit=ask.max_tokens)
        if answer.usage is None:
            cost = lost + self._once(ask)
        else:
            cost = lost + cost_of(answer.usage, self._price)
        usage = answer.usage or _NOTHING
        if answer.problem is not None:
            answer.problem.usage = usage
            answer.problem.cost_usd = cost
            raise answer.problem
        return Reply(answer.value, usage, cost, answer.model or self.name)

    def _once(self, ask: Ask) -> float:
        return most_cost_of(prompt_tokens_of(ask), ask.max_tokens, self._price)

    def _too_late(self) -> ModelError:
        return ModelTimeoutError(seconds=f"{self._settings.timeout:.3g}")


def pause_before(
    attempts: int,
    error: ModelError,
    until: float,
    settings: ModelSettings,
    pace: Pace,
) -> float | None:
    """Give how long to wait after so many attempts; None when there is no other."""
    if attempts > settings.retries:
        return None
    pause = error.retry_after
    if pause is None:
        longest = min(_FIRST_PAUSE * 2 ** min(attempts - 1, 10), _LAST_PAUSE)
        pause = longest * (1 - 0.25 * pace.chance())
    if pause > LONGEST_PAUSE or pace.ticks() + pause >= until:
        return None
    return pause


class Line(Protocol):
    """What a model needs of `agentctx.llm.line.Line`."""

    def send(self, request: Mapping[str, object], seconds: float) -> bytes | Failure:
        """Ask once, for so long at most; give the body of the answer."""

    def stream(
        self,
        request: Mapping[str, object],
        seconds: float,
        take: Callable[[str, str], Failure | None],
    ) -> Failure | None:
        """Ask once, for so long at most; give each event as it comes."""


class Later:
    """The line to the service, made when the first question is asked."""

    def __init__(self, key: str, place: str) -> None:
        self._key = key
        self._place = place
        self._made: Line | None = None
        self._lock = threading.Lock()

    def __call__(self) -> Line:
        """Give the line; loading the SDK takes a second, the first time."""
        with self._lock:
            if self._made is None:
                from agentctx.llm.line import (  # noqa: PLC0415 - the SDK costs 1 s
                    open_line,
                )

                self._made = open_line(self._key, self._place)
            return self._made
