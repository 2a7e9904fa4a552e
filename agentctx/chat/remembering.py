"""The memory of a chat: the project's while that is on, and none while it is off.

Whether it is on is looked at before every turn and before a model is asked about it,
for any program may turn it on and off meanwhile. A turn ends where it began.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.pipeline import Waiting
from agentctx.memory.running import Ran
from agentctx.memory.switch import REASONS, WAYS_ON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentctx.chat.unkept import Unkept
    from agentctx.memory.api import Memory
    from agentctx.memory.model import Profile, RecallQuery, ReviewItem, Turn
    from agentctx.memory.pipeline import (
        ConsolidationAnswer,
        ConsolidationTask,
        ExtractionAnswer,
        ExtractionTask,
        Gate,
        Pipeline,
        Repair,
    )
    from agentctx.memory.request import Request
    from agentctx.memory.reviews import Review
    from agentctx.memory.saying import Saying
    from agentctx.memory.switch import Off
    from agentctx.memory.telling import Flushed, NewThread

OFF, ON = "MEMORY_OFF", "MEMORY_ON"


class Ways(NamedTuple):
    """Why memory is off, the project's, what stands in for it; who hears of changes."""

    why_off: Callable[[], Off | None]
    open_memory: Callable[[], Memory]
    unkept: Unkept
    tell: Callable[[str, str], None]


class Remembering:
    """Answers as `Memory` does while memory is on, as `Unkept` does while it is off."""

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self._memory: Memory | None = None
        self._off: Off | None = None
        self._looking = threading.RLock()
        self._current()

    @property
    def is_on(self) -> bool:
        """Whether something is kept now."""
        return self._current() is not self._ways.unkept

    @property
    def is_sound(self) -> bool:
        """Whether memory is on and can be used."""
        kept = self._memory
        return self.is_on and kept is not None and kept.status().problem is None

    @property
    def waiting(self) -> str | None:
        """The code of what kept the last pass from asking a model, if anything did."""
        return self._current().waiting

    def turn(
        self,
        session: str,
        profile: Profile,
        intent: str,
        user_text: str,
        scope_paths: Sequence[str] = (),
        evidence_keys: Sequence[str] = (),
    ) -> Saying:
        """Begin a turn around a block, kept where memory is on."""
        return self._current().turn(
            session, profile, intent, user_text, scope_paths, evidence_keys
        )

    def open_request(
        self,
        turn: Turn | None,
        query: RecallQuery | None = None,
        *,
        half_map: bool = False,
    ) -> Request:
        """Open what a turn may ask of memory: nothing, where it is not kept."""
        return self._current().open_request(turn, query, half_map=half_map)

    def review(self, session: str, run: str, items: Iterable[ReviewItem]) -> Review:
        """Begin a review in a session."""
        return self._current().review(session, run, items)

    def end_review(self, session: str) -> None:
        """End a session's review, wherever it began."""
        self._ways.unkept.end_review(session)
        if self._memory is not None:
            self._memory.end_review(session)

    def new_thread(self) -> NewThread | None:
        """Begin an empty thread; None where memory is off, and there is none."""
        return self._current().new_thread()

    def reset(self) -> str:
        """End what is under way, and say so."""
        return self._current().reset()

    def worker(self, mode: str, stops: Callable[[], bool]) -> Ran:
        """Work on jobs in this thread, until `stops` or until memory is off."""
        if not self.is_on or self._memory is None:
            return Ran(waiting=OFF)
        return self._memory.worker(
            "watch" if mode == "watch" else "drain",
            lambda: stops() or not self.is_on,
        )

    def flush(self) -> Flushed:
        """Give each job that waits one chance; no job has one while memory is off."""
        return self._current().flush()

    def close(self, *, wait: float | None = None) -> None:
        """Let go of memory, as it does."""
        if self._memory is not None:
            self._memory.close(wait=wait)

    def _current(self) -> Memory | Unkept:
        """Look whether memory is on; what changed is told once."""
        ways = self._ways
        with self._looking:
            off = ways.why_off()
            if off is not None:
                if off != self._off:
                    self._off = off
                    told = f"nothing is remembered here: {REASONS[off]}; {WAYS_ON[off]}"
                    ways.tell(OFF, told)
                return ways.unkept
            if self._off is not None:
                self._off = None
                ways.tell(ON, "what is said is remembered from now on")
            if self._memory is None:
                self._memory = ways.open_memory()
            return self._memory


class WhileOn:
    """A pipeline that asks a model only while memory is on; until then jobs wait."""

    def __init__(self, pipeline: Pipeline, why_off: Callable[[], Off | None]) -> None:
        self._pipeline = pipeline
        self._why_off = why_off

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        """Say what the turns hold that is to be kept."""
        if self._why_off() is not None:
            return Waiting(OFF)
        return self._pipeline.extract(task, repair, gate)

    def consolidate(
        self, task: ConsolidationTask, repair: Repair | None, gate: Gate
    ) -> ConsolidationAnswer:
        """Say what becomes of the candidates."""
        if self._why_off() is not None:
            return Waiting(OFF)
        return self._pipeline.consolidate(task, repair, gate)
