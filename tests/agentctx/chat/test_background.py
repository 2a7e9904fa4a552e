"""The worker beside a chat: it works while it may, and tells what hinders it once."""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.chat.background import Background
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.running import Ran

if TYPE_CHECKING:
    from collections.abc import Callable

Told = queue.Queue[tuple[str, str]]


class Working:
    """A memory whose worker ends as it is told to, each time it works."""

    def __init__(self, *ends: Ran | MemoryRuleError) -> None:
        self.ends = list(ends)
        self.worked: Told = queue.Queue()

    def worker(self, mode: str, stops: Callable[[], bool]) -> Ran:
        assert not stops()
        self.worked.put((mode, ""))
        end = self.ends.pop(0)
        if isinstance(end, MemoryRuleError):
            raise end
        return end


def worked(memory: Any, background: Background) -> None:  # noqa: ANN401 - a memory
    """Wake the worker until it works once more: the one before may be ending."""
    while memory.worked.empty():
        background.wake()
    assert memory.worked.get() == ("watch", "")


def test_what_hinders_the_worker_is_told_once_for_each_cause() -> None:
    told: Told = queue.Queue()
    closed = MemoryRuleError(reason="it was closed", rule="closed")
    memory: Any = Working(
        Ran(waiting="SPEND_DAY"),
        Ran(waiting="SPEND_DAY"),
        Ran(waiting="no_pipeline"),
        closed,
        Ran(waiting="MODEL_UNKNOWN"),
    )
    words = {"SPEND_DAY": "the day's cap is spent"}
    background = Background(memory, lambda *one: told.put(one), words)
    for _ in range(5):
        worked(memory, background)
    assert [told.get(timeout=20) for _ in range(3)] == [
        ("MEMORY_WAITING", "memory waits: the day's cap is spent"),
        ("MEMORY_CONTRACT", f"{closed}; {closed.hint}"),
        ("MEMORY_WAITING", "memory waits: MODEL_UNKNOWN"),
    ]
    assert told.empty()


def test_a_worker_that_was_told_to_stop_is_not_begun_again() -> None:
    memory: Any = Working(Ran())
    background = Background(memory, lambda *_: pytest.fail("it worked"), {})
    background.stop()
    background.wake()
    assert memory.worked.empty()
    assert len(memory.ends) == 1
