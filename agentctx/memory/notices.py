"""What a person is told of a memory that does not work: once for each cause (C5, C6).

The work that memory only accompanies goes on; a notice never takes its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.refusals import (
    MemoryAbsentError,
    MemoryDegradedError,
    MemoryFencedError,
    TurnEndedError,
    TurnLateError,
    TurnLeaseError,
    TurnNotFoundError,
)
from corpus.errors import StoreBusyError, StoreUnusableError
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from corpus.errors import CodedError

NOTICE_CHARACTERS = 500
MOST_NOTICES = 200
"""Causes that are remembered; the oldest may be told again then."""

STORE_FAILURES = (
    MemoryAbsentError,
    MemoryDegradedError,
    MemoryFencedError,
    StoreBusyError,
    StoreUnusableError,
)
"""What the store may do wrong while everything asked of it is right."""

TURN_FAILURES = (
    *STORE_FAILURES,
    TurnEndedError,
    TurnLateError,
    TurnLeaseError,
    TurnNotFoundError,
)
"""What may keep a turn from being finished; breaches of contract are not among it."""


class Notice(NamedTuple):
    """One thing that a person is told: a code and a short text."""

    code: str
    text: str


class Notices:
    """What was told so far; `tell` hears each notice as it comes."""

    def __init__(self, tell: Callable[[Notice], None] | None = None) -> None:
        self._tell = tell
        self._told: dict[tuple[str, str], Notice] = {}

    def __iter__(self) -> Iterator[Notice]:
        return iter(tuple(self._told.values()))

    def of(self, error: CodedError) -> None:
        """Tell of a failure, unless the same cause was told before."""
        cause = error.facts.get("problem") or error.facts.get("reason") or ""
        self.say(error.code, f"{error}; {error.hint}", cause=str(cause))

    def say(self, code: str, text: str, *, cause: str = "") -> None:
        """Tell something, once for its code and cause."""
        if (code, cause) in self._told:
            return
        notice = Notice(code, " ".join(visible(text).split())[:NOTICE_CHARACTERS])
        if len(self._told) >= MOST_NOTICES:
            del self._told[next(iter(self._told))]
        self._told[code, cause] = notice
        if self._tell is not None:
            self._tell(notice)

    def instead_of(self, *failures: type[CodedError]) -> _Instead:
        """Tell of these failures and go on after the block."""
        return _Instead(self, failures)


class _Instead:
    def __init__(
        self, notices: Notices, failures: tuple[type[CodedError], ...]
    ) -> None:
        self._notices = notices
        self._failures = failures

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, self._failures):
            return False
        self._notices.of(error)
        return True
