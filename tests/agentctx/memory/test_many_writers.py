"""Many processes write at once, and any of them may be killed at any statement."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.candidates import Proposed, commit_extraction
from agentctx.memory.items import Operation, commit_consolidation
from agentctx.memory.jobs import claim
from agentctx.memory.model import Source
from agentctx.memory.opening import clear_memory
from agentctx.memory.store import RandomIds, fence_of
from agentctx.memory.turns import complete_turn, open_turns
from agentctx.memory.verdict import Degraded, Healthy, judge
from corpus import sqlite as store_module
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    begin,
    memory_at,
    propose,
    say,
    take,
)
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[Path], object]

ROOT = Path(__file__).parents[3]
FEWEST_STATEMENTS, MOST_STATEMENTS = 8, 400
WRITER = """
import sys
from functools import partial
from pathlib import Path
from tests.agentctx.memory.memories import memory_at, say
with memory_at(Path(sys.argv[1]), owner=sys.argv[2]) as memory:
    for number in range(int(sys.argv[3])):
        say(memory, f"Turn {number} of {sys.argv[2]}.", sys.argv[2])
"""
CLEARER = """
import os, sys
from agentctx.memory.opening import clear_memory
from agentctx.memory.store import RandomIds
from tests.recorded import Ticking
for number in range(int(sys.argv[2])):
    clear_memory(sys.argv[1], clock=Ticking(), ids=RandomIds(os.urandom),
                 owner="person", backup=False)
"""
WRITER_ALL_THE_SAME = """
import sys
from pathlib import Path
from agentctx.memory.refusals import MemoryFencedError, TurnNotFoundError
from tests.agentctx.memory.memories import memory_at, say
for number in range(30):
    with memory_at(Path(sys.argv[1]), owner=sys.argv[2]) as memory:
        for turn in range(3):
            try:
                say(memory, "A turn.", sys.argv[2])
            except (MemoryFencedError, TurnNotFoundError):
                pass
"""


@pytest.mark.requirement("M8.3(a)", "M8.3(b)", "M2.2(b)")
def test_clearing_while_others_write_leaves_one_thread_and_whole_turns(
    project: Path,
) -> None:
    with memory_at(project) as memory:
        before = fence_of(memory.db)
    programs = [(WRITER_ALL_THE_SAME, f"session {number}") for number in range(4)]
    programs += [(CLEARER, "15")] * 2
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(project), argument],
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        for program, argument in programs
    ]
    for one in running:
        _, errors = one.communicate(timeout=100)
        assert one.returncode == 0, errors.decode()
    with memory_at(project) as memory:
        for query in INVARIANTS:
            assert memory.db.execute(query).fetchone()[0] == 0, query
        assert fence_of(memory.db) == before._replace(generation=31)
    assert isinstance(judge(str(project), fully=True), Healthy)


@pytest.mark.requirement("M1.5(a)", "M1.5(b)")
def test_eight_processes_keep_a_hundred_turns_each(project: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(project), f"session {number}", "100"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        for number in range(8)
    ]
    for one in running:
        _, errors = one.communicate(timeout=100)
        assert one.returncode == 0, errors.decode()
    with memory_at(project) as memory:
        row = memory.db.execute(
            "SELECT count(*), count(DISTINCT sequence), max(sequence),"
            " count(DISTINCT thread_id) FROM turns WHERE state = 'completed'"
        ).fetchone()
        assert tuple(row) == (800, 800, 800, 1)
        jobs = "SELECT count(DISTINCT turn_id) FROM memory_jobs"
        assert memory.db.execute(jobs).fetchone()[0] == 800
    assert isinstance(judge(str(project), fully=True), Healthy)


def beginning(root: Path) -> None:
    with memory_at(root) as memory:
        begin(memory)


def completing(root: Path) -> None:
    with memory_at(root) as memory:
        (turn,) = open_turns(memory.db)
        complete_turn(memory, turn.id, "Understood.")


def claiming(root: Path) -> None:
    with memory_at(root) as memory, memory.writing() as writing:
        claim(writing, "extraction", drain=True)


def extracting(root: Path) -> None:
    with memory_at(root, Ticking()) as memory:
        batch = take(memory)
        proposed = [Proposed(TABS, (Source(batch.turns[0].id, "user", SAID),))]
        with memory.writing() as writing:
            commit_extraction(writing, batch, "Tabs.", proposed)


def consolidating(root: Path) -> None:
    with memory_at(root) as memory:
        batch = take(memory, "consolidation")
        operation = Operation("create", batch.jobs[0].candidate_ids, None, TABS)
        with memory.writing() as writing:
            commit_consolidation(writing, batch, [operation], targets=())


def clearing(root: Path) -> None:
    clear_memory(str(root), clock=Ticking(), ids=RandomIds(os.urandom), owner="person")


def opening(root: Path) -> None:
    memory_at(root).close()


def spoken(root: Path) -> None:
    with memory_at(root) as memory:
        say(memory)


def open_turn(root: Path) -> None:
    with memory_at(root) as memory:
        begin(memory)


def proposal(root: Path) -> None:
    from datetime import timedelta  # noqa: PLC0415 - leases of before are long gone

    clock = Ticking()
    clock.tick(-timedelta(days=1))
    with memory_at(root, clock) as memory:
        propose(memory, TABS)


def garbage(root: Path) -> None:
    (root / ".agentctx" / "memory.db").write_bytes(b"garbage" * 1000)
    (root / ".agentctx" / "memory.db-wal").write_bytes(b"garbage" * 1000)


def nothing(_root: Path) -> None:
    pass


STEPS: dict[str, tuple[Step, Step]] = {
    "open": (nothing, opening),
    "begin": (spoken, beginning),
    "begin again": (open_turn, beginning),
    "complete": (open_turn, completing),
    "claim": (spoken, claiming),
    "extract": (spoken, extracting),
    "consolidate": (proposal, consolidating),
    "clear": (proposal, clearing),
    "clear garbage": (garbage, clearing),
}
_PENDING = """
    SELECT c.value FROM memory_jobs j, json_each(j.payload_json, '$.candidate_ids') c
     WHERE j.status NOT IN ('succeeded', 'succeeded_no_output', 'failed')
