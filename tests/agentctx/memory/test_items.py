"""Items: made, revised and let go in one step, and never two about the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agentctx.memory.candidates import (
    Proposed,
    candidate_of,
    commit_extraction,
    forgotten_quotes,
    pending_candidates,
)
from agentctx.memory.items import (
    Operation,
    chain,
    forget,
    identity,
    item_by_id,
    items,
    live_item,
    revise_by_hand,
)
from agentctx.memory.model import ItemId, Meaning, RecallQuery, Source, ThreadId
from agentctx.memory.pools import RequestState
from agentctx.memory.recall import policy_for
from agentctx.memory.refusals import (
    MemoryFencedError,
    MemoryItemNotFoundError,
    MemoryItemOldError,
    MemoryRuleError,
    TurnEndedError,
)
from agentctx.memory.related import related_targets
from agentctx.memory.requests import drop_request, keep_request, request_state
from agentctx.memory.threads import thread_of
from agentctx.memory.turns import complete_turn
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
    from collections.abc import Sequence

    from agentctx.memory.items import OperationName
    from agentctx.memory.jobs import Batch
    from agentctx.memory.model import TurnId
    from agentctx.memory.store import MemoryStore

SPACES = TABS._replace(subject="Line length", statement="Lines have 88 characters.")
TALK = TABS._replace(kind="discussion_context", strength="soft", subject="Storage")


def refused(
    store: MemoryStore,
    batch: Batch,
    *operations: Operation,
    targets: Sequence[ItemId] = (),
) -> str:
    """Give the rule that refuses operations, having seen that nothing changed."""
    before = list(store.db.iterdump())
    with pytest.raises(MemoryRuleError) as caught:
        decide(store, batch, operations, *targets)
    assert list(store.db.iterdump()) == before
    return str(caught.value.facts["rule"])


def extract(store: MemoryStore, proposed: Proposed) -> int:
    batch = take(store)
    with store.writing() as writing:
        return len(commit_extraction(writing, batch, "So far.", [proposed]).kept)


@pytest.mark.requirement("M5.10(a)", "M1.0(a)")
def test_a_created_item_has_an_id_of_the_stores_and_its_quotes(
    memory: MemoryStore,
) -> None:
    (item,) = believe(memory, TABS)
    assert item.id == f"{item.logical_id}_r1"
    assert item.meaning == TABS
    assert item.status == "active"
    assert count(memory, "memory_item_candidates") == 1
    assert count(memory, "memory_terms", "term_type = 'alias'") > 0
    assert count(memory, "memory_jobs", "status = 'succeeded'") == 2


@pytest.mark.requirement("M5.10(b)")
@pytest.mark.parametrize("name", ["revise", "supersede"])
def test_a_revision_takes_its_targets_place_and_may_change_its_kind(
    memory: MemoryStore, name: OperationName
) -> None:
    (old,) = believe(memory, TABS)
    decision = TABS._replace(kind="project_decision", statement="We indent with tabs.")
    batch = propose(memory, decision)
    ids = batch.jobs[0].candidate_ids
    operation = Operation(name, ids, old.id, decision)
    (new,) = decide(memory, batch, [operation], old.id)
    assert (new.logical_id, new.revision) == (old.logical_id, 2)
    before = item_by_id(memory.db, old.id)
    assert (before.status, before.replaced_by_id) == ("superseded", new.id)
    assert count(memory, "memory_terms", f"item_id = '{old.id}'") == 0
    assert [one.id for one in chain(memory.db, old.logical_id)] == [old.id, new.id]
    assert [one.id for one in items(memory.db)] == [new.id]


@pytest.mark.requirement("M5.11(a)", "M5.11(b)", "M11.6")
def test_two_creates_about_the_same_leave_nothing_behind(memory: MemoryStore) -> None:
    same = TABS._replace(subject="  INDENTATION. ", statement="Tabs.")
    batch = propose(memory, TABS, same)
    one, two = batch.jobs[0].candidate_ids
    operations = (
        Operation("create", (one,), None, TABS),
        Operation("create", (two,), None, same),
    )
    assert refused(memory, batch, *operations) == "identity"
    assert items(memory.db) == ()


@pytest.mark.requirement("M5.12(a)", "M5.12(b)", "M5.12(c)", "M5.13(a)", "M5.13(b)")
def test_a_revision_cannot_take_the_identity_of_an_item_it_was_not_shown(
    memory: MemoryStore,
) -> None:
    tabs, length = believe(memory, TABS, SPACES)
    batch = propose(memory, TABS)
    operation = Operation("revise", batch.jobs[0].candidate_ids, length.id, TABS)
    assert refused(memory, batch, operation, targets=(length.id,)) == "identity"
    assert {one.id for one in items(memory.db)} == {tabs.id, length.id}


@pytest.mark.requirement("M5.10(c)")
@pytest.mark.parametrize(
    ("rule", "changed"),
    [
        ("target", {"name": "revise", "target_id": ItemId("memory_none_r1")}),
        ("target", {"name": "revise", "target_id": None}),
        ("target", {"target_id": ItemId("memory_none_r1")}),
        ("coverage", {"candidate_ids": ("candidate_none",)}),
        ("operations", {"candidate_ids": ()}),
        ("meaning", {"meaning": None}),
        ("mixed_scope", {"meaning": TALK}),
        ("paths", {"meaning": TABS._replace(applies_to_paths=("src",))}),
        ("fields", {"meaning": TABS._replace(subject="")}),
        ("fields", {"meaning": TABS._replace(content="x" * 4001)}),
        (
            "fields",
            {"meaning": TABS._replace(recall_mode="always", strength="soft")},
        ),
    ],
)
def test_an_operation_that_is_not_allowed_leaves_nothing_behind(
    memory: MemoryStore, rule: str, changed: dict[str, Any]
) -> None:
    batch = propose(memory, SPACES, TABS)
    first, second = batch.jobs[0].candidate_ids
    good = Operation("create", (first,), None, SPACES)
    bad = Operation("create", (second,), None, TABS)._replace(**changed)
    known = (ItemId("memory_none_r1"),)
    assert refused(memory, batch, good, bad, targets=known) == rule


def test_a_candidate_decided_on_twice_or_never_is_refused(memory: MemoryStore) -> None:
    batch = propose(memory, TABS)
    create = Operation("create", batch.jobs[0].candidate_ids, None, TABS)
    assert refused(memory, batch) == "coverage"
    assert refused(memory, batch, create, create._replace(name="reject")) == "coverage"


@pytest.mark.requirement("M5.5(d)")
def test_what_is_inferred_never_replaces_what_was_said(memory: MemoryStore) -> None:
    (said,) = believe(memory, TABS)
    inferred = TABS._replace(origin="inferred_repetition", strength="soft")
    batch = propose(memory, inferred)
    operation = Operation("revise", batch.jobs[0].candidate_ids, said.id, inferred)
    assert refused(memory, batch, operation, targets=(said.id,)) == "inferred"


def test_a_rejection_alone_is_a_success_without_output(memory: MemoryStore) -> None:
    batch = propose(memory, TABS)
    ids = batch.jobs[0].candidate_ids
    assert decide(memory, batch, [Operation("reject", ids)]) == ()
    found = candidate_of(memory.db, ids[0])
    assert found is not None
    assert found.status == "rejected"
    assert count(memory, "memory_jobs", "status = 'succeeded_no_output'") == 1
    with pytest.raises(MemoryFencedError):
        decide(memory, batch, [Operation("reject", ids)])


@pytest.mark.parametrize("text", ["\0", "\ud800" * 161, "x" * 161], ids=ascii)
def test_a_candidate_that_no_table_takes_is_refused(
    memory: MemoryStore, text: str
) -> None:
    turn = say(memory)
    bad = Proposed(TABS._replace(subject=text), (Source(turn.id, "user", SAID),))
    with pytest.raises(MemoryRuleError):
        extract(memory, bad)


@pytest.mark.requirement("M5.7(a)")
@pytest.mark.parametrize("quote", ["From now on use tabs.", " ", "Understood."])
def test_a_quote_is_what_its_turn_says(memory: MemoryStore, quote: str) -> None:
    turn = say(memory)
    with pytest.raises(MemoryRuleError):
        extract(memory, Proposed(TABS, (Source(turn.id, "user", quote),)))
    assert count(memory, "memory_candidates") == 0
    thread = thread_of(memory.db, turn.thread_id)
    assert thread is not None
    assert thread.compaction == ""


@pytest.mark.requirement("M11.7")
def test_no_secret_becomes_part_of_an_item(memory: MemoryStore) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    secret = TABS._replace(content=f"The key is {key}.", subject=f"Key {key}")
    believe(memory, secret)
    assert not any(key in line for line in memory.db.iterdump())


@pytest.mark.requirement("M8.2(a)", "M11.5")
def test_a_forgotten_item_is_gone_and_not_learned_again(memory: MemoryStore) -> None:
    (item,) = believe(memory, TABS)
    pending = propose(memory, TABS)
    with memory.writing() as writing:
        forgotten = forget(writing, item.id)
    assert items(memory.db) == ()
    assert count(memory, "memory_terms") == 0
    assert pending_candidates(memory.db, pending) == ()
    assert set(pending.jobs[0].candidate_ids) < set(forgotten.candidate_ids)
    assert count(memory, "memory_candidates", "status <> 'suppressed'") == 0
    turn = forgotten_turn(memory)
    assert forgotten_quotes(memory.db, turn) == (SAID,)
    assert count(memory, "turns", f"user_text = '{SAID}'") == 2
    say(memory, "Something else.")
    again = Proposed(TABS, (Source(turn, "user", SAID.split(". ", maxsplit=1)[0]),))
    assert extract(memory, again) == 0


def forgotten_turn(store: MemoryStore) -> TurnId:
    found: TurnId = store.db.execute(
        "SELECT max(turn_id) FROM forgotten_quotes"
    ).fetchone()[0]
    return found


@pytest.mark.requirement("M11.5")
def test_forgetting_an_old_revision_names_the_live_one(memory: MemoryStore) -> None:
    (old,) = believe(memory, TABS)
    with memory.writing() as writing:
        new = revise_by_hand(writing, old.id, TABS._replace(statement="Tabs."))
    with pytest.raises(MemoryItemOldError) as caught, memory.writing() as writing:
        forget(writing, old.id)
    assert new.id in str(caught.value.facts["live"])
    with memory.writing() as writing:
        forget(writing, new.id)
    with pytest.raises(MemoryItemOldError):
        live_item(memory.db, new.id)
    with pytest.raises(MemoryItemNotFoundError):
        live_item(memory.db, ItemId("memory_none_r1"))


@pytest.mark.requirement("M11.6")
def test_an_identity_is_subject_scope_and_paths() -> None:
    thread = ThreadId("thread_1")
    same = TABS._replace(subject="\uff29ndentation", kind="project_decision")
    assert identity(TABS, None) == identity(same, None)
    assert identity(TABS, None) != identity(TABS, thread)
    pathed = TABS._replace(applies_to_paths=("b", "a", "b"))
    assert identity(TABS, None) != identity(pathed, None)
    reordered = pathed._replace(applies_to_paths=("a", "b"))
    assert identity(pathed, None) == identity(reordered, None)


def test_related_targets_are_of_the_same_scope_and_the_best_come_first(
    memory: MemoryStore,
) -> None:
    many = [
        TABS._replace(subject=f"Tabs in module {number}", aliases=(), keywords=())
        for number in range(30)
    ]
    pathed = TABS._replace(applies_to_paths=("src",))
    exact, *_ = believe(memory, TABS, pathed, *many)
    found = related_targets(memory.db, TABS, None)
    assert len(found) == 20
    assert found[0] == exact
    assert {one.meaning.applies_to_paths for one in found} == {()}
    other = Meaning(
        "project_decision", "Zebra", "z", "z", "soft", "explicit", "on_match"
    )
    assert related_targets(memory.db, other, None) == ()


@pytest.mark.requirement("H2", "M3.8(c)")
def test_the_state_of_a_request_lives_as_long_as_its_turn(memory: MemoryStore) -> None:
    turn = begin(memory)
    policy = policy_for("ordinary", turn.thread_id, recall=4096, mapped=1024)
    state = RequestState(RecallQuery("ordinary", turn.thread_id), policy, 12)
    assert request_state(memory.db, turn.id) is None
    for spent in (1, 2):
        with memory.writing() as writing:
            keep_request(writing, turn.id, state._replace(spent_tokens=spent))
    assert request_state(memory.db, turn.id) == state._replace(spent_tokens=2)
    complete_turn(memory, turn.id, "Done.")
    assert request_state(memory.db, turn.id) is None
    with pytest.raises(TurnEndedError), memory.writing() as writing:
        keep_request(writing, turn.id, state)
    other = begin(memory)
    with memory.writing() as writing:
        keep_request(writing, other.id, state)
        drop_request(writing, other.id)
    assert count(memory, "memory_requests") == 0
