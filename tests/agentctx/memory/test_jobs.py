"""Jobs: when they are due, who may work on them, and how they end."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.candidates import Proposed, commit_extraction, leave_out
from agentctx.memory.jobs import (
    LEASE,
    RETRY_DELAY,
    Batch,
    Failure,
    capture,
    claim,
    count_call,
    fail,
    failed_of,
    finish,
    give_back,
    next_moment,
    renew,
    require_held,
    unfinished,
)
from agentctx.memory.model import Source
from agentctx.memory.opening import clear_memory
from agentctx.memory.refusals import (
    MemoryFencedError,
    MemoryRuleError,
)
from agentctx.memory.store import RandomIds
from agentctx.memory.tally import tally
from agentctx.memory.threads import new_thread, thread_of
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    begin,
    count,
    memory_at,
    propose,
    say,
    take,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.memory.jobs import JobKind, JobStatus, Watermark
    from agentctx.memory.store import MemoryStore, Writing
    from tests.recorded import Ticking

DOWN = Failure("provider_transient", "call", "primary")
BAD = Failure("contract_semantic", "validate", "repair", "source_quote")


def claimed(
    store: MemoryStore, kind: JobKind = "extraction", among: Watermark | None = None
) -> Batch | None:
    with store.writing() as writing:
        return claim(writing, kind, drain=among is not None, among=among)


def failing(
    store: MemoryStore, batch: Batch, failure: Failure, *, retryable: bool
) -> JobStatus:
    with store.writing() as writing:
        return fail(writing, batch, failure, retryable=retryable)


def status_of(store: MemoryStore, batch: Batch) -> list[str]:
    rows = store.db.execute(
        "SELECT status FROM memory_jobs WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps([job.id for job in batch.jobs]),),
    )
    return [row[0] for row in rows]


@pytest.mark.requirement("M4.1(a)")
def test_one_turn_waits_for_a_second_or_for_thirty_seconds(
    memory: MemoryStore, clock: Ticking
) -> None:
    say(memory)
    assert claimed(memory) is None
    clock.tick(timedelta(seconds=30))
    batch = claimed(memory)
    assert batch is not None
    assert len(batch.turns) == 1


@pytest.mark.requirement("M4.1(a)", "M4.1(c)")
def test_at_most_four_turns_are_taken_in_their_order(memory: MemoryStore) -> None:
    turns = [say(memory, f"Turn {number}.") for number in range(6)]
    first = claimed(memory)
    assert first is not None
    assert list(first.turns) == turns[:4]
    assert [job.turn_id for job in first.jobs] == [turn.id for turn in turns[:4]]
    assert claimed(memory) is None, "a thread's batches go one after the other"
    with memory.writing() as writing:
        commit_extraction(writing, first, "So far.", [])
    second = claimed(memory)
    assert second is not None
    assert list(second.turns) == turns[4:]


@pytest.mark.requirement("H1")
def test_a_batch_holds_the_turns_of_one_session(memory: MemoryStore) -> None:
    for number in range(3):
        say(memory, f"One {number}.", "s1")
        say(memory, f"Two {number}.", "s2")
    batch = claimed(memory)
    assert batch is not None
    assert {turn.session_id for turn in batch.turns} == {"s1"}
    assert len(batch.turns) == 3


@pytest.mark.requirement("M4.1(b)")
def test_a_batch_holds_jobs_with_the_same_counters(
    memory: MemoryStore, clock: Ticking
) -> None:
    say(memory)
    old = take(memory)
    failing(memory, old, DOWN, retryable=True)
    new = say(memory)
    clock.tick(RETRY_DELAY)
    first = claimed(memory)
    assert first is not None
    assert first.jobs[0].id == old.jobs[0].id
    assert len(first.jobs) == 1
    failing(memory, first, DOWN, retryable=True)
    assert take(memory).turns == (new,)


@pytest.mark.requirement("M4.7(a)", "M4.7(b)", "M10.2(a)")
def test_a_job_is_retried_once_and_then_fails(
    memory: MemoryStore, clock: Ticking
) -> None:
    say(memory)
    assert failing(memory, take(memory), DOWN, retryable=True) == "retry_wait"
    assert claimed(memory, among=capture(memory.db)) is None
    clock.tick(RETRY_DELAY)
    batch = take(memory)
    assert batch.jobs[0].claim_count == 2
    assert failing(memory, batch, DOWN, retryable=True) == "failed"
    assert count(memory, "memory_jobs", "completed_at IS NOT NULL") == 1


@pytest.mark.requirement("M10.3(a)", "M10.3(b)", "M4.0(d)")
def test_a_failed_job_is_never_pending_again(
    memory: MemoryStore, clock: Ticking
) -> None:
    say(memory)
    assert failing(memory, take(memory), BAD, retryable=False) == "failed"
    clock.tick(timedelta(days=1))
    assert not capture(memory.db).job_ids
    assert claimed(memory) is None


@pytest.mark.requirement("M8.1(a)", "M8.1(b)")
def test_status_tells_failures_in_closed_words(memory: MemoryStore) -> None:
    say(memory)
    batch = take(memory)
    with memory.writing() as writing:
        count_call(writing, batch)
    failing(memory, batch, BAD, retryable=False)
    found = tally(memory.db).as_json()
    assert found["jobs"] == {
        "pending": 0,
        "leased": 0,
        "retry": 0,
        "failed": 1,
        "succeeded": 0,
    }
    assert isinstance(found["failures"], list)
    told = found["failures"][0]
    assert told.pop("at")
    assert told == {
        "job_id": batch.jobs[0].id,
        "failure_class": "contract_semantic",
        "failure_phase": "validate",
        "failure_call": "repair",
        "failure_rule": "source_quote",
        "claim_count": 1,
        "provider_calls": 1,
    }


@pytest.mark.requirement("M8.1(b)")
@pytest.mark.parametrize("rule", ["The user said: no", "x" * 65, "", "é"])
def test_no_text_gets_into_a_diagnosis(memory: MemoryStore, rule: str) -> None:
    say(memory)
    batch = take(memory)
    with pytest.raises(MemoryRuleError):
        failing(memory, batch, BAD._replace(rule=rule), retryable=False)
    assert status_of(memory, batch) == ["leased"]


def test_a_job_calls_the_model_three_times_at_most(memory: MemoryStore) -> None:
    say(memory)
    batch = take(memory)
    for _ in range(3):
        with memory.writing() as writing:
            count_call(writing, batch)
    with pytest.raises(MemoryRuleError), memory.writing() as writing:
        count_call(writing, batch)


@pytest.mark.requirement("M4.8(b)")
def test_a_job_whose_worker_died_is_due_again_after_its_lease_and_then_fails(
    memory: MemoryStore, clock: Ticking
) -> None:
    say(memory)
    first = take(memory)
    clock.tick(LEASE - timedelta(seconds=10))
    assert claimed(memory) is None
    clock.tick(timedelta(seconds=10))
    second = claimed(memory)
    assert second is not None
    assert second.jobs[0].claim_count == 2
    clock.tick(LEASE)
    assert claimed(memory) is None
    assert status_of(memory, first) == ["failed"]
    assert tally(memory.db).failures[0]["failure_class"] == "lease_lost"


def test_a_lease_from_the_future_is_none(memory: MemoryStore, clock: Ticking) -> None:
    say(memory)
    clock.tick(timedelta(days=400))
    take(memory)
    clock.tick(timedelta(days=-399))
    assert claimed(memory) is not None


@pytest.mark.requirement("M4.8(a)")
def test_a_heartbeat_holds_the_job_and_the_owners_open_turns(
    memory: MemoryStore, clock: Ticking
) -> None:
    say(memory)
    batch = take(memory)
    begin(memory, session="s9")
    for _ in range(8):
        clock.tick(timedelta(seconds=100))
        with memory.writing() as writing:
            renew(writing, batch)
    assert claimed(memory) is None
    assert status_of(memory, batch) == ["leased"]


@pytest.mark.requirement("M4.9", "M4.11")
@pytest.mark.parametrize("act", ["call", "renew", "commit", "fail", "give back"])
def test_a_worker_whose_job_was_taken_over_writes_nothing(
    project: Path, memory: MemoryStore, clock: Ticking, act: str
) -> None:
    turn = say(memory)
    old = take(memory)
    clock.tick(LEASE)
    with memory_at(project, clock, owner="process two") as other:
        new = take(other)
    proposed = [Proposed(TABS, (Source(turn.id, "user", SAID),))]
    acts: dict[str, Callable[[Writing], object]] = {
        "call": lambda writing: count_call(writing, old),
        "renew": lambda writing: renew(writing, old),
        "commit": lambda writing: commit_extraction(writing, old, "Late.", proposed),
        "fail": lambda writing: fail(writing, old, DOWN, retryable=True),
        "give back": lambda writing: give_back(writing, old),
    }
    with pytest.raises(MemoryFencedError), memory.writing() as writing:
        acts[act](writing)
    require_held(memory.db, new)
    assert count(memory, "memory_candidates") == 0


@pytest.mark.requirement("H7", "M8.3(a)", "M4.11")
@pytest.mark.parametrize("damaged", [False, True], ids=["emptied", "made anew"])
def test_a_worker_of_before_a_clear_writes_nothing(
    project: Path, clock: Ticking, *, damaged: bool
) -> None:
    with memory_at(project, clock) as memory:
        say(memory)
        batch = take(memory)
        if damaged:
            memory.db.execute("DELETE FROM threads")
        clear_memory(
            str(project),
            clock=clock,
            ids=RandomIds(lambda n: b"\7" * n),
            owner="person",
        )
        with pytest.raises(MemoryFencedError), memory.writing() as writing:
            finish(writing, batch, output=True)
    with memory_at(project, clock) as again:
        assert count(again, "memory_jobs") == 0
        with pytest.raises(MemoryFencedError), again.writing() as writing:
            finish(writing, batch, output=True)


@pytest.mark.requirement("M4.2(a)", "M4.2(b)", "M4.0(c)")
def test_a_checkpoint_without_candidates_is_a_success(memory: MemoryStore) -> None:
    turn = say(memory)
    batch = take(memory)
    with memory.writing() as writing:
        commit_extraction(writing, batch, "Tabs were talked about.", [])
    thread = thread_of(memory.db, turn.thread_id)
    assert thread is not None
    assert (thread.compaction, thread.compaction_sequence) == (
        "Tabs were talked about.",
        turn.sequence,
    )
    assert status_of(memory, batch) == ["succeeded_no_output"]
    assert claimed(memory, among=capture(memory.db)) is None


@pytest.mark.requirement("M4.3(c)", "M4.4(b)")
def test_what_does_not_fit_ends_with_its_reason_and_suppresses_candidates(
    memory: MemoryStore,
) -> None:
    batch = propose(memory, TABS)
    with memory.writing() as writing:
        leave_out(writing, batch, "input_capacity")
    assert status_of(memory, batch) == ["succeeded_no_output"]
    assert count(memory, "memory_candidates", "status = 'suppressed'") == 1
    assert count(memory, "memory_jobs", "failure_class = 'capacity'") == 1


@pytest.mark.requirement("M4.6(c)")
def test_a_consolidation_that_fails_suppresses_its_candidates(
    memory: MemoryStore,
) -> None:
    failing(memory, propose(memory, TABS), BAD, retryable=False)
    assert count(memory, "memory_candidates", "status = 'suppressed'") == 1


@pytest.mark.requirement("M4.6(c)")
def test_an_extraction_that_fails_changes_neither_checkpoint_nor_candidates(
    memory: MemoryStore,
) -> None:
    turn = say(memory)
    failing(memory, take(memory), BAD, retryable=False)
    thread = thread_of(memory.db, turn.thread_id)
    assert thread is not None
    assert thread.compaction == ""
    assert count(memory, "memory_candidates") == 0


@pytest.mark.requirement("M4.0(b)")
def test_consolidations_go_one_after_the_other(
    memory: MemoryStore, clock: Ticking
) -> None:
    first = propose(memory, TABS)
    turn = say(memory)
    with memory.writing() as writing:
        batch = claim(writing, "extraction", drain=True)
        assert batch is not None
        proposed = [Proposed(TABS, (Source(turn.id, "user", SAID),))]
        commit_extraction(writing, batch, "More.", proposed)
    assert claimed(memory, "consolidation") is None
    failing(memory, first, BAD, retryable=False)
    clock.tick()
    assert claimed(memory, "consolidation") is not None


@pytest.mark.requirement("M3.1(a)", "M3.1(b)", "M3.3(b)")
def test_a_watermark_is_the_jobs_of_its_moment_and_what_is_derived_of_them(
    memory: MemoryStore,
) -> None:
    turn = say(memory)
    mark = capture(memory.db, turn.thread_id)
    with memory.writing() as writing:
        new_thread(writing)
    say(memory, session="s2")
    batch = claimed(memory, among=mark)
    assert batch is not None
    with memory.writing() as writing:
        proposed = [Proposed(TABS, (Source(turn.id, "user", SAID),))]
        commit_extraction(writing, batch, "Tabs.", proposed)
    assert len(unfinished(memory.db, mark)) == 1
    assert claimed(memory, among=mark) is None
    derived = claimed(memory, "consolidation", among=mark)
    assert derived is not None
    failing(memory, derived, BAD, retryable=False)
    assert unfinished(memory.db, mark) == ()
    assert failed_of(memory.db, mark) == (derived.jobs[0].id,)
    assert next_moment(memory.db, mark) is None
    assert count(memory, "memory_jobs", "status = 'pending'") == 1


@pytest.mark.requirement("M3.3(a)")
def test_a_watermark_tells_when_to_look_again(memory: MemoryStore) -> None:
    say(memory)
    mark = capture(memory.db)
    batch = take(memory)
    leased = next_moment(memory.db, mark)
    failing(memory, batch, DOWN, retryable=True)
    waiting = next_moment(memory.db, mark)
    assert leased is not None
    assert waiting is not None
    assert waiting < leased


def test_a_job_given_back_has_used_no_claim(memory: MemoryStore) -> None:
    say(memory)
    for _ in range(5):
        batch = take(memory)
        with memory.writing() as writing:
            give_back(writing, batch)
    assert tally(memory.db).jobs["pending"] == 1
    assert take(memory).jobs[0].claim_count == 1
