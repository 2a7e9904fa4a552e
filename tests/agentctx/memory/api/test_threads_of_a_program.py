"""A new thread: what is worked off first, how long that may take, and what is left."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.jobs import give_back
from agentctx.memory.model import RecallQuery, ReviewItem
from agentctx.memory.refusals import MemoryRuleError, RecallMismatchError
from agentctx.memory.telling import Flushed
from agentctx.memory.threads import active_thread
from tests.agentctx.memory.api.programs import (
    CHECKPOINT,
    Answering,
    Failing,
    Held,
    Silent,
    begun,
    codes,
    program,
    said,
)
from tests.agentctx.memory.memories import SAID, TABS, believe, count, memory_at, take

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory import Memory
    from agentctx.memory.jobs import Batch
    from agentctx.memory.store import MemoryStore
    from tests.recorded import Ticking


@pytest.mark.requirement("M3.0(b)", "M3.0(c)", "M3.1(a)", "M3.1(b)", "M3.1(c)")
def test_what_waits_of_the_old_thread_is_worked_off_first(
    project: Path, talk: Memory
) -> None:
    said(talk)
    made = talk.new_thread()
    assert (made.timed_out, made.pending, made.failed) == (False, (), ())
    with memory_at(project) as store:
        assert active_thread(store.db) == made.thread_id != made.archived_thread_id
        assert count(store, "memory_jobs", "status = 'succeeded'") == 2
        assert count(store, "turns", f"thread_id = '{made.thread_id}'") == 0
    assert [one.meaning.subject for one in talk.list()] == [TABS.subject]


@pytest.mark.requirement("M3.0(d)", "M3.7(a)", "M3.7(b)", "M2.0(c)")
def test_a_new_thread_sees_what_holds_for_the_project_alone(talk: Memory) -> None:
    turn = said(talk)
    talk.flush()
    again = begun(talk, "And now?")
    with talk.open_request(again) as request:
        assert [one.turn_id for one in request.history()] == [turn.id]
        assert request.checkpoint() == CHECKPOINT
    talk.complete_turn(again, "Now this.")
    talk.new_thread()
    later = begun(talk, "How wide are tabs, by the indentation rule?")
    with talk.open_request(later) as request:
        assert request.history() == ()
        assert request.checkpoint() == ""
        assert [one.subject for one in request.search("indentation").hits] == [
            TABS.subject
        ]


@pytest.mark.requirement("M3.2(a)", "M3.2(b)")
@pytest.mark.parametrize("pipeline", [None, Silent()], ids=["none", "no model"])
def test_a_new_thread_begins_although_jobs_are_left(
    project: Path, clock: Ticking, pipeline: Silent | None
) -> None:
    with program(project, clock, pipeline=pipeline) as memory:
        said(memory)
        made = memory.new_thread(wait=0.2)
        assert made.timed_out
        assert len(made.pending) == 1
        assert codes(memory) == ["MEMORY_PENDING"]
        assert begun(memory).thread_id == made.thread_id
    with program(project, clock, pipeline=Answering()) as memory:
        assert memory.flush().pending == ()
        assert [one.meaning.subject for one in memory.list()] == [TABS.subject]


@pytest.mark.requirement("M3.3(a)", "M3.3(b)")
def test_a_job_that_another_holds_is_waited_for(project: Path, clock: Ticking) -> None:
    with (
        memory_at(project, clock, owner="another") as other,
        program(project, clock, pipeline=Answering()) as memory,
    ):
        said(memory)
        batch = take(other)
        freed = threading.Timer(0.3, give_up, (other, batch))
        freed.start()
        made = memory.new_thread(wait=20)
        freed.join()
        assert not made.timed_out
        said(memory)
        take(other)
        assert memory.new_thread(wait=0.2).timed_out


@pytest.mark.requirement("M3.3(b)")
def test_jobs_of_other_threads_do_not_count(project: Path, clock: Ticking) -> None:
    with program(project, clock) as memory:
        said(memory)
        memory.new_thread(wait=0)
        made = memory.new_thread(wait=0)
        assert (made.timed_out, made.pending) == (False, ())


@pytest.mark.requirement("M3.4(a)", "M3.4(b)")
def test_closing_waits_for_the_step_under_way_and_lets_no_other_begin(
    project: Path, clock: Ticking
) -> None:
    pipeline = Held()
    memory = program(project, clock, pipeline=pipeline)
    said(memory)
    assert memory.new_thread(wait=0.1).timed_out
    assert pipeline.asked.wait(20)
    closed = threading.Event()

    def close() -> None:
        memory.close()
        closed.set()

    closing = threading.Thread(target=close)
    closing.start()
    assert not closed.wait(0.3)
    pipeline.let_go.set()
    closing.join(20)
    assert closed.is_set()
    assert pipeline.calls == 1  # no consolidation followed
    assert [
        one.name for one in threading.enumerate() if one.name == "memory-pass"
    ] == []
    before = stamped(project)
    with memory_at(project) as store:
        assert count(store, "memory_jobs", "status = 'succeeded'") == 1
        assert count(store, "memory_jobs", "kind = 'consolidation'") == 1
    assert stamped(project) == before


@pytest.mark.requirement("M3.4(b)")
def test_closing_waits_for_a_worker_of_the_program(
    project: Path, clock: Ticking
) -> None:
    pipeline = Held()
    memory = program(project, clock, pipeline=pipeline)
    said(memory)
    working = threading.Thread(target=memory.worker, args=("drain",))
    working.start()
    assert pipeline.asked.wait(20)
    closing = threading.Thread(target=memory.close)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive()
    pipeline.let_go.set()
    closing.join(20)
    working.join(20)
    assert not closing.is_alive()
    assert pipeline.calls == 1


@pytest.mark.requirement("M3.5(a)", "M3.5(b)")
def test_a_turn_of_the_new_thread_is_kept_while_old_jobs_are_worked_off(
    project: Path, clock: Ticking
) -> None:
    pipeline = Held()
    with program(project, clock, pipeline=pipeline) as memory:
        said(memory)
        assert memory.new_thread(wait=0.1).timed_out
        turn = begun(memory, "A new subject.")
        working = threading.Thread(target=memory.worker, args=("drain",))
        working.start()  # it waits for the pass to end
        with memory_at(project, clock) as store:
            before = lease_of(store, turn.id)
        clock.tick(timedelta(minutes=29))
        pipeline.let_go.set()
        working.join(20)
        with memory_at(project, clock) as store:
            assert lease_of(store, turn.id) > before
        ended = memory.complete_turn(turn, "A new answer.")
        assert ended is not None
        assert ended.state == "completed"


@pytest.mark.requirement("M3.0(a)", "M3.6(a)", "M3.6(b)")
def test_a_new_thread_ends_reviews_and_what_the_host_has_under_way(
    project: Path, clock: Ticking
) -> None:
    ended: list[str] = []
    item = ReviewItem("f1", "src/a.py")
    with program(
        project,
        clock,
        pipeline=Answering(),
        before_new_thread=lambda: ended.append("patch"),
    ) as memory:
        review = memory.review("s1", "run1", [item])
        review.constrain(item, "only in this file")
        memory.new_thread()
        assert ended == ["patch"]
        assert review.ended
        assert review.constraints == ()
        assert memory.list() == ()
        turn = memory.begin_turn("s1", "review", "patch", "Go on.", ["src/a.py"])
        assert memory.open_request(turn).constraints == ()
        with pytest.raises(MemoryRuleError):
            review.constrain(item, "only in this file")


@pytest.mark.requirement("M3.8(a)", "M3.8(b)", "M3.8(c)")
def test_a_request_that_was_begun_keeps_its_thread(project: Path, talk: Memory) -> None:
    first = said(talk)
    talk.flush()
    turn = begun(talk, "How wide are tabs, by the indentation rule?")
    request = talk.open_request(turn)
    assert request.search("indentation").hits
    made = talk.new_thread()
    assert [one.turn_id for one in request.history()] == [first.id]
    assert request.checkpoint() == CHECKPOINT
    (hit,) = request.search("indentation").hits
    assert request.read(hit.id).text
    with memory_at(project) as store:
        assert count(store, "memory_requests") == 1
    ended = talk.complete_turn(turn, "Four.")
    assert ended is not None
    assert ended.thread_id == made.archived_thread_id
    with memory_at(project) as store:
        assert count(store, "memory_requests") == 0
    with pytest.raises(MemoryRuleError):
        request.search("indentation")


@pytest.mark.requirement("M3.8(c)", "M6.5(b)")
def test_a_closed_request_has_nothing_left_to_read(talk: Memory) -> None:
    said(talk)
    talk.flush()
    turn = begun(talk, "How wide are tabs?")
    with talk.open_request(turn) as request:
        (hit,) = request.search("indentation").hits
    with pytest.raises(MemoryRuleError):
        request.read(hit.id)
    assert request.history() == ()


@pytest.mark.requirement("C4")
def test_a_request_whose_state_cannot_be_kept_is_empty(talk: Memory) -> None:
    said(talk)
    talk.flush()
    turn = begun(talk, "How wide are tabs?")
    talk.clear(confirm=True)
    with talk.open_request(turn) as request:
        assert not request.is_open
        assert request.map().text == ""
        assert request.checkpoint() == ""
        assert request.search("indentation").hits == ()
    assert codes(talk) == ["TURN_NOT_FOUND"]


@pytest.mark.requirement("C4")
def test_a_checkpoint_that_cannot_be_read_leaves_no_half_a_request(
    project: Path, talk: Memory
) -> None:
    said(talk)
    talk.flush()
    turn = begun(talk, "How wide are tabs, by the indentation rule?")
    path = project / ".agentctx" / "memory.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ALTER TABLE threads RENAME COLUMN compaction TO other")
    with talk.open_request(turn) as request:
        assert not request.is_open
        assert request.map().text == ""
        assert request.checkpoint() == ""
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM memory_requests").fetchone()[0] == 0
    assert codes(talk) == ["MEMORY_DEGRADED"]


@pytest.mark.requirement("M2.1(a)", "M2.1(b)", "M2.0(d)")
def test_a_program_that_starts_again_goes_on_with_its_thread(
    project: Path, clock: Ticking
) -> None:
    with program(project, clock, pipeline=Answering()) as memory:
        first = said(memory)
        memory.flush()
        last = said(memory, "And then?")
        small = memory._budgets._replace(tail=40)  # noqa: SLF001 - the pools of the test
    with program(project, clock, budgets=small) as memory:
        turn = begun(memory, "Go on.")
        assert turn.thread_id == first.thread_id
        with memory.open_request(turn) as request:
            assert request.checkpoint() == CHECKPOINT
            assert [one.turn_id for one in request.history()] == [last.id]
            both = request.history(10_000)
            assert [one.turn_id for one in both] == [first.id, last.id]


@pytest.mark.requirement("M7.1(a)", "M7.2(a)", "M7.1(b)", "M7.2(c)")
@pytest.mark.parametrize("profile", ["ordinary", "review"])
def test_both_profiles_search_and_read_and_only_one_sees_the_conversation(
    project: Path, talk: Memory, profile: str
) -> None:
    said(talk)
    talk.flush()
    turn = talk.begin_turn(
        "s1", "review" if profile == "review" else "ordinary", "x", "Tab width?"
    )
    with talk.open_request(turn) as request:
        (hit,) = request.search("indentation").hits
        assert SAID in request.read(hit.id).text
        assert bool(request.history()) is (profile == "ordinary")
        assert bool(request.checkpoint()) is (profile == "ordinary")
    assert project.exists()


def test_a_query_of_another_thread_is_a_breach(talk: Memory) -> None:
    turn = begun(talk)
    other = RecallQuery("review", turn.thread_id)
    with pytest.raises(RecallMismatchError):
        talk.open_request(turn, other)


@pytest.mark.requirement("C9")
def test_a_request_is_opened_again_with_half_the_map(
    project: Path, clock: Ticking
) -> None:
    always = [
        TABS._replace(
            subject=f"Rule number {n}", statement="x " * 60, recall_mode="always"
        )
        for n in range(12)
    ]
    with memory_at(project, clock) as store:
        believe(store, *always)
    with program(project, clock) as memory:
        small = memory._budgets._replace(map=600)  # noqa: SLF001 - the pools of the test
        memory.close()
    with program(project, clock, budgets=small) as memory:
        turn = begun(memory, "Go on.")
        whole = memory.open_request(turn).map()
        half = memory.open_request(turn, half_map=True).map()
        assert 0 < half.tokens <= 300 < whole.tokens <= 600


@pytest.mark.requirement("M10.0", "M10.1")
def test_leaving_gives_each_pending_job_its_chance(talk: Memory) -> None:
    said(talk)
    assert talk.flush() == Flushed((), (), timed_out=False)
    assert [one.meaning.subject for one in talk.list()] == [TABS.subject]


@pytest.mark.requirement("M10.0", "M10.2(a)", "M10.2(b)", "M10.3(b)")
def test_a_retry_waits_for_the_next_start_and_then_ends(
    project: Path, clock: Ticking
) -> None:
    failing = Failing()
    with program(project, clock, pipeline=failing) as memory:
        said(memory)
        left = memory.flush()
        assert (len(left.pending), left.failed, failing.calls) == (1, (), 1)
        assert codes(memory) == ["MEMORY_PENDING"]
        status = memory.status().as_json()
        assert status["jobs"]["retry"] == 1  # type: ignore[index]
    clock.tick()
    with program(project, clock, pipeline=failing) as memory:
        left = memory.flush()
        assert (left.pending, len(left.failed), failing.calls) == ((), 1, 2)
        assert memory.flush() == Flushed((), (), timed_out=False)
        assert failing.calls == 2


@pytest.mark.requirement("M10.0")
def test_leaving_is_bounded(project: Path, clock: Ticking) -> None:
    pipeline = Held()
    with program(project, clock, pipeline=pipeline) as memory:
        said(memory)
        assert memory.flush(deadline=0.1).timed_out
        pipeline.let_go.set()


@pytest.mark.parametrize("wait", [-1, float("nan"), 1e9])
def test_a_wait_has_bounds(talk: Memory, wait: float) -> None:
    with pytest.raises(MemoryRuleError):
        talk.new_thread(wait)
    with pytest.raises(MemoryRuleError):
        talk.flush(wait)


def test_a_watching_worker_stops_when_it_is_told(talk: Memory) -> None:
    stop = threading.Event()
    watching = threading.Thread(target=talk.worker, args=("watch", stop.is_set))
    watching.start()
    said(talk)
    said(talk, "And another.")
    stop.set()
    watching.join(20)
    assert not watching.is_alive()
    assert talk.worker("drain").waiting is None
    assert len(talk.list()) == 1


def test_a_worker_without_a_pipeline_does_nothing(project: Path) -> None:
    with program(project) as memory:
        assert memory.worker("drain").waiting == "no_pipeline"


def give_up(store: MemoryStore, batch: Batch) -> None:
    with store.writing() as writing:
        give_back(writing, batch)


def lease_of(store: MemoryStore, turn_id: str) -> str:
    row = store.db.execute(
        "SELECT lease_expires_at FROM turns WHERE id = ?", (turn_id,)
    ).fetchone()
    return str(row[0])


def stamped(project: Path) -> dict[str, int]:
    return {
        path.name: path.stat().st_mtime_ns
        for path in (project / ".agentctx").iterdir()
        if path.name in {"memory.db", "memory_summary.md"}
    }


@pytest.mark.requirement("C3", "C5")
def test_a_request_of_a_turn_that_another_program_cleared_gives_nothing(
    project: Path, clock: Ticking, talk: Memory
) -> None:
    turn = begun(talk, "How wide are tabs?")
    given_up = begun(talk, "And now?", session="s2")
    request, late = talk.open_request(turn), talk.open_request(given_up)
    with program(project, clock, owner="another") as other:
        clock.tick()
        other.recover()
        assert late.search("indentation").hits == ()
        other.clear(confirm=True)
    assert request.search("indentation").hits == ()
    assert request.map().text == ""
    assert codes(talk) == ["TURN_ENDED", "TURN_NOT_FOUND"]
