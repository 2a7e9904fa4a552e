"""What memory refuses of whoever works on it, and what it tells of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.memory.candidates import Proposed, commit_extraction
from agentctx.memory.items import Operation, forget, revise_by_hand
from agentctx.memory.jobs import claim
from agentctx.memory.logpages import cells, committed_pages
from agentctx.memory.model import RecallQuery, Source, TurnId
from agentctx.memory.pools import RequestState
from agentctx.memory.recall import policy_for
from agentctx.memory.refusals import (
    MemoryDegradedError,
    MemoryFencedError,
    MemoryRuleError,
)
from agentctx.memory.requests import keep_request, request_state
from agentctx.memory.tally import tally
from agentctx.memory.threads import checkpoints, new_thread, write_checkpoint
from agentctx.memory.turns import NewTurn, begin_turn
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    begin,
    believe,
    count,
    decide,
    propose,
    say,
    take,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Profile
    from agentctx.memory.store import MemoryStore

TALK = TABS._replace(kind="discussion_context", strength="soft", subject="Storage")


def extracted(store: MemoryStore, *sources: Source, times: int = 1) -> str:
    batch = take(store)
    proposed = [Proposed(TABS, sources)] * times
    with pytest.raises(MemoryRuleError) as caught, store.writing() as writing:
        commit_extraction(writing, batch, "So far.", proposed)
    return str(caught.value.facts["rule"])


def test_an_extraction_has_a_bounded_number_of_candidates(memory: MemoryStore) -> None:
    source = Source(say(memory).id, "user", SAID)
    assert extracted(memory, source, times=33) == "too_many_candidates"


@pytest.mark.parametrize("number", [0, 9])
def test_a_candidate_has_one_to_eight_sources(memory: MemoryStore, number: int) -> None:
    turn = say(memory)
    sources = [Source(turn.id, "user", SAID[:size]) for size in range(5, 5 + number)]
    assert extracted(memory, *sources) == "source_count"


@pytest.mark.requirement("M5.7(a)")
def test_a_source_is_an_ended_turn_of_the_same_thread(memory: MemoryStore) -> None:
    old = say(memory)
    with memory.writing() as writing:
        claim(writing, "extraction", drain=True)
        new_thread(writing)
    say(memory)
    nobody = Source(TurnId("turn_none"), "user", SAID)
    assert extracted(memory, nobody) == "source_turn"
    memory.db.execute(
        "UPDATE memory_jobs SET status = 'pending', lease_owner = NULL,"
        " lease_expires_at = NULL WHERE turn_id <> ?",
        (old.id,),
    )
    assert extracted(memory, Source(old.id, "user", SAID)) == "source_turn"


def test_a_discussion_is_revised_in_its_own_thread_only(memory: MemoryStore) -> None:
    (item,) = believe(memory, TALK)
    assert item.thread_id is not None
    with memory.writing() as writing:
        new_thread(writing)
    batch = propose(memory, TALK)
    operation = Operation("revise", batch.jobs[0].candidate_ids, item.id, TALK)
    with pytest.raises(MemoryRuleError) as caught:
        decide(memory, batch, [operation], item.id)
    assert caught.value.facts["rule"] == "scope"


def test_a_target_applies_where_the_candidates_do_and_is_active(
    memory: MemoryStore,
) -> None:
    pathed = TABS._replace(applies_to_paths=("src",))
    src, tabs = believe(memory, pathed, TABS._replace(subject="Tabs"))
    batch = propose(memory, TABS)
    for target, rule in ((src, "paths"), (tabs, "target")):
        if rule == "target":
            with memory.writing() as writing:
                forget(writing, target.id)
            memory.db.execute("UPDATE memory_candidates SET status = 'pending'")
        ids = batch.jobs[0].candidate_ids
        operation = Operation("revise", ids, target.id, TABS)
        with pytest.raises(MemoryRuleError) as caught:
            decide(memory, batch, [operation], target.id)
        assert caught.value.facts["rule"] == rule


def test_an_edit_by_hand_keeps_where_an_item_applies(memory: MemoryStore) -> None:
    (item,) = believe(memory, TABS)
    moved = TABS._replace(applies_to_paths=("src",))
    with pytest.raises(MemoryRuleError), memory.writing() as writing:
        revise_by_hand(writing, item.id, moved)


@pytest.mark.requirement("M11.5")
def test_checkpoints_can_be_edited_and_are_bounded(memory: MemoryStore) -> None:
    turn = say(memory)
    with memory.writing() as writing:
        write_checkpoint(writing, turn.thread_id, "One. Two.", sequence=3)
        write_checkpoint(writing, turn.thread_id, "Two.")
    (thread,) = checkpoints(memory.db)
    assert (thread.compaction, thread.compaction_sequence) == ("Two.", 3)
    for text in ("", "x" * 4001):
        with pytest.raises(MemoryRuleError), memory.writing() as writing:
            write_checkpoint(writing, turn.thread_id, text, sequence=4)


@pytest.mark.parametrize(
    ("session", "profile", "keys"),
    [
        ("", "ordinary", ()),
        ("s" * 201, "ordinary", ()),
        ("s", "ordinary", ("run:1",)),
    ],
)
def test_a_turn_that_is_none_is_refused(
    memory: MemoryStore, session: str, profile: Profile, keys: tuple[str, ...]
) -> None:
    new = NewTurn(session, profile, "chat", SAID, (), keys)
    with pytest.raises(MemoryRuleError), memory.writing() as writing:
        begin_turn(writing, new)
    wrong = NewTurn("s", "other", "chat", SAID)  # type: ignore[arg-type]  # a bad caller
    with pytest.raises(MemoryRuleError), memory.writing() as writing:
        begin_turn(writing, wrong)


@pytest.mark.requirement("H2", "H7")
def test_a_request_of_before_a_clear_is_fenced(memory: MemoryStore) -> None:
    turn = begin(memory)
    policy = policy_for("ordinary", turn.thread_id, recall=4096, mapped=1024)
    state = RequestState(RecallQuery("ordinary", turn.thread_id), policy)
    with memory.writing() as writing:
        keep_request(writing, turn.id, state)
    memory.db.execute("UPDATE memory_meta SET generation = 2")
    with pytest.raises(MemoryFencedError):
        request_state(memory.db, turn.id)


@pytest.mark.requirement("M2.2(a)")
def test_a_lost_singleton_degrades_every_write(memory: MemoryStore) -> None:
    turn = begin(memory)
    memory.db.execute("DELETE FROM memory_meta")
    with pytest.raises(MemoryDegradedError):
        say(memory)
    with pytest.raises(MemoryDegradedError), memory.looking() as db:
        tally(db)
    assert count(memory, "turns", f"id = '{turn.id}' AND state = 'open'") == 1


@pytest.mark.requirement("M1.0(a)")
def test_a_file_that_was_taken_away_is_written_no_more(
    project: Path, memory: MemoryStore
) -> None:
    (project / ".agentctx" / "memory.db").unlink()
    assert not memory.is_current()
    with pytest.raises(MemoryFencedError):
        begin(memory)


@pytest.mark.requirement("H5")
def test_looking_for_work_where_there_is_none_writes_nothing(
    memory: MemoryStore,
) -> None:
    say(memory)
    before = memory.db.total_changes
    for _ in range(20):
        with memory.writing() as writing:
            assert claim(writing, "extraction") is None
            assert claim(writing, "consolidation", drain=True) is None
    assert memory.db.total_changes == before


@pytest.mark.parametrize(
    "content",
    [b"", b"\x37\x7f\x06\x82" + bytes(28), b"garbage" * 99, None],
    ids=["empty", "no page size", "garbage", "a folder"],
)
def test_a_log_that_is_none_holds_no_page(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "memory.db-wal"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    assert committed_pages(str(path), {1}) == {}
    assert cells(bytes(4096)) is None
