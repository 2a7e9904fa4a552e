"""A model of Anthropic's API that talks, its answers heard as they come.

An answer is asked for again only while nothing of it may have been charged: a person
is there and can say it once more. What may have been charged without an end coming is
counted as if it was, so that a spending cap holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.errors import ModelReplyError, ModelTimeoutError
from agentctx.llm.access import checked_key, checked_place
from agentctx.llm.claude import Later, Pace, pause_before
from agentctx.llm.failure import Failure
from agentctx.llm.heard import Asked, Heard
from agentctx.llm.model import Usage
from agentctx.llm.prices import cost_of, most_cost_of, price_of
from agentctx.llm.question import THINKING
from agentctx.llm.talk import Said, TalkStoppedError, prompt_tokens_of, request_for
from corpus.tokens import model_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.llm.claude import Line
    from agentctx.llm.model import ModelSettings
    from agentctx.llm.talk import Hear, Talk, Talker

_NOTHING = Usage(0, 0, 0, 0)
_UNHEARD = 1_024
"""Tokens that may have been written when a person stopped the answer, and not come."""


def open_talker(
    settings: ModelSettings,
    *,
    key: str,
    base_url: str | None = None,
    pace: Pace | None = None,
) -> Talker:
    """Give the model that settings name; nothing is sent yet, nor the SDK loaded.

    Raises ModelKeyError for what can be no key and ModelPlaceError for no address.
    """
    line = Later(checked_key(key), checked_place(base_url))
    return ClaudeTalker(settings, line, Pace() if pace is None else pace)


class ClaudeTalker:
    """See `agentctx.llm.talk.Talker`."""

    def __init__(
        self, settings: ModelSettings, line: Callable[[], Line], pace: Pace
    ) -> None:
        self._settings = settings
        self._line = line
        self._pace = pace
        self._price = price_of(settings.model, settings.prices)
        self._fields = frozenset({THINKING})

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        return self._settings.model

    def most_cost(self, talk: Talk) -> float:
        """Say what an answer may cost at most."""
        return most_cost_of(prompt_tokens_of(talk), talk.max_tokens, self._price)

    def answer(self, talk: Talk, hear: Hear) -> Said:
        """Answer, or raise a ModelError or TalkStoppedError."""
        self._line()  # what loading the client takes is no part of the time
        until = self._pace.ticks() + self._settings.timeout
        attempts = 0
        while True:
            heard = Heard(Asked(self.name, talk.max_tokens), hear)
            try:
                failure = self._attempt(talk, heard, until)
            except KeyboardInterrupt:
                raise TalkStoppedError(self._cost_so_far(talk, heard)) from None
            if failure is None:
                return self._said(talk, heard)
            attempts += 1
            error = failure.error
            if failure.billed:
                error.cost_usd = self.most_cost(talk)
            elif heard.began:
                error.cost_usd = self._cost_so_far(talk, heard)
            pause = pause_before(attempts, error, until, self._settings, self._pace)
            if not failure.again or error.cost_usd or pause is None:
                raise error
            self._pace.wait(pause)

    def _attempt(self, talk: Talk, heard: Heard, until: float) -> Failure | None:
        """Ask in the form this service is known to take, and find that form."""
        fields = self._fields
        while True:
            left = min(until - self._pace.ticks(), self._settings.attempt)
            if left <= 0:
                seconds = f"{self._settings.timeout:.3g}"
                return Failure(ModelTimeoutError(seconds=seconds))
            request = request_for(talk, self.name, fields)
            failure = self._line().stream(request, left, heard.take)
            if heard.over:
                self._fields &= fields  # what was left out to be understood
                return None
            if failure is None:
                error = ModelReplyError(reason="it broke off")
                return Failure(error, again=True, billed=True)
            if not failure.doubts & fields:
                return failure
            fields -= failure.doubts

    def _said(self, talk: Talk, heard: Heard) -> Said:
        usage = heard.usage
        cost = self.most_cost(talk) if usage is None else cost_of(usage, self._price)
        problem = heard.problem
        if problem is not None:
            problem.usage = usage or _NOTHING
            problem.cost_usd = cost
            raise problem
        return Said(
            heard.text,
            heard.calls,
            usage or _NOTHING,
            cost,
            heard.model or self.name,
            heard.cut,
        )

    def _cost_so_far(self, talk: Talk, heard: Heard) -> float:
        """Estimate what an answer costs that was stopped; nothing heard is not free."""
        said = model_tokens(heard.text) + _UNHEARD
        return most_cost_of(
            prompt_tokens_of(talk), min(said, talk.max_tokens), self._price
        )
