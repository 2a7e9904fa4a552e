"""A program with a memory, and a pipeline whose answers a test chooses."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from agentctx.memory import Memory
from agentctx.memory.items import Operation
from agentctx.memory.model import Source
from agentctx.memory.pipeline import (
    ConsolidationReply,
    ExtractionReply,
    Failed,
    Waiting,
)
from agentctx.memory.store import RandomIds
from agentctx.memory.window import ProposedCandidate
from tests.agentctx.memory.heard import window
from tests.agentctx.memory.memories import OWNER, SAID, TABS
from tests.recorded import Ticking

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Turn
    from agentctx.memory.pipeline import (
        ConsolidationAnswer,
        ConsolidationTask,
        ExtractionAnswer,
        ExtractionTask,
        Gate,
        Pipeline,
        Repair,
    )

CHECKPOINT = "The user asked for tabs."


class Answering:
    """Finds the wish for tabs wherever it was said, and believes it."""

    def __init__(self) -> None:
        self.calls = 0

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        assert repair is None
        gate()
        self.calls += 1
        found = tuple(
            ProposedCandidate(TABS, (Source(turn.id, "user", SAID),))
            for turn in task.turns
            if SAID in turn.user_text
        )
        return ExtractionReply(CHECKPOINT, found[:1], window(*task.turns), {})

    def consolidate(
        self, task: ConsolidationTask, repair: Repair | None, gate: Gate
    ) -> ConsolidationAnswer:
        gate()
        self.calls += 1
        made = tuple(
            Operation("reject", (one.id,))
            if repair
            else Operation("create", (one.id,), None, one.meaning)
            for one in task.candidates
        )
        return ConsolidationReply(made, {})


class Failing(Answering):
    """Gets no answer."""

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        del task, repair
        gate()
        self.calls += 1
        return Failed("provider_transient", "http_503")


class Silent(Answering):
    """Has no model to ask."""

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        del task, repair, gate
        self.calls += 1
        return Waiting("no_key")


class Held(Answering):
    """Answers only when a test lets it; `asked` is set when it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.let_go = threading.Event()

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        self.asked.set()
        assert self.let_go.wait(20)
        return super().extract(task, repair, gate)


def program(
    root: Path,
    clock: Ticking | None = None,
    *,
    owner: str = OWNER,
    pipeline: Pipeline | None = None,
    **options: Any,  # noqa: ANN401 - the options of a memory
) -> Memory:
    """Open the memory of a project as a program does."""
    return Memory.open(
        str(root),
        clock=clock or Ticking(),
        ids=RandomIds(os.urandom),
        owner=owner,
        pipeline=pipeline,
        **options,
    )


def begun(memory: Memory, text: str = SAID, session: str = "s1") -> Turn:
    """Begin an ordinary turn that is admitted."""
    turn = memory.begin_turn(session, "ordinary", "chat", text)
    assert turn is not None
    return turn


def said(memory: Memory, text: str = SAID, session: str = "s1") -> Turn:
    """Begin a turn and answer it."""
    turn = memory.complete_turn(begun(memory, text, session), "Understood.")
    assert turn is not None
    return turn


def codes(memory: Memory) -> list[str]:
    """Give the codes of what was told."""
    return [one.code for one in memory.notices]