"""
_WITHOUT = {
    "turns WHERE state <> 'open' AND id": (
        "SELECT turn_id FROM memory_jobs WHERE turn_id IS NOT NULL"
    ),
    "memory_candidates WHERE id": "SELECT candidate_id FROM candidate_sources",
    "memory_items WHERE status = 'active' AND id": "SELECT item_id FROM memory_terms",
    "memory_items WHERE id": "SELECT item_id FROM memory_item_candidates",
    "memory_candidates WHERE status = 'consolidated' AND id": (
        "SELECT candidate_id FROM memory_item_candidates"
    ),
    "memory_candidates WHERE status = 'pending' AND id": _PENDING,
}
INVARIANTS = (
    *(
        f"SELECT count(*) FROM {rows} NOT IN ({others})"  # noqa: S608 - constants
        for rows, others in _WITHOUT.items()
    ),
    "SELECT count(*) - 1 FROM threads WHERE status = 'active'",
)
"""Each of them counts 0 in a memory whose writes were whole or not at all."""


@pytest.mark.requirement("M1.0(b)", "M4.6(b)", "M5.10(c)", "M8.3(a)")
@pytest.mark.parametrize(("before", "step"), STEPS.values(), ids=STEPS)
def test_a_process_killed_at_any_step_leaves_all_of_it_or_nothing(
    tmp_path: Path, before: Step, step: Step
) -> None:
    for number in range(1, MOST_STATEMENTS):
        root = tmp_path / str(number)
        (root / ".agentctx").mkdir(parents=True)
        before(root)
        if not killed_at(number, partial(step, root)):
            assert number > FEWEST_STATEMENTS
            return
        if before is garbage and isinstance(judge(str(root)), Degraded):
            clearing(root)  # nothing but clearing again gets it out of the way
        with memory_at(root) as memory:
            for query in INVARIANTS:
                assert memory.db.execute(query).fetchone()[0] == 0, query
            begin(memory, session="after")
        assert isinstance(judge(str(root), fully=True), Healthy)
    pytest.fail("it never ended")


def killed_at(number: int, act: Callable[[], object]) -> bool:
    """Do something in a child that dies before its step of that number."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            count_steps(number)
            act()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def count_steps(last: int) -> None:
    """Die at the step of that number: a statement, or a change of the folder.

    A question is none: what lies there after it lies there before the next step.
    """
    steps = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal steps
            steps += not any(
                isinstance(one, str) and one.lstrip()[:6].upper() == "SELECT"
                for one in arguments
            )
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return call

    connection = store_module._Connection  # noqa: SLF001 - where a process may die
    for name in ("execute", "executemany"):
        setattr(connection, name, counted(getattr(connection, name)))
    for name in ("unlink", "replace", "rename", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
