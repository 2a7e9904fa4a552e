"""The answer of one turn: steps of a model, with tools between them (C9, M2.0).

Each step makes the Map anew. History is compacted where the context fills up; where it
overflows all the same, the request is opened once more with half the Map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.chat.prompting import (
    Parts,
    history_tokens,
    latest_within,
    messages_of,
    tokens_of,
)
from agentctx.chat.voice import Shown
from agentctx.errors import ModelInputError
from agentctx.llm.talk import Called, Results, Talk, overflows
from agentctx.memory.budgets import pressure

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.chat.paying import Payer
    from agentctx.chat.tools import Toolbox
    from agentctx.llm.talk import Message, Said
    from agentctx.memory.budgets import ContextProfile
    from agentctx.memory.projection import Exchange
    from agentctx.memory.request import Request

ANSWER_TOKENS = 8_192
"""What one step of an answer has at most; what is cut there is shown as cut."""

MOST_STEPS = 16
"""Steps of a turn; in the last one no tool may be asked for."""

CUT = "\n[the answer was cut here: it has as many tokens as it may have]"

_COMPACT = 80
"""Percent of the capacity that history is compacted to."""


class Frame(NamedTuple):
    """What stays the same in every step of a turn.

    `unkept` is what was said in this chat, for a turn that memory did not admit.
    """

    system: str
    purpose: str
    message: str
    subject: str = ""
    unkept: tuple[Exchange, ...] = ()


class Means(NamedTuple):
    """Who answers, within which context, and where the words go."""

    payer: Payer
    profile: ContextProfile
    show: Callable[[str], None]


class Answering:
    """One turn that is being answered, whose request is closed with the answer.

    `opened(half_map)` opens the request of the turn, and again after an overflow.
    """

    def __init__(
        self,
        means: Means,
        frame: Frame,
        toolbox: Toolbox,
        opened: Callable[[bool], Request],
    ) -> None:
        self._means = means
        self._frame = frame
        self._toolbox = toolbox
        self._opened = opened
        self._request = opened(False)  # noqa: FBT003 - one flag
        self._steps: tuple[Message, ...] = ()
        self._halved = False
        self._shown = Shown(means.show)
        self._history = self._request.history()
        if self._request.turn is None:
            self._history = frame.unkept

    def answer(self) -> str:
        """Answer; give exactly the text that was shown."""
        try:
            for step in range(MOST_STEPS):
                said = self._step(may_call=step < MOST_STEPS - 1)
                self._shown.end()
                if said.cut:
                    self._shown.take(CUT)
                if not said.calls or said.cut:
                    break
                self._call(said)
                self._shown.part()
        finally:
            self._request.close()
        return self._shown.text

    def _step(self, *, may_call: bool) -> Said:
        try:
            talk = self._fitted(may_call=may_call)
            return self._means.payer.answer(talk, self._shown.take)
        except ModelInputError as error:
            if self._halved or not overflows(error):
                raise
        self._halve()
        talk = self._fitted(may_call=may_call)
        return self._means.payer.answer(talk, self._shown.take)

    def _call(self, said: Said) -> None:
        results = tuple(self._toolbox.use(one, self._request) for one in said.calls)
        self._steps += (Called(said.text, said.calls), Results(results))

    def _halve(self) -> None:
        """Open the request with half the Map, and let half of the history go."""
        self._halved = True
        self._request = self._opened(True)  # noqa: FBT003 - one flag
        self._compact(history_tokens(self._history) // 2)

    def _compact(self, budget: int) -> None:
        if self._request.turn is None:
            self._history = latest_within(self._history, budget)
        else:
            self._history = self._request.history(budget)

    def _fitted(self, *, may_call: bool) -> Talk:
        """Give what is sent, its history compacted where that is called for.

        `ModelInputError` where it does not fit without any history either.
        """
        profile, mapped = self._means.profile, self._request.map().text
        talk = self._talk(mapped, may_call=may_call)
        used = tokens_of(talk)
        if pressure(used, profile) == "fits":
            return talk
        rest = used - history_tokens(self._history)
        self._compact(max(0, _COMPACT * profile.capacity // 100 - rest))
        talk = self._talk(mapped, may_call=may_call)
        if pressure(tokens_of(talk), profile) == "refuse":
            raise ModelInputError(reason="it is too long")
        return talk

    def _talk(self, mapped: str, *, may_call: bool) -> Talk:
        frame = self._frame
        parts = Parts(
            self._request.checkpoint(),
            self._history,
            frame.subject,
            mapped,
            frame.message,
            self._steps,
        )
        return Talk(
            frame.system,
            messages_of(parts),
            self._toolbox.tools,
            ANSWER_TOKENS,
            frame.purpose,
            may_call,
        )
