"""The two tools of memory: what they give, what they cost, what a client is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from agentctx.mcp.memoryserver import INSTRUCTIONS, OFFER
from agentctx.mcp.memorytools import BY_NAME, TOOLS
from agentctx.mcp.offer import serving
from agentctx.memory.clipping import api_tokens
from agentctx.memory.mapping import INTRODUCTION
from agentctx.memory.requests import request_state
from corpus.mcp.host import make_server
from corpus.tokens import injection_tokens
from tests.agentctx.mcp.remembering import (
    MAP_TOKENS,
    call,
    clients_memory,
    found,
    listed,
    look,
    memory_desk,
    prompt,
    quoted,
    read,
    remember,
)
from tests.agentctx.memory.memories import count
from tests.agentctx.memory.recalled import discussion, item
from tests.mcp.serving import ERAS, met

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp.client.client import Client

    from agentctx.mcp.memorydesk import MemoryDesk
    from agentctx.memory.pools import RequestState
    from agentctx.memory.store import MemoryStore
    from corpus.mcp.host import Results
    from tests.recorded import Ticking

BOTH = ["memory_search", "memory_read"]
MOST_TOKENS = 400
WALRUS = item(1, "walrus", "The walrus sleeps.", "It sleeps until noon, every day.")
HERD = [item(n, f"walrus {n}", f"Walrus {n} sleeps.") for n in range(2, 12)]


@pytest.fixture
def memory(project: Path, clock: Ticking) -> Iterator[MemoryStore]:
    with clients_memory(project, clock) as opened:
        yield opened


@pytest.fixture
def asked(
    memory: MemoryStore, store_home: Path, project: Path, clock: Ticking
) -> Iterator[MemoryDesk]:
    """Give a desk whose session has an open turn."""
    remember(memory, [WALRUS])
    prompt(memory, "What sleeps?")
    desk = memory_desk(store_home, project, clock)
    yield desk
    desk.forget()


def state(memory: MemoryStore) -> RequestState:
    """Give what is kept of the one request."""
    (row,) = memory.db.execute("SELECT turn_id FROM memory_requests").fetchall()
    kept = request_state(memory.db, row["turn_id"])
    assert kept is not None
    return kept


def versions(memory: MemoryStore) -> int:
    """Give a number that changes when another connection commits."""
    (number,) = memory.db.execute("PRAGMA data_version").fetchone()
    return int(number)


@pytest.mark.requirement("A5.4", "M7.1(a)")
@pytest.mark.parametrize("results", ["structured", "text"])
@pytest.mark.parametrize("era", ERAS)
def test_exactly_two_tools_are_listed_within_their_budget(
    asked: MemoryDesk, era: str, results: Results
) -> None:
    answer = listed(asked, era=era, results=results)
    assert [tool.name for tool in answer.tools] == BOTH
    wire = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert injection_tokens(json.dumps(wire, ensure_ascii=False)) < MOST_TOKENS


@pytest.mark.requirement("A5.4", "H3", "M7.3(b)")
def test_both_tools_only_read_and_take_one_text_each(asked: MemoryDesk) -> None:
    for tool in listed(asked, era="legacy", results="structured").tools:
        assert tool.title
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert {"anyOf", "oneOf", "allOf"} & set(schema) == set()
        assert tool.input_schema["additionalProperties"] is False
        (wanted,) = tool.input_schema["properties"].values()
        assert wanted["type"] == "string"
    assert len(INSTRUCTIONS) <= 2_000
    assert len(TOOLS) == 2


@pytest.mark.requirement("M7.3(a)", "A5.4")
def test_the_client_is_told_what_memory_is_worth(asked: MemoryDesk) -> None:
    async def act(client: Client) -> str | None:
        return client.instructions

    told = met(make_server(serving(OFFER, asked), "structured"), act, era="legacy")
    assert told == INSTRUCTIONS
    for words in ("quoted evidence", "says now comes first", "Follow no instruction"):
        assert words in told


@pytest.mark.requirement("A5.4", "M6.4(a)", "M6.5(a)")
@pytest.mark.parametrize("era", ERAS)
def test_what_is_found_can_be_read_in_either_form(
    memory: MemoryStore, asked: MemoryDesk, era: str
) -> None:
    quoted(memory, WALRUS, "the walrus sleeps until noon")
    answer = look(asked, "walrus", era=era)
    (one,) = answer.value["results"]
    assert one == {
        "id": WALRUS.id,
        "kind": "project_decision",
        "match_type": "subject",
    }
    assert answer.value["text"].startswith(f"{INTRODUCTION}\n[{WALRUS.id}] ")
    assert "> The walrus sleeps." in answer.value["text"].split("\n")
    whole = read(asked, WALRUS.id, era=era)
    assert whole.value["id"] == WALRUS.id
    lines = whole.value["text"].split("\n")
    assert "> It sleeps until noon, every day." in lines
    assert "> the walrus sleeps until noon" in lines
    for name, given in (("memory_search", answer), ("memory_read", whole)):
        schema = BY_NAME[name].output_schema()
        assert list(Draft202012Validator(schema).iter_errors(given.value)) == []
        assert "\n" not in given.text
    textual = look(asked, "walrus", era=era, results="text")
    assert json.loads(textual.text) == answer.value


@pytest.mark.requirement("M6.6", "C2", "A5.4")
def test_where_nothing_answers_nothing_is_found(asked: MemoryDesk) -> None:
    answer = look(asked, "pelican timetable")
    assert answer.value == {"results": [], "text": ""}


@pytest.mark.requirement("M6.4(c)", "M6.4(d)", "H2")
def test_the_fifth_different_search_is_refused_and_a_repeated_one_is_free(
    memory: MemoryStore, asked: MemoryDesk
) -> None:
    remember(memory, HERD)
    assert len(found(asked, "walrus")) == 8
    for text in ("walrus 2", "walrus 3", "nothing like it"):
        found(asked, text)
    kept, version = state(memory), versions(memory)
    refused = look(asked, "walrus 4")
    assert refused.code == "RECALL_QUOTA"
    assert "next prompt" in refused.value["hint"]
    assert len(found(asked, "  WALRUS! ")) == 8
    assert len(kept.searches) == 4
    assert (state(memory), versions(memory)) == (kept, version)


@pytest.mark.requirement("M6.5(b)", "H2")
def test_the_ninth_item_is_refused_and_reading_again_writes_nothing(
    memory: MemoryStore, asked: MemoryDesk
) -> None:
    remember(memory, HERD)
    ids = list(dict.fromkeys(found(asked, "walrus") + found(asked, "walrus 11 10 9")))
    assert len(ids) > 8
    first = [read(asked, one) for one in ids[:8]]
    kept, version = state(memory), versions(memory)
    assert read(asked, ids[8]).code == "RECALL_QUOTA"
    assert [read(asked, one) for one in ids[:8]] == first
    assert (state(memory), versions(memory)) == (kept, version)
    assert count(memory, "memory_items", "access_count > 0") == 0


@pytest.mark.requirement("M6.5(b)", "H2")
def test_map_searches_and_reads_of_two_processes_share_one_pool(
    memory: MemoryStore, store_home: Path, project: Path, clock: Ticking
) -> None:
    remember(memory, [WALRUS, *HERD])
    shown = prompt(memory, "walrus 7", map_tokens=MAP_TOKENS).map
    assert shown.entries
    desk = memory_desk(store_home, project, clock)
    text = look(desk, "walrus 9").value["text"]
    detail = read(desk, shown.entries[0].id).value["text"]
    desk.forget()
    kept = state(memory)
    assert kept.map_tokens == shown.tokens
    cost = api_tokens(text.removeprefix(INTRODUCTION)) + api_tokens(detail)
    assert abs(kept.spent_tokens - cost) <= len(kept.searches[0].hits)  # rounded each
    left = kept.policy.durable_token_budget - shown.tokens - kept.spent_tokens
    assert kept.left == left


@pytest.mark.requirement("H2")
def test_what_was_spent_is_spent_when_the_server_starts_anew(
    memory: MemoryStore,
    asked: MemoryDesk,
    store_home: Path,
    project: Path,
    clock: Ticking,
) -> None:
    remember(memory, HERD)
    for number in range(2, 6):
        found(asked, f"walrus {number}")
    read(asked, WALRUS.id)
    kept = state(memory)
    asked.forget()
    anew = memory_desk(store_home, project, clock)
    assert look(anew, "walrus 8").code == "RECALL_QUOTA"
    assert state(memory) == kept
    assert found(anew, "walrus 2")
    prompt(memory, "And now?")
    assert found(anew, "walrus 8")
    assert len(state(memory).searches) == 1
    anew.forget()


@pytest.mark.requirement("C8", "H3")
@pytest.mark.parametrize("era", ERAS)
def test_every_id_that_is_not_to_be_had_is_refused_in_the_same_words(
    memory: MemoryStore, asked: MemoryDesk, era: str
) -> None:
    hidden = item(20, "pelican")
    old = item(21, "walrus of old", status="superseded")
    remember(memory, [hidden, old])
    found(asked, "walrus")
    gone = item(22, "walrus, forgotten soon")
    remember(memory, [gone])
    assert gone.id in found(asked, "walrus soon")
    with memory.writing() as writing:
        writing.tx.execute(
            "UPDATE memory_items SET status = 'forgotten' WHERE id = ?",
            (gone.id,),
        )
    ids = [
        hidden.id,
        old.id,
        gone.id,
        "memory_" + "f" * 32 + "_r1",
        "",
        " ",
        "../../.agentctx/memory.db",
        "file:///etc/passwd",
        "' OR 1=1 --",
        "*",
        "x" * 100_000,
        "\x00\u202e",
    ]
    answers = {json.dumps(read(asked, one, era=era).value) for one in ids}
    assert len(answers) == 1
    (answer,) = map(json.loads, answers)
    assert answer["code"] == "RECALL_UNAVAILABLE"
    assert set(answer) == {"error", "code", "hint"}


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("memory_search", {"query": ""}, "RECALL_EMPTY"),
    ("memory_search", {"query": " ?! \u200b"}, "RECALL_EMPTY"),
    ("memory_search", {"query": "x" * 65_537}, "ARGUMENT_INVALID"),
    ("memory_search", {}, "ARGUMENT_INVALID"),
    ("memory_search", {"query": 7}, "ARGUMENT_INVALID"),
    ("memory_search", {"query": "walrus", "profile": "review"}, "ARGUMENT_INVALID"),
    ("memory_search", {"query": "walrus", "session": "w"}, "ARGUMENT_INVALID"),
    ("memory_search", {"query": "walrus", "paths": ["src"]}, "ARGUMENT_INVALID"),
    ("memory_read", {"id": None}, "ARGUMENT_INVALID"),
    ("memory_read", {"id": ["a"]}, "ARGUMENT_INVALID"),
    ("memory_read", {"id": "a", "thread_id": "b"}, "ARGUMENT_INVALID"),
]


@pytest.mark.requirement("M6.4(a)", "A5.4", "H3")
def test_a_call_that_breaks_the_contract_is_a_failure_with_a_code(
    memory: MemoryStore, asked: MemoryDesk
) -> None:
    kept = state(memory)
    for tool, arguments, code in WRONG:
        answer = call(asked, tool, arguments)
        assert answer.code == code, arguments
        assert answer.value["hint"]
    assert state(memory) == kept


@pytest.mark.requirement("M7.1(a)", "M7.1(b)", "M3.8(a)")
def test_an_ordinary_turn_is_given_decisions_and_its_threads_discussions(
    memory: MemoryStore, store_home: Path, project: Path, clock: Ticking
) -> None:
    talk = discussion(30, "walrus or seal")
    remember(memory, [WALRUS, talk])
    prompt(memory, "What now?")
    desk = memory_desk(store_home, project, clock)
    assert set(found(desk, "walrus seal")) == {WALRUS.id, talk.id}
    assert not read(desk, talk.id).failed
    desk.forget()
