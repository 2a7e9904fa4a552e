"""Wrong arguments: every failure names the argument, the limit and the value's size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.agentctx.mcp.serving import FACT, call, record
from tests.mcp.serving import ERAS

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.mcp.desk import Desk

OLD = "01KBA20000000000000000000A"
CHANGE = {"old_id": OLD, "new_body": "x", "rationale": "y"}
SEARCH, GET, RECORD, SUPERSEDE, RELATED = (
    *("ctx_search", "ctx_get", "ctx_record", "ctx_supersede"),
    "ctx_related",
)
WRONG: list[tuple[str, str, dict[str, Any], str, list[str]]] = [
    ("unknown", SEARCH, {"query": "a", "root": "/"}, "ARGUMENT_INVALID", ["root"]),
    ("missing", SEARCH, {}, "ARGUMENT_INVALID", ["query"]),
    ("a number", SEARCH, {"query": 5}, "ARGUMENT_INVALID", ["query"]),
    ("blank", SEARCH, {"query": " \n"}, "QUERY_EMPTY_TEXT", ["query"]),
    (
        "long",
        SEARCH,
        {"query": "a" * 65_537},
        "ARGUMENT_INVALID",
        ["query", "65537", "65536"],
    ),
    ("zero", SEARCH, {"query": "a", "limit": 0}, "SEARCH_LIMIT", ["limit", "0", "15"]),
    ("16", SEARCH, {"query": "a", "limit": 16}, "SEARCH_LIMIT", ["limit", "16", "15"]),
    ("huge", SEARCH, {"query": "a", "limit": 10**300}, "SEARCH_LIMIT", ["limit"]),
    ("half", SEARCH, {"query": "a", "limit": 1.5}, "ARGUMENT_INVALID", ["limit"]),
    ("truth", SEARCH, {"query": "a", "limit": True}, "ARGUMENT_INVALID", ["limit"]),
    ("type", SEARCH, {"query": "a", "type": "note"}, "FIELD_INVALID", ["type", "note"]),
    ("scope", SEARCH, {"query": "a", "scope": "all"}, "FIELD_INVALID", ["scope"]),
    ("as of", SEARCH, {"query": "a", "as_of": "soon"}, "TIME_INVALID", ["as_of"]),
    ("as of", SEARCH, {"query": "a", "as_of": "9" * 99}, "TIME_INVALID", ["as_of"]),
    ("valid at", SEARCH, {"query": "a", "valid_at": ""}, "TIME_INVALID", ["valid_at"]),
    ("outside", SEARCH, {"query": "a", "file": "../x"}, "FILE_OUTSIDE", ["file", "4"]),
    ("NUL", SEARCH, {"query": "a", "file": "a\0b"}, "FILE_OUTSIDE", ["file"]),
    ("path", SEARCH, {"query": "a", "file": "/" * 999}, "FILE_OUTSIDE", ["file"]),
    ("name", SEARCH, {"query": "a", "file": "/x" + "y" * 999}, "FILE_OUTSIDE", []),
    (
        "long path",
        SEARCH,
        {"query": "a", "file": "a" * 4_097},
        "ARGUMENT_INVALID",
        ["file", "4097", "4096"],
    ),
    ("no list", GET, {"ids": OLD}, "ARGUMENT_INVALID", ["ids"]),
    ("11 ids", GET, {"ids": [OLD] * 11}, "ARGUMENT_INVALID", ["ids", "11", "10"]),
    ("no id", GET, {"ids": ["x", 5]}, "ARGUMENT_INVALID", ["ids[1]"]),
    ("long id", GET, {"ids": ["x" * 41]}, "ARGUMENT_INVALID", ["ids[0]", "41", "40"]),
    ("time", GET, {"ids": [OLD], "as_of": "x"}, "TIME_INVALID", ["as_of"]),
    ("type", RECORD, {**FACT, "type": "idea"}, "FIELD_INVALID", ["type", "bugfix"]),
    ("empty", RECORD, {**FACT, "title": " "}, "TITLE_INVALID", ["title"]),
    (
        "title",
        RECORD,
        {**FACT, "title": "t" * 121},
        "TITLE_INVALID",
        ["title", "121", "120"],
    ),
    ("two lines", RECORD, {**FACT, "title": "a\nb"}, "TITLE_INVALID", ["title"]),
    ("bidi", RECORD, {**FACT, "title": "a\u202eb"}, "TITLE_INVALID", ["title"]),
    ("no body", RECORD, {**FACT, "body": "\n"}, "BODY_INVALID", ["body"]),
    (
        "body",
        RECORD,
        {**FACT, "body": "b" * 2_001},
        "BODY_INVALID",
        ["body", "2001", "2000"],
    ),
    ("control", RECORD, {**FACT, "body": "a\x07b"}, "BODY_INVALID", ["body"]),
    ("half", RECORD, {**FACT, "body": "a\ud800b"}, "ARGUMENT_INVALID", ["body"]),
    ("scope", RECORD, {**FACT, "scope": "team"}, "FIELD_INVALID", ["scope"]),
    (
        "global handover",
        RECORD,
        {**FACT, "type": "handover", "scope": "global"},
        "FIELD_INVALID",
        ["scope"],
    ),
    ("no id", RECORD, {**FACT, "supersedes": "?"}, "ID_INVALID", ["supersedes"]),
    ("no record", RECORD, {**FACT, "supersedes": OLD}, "RECORD_NOT_FOUND", [OLD]),
    (
        "file",
        RECORD,
        {**FACT, "files": ["a", "../b"]},
        "ARGUMENT_INVALID",
        ["files[1]", "4"],
    ),
    (
        "files",
        RECORD,
        {**FACT, "files": ["a"] * 21},
        "ARGUMENT_INVALID",
        ["files", "21", "20"],
    ),
    ("no id", SUPERSEDE, {**CHANGE, "old_id": ""}, "ID_INVALID", ["old_id"]),
    ("no record", SUPERSEDE, CHANGE, "RECORD_NOT_FOUND", [OLD]),
    ("empty", SUPERSEDE, {**CHANGE, "new_body": " "}, "ARGUMENT_INVALID", ["new_body"]),
    (
        "body",
        SUPERSEDE,
        {**CHANGE, "new_body": "b" * 2_001},
        "ARGUMENT_INVALID",
        ["new_body", "2001", "2000"],
    ),
    ("why", SUPERSEDE, {**CHANGE, "rationale": ""}, "ARGUMENT_INVALID", ["rationale"]),
    (
        "title",
        SUPERSEDE,
        {**CHANGE, "title": "t" * 121},
        "TITLE_INVALID",
        ["title", "121", "120"],
    ),
    ("nothing", RELATED, {}, "ARGUMENT_INVALID", ["file"]),
    ("empty", RELATED, {"file": ""}, "FILE_OUTSIDE", ["file"]),
    ("more", "ctx_project", {"a": 1}, "ARGUMENT_INVALID", ["a"]),
    ("more", "ctx_sync_claudemd", {"a": 1}, "ARGUMENT_INVALID", ["a"]),
]


@pytest.mark.requirement("A5.1", "A5.2")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "named"),
    [pytest.param(*rest, id=f"{rest[0]}-{name}") for name, *rest in WRONG],
)
def test_wrong_arguments_are_refused_by_name(
    desk: Desk,
    tool: str,
    arguments: dict[str, Any],
    code: str,
    named: list[str],
    era: str,
) -> None:
    answer = call(desk, tool, arguments, era=era)
    assert answer.code == code
    assert set(answer.value) == {"error", "code", "hint"}
    assert [word for word in named if word not in answer.value["error"]] == []
    assert len(answer.text) < 1_000


@pytest.mark.requirement("A5.1")
@pytest.mark.parametrize("tool", [SEARCH, GET, RELATED])
def test_a_refused_question_makes_no_store(
    desk: Desk, store_home: Path, tool: str
) -> None:
    assert call(desk, tool, {}).failed
    assert not store_home.exists()


@pytest.mark.requirement("A5.1")
def test_bounds_themselves_are_accepted(desk: Desk) -> None:
    one = record(desk, title="t" * 120, body="b" * 2_000, files=["a"] * 20)
    assert not call(desk, SEARCH, {"query": "t" * 65_536, "limit": 15}).failed
    value = call(desk, GET, {"ids": [one] * 10}).value
    assert [found["id"] for found in value["records"]] == [one]
    assert call(desk, GET, {"ids": []}).value["records"] == []
