"""Answers are read strictly: every deviation from the form is found and told."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.extraction.memory.prompts import CONSOLIDATION, EXTRACTION, REPAIR
from agentctx.extraction.memory.replies import read_consolidation, read_extraction
from agentctx.extraction.memory.schemas import (
    CONSOLIDATION_SCHEMA,
    EXTRACTION_SCHEMA,
)
from agentctx.memory.pipeline import ConsolidationReply, ExtractionReply, Misshapen
from tests.agentctx.memory.heard import turn, window
from tests.agentctx.memory.pipeline.minds import extracted, operation, tabs

if TYPE_CHECKING:
    from collections.abc import Callable

WINDOW = window(turn(1, "From now on indent with tabs."))
GOOD = extracted(tabs("turn_1"))
DECIDED = {"operations": [operation({"id": "candidate_1", **tabs("turn_1")})]}
LONG = "x" * 5_000


def rules(value: object) -> set[tuple[str, str]]:
    read = read_extraction(value, WINDOW)
    return set(read.objections) if isinstance(read, Misshapen) else set()


def changed(change: Callable[[Any], object], value: object = GOOD) -> Any:  # noqa: ANN401 - JSON
    copied = copy.deepcopy(value)
    change(copied)
    return copied


def candidate(**fields: object) -> Any:  # noqa: ANN401 - JSON
    return changed(lambda whole: whole["candidates"][0].update(fields))


def test_a_sound_answer_is_read_whole() -> None:
    read = read_extraction(GOOD, WINDOW)
    assert isinstance(read, ExtractionReply)
    assert read.candidates[0].meaning.aliases == ("tab width",)
    assert read.candidates[0].sources[0].turn_id == "turn_1"


@pytest.mark.requirement("M5.0")
@pytest.mark.parametrize(
    ("value", "place", "rule"),
    [
        ([], "", "not_an_object"),
        (None, "", "not_an_object"),
        ([GOOD], "", "not_an_object"),
        ({**GOOD, "note": ""}, "", "extra_key"),
        ({"candidates": []}, "thread_compaction", "missing_key"),
        ({**GOOD, "thread_compaction": 5}, "thread_compaction", "not_a_text"),
        (
            {**GOOD, "thread_compaction": LONG},
            "thread_compaction",
            "thread_compaction_too_long",
        ),
        ({**GOOD, "candidates": {}}, "candidates", "not_a_list"),
        (
            {**GOOD, "candidates": [tabs("turn_1")] * 33},
            "candidates",
            "candidates_too_many",
        ),
        ({**GOOD, "candidates": [1]}, "candidates[0]", "not_an_object"),
        (candidate(kind="code_fact"), "candidates[0].kind", "kind_unknown"),
        (candidate(kind=["a"]), "candidates[0].kind", "kind_unknown"),
        (candidate(strength=True), "candidates[0].strength", "strength_unknown"),
        (candidate(extra=1), "candidates[0]", "extra_key"),
        (candidate(subject=LONG), "candidates[0].subject", "subject_too_long"),
        (
            candidate(statement="字" * 321),
            "candidates[0].statement",
            "statement_too_long",
        ),
        (candidate(content=LONG), "candidates[0].content", "content_too_long"),
        (candidate(aliases=["a"] * 13), "candidates[0].aliases", "aliases_too_many"),
        (candidate(aliases=[1]), "candidates[0].aliases[0]", "not_a_text"),
        (candidate(keywords=[LONG]), "candidates[0].keywords[0]", "keywords_too_long"),
        (
            candidate(applies_to_paths=["a"] * 11),
            "candidates[0].applies_to_paths",
            "applies_to_paths_too_many",
        ),
        (candidate(sources=[]), "candidates[0].sources", "sources_empty"),
        (
            candidate(sources=[{"turn_id": "turn_1", "role": "user"}]),
            "candidates[0].sources[0].quote",
            "missing_key",
        ),
        (
            candidate(sources=[{"turn_id": "t", "role": "tool", "quote": "q"}]),
            "candidates[0].sources[0].role",
            "role_unknown",
        ),
    ],
)
def test_every_deviation_is_found_with_its_place(
    value: object, place: str, rule: str
) -> None:
    assert (place, rule) in rules(value)


def test_all_of_them_are_told_at_once() -> None:
    broken = candidate(kind="x", subject=LONG, keywords=3)
    assert len(rules({**broken, "more": 1})) == 4


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"operation": "delete"}, "operation_unknown"),
        ({"candidate_ids": []}, "candidate_ids_empty"),
        ({"candidate_ids": "candidate_1"}, "not_a_list"),
        ({"target_id": 7}, "not_a_text"),
        ({"sources": []}, "extra_key"),
        ({"aliases": ["a"] * 17}, "aliases_too_many"),
    ],
)
def test_a_decision_is_read_as_strictly(change: dict[str, Any], rule: str) -> None:
    value = changed(lambda whole: whole["operations"][0].update(change), DECIDED)
    read = read_consolidation(value, ())
    assert isinstance(read, Misshapen)
    assert rule in {one.rule for one in read.objections}


def test_a_rejection_says_nothing_of_a_meaning() -> None:
    value = changed(
        lambda whole: whole["operations"][0].update(operation="reject", subject=""),
        DECIDED,
    )
    read = read_consolidation(value, ())
    assert isinstance(read, ConsolidationReply)
    assert read.operations[0].meaning is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*GOOD, *tabs("t"), "operations", "operation"])
            | st.text(max_size=4),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_json_at_all_breaks_the_reading(value: object) -> None:
    for read in (read_extraction(value, WINDOW), read_consolidation(value, ())):
        if not isinstance(read, Misshapen):
            assert isinstance(value, dict)


@given(st.sampled_from(sorted(tabs("t"))), JSON)
def test_no_field_breaks_the_reading(field: str, value: object) -> None:
    read_extraction(candidate(**{field: value}), WINDOW)
    decision = changed(
        lambda whole: whole["operations"][0].update({field: value}), DECIDED
    )
    read_consolidation(decision, ())


def test_the_schemas_name_exactly_what_is_read() -> None:
    for schema, value in ((EXTRACTION_SCHEMA, GOOD), (CONSOLIDATION_SCHEMA, DECIDED)):
        assert _keys(schema) == _told(value)
        assert json.dumps(schema)


def _keys(schema: Any) -> Any:  # noqa: ANN401 - a JSON Schema
    if schema.get("type") == "array":
        return _keys(schema["items"])
    if schema.get("type") != "object":
        return None
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    return {name: _keys(one) for name, one in schema["properties"].items()}


def _told(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return _told(value[0]) if value else None
    if not isinstance(value, dict):
        return None
    return {name: _told(one) for name, one in value.items()}


@pytest.mark.requirement("M5.2(a)", "M5.2(c)", "M4.5(b)")
@pytest.mark.parametrize(
    "words",
    [
        "exactly one JSON object",
        "no Markdown fence, no explanation",
        "untrusted data",
        "Facts about code or configuration are never candidates",
        "this time",
        "explicit choice alone",
        "complete clause",
        "needs both quotes",
        "patch was applied, a verification or a test result",
        "never a source",
        "at least three different user turns",
        "at least two paths",
        "scope_paths of the quoted turns",
        "understood alone",
        "mainly Chinese",
        "raised in the current turns and has not decided",
    ],
)
def test_the_rules_of_extraction_say(words: str) -> None:
    assert words in " ".join(EXTRACTION.split())


@pytest.mark.requirement("M5.10(b)")
@pytest.mark.parametrize(
    "words",
    [
        "Each candidate is in exactly one operation",
        "target_id comes from the list of active_items alone",
        "may become a project_decision of the same chain",
        "never crosses threads",
        "add stable expressions of other languages",
        "untrusted data",
    ],
)
def test_the_rules_of_consolidation_say(words: str) -> None:
    assert words in " ".join(CONSOLIDATION.split())


def test_a_repair_is_told_that_what_was_rejected_is_data() -> None:
    assert "rejected reply is data" in " ".join(REPAIR.split())
