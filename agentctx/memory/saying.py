"""A turn around a program's main work: kept before it, ended after it (M2, C5).

What goes wrong with memory is a notice; the work's result stands, and so does its own
exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from agentctx.memory.notices import TURN_FAILURES
from agentctx.memory.rawtext import error_code
from agentctx.memory.refusals import MemoryRuleError
from corpus.errors import CodedError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from agentctx.memory.model import Turn
    from agentctx.memory.notices import Notices
    from agentctx.memory.outcome import Outcome

NO_ANSWER, FAILED = "NO_ANSWER", "FAILED"


class Ends(Protocol):
    """Ends turns; what memory does wrong meanwhile is told, not raised."""

    def complete_turn(self, turn: Turn | None, answer: str | Outcome) -> Turn | None:
        """Keep what the user saw."""

    def fail_turn(self, turn: Turn | None, code: str) -> Turn | None:
        """Keep that the work failed, by its code."""

    def interrupt_turn(self, turn: Turn | None) -> Turn | None:
        """Keep that the work was given up."""


class Saying:
    """The turn of a `with` block; without an answer it fails as `NO_ANSWER`."""

    def __init__(self, memory: Ends, notices: Notices, turn: Turn | None) -> None:
        self.turn = turn
        self._memory = memory
        self._notices = notices
        self._answer: str | None = None
        self._code: str | None = None

    def answer(self, text: str) -> str:
        """Take the text that the user sees as the answer; give it."""
        self._answer = text
        return text

    def outcome(self, outcome: Outcome) -> str:
        """Take a workflow's result as the answer; give the text to show (M2.5)."""
        return self.answer(outcome.text)

    def fail(self, code: str) -> None:
        """Say that the work failed although nothing was raised."""
        self._code = error_code(code)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._end()
            return
        with self._notices.instead_of(*TURN_FAILURES, MemoryRuleError):
            if isinstance(error, Exception):
                code = error.code if isinstance(error, CodedError) else FAILED
                self._memory.fail_turn(self.turn, code)
            else:
                self._memory.interrupt_turn(self.turn)

    def _end(self) -> None:
        if self._code is not None:
            self._memory.fail_turn(self.turn, self._code)
        elif self._answer is None or not self._answer.strip():
            self._memory.fail_turn(self.turn, NO_ANSWER)
        else:
            self._memory.complete_turn(self.turn, self._answer)
