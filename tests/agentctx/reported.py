"""Reports for tests: of a furnished store, or of values that a test has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.config import Problem
from agentctx.failures import Failure
from agentctx.memory.tally import tally
from agentctx.project import resolve_project
from agentctx.report.remembered import remembered
from agentctx.report.stored import stored
from agentctx.report.values import Health, Remembered, Report, Stored
from tests.agentctx.furnished import SEEN, Furnished, furnish
from tests.agentctx.memory.memories import memory_at
from tests.recorded import START, Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

IDLE = Health(
    worker_runs=False,
    waiting=2,
    waits_because=("SPEND_DAY",),
    extraction="off: `ANTHROPIC_API_KEY` is not set",
    degraded=(Problem("no-llm", f"no model {SEEN}", "set a key"),),
    failures=(Failure("2026-01-09T08:00:00.000Z", f"hook {SEEN}", "INTERNAL", "x"),),
)


class Place:
    """A furnished store and its project, looked at again and again."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "weather"
        (self.root / ".agentctx").mkdir(parents=True)
        self.made: Furnished = furnish(self.home, self.root)

    def report(self, *, everywhere: bool = False, most: int = 100) -> Report:
        project = resolve_project(self.root, environ={})
        with store_at(self.home) as store:
            kept = stored(
                store, project, {}, everywhere=everywhere, most=most, now=START
            )
        return reported(kept, self.memory(most), most, everywhere=everywhere)

    def memory(self, most: int) -> Remembered:
        with memory_at(self.root, Ticking()) as memory, memory.looking() as db:
            gone = tally(db).items["forgotten"]
            return remembered(db, most=most, forgotten=gone)


def reported(
    kept: Stored | None,
    memory: Remembered,
    most: int = 100,
    *,
    everywhere: bool = False,
    why: Problem | None = None,
) -> Report:
    return Report(
        name=f"weather {SEEN}",
        project_id="a" * 64,
        at=START,
        most=most,
        everywhere=everywhere,
        stored=kept,
        why=why,
        memory=memory,
        health=IDLE,
    )
