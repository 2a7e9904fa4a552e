"""Turns: kept before they are answered, and each of them ended and queued once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.jobs import capture, claim, give_back
from agentctx.memory.model import TurnId
from agentctx.memory.rawtext import bounded_scope, is_inside
from agentctx.memory.refusals import (
    MemoryDegradedError,
    MemoryRuleError,
    TurnEndedError,
    TurnLateError,
    TurnLeaseError,
    TurnNotFoundError,
)
from agentctx.memory.threads import new_thread
from agentctx.memory.turns import (
    EXTERNAL_LEASE,
    NewTurn,
    adjacent_turn,
    begin_turn,
    complete_turn,
    completed_turns,
    fail_turn,
    interrupt_turn,
    open_turns,
    recover,
    renew_owned,
    renew_session,
    review_evidence,
    turn_of,
)
from tests.agentctx.memory.memories import begin, count, memory_at, say, take

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.store import MemoryStore
    from tests.recorded import Ticking

KEY = "sk-ant-api03-" + "Ab3dEf6hIj9kLm2nOp5q" * 4 + "-" + "xYz12345AA"


def recovered(store: MemoryStore) -> tuple[TurnId, ...]:
    with store.writing() as writing:
        return recover(writing)


@pytest.mark.requirement("M2.0(a)", "M2.0(b)")
def test_what_is_said_is_kept_before_the_answer_and_the_answer_after_it(
    project: Path, memory: MemoryStore
) -> None:
    turn = begin(memory, "Why is it slow?")
    with memory_at(project) as other:
        assert turn_of(other.db, turn.id).user_text == "Why is it slow?"
        assert turn_of(other.db, turn.id).state == "open"
    complete_turn(memory, turn.id, "It waits for the disk.")
    found = turn_of(memory.db, turn.id)
    assert (found.state, found.assistant_text) == (
        "completed",
        "It waits for the disk.",
    )


@pytest.mark.requirement("M11.7")
def test_secrets_never_reach_the_file(project: Path, memory: MemoryStore) -> None:
    turn = begin(memory, f"Use the key {KEY} for it.")
    complete_turn(memory, turn.id, f"I used {KEY}.")
    found = turn_of(memory.db, turn.id)
    assert "[redacted:" in found.user_text
    assert "[redacted:" in found.assistant_text
    memory.close()
    for path in (project / ".agentctx").iterdir():
        assert KEY.encode() not in path.read_bytes()


@pytest.mark.parametrize(
    "text", ["\ud800 half", "\0 nothing", "", "é" * 300_000], ids=ascii
)
def test_any_text_can_be_said(memory: MemoryStore, text: str) -> None:
    turn = begin(memory, text[:600_000])
    assert turn.user_text == text.replace("\ud800", "\ufffd")


@pytest.mark.requirement("M1.6(a)", "M1.6(b)", "M1.6(d)")
def test_a_turn_keeps_the_first_ten_scope_paths_in_their_order(
    memory: MemoryStore,
) -> None:
    paths = [f"src/{number}.py" for number in range(20, 0, -1)]
    with memory.writing() as writing:
        turn = begin_turn(writing, NewTurn("s", "ordinary", "chat", "Look.", paths))
    assert turn.scope_paths == tuple(paths[:10])
    complete_turn(memory, turn.id, "I looked.")
    assert take(memory).turns[0].scope_paths == tuple(paths[:10])


@pytest.mark.requirement("C12")
@pytest.mark.parametrize(
    "path",
    [".agentctx/memory.db", "./.agentctx", ".AGENTCTX/x", "../x", "/etc/x", "C:\\x"],
)
def test_our_own_folder_and_the_outside_are_no_scope(path: str) -> None:
    assert bounded_scope([path, "a/../../b", "", "src"]) == ("src",)


@given(st.lists(st.text(max_size=30), max_size=40))
def test_a_scope_has_ten_distinct_paths_inside_the_project(paths: list[str]) -> None:
    found = bounded_scope(paths)
    assert len(found) <= 10
    assert len(set(found)) == len(found)
    assert all(is_inside(path) for path in found)


@pytest.mark.requirement("M2.3(a)", "M2.3(b)", "M4.0(a)")
def test_a_failed_turn_keeps_what_was_said_and_is_queued(memory: MemoryStore) -> None:
    turn = begin(memory)
    found = fail_turn(memory, turn.id, "MODEL_DOWN")
    assert (found.state, found.user_text) == ("failed", turn.user_text)
    assert found.assistant_text == ""
    assert take(memory).turns == (found,)


@pytest.mark.requirement("M2.3(b)", "H4")
def test_a_turn_whose_process_died_is_interrupted_when_its_lease_ran_out(
    memory: MemoryStore, clock: Ticking
) -> None:
    turn = begin(memory)
    assert recovered(memory) == ()
    clock.tick(EXTERNAL_LEASE)
    assert recovered(memory) == (turn.id,)
    assert turn_of(memory.db, turn.id).state == "interrupted"
    assert count(memory, "memory_jobs", "status = 'pending'") == 1
    assert recovered(memory) == ()


@pytest.mark.requirement("H4")
def test_any_sign_of_a_session_holds_its_turn_open(
    memory: MemoryStore, clock: Ticking
) -> None:
    begin(memory, session="s1")
    other = begin(memory, session="s2")
    clock.tick(timedelta(minutes=20))
    with memory.writing() as writing:
        assert renew_session(writing, "s1") == 1
    clock.tick(timedelta(minutes=20))
    assert recovered(memory) == (other.id,)


@pytest.mark.requirement("M3.5(a)", "M4.8(a)")
def test_renewing_what_an_owner_has_open_never_shortens_it(
    memory: MemoryStore, clock: Ticking
) -> None:
    begin(memory)
    with memory.writing() as writing:
        assert renew_owned(writing, lease=timedelta(seconds=120)) == 1
    clock.tick(timedelta(minutes=20))
    assert recovered(memory) == ()


def test_a_second_prompt_interrupts_and_queues_the_open_turn_of_its_session(
    memory: MemoryStore,
) -> None:
    first, other = begin(memory, session="s1"), begin(memory, session="s2")
    second = begin(memory, session="s1")
    assert turn_of(memory.db, first.id).state == "interrupted"
    assert [one.id for one in open_turns(memory.db)] == [other.id, second.id]
    assert take(memory).turns[0].id == first.id


@pytest.mark.requirement("H4")
def test_a_late_answer_is_kept_while_nothing_was_built_on_the_interruption(
    memory: MemoryStore, clock: Ticking
) -> None:
    turn = begin(memory)
    clock.tick(EXTERNAL_LEASE)
    recovered(memory)
    begin(memory, session="another")
    assert complete_turn(memory, turn.id, "At last.").state == "completed"
    assert count(memory, "memory_jobs") == 1
    assert take(memory).turns[0].assistant_text == "At last."


@pytest.mark.requirement("H4")
@pytest.mark.parametrize("why", ["a later turn", "a claimed job"])
def test_a_late_answer_is_refused_once_something_was(
    memory: MemoryStore, clock: Ticking, why: str
) -> None:
    turn = begin(memory)
    clock.tick(EXTERNAL_LEASE)
    recovered(memory)
    if why == "a later turn":
        begin(memory)
    else:
        take(memory)
    with pytest.raises(TurnLateError):
        complete_turn(memory, turn.id, "At last.")
    assert turn_of(memory.db, turn.id).state == "interrupted"
    assert count(memory, "turns", "late_refused = 1") == 1


def test_a_job_that_was_given_back_unused_lets_a_late_answer_in(
    memory: MemoryStore,
) -> None:
    turn = begin(memory)
    interrupt_turn(memory, turn.id)
    with memory.writing() as writing:
        batch = claim(writing, "extraction", drain=True)
        assert batch is not None
        give_back(writing, batch)
    assert complete_turn(memory, turn.id, "At last.").state == "completed"


def test_a_turn_ends_once_by_its_owner_and_with_an_answer(
    project: Path, memory: MemoryStore
) -> None:
    turn = begin(memory)
    other = memory_at(project, owner="process two")
    with other, pytest.raises(TurnLeaseError):
        complete_turn(other, turn.id, "Mine.")
    with pytest.raises(MemoryRuleError):
        complete_turn(memory, turn.id, " \n")
    with pytest.raises(MemoryRuleError):
        fail_turn(memory, turn.id, "the provider said: a secret text")
    fail_turn(memory, turn.id, "BUG")
    with pytest.raises(TurnEndedError):
        complete_turn(memory, turn.id, "Mine.")
    with pytest.raises(TurnNotFoundError):
        complete_turn(memory, TurnId("turn_none"), "Mine.")


@pytest.mark.requirement("M5.5(b)")
def test_a_review_turn_keeps_evidence_keys_that_later_turns_can_read(
    memory: MemoryStore,
) -> None:
    for number in range(22):
        new = NewTurn("s", "review", "audit", "No.", (), [f"run:{number}"])
        with memory.writing() as writing:
            turn = begin_turn(writing, new)
        complete_turn(memory, turn.id, "Understood.")
    found = review_evidence(memory.db, turn.thread_id, until=turn.sequence)
    assert [one.evidence_keys for one in found] == [
        (f"run:{number}",) for number in range(21, 1, -1)
    ]


@pytest.mark.parametrize("key", ["run", ":item", "run:", " : ", "r:" + "x" * 200])
def test_an_evidence_key_is_one_whole_pair(memory: MemoryStore, key: str) -> None:
    new = NewTurn("s", "review", "audit", "No.", (), [key])
    with pytest.raises(MemoryRuleError), memory.writing() as writing:
        begin_turn(writing, new)
    assert count(memory, "turns") == 0


@pytest.mark.requirement("H1")
def test_the_turn_before_is_that_of_the_same_session(memory: MemoryStore) -> None:
    mine = say(memory, "Mine.", "s1")
    say(memory, "Another's.", "s2")
    fail_turn(memory, begin(memory, "Mine, failed.", "s1").id, "BUG")
    assert adjacent_turn(memory.db, say(memory, "Mine again.", "s1")) == mine


@pytest.mark.requirement("M2.1(b)")
def test_history_is_the_completed_ordinary_turns_newest_first(
    memory: MemoryStore,
) -> None:
    turns = [say(memory, f"Turn {number}.") for number in range(3)]
    fail_turn(memory, begin(memory).id, "BUG")
    with memory.writing() as writing:
        review = begin_turn(writing, NewTurn("r", "review", "audit", "No."))
    complete_turn(memory, review.id, "Understood.")
    found = completed_turns(memory.db, turns[0].thread_id)
    assert list(found) == turns[::-1]


@pytest.mark.requirement("M3.1(c)", "M3.7(a)")
def test_a_new_thread_archives_the_old_one_and_is_empty(memory: MemoryStore) -> None:
    old = say(memory)
    with memory.writing() as writing:
        new, archived = new_thread(writing)
    assert archived == old.thread_id
    assert not list(completed_turns(memory.db, new))
    turn = begin(memory)
    assert (turn.thread_id, turn.sequence) == (new, 1)
    assert capture(memory.db, old.thread_id).job_ids


@pytest.mark.requirement("M3.8(a)")
def test_a_turn_that_began_before_a_new_thread_ends_in_the_old_one(
    memory: MemoryStore,
) -> None:
    turn = begin(memory)
    with memory.writing() as writing:
        new_thread(writing)
    assert complete_turn(memory, turn.id, "Done.").thread_id == turn.thread_id


@pytest.mark.requirement("M2.2(a)", "M2.2(b)")
def test_nothing_but_a_person_makes_up_for_a_lost_active_thread(
    memory: MemoryStore,
) -> None:
    memory.db.execute("DELETE FROM threads")
    with pytest.raises(MemoryDegradedError):
        begin(memory)
    with pytest.raises(MemoryDegradedError):
        recovered(memory)
    with pytest.raises(MemoryDegradedError), memory.writing() as writing:
        new_thread(writing)
    assert count(memory, "threads") == 0
