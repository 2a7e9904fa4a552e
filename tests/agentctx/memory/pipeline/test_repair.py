"""An answer that breaks the contract is mended once, or nothing of it is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.memory.items import items
from agentctx.memory.threads import active_thread, thread_of
from tests.agentctx.llm.fakeapi import Says, fails
from tests.agentctx.memory.memories import TABS as BELIEVED
from tests.agentctx.memory.memories import believe, count, say
from tests.agentctx.memory.pipeline.minds import (
    extracted,
    is_extraction,
    minding,
    operation,
    payload,
    remembering,
    tabs,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store
    from tests.agentctx.llm.fakeapi import Asked

SECRET_REPLY = "words that only the model said"  # noqa: S105 - no secret


def first_then(first: Says, then: Callable[[Asked], Says] = remembering) -> Any:  # noqa: ANN401 - a script
    """Answer the first question as given, the others soundly."""
    answers = iter([first])
    return lambda asked: next(answers, None) or then(asked)


def forged(asked: Asked) -> Says:
    """Quote what nobody said."""
    turn = payload(asked)["turns"][0]["turn_id"]
    source = {"turn_id": turn, "role": "user", "quote": SECRET_REPLY}
    return Says(extracted(tabs(turn, sources=[source])))


@pytest.mark.requirement("M4.6(a)")
@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        pytest.param(Says([]), "not_an_object", id="no object"),
        pytest.param(Says({**extracted(), "more": 1}), "extra_key", id="a key more"),
        pytest.param(Says({"candidates": []}), "missing_key", id="a key less"),
        pytest.param(
            Says(extracted(compaction=" ")), "thread_compaction_empty", id="empty"
        ),
        pytest.param(Says(text="no JSON at all"), "model_reply", id="no JSON"),
        pytest.param(
            Says(extracted(), stop_reason="max_tokens"), "model_truncated", id="cut"
        ),
    ],
)
def test_a_malformed_answer_is_asked_for_once_more_with_what_is_wrong(
    memory: MemoryStore, store: Store, broken: Says, rule: str
) -> None:
    say(memory)
    with minding(memory, store, first_then(broken)) as mind:
        assert mind.run().succeeded == 2
        repair = json.loads(mind.asked[1].text)
    assert rule in {one["rule"] for one in repair["violations"]}
    assert repair["input"] == payload(mind.asked[0])
    assert mind.jobs("provider_calls")[0] == (2,)
    assert len(items(memory.db)) == 1


@pytest.mark.requirement("M4.6(a)", "M5.7(a)")
def test_a_forged_quote_is_mended_with_the_rejected_answer_shown(
    memory: MemoryStore, store: Store
) -> None:

    def once_forged(asked: Asked) -> Says:
        return remembering(asked) if "violations" in asked.text else once(asked)

    def once(asked: Asked) -> Says:
        return forged(asked) if is_extraction(asked) else remembering(asked)

    say(memory)
    with minding(memory, store, once_forged) as mind:
        assert mind.run().succeeded == 2
        repair = json.loads(mind.asked[1].text)
    assert repair["violations"] == [
        {"place": "candidates[0]", "rule": "quote_not_in_raw"}
    ]
    assert SECRET_REPLY in json.dumps(repair["rejected_reply"])


@pytest.mark.requirement("M4.6(a)", "M4.6(c)", "M10.3(a)", "M8.1(b)")
def test_a_repair_that_fails_leaves_extraction_as_it_was(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    with minding(memory, store, forged) as mind:
        ran = mind.run()
        assert ran.failed == 1
        assert mind.diagnosis() == (
            "failed",
            "contract_semantic",
            "validate",
            "repair",
            "quote_not_in_raw",
        )
        assert len(mind.asked) == 2
        assert mind.run().failed == 0, "it is not tried again"
    thread = thread_of(memory.db, active_thread(memory.db))
    assert thread is not None
    assert thread.compaction == ""
    assert count(memory, "memory_candidates") == 0
    dump = "\n".join(memory.db.iterdump())
    assert SECRET_REPLY not in dump


@pytest.mark.requirement("M4.6(c)", "M5.12(b)", "M5.12(c)", "M5.13(b)")
def test_an_identity_that_only_the_store_knows_is_mended_or_nothing_is_kept(
    memory: MemoryStore, store: Store
) -> None:
    twin = BELIEVED._replace(
        subject="Indent with tabs", aliases=(), keywords=("unrelated",)
    )
    (old,) = believe(memory, twin)

    def again(asked: Asked) -> Says:
        if is_extraction(asked):
            return remembering(asked)
        found = [operation(one) for one in payload(asked)["candidates"]]
        return Says({"operations": found})

    say(memory)
    with minding(memory, store, again) as mind:
        ran = mind.run()
        assert (ran.succeeded, ran.failed) == (1, 1)
        assert mind.diagnosis()[:4] == (
            "failed",
            "contract_semantic",
            "commit",
            "repair",
        )
        assert len(mind.asked) == 3
    assert [one.id for one in items(memory.db)] == [old.id]
    assert count(memory, "memory_candidates", "status = 'suppressed'") == 1


@pytest.mark.requirement("M4.6(a)", "M5.10(c)")
@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"candidate_ids": ["candidate_of_nobody"]}, "candidate_unknown"),
        ({"target_id": "memory_of_nobody"}, "target_not_allowed"),
        ({"operation": "revise"}, "target_missing"),
        ({"operation": "revise", "target_id": "memory_x"}, "target_unknown"),
        ({"strength": "soft"}, "not_dominant"),
        ({"applies_to_paths": ["src/a.py"]}, "paths_changed"),
        ({"statement": "Never indent with tabs."}, "evidence"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_rule_of_consolidation_is_worth_one_repair(
    memory: MemoryStore, store: Store, change: dict[str, Any], rule: str
) -> None:
    def once_wrong(asked: Asked) -> Says:
        if is_extraction(asked):
            return remembering(asked)
        (one,) = payload(asked)["candidates"]
        wrong = {} if "violations" in json.loads(asked.text) else change
        return Says({"operations": [{**operation(one), **wrong}]})

    say(memory)
    with minding(memory, store, once_wrong) as mind:
        assert mind.run().succeeded == 2
        told = json.loads(mind.asked[2].text)["violations"]
    assert rule in {one["rule"] for one in told}
    assert len(items(memory.db)) == 1


@pytest.mark.requirement("M4.7(a)", "M4.6(c)")
def test_a_repair_that_finds_the_service_down_ends_the_job(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    with minding(memory, store, [Says([]), fails(529)]) as mind:
        ran = mind.run()
    assert (ran.retrying, ran.failed) == (0, 1)
    assert mind.diagnosis() == (
        "failed",
        "provider_transient",
        "call",
        "repair",
        "model_busy",
    )


def test_a_reply_too_long_to_show_again_is_left_out_of_the_repair(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    huge = Says({"candidates": "x" * 100_000})
    with minding(memory, store, first_then(huge)) as mind:
        assert mind.run().succeeded == 2
        assert json.loads(mind.asked[1].text)["rejected_reply"] is None
