"""The published formats of memory know every word that memory does."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from agentctx.memory.exporting import FORMAT, FORMAT_VERSION, JSON_SUFFIX, TABLES
from agentctx.memory.jobs import FailureCall, FailureClass, FailurePhase
from agentctx.memory.model import (
    CandidateStatus,
    ItemStatus,
    Kind,
    Origin,
    Profile,
    RecallMode,
    Role,
    Strength,
    TurnState,
)
from agentctx.memory.schema import VERSION
from agentctx.memory.summary import SummaryState
from agentctx.memory.switch import Off
from agentctx.memory.tally import MOST_FAILURES
from agentctx.memory.telling import State
from tests.published_formats import example_of, problems, schema_of

NAMES = ("export", "flush", "list", "new", "show", "status")
WORDS: dict[str, Any] = {
    "kind": Kind,
    "strength": Strength,
    "origin": Origin,
    "recall_mode": RecallMode,
    "item_status": ItemStatus,
    "role": Role,
}


def words(known: Any) -> set[str]:  # noqa: ANN401 - a Literal
    return set(get_args(known))


@pytest.mark.requirement("M8.0")
@pytest.mark.parametrize("name", NAMES)
def test_what_a_program_may_read_of_memory_has_a_format(name: str) -> None:
    schema = schema_of(f"memory-{name}")
    assert schema["required"] == list(schema["properties"])
    assert problems(f"memory-{name}", example_of(f"memory-{name}")) == []


@pytest.mark.requirement("M8.1(a)", "M8.5(b)")
def test_the_schemas_know_every_word_of_memory() -> None:
    export, status = schema_of("memory-export"), schema_of("memory-status")
    for name, known in WORDS.items():
        assert set(export["$defs"][name]["enum"]) == words(known), name
    for schema in (export, status):
        told = schema["$defs"]
        for name, known in (
            ("failure_class", FailureClass),
            ("failure_phase", FailurePhase),
            ("failure_call", FailureCall),
        ):
            assert set(told[name]["enum"]) == {*words(known), None}, name
    rows = {name: row_of(export, name) for name in TABLES}
    assert set(rows["turns"]["state"]["enum"]) == words(TurnState)
    assert set(rows["turns"]["profile"]["enum"]) == words(Profile)
    assert set(rows["candidates"]["status"]["enum"]) == words(CandidateStatus)
    told = status["properties"]
    assert set(told["state"]["enum"]) == words(State)
    assert set(told["off"]["enum"]) == {*words(Off), None}
    assert set(told["summary"]["properties"]["state"]["enum"]) == words(SummaryState)
    assert told["failures"]["maxItems"] == MOST_FAILURES


@pytest.mark.requirement("M8.5(b)", "M8.5(c)")
def test_the_schema_of_an_export_has_every_column_and_no_other() -> None:
    schema = schema_of("memory-export")
    told = schema["properties"]
    assert (told["format"]["const"], told["version"]["const"]) == (
        FORMAT,
        FORMAT_VERSION,
    )
    assert told["schema_version"]["const"] == VERSION
    for name, (_, columns) in TABLES.items():
        wanted = [one.strip().removesuffix(JSON_SUFFIX) for one in columns.split(",")]
        assert list(row_of(schema, name)) == wanted, name


@pytest.mark.requirement("M8.0")
def test_the_examples_of_memory_tell_one_story() -> None:
    whole, card = example_of("memory-export"), example_of("memory-status")
    shown = example_of("memory-show")
    assert [one["id"] for one in whole["items"]] == shown["revisions"]
    assert example_of("memory-list")["items"][0]["id"] == shown["item"]["id"]
    assert example_of("memory-flush")["failed"] == [
        one["job_id"] for one in card["failures"]
    ]
    begun = example_of("memory-new")
    assert begun["archived_thread_id"] == card["active_thread"]
    assert {one["id"] for one in whole["threads"]} == {
        begun["thread_id"],
        begun["archived_thread_id"],
    }
    waiting = [one["id"] for one in whole["jobs"] if one["status"] == "pending"]
    assert begun["pending"] == waiting


def row_of(schema: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = schema["properties"][name]["items"]["properties"]
    return found
