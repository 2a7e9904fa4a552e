"""From what was said to what is believed, through a model that is asked twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.extraction.memory.prompts import CONSOLIDATION, EXTRACTION
from agentctx.memory.items import items
from agentctx.memory.jobs import capture, failed_of, unfinished
from agentctx.memory.model import ThreadId
from agentctx.memory.tally import tally
from agentctx.memory.threads import active_thread, thread_of
from agentctx.memory.turns import NewTurn, begin_turn, complete_turn
from tests.agentctx.llm.fakeapi import Says, fails
from tests.agentctx.memory.memories import TABS as BELIEVED
from tests.agentctx.memory.memories import believe, count, say
from tests.agentctx.memory.pipeline.minds import (
    creating,
    extracted,
    is_extraction,
    minding,
    operation,
    payload,
    remembering,
    tabs,
)
from tests.agentctx.memory.test_recall_gate import found

if TYPE_CHECKING:
    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store
    from tests.agentctx.llm.fakeapi import Asked

DECIDED = "我们决定旧的记忆架构不兼容，直接删除。"
PHRASES = ["backward compatibility", "delete legacy schema"]


def thread_text(memory: MemoryStore) -> str:
    thread = thread_of(memory.db, active_thread(memory.db))
    assert thread is not None
    return thread.compaction


@pytest.mark.requirement("M4.0(b)", "M10.1", "M10.0")
def test_one_pass_makes_an_item_of_what_was_said(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    with minding(memory, store) as mind:
        ran = mind.run()
        assert (ran.succeeded, ran.failed, ran.waiting) == (2, 0, None)
        assert [one.meaning.statement for one in items(memory.db)] == [
            "Indent with tabs."
        ]
        assert thread_text(memory) == "They talked."
        assert unfinished(memory.db, capture(memory.db)) == ()
        assert mind.run().succeeded == 0
        assert len(mind.asked) == 2


@pytest.mark.requirement("M4.2(a)", "M4.0(c)")
def test_nothing_to_keep_is_a_normal_end(memory: MemoryStore, store: Store) -> None:
    say(memory, "What does this function return?")
    with minding(memory, store, [Says(extracted())]) as mind:
        ran = mind.run()
        assert (ran.empty, ran.succeeded) == (1, 0)
        assert mind.jobs() == [("extraction", "succeeded_no_output")]


@pytest.mark.requirement("H1")
def test_a_question_shows_the_turn_before_of_the_same_session_only(
    memory: MemoryStore, store: Store
) -> None:
    with minding(memory, store, [Says(extracted())]) as mind:
        say(memory, "The first of session one.", "s1")
        mind.run()
        say(memory, "A word of session two.", "s2")
        say(memory, "The second of session one.", "s1")
        mind.run()
        shown = [payload(one) for one in mind.asked]
    assert shown[0]["adjacent_previous_turn"] is None
    assert shown[1]["adjacent_previous_turn"] is None
    before = shown[2]["adjacent_previous_turn"]
    assert before["user"] == "The first of session one."
    assert shown[2]["previous_compaction"] == "They talked."


@pytest.mark.requirement("M1.6(b)", "M5.5(b)")
def test_a_review_is_shown_with_its_bounded_paths_and_the_evidence_before(
    memory: MemoryStore, store: Store
) -> None:
    def review(number: int) -> None:
        new = NewTurn(
            "s1",
            "review",
            "patch",
            f"Finding {number}.",
            [f"src/m{path}.py" for path in range(12)],
            [f"run:item{number}"],
        )
        with memory.writing() as writing:
            turn = begin_turn(writing, new)
        complete_turn(memory, turn.id, "Seen.")

    with minding(memory, store, [Says(extracted())]) as mind:
        for number in range(3):
            review(number)
            mind.run()
        say(memory, "And now something ordinary.", "s1")
        mind.run()
        shown = [payload(one) for one in mind.asked]
    evidence = shown[2]["recent_review_evidence"]
    assert [one["evidence_keys"] for one in evidence] == [["run:item0"], ["run:item1"]]
    assert shown[2]["turns"][0]["scope_paths"] == [
        f"src/m{path}.py" for path in range(10)
    ]
    assert shown[3]["recent_review_evidence"] == []


@pytest.mark.requirement("M5.2(a)", "M5.2(b)", "M5.2(d)")
def test_a_chinese_decision_is_found_by_its_english_phrases(
    memory: MemoryStore, store: Store
) -> None:
    def decide(asked: Asked) -> Says:
        if not is_extraction(asked):
            return creating(asked)
        turn = payload(asked)["turns"][0]["turn_id"]
        words = "旧的记忆架构不兼容，直接删除。"
        return Says(
            extracted(
                tabs(
                    turn,
                    kind="project_decision",
                    subject="旧的记忆架构",
                    statement=words,
                    content=words,
                    aliases=PHRASES,
                    keywords=[],
                    sources=[{"turn_id": turn, "role": "user", "quote": DECIDED}],
                )
            )
        )

    say(memory, DECIDED)
    with minding(memory, store, decide) as mind:
        assert mind.run().succeeded == 2
    (item,) = items(memory.db)
    assert list(item.meaning.aliases) == PHRASES
    assert [one.id for one in found(memory.db, "backward compatibility")] == [item.id]
    for phrase in PHRASES:
        assert f"`{phrase}`" in EXTRACTION, "the rules name the phrases"


@pytest.mark.requirement("M5.2(c)")
@pytest.mark.parametrize("name", ["create", "revise", "supersede"])
def test_a_decision_keeps_the_aliases_of_its_candidates_and_may_add_some(
    memory: MemoryStore, store: Store, name: str
) -> None:
    old = believe(memory, BELIEVED)[0].id if name != "create" else None

    def decide(asked: Asked) -> Says:
        if is_extraction(asked):
            return remembering(asked)
        (one,) = payload(asked)["candidates"]
        made = operation(
            one, name, target_id=old, aliases=["indent style"], keywords=[]
        )
        return Says({"operations": [made]})

    say(memory)
    with minding(memory, store, decide) as mind:
        assert mind.run().succeeded == 2
    (item,) = items(memory.db)
    assert item.meaning.aliases == ("indent style", "tab width")
    assert item.meaning.keywords == ("tabs",)
    assert item.revision == (1 if old is None else 2)
    assert "keep every alias" in CONSOLIDATION


@pytest.mark.requirement("M5.10(a)", "M5.13(a)")
def test_related_items_are_shown_as_the_targets_to_choose_from(
    memory: MemoryStore, store: Store
) -> None:
    (old,) = believe(memory, BELIEVED)
    say(memory)
    with minding(memory, store) as mind:
        mind.run()
        (shown,) = payload(mind.asked[-1])["active_items"]
    assert shown["id"] == old.id
    assert shown["logical_id"] == old.logical_id
    assert shown["thread_id"] is None
    assert payload(mind.asked[-1])["allowed_operations"] == [
        "create",
        "revise",
        "supersede",
        "reject",
    ]


@pytest.mark.requirement("M8.1(a)")
def test_a_candidate_that_may_not_be_kept_is_dropped_and_counted_and_no_other(
    memory: MemoryStore, store: Store
) -> None:
    def both(asked: Asked) -> Says:
        if not is_extraction(asked):
            return creating(asked)
        turn = payload(asked)["turns"][0]["turn_id"]
        fact = tabs(turn, subject="Spaces", statement="Indent with 4 spaces.")
        return Says(extracted(fact, tabs(turn)))

    say(memory)
    with minding(memory, store, both) as mind:
        ran = mind.run()
    assert ran.refused == (("number_uncovered", 1),)
    told = tally(memory.db)
    assert (told.refused, told.failures) == ({"number_uncovered": 1}, ())
    assert len(items(memory.db)) == 1
    assert len(mind.asked) == 2, "what is dropped needs no repair"


@pytest.mark.requirement("M4.5(a)", "M4.5(b)")
def test_what_was_merely_applied_makes_nothing(
    memory: MemoryStore, store: Store
) -> None:
    def apply(asked: Asked) -> Says:
        turn = payload(asked)["turns"][0]["turn_id"]
        source = {"turn_id": turn, "role": "assistant", "quote": "Understood."}
        return Says(extracted(tabs(turn, sources=[source])))

    say(memory, "apply")
    with minding(memory, store, apply) as mind:
        ran = mind.run()
    assert ran.empty == 1
    assert ran.refused == (("no_user_source", 1),)
    assert count(memory, "memory_candidates") == 0
    assert "merely applied" in EXTRACTION


def test_what_was_let_go_before_it_was_decided_on_asks_nobody(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    with minding(memory, store) as mind:
        mind.run(stops=iter([False, True]).__next__)
        assert mind.jobs() == [
            ("extraction", "succeeded"),
            ("consolidation", "pending"),
        ]
        with memory.writing() as writing:
            writing.tx.execute("UPDATE memory_candidates SET status = 'suppressed'")
        assert mind.run().empty == 1
        assert len(mind.asked) == 1


@pytest.mark.requirement("M3.1(b)", "M3.3(b)")
def test_a_watermark_takes_in_what_is_derived_and_nothing_else(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    mark = capture(memory.db)
    later = say(memory, "What is this?", "s2")
    with minding(memory, store) as mind:
        ran = mind.run(among=mark, waits=True, pause=_never)
    assert ran.succeeded == 2
    assert unfinished(memory.db, mark) == failed_of(memory.db, mark) == ()
    (left,) = capture(memory.db).job_ids
    row = memory.db.execute("SELECT turn_id FROM memory_jobs WHERE id = ?", (left,))
    assert row.fetchone()[0] == later.id


@pytest.mark.requirement("M3.3(a)")
def test_a_watermark_is_waited_for_through_its_retry(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    paused: list[float] = []
    answers = iter([fails(529)])
    with minding(
        memory, store, lambda asked: next(answers, None) or remembering(asked)
    ) as mind:
        ran = mind.run(among=capture(memory.db), waits=True, pause=paused.append)
    assert (ran.retrying, ran.succeeded, ran.failed) == (1, 2, 0)
    assert paused, "the retry is not due at once"
    assert len(items(memory.db)) == 1


def test_a_question_has_the_fields_of_the_contract_and_no_more(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    with minding(memory, store) as mind:
        mind.run()
        first = payload(mind.asked[0])
    assert ThreadId(first["thread_id"]) == active_thread(memory.db)
    assert set(first) == {
        "thread_id",
        "previous_compaction",
        "adjacent_previous_turn",
        "turns",
        "recent_review_evidence",
    }


def _never(_: float) -> None:
    raise AssertionError
