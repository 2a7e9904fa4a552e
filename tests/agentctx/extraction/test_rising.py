"""From a memory item to a record: by a person's act, by itself, and back."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.errors import ForgottenError, RecordChangedError
from agentctx.extraction import following
from agentctx.memory.exporting import export_memory
from agentctx.memory.importing import import_memory
from agentctx.memory.refusals import MemoryItemKindError, MemoryItemOldError
from agentctx.records.adopt import adopt_namespace
from agentctx.records.foremost import foremost_records
from agentctx.records.graph import files_of
from agentctx.records.model import NewRecord, Replacement
from agentctx.records.remove import delete_record
from agentctx.records.risen import items_of_records, origin_of, records_of_item
from agentctx.records.write import (
    add_record,
    confirm_record,
    retire_record,
    supersede_record,
)
from tests.agentctx.extraction.risen import PROJECT, SAID, TABS, UTC, Both
from tests.agentctx.memory.memories import memory_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.model import Record
    from tests.conftest import InProcess, Outcome
    from tests.recorded import Ticking

REPEATED = TABS._replace(strength="soft", origin="inferred_repetition")
OPEN = UTC._replace(kind="discussion_context", strength="soft")


@pytest.fixture
def both(tmp_path: Path, project: Path, clock: Ticking) -> Iterator[Both]:
    """Give the two open stores of a project."""
    opened = Both(project, tmp_path / "home", clock)
    yield opened
    opened.close()


def the_one(both: Both) -> Record:
    (record,) = both.current()
    return record


@pytest.mark.requirement("M11.8")
def test_a_promoted_item_is_an_explicit_record_with_its_words(both: Both) -> None:
    said = "Let's store readings in UTC, never in local time."
    item = both.believe(UTC._replace(content="Never in local time."), said)
    with both.memory.looking() as db:
        turn = db.execute("SELECT id, created_at, session_id FROM turns").fetchone()
    record = both.promote(item).record
    assert (record.type, record.title) == ("decision", "Time zone of readings")
    assert record.body == "Store readings in UTC.\nNever in local time."
    assert (record.confidence, record.trust, record.source) == (
        *("explicit", "developer"),
        "cli",
    )
    assert record.quote == said
    assert (record.valid_from, record.session_id) == (turn["created_at"], "s1")
    assert record.key == item.logical_id
    assert origin_of(record) == (item.id, turn["id"])


@pytest.mark.requirement("M11.8")
def test_where_an_item_applies_its_record_is_linked_to(both: Both) -> None:
    item = both.believe(UTC._replace(applies_to_paths=("src/clock.py",)))
    record = both.promote(item).record
    assert files_of(both.records.db, record.id) == ["src/clock.py"]


@pytest.mark.requirement("M11.8")
def test_the_same_revision_is_promoted_once(both: Both) -> None:
    item = both.believe()
    first = both.promote(item)
    again = both.promote(item)
    assert (first.existing, again.existing) == (False, True)
    assert the_one(both) == again.record == first.record


@pytest.mark.requirement("M11.8", "A2.6")
def test_another_revision_supersedes_what_was_promoted(both: Both) -> None:
    item = both.believe()
    old = both.promote(item, "convention").record
    new = both.promote(both.revise(item, "Store readings in local time."))
    assert new.superseded is not None
    assert new.superseded.id == old.id
    assert the_one(both).body == "Store readings in local time."
    assert the_one(both).type == "convention"  # as the person had it


@pytest.mark.requirement("M11.8")
def test_what_was_changed_by_hand_is_not_overwritten(both: Both) -> None:
    item = both.believe()
    old = both.promote(item).record
    by_hand = Replacement("Store readings in TAI.", "cli", "developer")
    changed = supersede_record(both.records, PROJECT, old.id, by_hand).record
    revised = both.revise(item, "Store readings in local time.")
    both.step()
    with pytest.raises(RecordChangedError) as refused:
        both.promote(revised)
    assert refused.value.facts["record_id"] == changed.id
    assert the_one(both) == changed


@pytest.mark.requirement("M11.8")
def test_a_discussion_is_promoted_only_as_what_a_person_says_it_is(both: Both) -> None:
    item = both.believe(OPEN, "Should we store readings in UTC?")
    with pytest.raises(MemoryItemKindError):
        both.promote(item)
    assert both.promote(item, "decision").record.type == "decision"


@pytest.mark.requirement("M11.8")
def test_an_old_revision_is_not_promoted(both: Both) -> None:
    item = both.believe()
    both.revise(item, "Store readings in local time.")
    with pytest.raises(MemoryItemOldError):
        both.promote(item)


@pytest.mark.requirement("M11.8", "A2.9")
def test_promoting_states_again_what_was_deleted(both: Both) -> None:
    item = both.believe()
    both.step()
    delete_record(both.records, PROJECT, the_one(both).id)
    assert both.step().changed == 0
    assert both.promote(item).record.current


@pytest.mark.requirement("A6.4", "A10.2")
def test_items_have_inferred_records_by_themselves(both: Both) -> None:
    items = [both.believe(), both.believe(TABS, "From now on indent with tabs.")]
    assert both.step().made == 2
    decision, preference = (both.record(one) for one in items)
    assert decision is not None
    assert preference is not None
    assert (decision.type, preference.type) == ("decision", "preference")
    for one in (decision, preference):
        assert (one.confidence, one.source) == ("inferred", "llm_extraction")
        assert (one.trust, one.pinned, one.confirmed) == ("developer", False, False)
    assert decision.quote == SAID
    sure = foremost_records(
        both.records.db, PROJECT, ("decision", "preference"), sure=True
    )
    assert sure == []
    found = items_of_records(both.records.db, [decision.id])
    assert found == {decision.id: items[0].logical_id}


@pytest.mark.requirement("A6.4")
def test_nothing_is_written_where_nothing_changed(both: Both) -> None:
    both.believe()
    both.believe(OPEN._replace(subject="Which clock"), "Which clock should we use?")
    both.step()
    version = both.records.version
    assert both.step() == (0, 0, 0, 0)
    assert both.records.version == version


@pytest.mark.requirement("A6.4")
def test_a_record_follows_the_revisions_of_its_item(both: Both) -> None:
    item = both.believe()
    both.step()
    both.revise(item, "Store readings in local time.")
    assert both.step().superseded == 1
    old, new = both.all_of(item)
    assert (old.superseded_by, new.body) == (new.id, "Store readings in local time.")


@pytest.mark.requirement("A6.4")
def test_a_revision_that_says_the_same_makes_no_record(both: Both) -> None:
    item = both.believe()
    both.step()
    revised = both.revise(item, item.meaning.statement, SAID)
    assert both.step().changed == 0
    origin = origin_of(the_one(both))
    assert origin is not None
    assert origin.item_id == revised.id


@pytest.mark.requirement("A6.4")
@pytest.mark.parametrize("act", ["promoted", "confirmed", "retired", "deleted"])
def test_what_a_person_did_to_the_record_stays(both: Both, act: str) -> None:
    item = both.believe()
    both.step()
    record = the_one(both)
    if act == "promoted":
        both.promote(item)
    elif act == "confirmed":
        confirm_record(both.records, PROJECT, record.id)
    elif act == "retired":
        retire_record(both.records, PROJECT, record.id)
    else:
        delete_record(both.records, PROJECT, record.id)
    before = both.current()
    if act in {"promoted", "confirmed"}:
        both.revise(item, "Store readings in local time.")
    assert both.step().changed == 0
    assert both.current() == before


@pytest.mark.requirement("A10.2")
def test_what_was_inferred_of_repetition_is_a_models_guess(both: Both) -> None:
    item = both.believe(REPEATED, "Indent with tabs, as I said.")
    both.step()
    record = the_one(both)
    assert (record.trust, record.confidence) == ("model", "inferred")
    promoted = both.promote(item).record
    assert (promoted.trust, promoted.confidence) == ("developer", "explicit")


@pytest.mark.requirement("A10.2", "M11.9")
def test_items_of_an_export_rise_no_higher_than_their_own(
    both: Both, tmp_path: Path, clock: Ticking
) -> None:
    both.believe(REPEATED, "Indent with tabs, as I said.")
    path = export_memory(both.memory, str(tmp_path / "memory.json"))
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    with memory_at(other, clock) as memory:
        import_memory(memory, path)
        assert following.keep_in_step(memory, both.records, PROJECT).made == 1
    record = the_one(both)
    assert (record.trust, record.confidence) == ("model", "inferred")


@pytest.mark.requirement("M11.5", "A2.9")
def test_forgetting_an_item_deletes_its_record_and_it_is_not_learned(
    both: Both,
) -> None:
    item = both.believe()
    both.step()
    both.step()
    record = the_one(both)
    gone = both.forget(item)
    assert gone is not None
    assert gone.deleted == (record.id,)
    assert both.all_of(item) == []
    new = NewRecord(
        "decision", record.title, record.body, "llm_extraction", confidence="inferred"
    )
    with pytest.raises(ForgottenError):
        add_record(both.records, PROJECT, new)


@pytest.mark.requirement("M11.5")
def test_what_was_forgotten_before_it_was_a_record_is_not_learned(both: Both) -> None:
    both.forget(both.believe())
    new = NewRecord("decision", UTC.subject, UTC.statement, "mcp_tool", trust="model")
    with pytest.raises(ForgottenError):
        add_record(both.records, PROJECT, new)


@pytest.mark.requirement("M11.5")
@pytest.mark.parametrize("act", ["promoted", "confirmed"])
def test_what_a_person_stands_for_outlives_its_item(both: Both, act: str) -> None:
    item = both.believe()
    both.step()
    if act == "promoted":
        both.promote(item)
    else:
        confirm_record(both.records, PROJECT, the_one(both).id)
    gone = both.forget(item)
    assert gone is not None
    assert gone.stays == the_one(both)
    assert both.step().changed == 0


@pytest.mark.requirement("M11.5", "M11.8")
def test_an_item_that_is_believed_again_has_a_record_again(both: Both) -> None:
    item = both.believe()
    both.step()
    both.forget(item)
    both.undo()
    assert both.step().made == 1
    assert the_one(both).key == item.logical_id


@pytest.mark.requirement("A6.4")
def test_another_clone_leaves_the_records_of_this_one(
    both: Both, tmp_path: Path, clock: Ticking
) -> None:
    both.believe()
    both.step()
    (tmp_path / "clone" / ".agentctx").mkdir(parents=True)
    with memory_at(tmp_path / "clone", clock) as memory:
        assert following.keep_in_step(memory, both.records, PROJECT).changed == 0
    assert both.record(both.live()[0]) is not None


@pytest.mark.requirement("A6.4")
def test_a_visit_is_bounded_and_the_next_goes_on(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MOST_CHANGED", 1)
    both.believe()
    both.believe(TABS, "From now on indent with tabs.")
    assert both.step() == (1, 0, 0, 1)
    assert both.step() == (1, 0, 0, 0)


@pytest.mark.requirement("A2.6", "A6.4")
def test_stating_what_an_item_says_confirms_its_record(both: Both) -> None:
    item = both.believe()
    both.step()
    stated = NewRecord("decision", UTC.subject, UTC.statement, "cli")
    assert add_record(both.records, PROJECT, stated).existing
    record = both.record(item)
    assert record is not None
    assert record.confirmed


@pytest.mark.requirement("A6.4")
def test_a_record_that_says_it_already_becomes_the_items(both: Both) -> None:
    stated = NewRecord("decision", UTC.subject, UTC.statement, "cli")
    record = add_record(both.records, PROJECT, stated).record
    item = both.believe()
    assert both.step().changed == 0
    assert the_one(both).key == item.logical_id
    assert the_one(both).confidence == "explicit"
    assert both.promote(item).existing
    assert the_one(both).id == record.id


@pytest.mark.requirement("A2.4", "A6.4")
def test_adopting_a_namespace_keeps_one_record_of_an_item(both: Both) -> None:
    item = both.believe()
    promoted = both.promote(item).record
    other = "e" * 64
    following.keep_in_step(both.memory, both.records, other)
    adopt_namespace(both.records, PROJECT, other)
    (record,) = (
        one
        for one in records_of_item(both.records.db, other, item.logical_id)
        if one.current
    )
    assert record.id == promoted.id


@pytest.mark.requirement("M11.8", "A6.4")
@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_is_done_an_item_has_one_record_at_most(both: Both, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same run does the same
    promoted: set[str] = set()
    for number in range(40):
        live = both.live()
        act = chance.choice(["create", "revise", "edit", "forget", "undo", "promote"])
        if act == "undo":
            both.undo()
        elif act == "create" or not live:
            both.believe(UTC._replace(subject=f"Clock {number}"))
        else:
            item = chance.choice(live)
            if act == "revise":
                both.revise(item, f"Store readings {number} minutes late.")
            elif act == "edit":
                both.edit(item, f"Store readings {number} seconds late.")
            elif act == "forget":
                both.forget(item, records=chance.random() < 0.5)
            elif both.promote(item):
                promoted.add(item.logical_id)
        if chance.random() < 0.6:
            both.step()
            believed = {one.logical_id for one in both.live()}
            keys = {str(one.key) for one in both.current()}
            assert keys - promoted <= believed
            assert believed <= keys
        found = [one.key for one in both.current()]
        assert len(found) == len(set(found))


@pytest.mark.requirement("M11.8", "M11.5", "A9")
def test_the_command_promotes_shows_and_lets_go(
    agentctx: InProcess, project: Path, store_home: Path, clock: Ticking
) -> None:
    with_both = Both(project, store_home, clock)
    item = with_both.believe()
    other = with_both.believe(TABS, "From now on indent with tabs.")
    with_both.close()
    made = answer(agentctx("memory", "promote", item.id[7:20], "--format", "json"))
    assert made["item_id"] == item.id
    shown = answer(agentctx("show", made["record"]["id"], "--format", "json"))
    assert shown["made_from"]["item_id"] == item.id
    why = answer(agentctx("memory", "why", item.id, "--format", "json"))
    assert [one["id"] for one in why["records"]] == [made["record"]["id"]]
    again = answer(agentctx("memory", "promote", item.id))
    assert again["existing"] is True
    kept = answer(agentctx("memory", "forget", item.id, "--format", "json"))
    assert kept["records"]["stays"] == made["record"]["id"]
    gone = answer(agentctx("memory", "forget", other.id, "--format", "json"))
    assert gone["records"] == {"deleted": [], "ended": [], "stays": None}


def answer(outcome: Outcome) -> dict[str, Any]:
    assert outcome.status == 0, outcome.err
    value: dict[str, Any] = json.loads(outcome.out)
    return value
