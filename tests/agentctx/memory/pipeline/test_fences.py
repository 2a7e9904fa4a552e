"""While a model is asked the job is held; what came too late is not written."""

from __future__ import annotations

import sqlite3
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.jobs import LEASE, claim
from agentctx.memory.opening import clear_memory
from agentctx.memory.store import RandomIds
from agentctx.memory.turns import NewTurn, begin_turn, complete_turn
from agentctx.memory.verdict import memory_path
from tests.agentctx.llm.fakeapi import Says
from tests.agentctx.memory.memories import count, memory_at, say
from tests.agentctx.memory.pipeline.minds import extracted, minding, remembering
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.memory.model import Turn, TurnId
    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store
    from tests.agentctx.llm.fakeapi import Asked

BEAT = 0.01
SECONDS = 20
BRIEF = timedelta(seconds=60)


class Heard(Ticking):
    """A clock that tells when other threads have looked at it a few times."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 0
        self.heard = threading.Event()

    def wait_for(self, looks: int) -> None:
        """Wait until others have looked so often from now on."""
        self.left = looks
        self.heard.clear()
        assert self.heard.wait(SECONDS)

    def __call__(self) -> object:  # type: ignore[override] # the same moment
        if threading.current_thread() is not threading.main_thread():
            self.left -= 1
            if self.left <= 0:
                self.heard.set()
        return super().__call__()


def begin_briefly(memory: MemoryStore) -> Turn:
    with memory.writing() as writing:
        new = NewTurn("s9", "ordinary", "chat", "Still open.")
        return begin_turn(writing, new, lease=BRIEF)


def lease_of(memory: MemoryStore, turn_id: TurnId) -> str:
    query = "SELECT lease_expires_at FROM turns WHERE id = ?"
    found: str = memory.db.execute(query, (turn_id,)).fetchone()[0]
    return found


@pytest.mark.requirement("M4.0(e)", "M4.8(a)", "M3.5(b)")
def test_a_long_call_holds_the_job_and_the_owners_open_turns(
    project: Path, store: Store
) -> None:
    clock = Heard()
    found: list[object] = []

    def slowly(asked: Asked) -> Says:
        if len(found):
            return remembering(asked)
        clock.tick(LEASE - timedelta(seconds=20))
        clock.wait_for(looks=3)  # two whole beats
        clock.tick(LEASE - timedelta(seconds=20))
        with (
            memory_at(project, Ticking(clock.now), owner="another") as other,
            other.writing() as writing,
        ):
            found.append(claim(writing, "extraction", drain=True))
        return remembering(asked)

    with memory_at(project, clock) as memory:
        say(memory)
        turn = begin_briefly(memory)
        before = lease_of(memory, turn.id)
        with minding(memory, store, slowly) as mind:
            ran = mind.run(beat=BEAT)
        assert found == [None]
        assert (ran.succeeded, ran.lost) == (2, 0)
        assert lease_of(memory, turn.id) > before
        assert complete_turn(memory, turn.id, "Done.").state == "completed"


def cleared(project: Path) -> None:
    clear_memory(
        str(project),
        clock=Ticking(),
        ids=RandomIds(lambda size: b"x" * size),
        owner="a person",
        backup=False,
    )


def taken_over(project: Path) -> None:
    """Let another claim what we work on, long after."""
    clock = Ticking()
    clock.tick(LEASE * 3)
    with (
        memory_at(project, clock, owner="another") as other,
        other.writing() as writing,
    ):
        assert claim(writing, "extraction", drain=True) is not None


@pytest.mark.requirement("M4.9", "M4.11", "H7")
@pytest.mark.parametrize("lose", [cleared, taken_over])
@pytest.mark.parametrize(
    "late", [Says([]), Says(extracted())], ids=["to be mended", "sound"]
)
def test_a_late_answer_is_neither_mended_nor_written(
    project: Path,
    memory: MemoryStore,
    store: Store,
    lose: Callable[[Path], None],
    late: Says,
) -> None:
    lost = threading.Event()

    def answer(_: Asked) -> Says:
        if not lost.is_set():
            lose(project)
            lost.set()
        return late

    say(memory)
    with minding(memory, store, answer) as mind:
        ran = mind.run()
        assert (ran.lost, ran.succeeded, ran.failed, ran.empty) == (1, 0, 0, 0)
        assert len(mind.asked) == 1
    assert count(memory, "threads", "compaction <> ''") == 0
    assert count(memory, "memory_jobs", "status = 'leased'") <= 1


def test_what_was_not_asked_because_of_a_fence_costs_nothing(
    project: Path, memory: MemoryStore, store: Store
) -> None:
    def answer(_: Asked) -> Says:
        cleared(project)
        return Says([])

    say(memory)
    with minding(memory, store, answer) as mind:
        mind.run()
    rows = store.db.execute(
        "SELECT outcome, cost_usd > 0 FROM model_calls ORDER BY at, outcome"
    )
    assert [tuple(row) for row in rows] == [("answered", 1), ("not_asked", 0)]


@pytest.mark.requirement("M4.10(a)")
def test_damage_that_a_beat_finds_asks_nothing_more_and_is_told_at_once(
    project: Path, memory: MemoryStore, store: Store
) -> None:
    told = threading.Event()

    def answer(_: Asked) -> Says:
        other = sqlite3.connect(memory_path(str(project)))
        other.execute("DROP TABLE memory_terms")
        other.commit()
        other.close()
        assert told.wait(SECONDS), "it is told while the answer is still awaited"
        return Says([])

    say(memory)
    with minding(memory, store, answer) as mind:
        ran = mind.run(beat=BEAT, damaged=told.set)
        assert ran.damaged
        assert len(mind.asked) == 1


def test_a_file_that_was_replaced_ends_the_run_and_is_not_touched(
    project: Path, memory: MemoryStore, store: Store
) -> None:
    path = project / ".agentctx" / "memory.db"

    def answer(_: Asked) -> Says:
        path.rename(path.with_name("old.db"))
        return Says(extracted())

    say(memory)
    with minding(memory, store, answer) as mind:
        ran = mind.run(beat=BEAT)
    assert (ran.lost, ran.waiting) == (1, "MEMORY_FENCED")
    assert not path.exists(), "no beat made a new memory"


@pytest.mark.requirement("M4.7(a)")
def test_a_store_that_others_hold_lets_the_job_wait_or_its_lease_run_out(
    project: Path, memory: MemoryStore, store: Store
) -> None:
    holder: list[sqlite3.Connection] = []

    def answer(_: Asked) -> Says:
        one = sqlite3.connect(
            memory_path(str(project)), check_same_thread=False, isolation_level=None
        )
        one.execute("BEGIN IMMEDIATE")
        holder.append(one)
        return Says(extracted())

    say(memory)
    memory.patience = 0.05
    with minding(memory, store, answer) as mind:
        ran = mind.run()
    assert ran.waiting == "STORE_BUSY"
    holder[0].execute("ROLLBACK")
    holder[0].close()
    assert mind.jobs("status") == [("leased",)]
