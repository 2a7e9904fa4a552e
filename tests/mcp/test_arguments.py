"""Arguments held against the schema, and what a failure says of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from corpus.errors import CodedError
from corpus.mcp.arguments import DEEPEST, checked
from corpus.mcp.table import BY_NAME, TOOLS
from tests.mcp.serving import ERAS, call, desk_of, served_corpus

if TYPE_CHECKING:
    from pathlib import Path

QUERY = "corpus.context_query"
HASH = "0" * 64
LONE = "a\ud800b"

WRONG: list[tuple[str, str, dict[str, Any], str, str]] = [
    ("unknown", QUERY, {"query": "a", "index": "x"}, "ARGUMENT_INVALID", "index"),
    ("missing", QUERY, {"limit": 3}, "ARGUMENT_INVALID", "query"),
    ("null", QUERY, {"query": None}, "ARGUMENT_INVALID", "query"),
    ("a number", QUERY, {"query": 5}, "ARGUMENT_INVALID", "query"),
    ("too long", QUERY, {"query": "a" * 65_537}, "ARGUMENT_INVALID", "query"),
    ("blank", QUERY, {"query": " "}, "QUERY_EMPTY", ""),
    ("none", QUERY, {"query": ""}, "QUERY_EMPTY", ""),
    ("truth", QUERY, {"query": "a", "limit": True}, "ARGUMENT_INVALID", "limit"),
    ("text", QUERY, {"query": "a", "limit": "5"}, "ARGUMENT_INVALID", "limit"),
    ("half", QUERY, {"query": "a", "limit": 1.5}, "ARGUMENT_INVALID", "limit"),
    ("zero", QUERY, {"query": "a", "limit": 0}, "QUERY_LIMIT", ""),
    ("huge", QUERY, {"query": "a", "limit": 10**300}, "QUERY_LIMIT", ""),
    ("type", QUERY, {"query": "a", "type": "note"}, "ARGUMENT_INVALID", "type"),
    ("glob", QUERY, {"query": "a", "path": "/etc/**"}, "POLICY_SCOPE", ""),
    ("empty glob", QUERY, {"query": "a", "path": ""}, "ARGUMENT_INVALID", "path"),
    (
        "budget",
        "corpus.context_bundle",
        {"query": "a", "max_tokens": 79},
        "BUDGET_INVALID",
        "",
    ),
    ("no arguments", "corpus.context_doctor", {"a": 1}, "ARGUMENT_INVALID", "a"),
    (
        "no object",
        "corpus.candidate_validate",
        {"candidate": []},
        "ARGUMENT_INVALID",
        "candidate",
    ),
    (
        "upper case",
        "state.update",
        {"content": "x", "expected_sha256": "A" * 64},
        "ARGUMENT_INVALID",
        "expected_sha256",
    ),
    (
        "a line end",
        "state.update",
        {"content": "x", "expected_sha256": f"{HASH}\n"},
        "ARGUMENT_INVALID",
        "expected_sha256",
    ),
    (
        "an id",
        "task.create",
        {"id": "../x", "content": "x"},
        "ARGUMENT_INVALID",
        "id",
    ),
    (
        "a list",
        "task.create",
        {"title": "A task", "objective": "x", "scope": "y"},
        "ARGUMENT_INVALID",
        "scope",
    ),
    (
        "an entry",
        "task.create",
        {"title": "A task", "objective": "x", "scope": ["y", 1]},
        "ARGUMENT_INVALID",
        "scope[1]",
    ),
    (
        "a transaction",
        "audit.read",
        {"transaction_id": "../../policy"},
        "ARGUMENT_INVALID",
        "transaction_id",
    ),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


@pytest.mark.requirement("P15.2")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "field"),
    [pytest.param(*rest, id=f"{rest[0]}-{name}") for name, *rest in WRONG],
)
def test_wrong_arguments_are_refused_by_name(
    root: Path, tool: str, arguments: dict[str, Any], code: str, field: str, era: str
) -> None:
    answer = call(desk_of(root), tool, arguments, era=era)
    assert answer.code == code
    assert answer.value["facts"].get("field", "") == field
    assert len(answer.text) < 1_000


@pytest.mark.requirement("P15.2")
def test_optional_arguments_have_defaults_and_null_is_none() -> None:
    takes = BY_NAME[QUERY].takes
    expected = {"query": "a", "limit": 20, "temporal": "any"}
    assert checked(takes, {"query": "a"}) == expected
    nulls = {"query": "a", "limit": None, "type": None, "path": None}
    assert checked(takes, nulls) == expected
    assert checked(takes, {"query": "a", "limit": 7.0})["limit"] == 7


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_half_a_character_is_refused_wherever_it_stands(tool: Any) -> None:  # noqa: ANN401
    for name, wanted in tool.takes["properties"].items():
        value: Any = LONE
        if wanted["type"] == "array":
            value = [LONE]
        elif wanted["type"] == "object":
            value = {"statement": [LONE]}
        with pytest.raises(CodedError) as caught:
            checked({**tool.takes, "required": []}, {name: value})
        assert caught.value.code == "ARGUMENT_INVALID"
        assert str(caught.value.facts["field"]).startswith(name)


@pytest.mark.requirement("P15.3")
def test_nesting_is_bounded() -> None:
    deep: dict[str, Any] = {}
    for _ in range(DEEPEST + 1):
        deep = {"a": deep}
    with pytest.raises(CodedError) as caught:
        checked(BY_NAME["corpus.candidate_validate"].takes, {"candidate": deep})
    assert caught.value.code == "ARGUMENT_INVALID"


@pytest.mark.requirement("P15.3")
def test_an_unknown_name_is_shown_short_and_printable(root: Path) -> None:
    name = "x\x1b[2J" * 1_000
    answer = call(desk_of(root), QUERY, {"query": "a", name: 1})
    assert len(answer.value["facts"]["field"]) <= 41
    assert answer.value["facts"]["field"].isprintable()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 200)
    | st.sampled_from(["", "a", "state", "any", "NONE", HASH, "1-2", "abc"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "query"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.requirement("P15.2")
@settings(max_examples=400, deadline=None)
@given(data=st.data(), tool=st.sampled_from(TOOLS))
def test_what_is_accepted_fits_the_schema_and_what_fits_is_accepted(
    data: st.DataObject,
    tool: Any,  # noqa: ANN401
) -> None:
    names = [*tool.takes["properties"], "other"]
    given_names = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
    given_values = {name: data.draw(VALUES) for name in given_names}
    sent = {
        key: value
        for key, value in given_values.items()
        if value is not None or key in ("other", *tool.takes["required"])
    }
    shallow = json.loads(json.dumps(tool.takes))
    for wanted in shallow["properties"].values():
        if wanted["type"] == "object":  # what it says is the tool's to judge
            wanted.clear()
            wanted["type"] = "object"
    fits = Draft202012Validator(shallow).is_valid(sent)
    try:
        checked(tool.takes, given_values)
    except CodedError:
        assert not fits
    else:
        assert fits
