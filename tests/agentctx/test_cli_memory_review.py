"""`agentctx memory review`: a person says which sessions are in a review."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.memory.hosted import OWNER, Prompt, begin
from agentctx.memory.underreview import review_of
from tests.agentctx.memory.memories import memory_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Turn
    from agentctx.memory.underreview import StoredReview
    from tests.conftest import InProcess, Outcome
    from tests.recorded import Ticking

SESSION = "window-one"
ITEMS: list[dict[str, Any]] = [
    {"item_id": "f1", "path": "src/river.py", "rule_id": "E501", "message": "too long"},
    {"item_id": "f2", "path": "./src/gauge.py", "message": None},
]
START = ("memory", "review", "start", "--session", SESSION, "--run", "lint-7")
STOP = ("memory", "review", "stop", "--session", SESSION)


def items_file(folder: Path, content: object) -> str:
    """Write a file of items, as JSON or as the bytes that are given."""
    path = folder / "items.json"
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    path.write_bytes(raw)
    return str(path)


def failure(outcome: Outcome) -> dict[str, Any]:
    assert outcome.status == 2, outcome
    assert outcome.out == ""
    told: dict[str, Any] = json.loads(outcome.err)
    return told


def kept(project: Path, clock: Ticking) -> StoredReview | None:
    with memory_at(project, clock, create=False) as memory:
        return review_of(memory.db, SESSION)


def turn(project: Path, clock: Ticking) -> Turn:
    with memory_at(project, clock, owner=OWNER) as memory, memory.writing() as writing:
        return begin(writing, Prompt(SESSION, "Go through it.")).turn


@pytest.mark.requirement("H3", "M7.2(a)", "M5.5(b)")
def test_a_session_is_in_a_review_until_it_is_stopped(
    agentctx: InProcess, project: Path, tmp_path: Path, clock: Ticking
) -> None:
    outcome = agentctx(*START, "--items", items_file(tmp_path, ITEMS))
    assert outcome.status == 0, outcome
    value = json.loads(outcome.out)
    assert (value["session"], value["run"]) == (SESSION, "lint-7")
    assert [one["path"] for one in value["items"]] == ["src/river.py", "src/gauge.py"]
    begun = turn(project, clock)
    assert begun.profile == "review"
    assert begun.evidence_keys == ("lint-7:f1", "lint-7:f2")
    stopped = json.loads(agentctx(*STOP).out)
    assert stopped == {"session": SESSION, "stopped": True}
    with memory_at(project, clock) as memory:
        row = memory.db.execute("SELECT state, profile FROM turns").fetchone()
        assert tuple(row) == ("open", "review")
    assert turn(project, clock).profile == "ordinary"
    assert json.loads(agentctx(*STOP).out)["stopped"] is False


@pytest.mark.requirement("H3")
def test_a_review_without_items_is_one_and_people_are_told_how_it_ends(
    agentctx: InProcess, project: Path, clock: Ticking
) -> None:
    outcome = agentctx(*START, "--format", "text")
    assert outcome.status == 0, outcome
    assert "review stop" in outcome.out
    begun = turn(project, clock)
    assert (begun.profile, begun.evidence_keys) == ("review", ())
    assert "over" in agentctx(*STOP, "--format", "text").out
    assert "no review" in agentctx(*STOP, "--format", "text").out


GOOD = ITEMS[0]
BAD: list[tuple[object, str, str]] = [
    ({"items": ITEMS}, "MEMORY_CONTRACT", "array"),
    ("f1", "MEMORY_CONTRACT", "array"),
    ([GOOD, "f2"], "MEMORY_CONTRACT", "item 2 is no object"),
    ([GOOD, {"path": "a.py"}], "MEMORY_CONTRACT", "item 2 has no `item_id`"),
    ([{"item_id": "f1"}], "MEMORY_CONTRACT", "item 1 has no `path`"),
    ([{**GOOD, "line": 7}], "MEMORY_CONTRACT", "item 1 has `line`"),
    ([{**GOOD, "item_id": 7}], "MEMORY_CONTRACT", "item 1: `item_id`"),
    ([{**GOOD, "message": ["a"]}], "MEMORY_CONTRACT", "item 1: `message`"),
    ([{**GOOD, "message": "m" * 4_001}], "MEMORY_CONTRACT", "item 1: `message`"),
    ([{**GOOD, "item_id": " "}], "MEMORY_CONTRACT", "item 1 has an empty `item_id`"),
    ([{**GOOD, "item_id": "f" * 194}], "MEMORY_CONTRACT", "item 1: an id"),
    ([GOOD, GOOD], "MEMORY_CONTRACT", "item 2 has the id of item 1"),
    ([{**GOOD, "path": "../x.py"}], "MEMORY_CONTRACT", "item 1: its path"),
    ([{**GOOD, "path": "/etc/passwd"}], "MEMORY_CONTRACT", "item 1: its path"),
    ([{**GOOD, "path": "..\\x.py"}], "MEMORY_CONTRACT", "item 1: its path"),
    ([{**GOOD, "path": ".AGENTCTX/x"}], "MEMORY_CONTRACT", "item 1: its path"),
    ([{**GOOD, "path": "x" * 401}], "MEMORY_CONTRACT", "item 1: its path"),
    (
        [{"item_id": f"f{n}", "path": "a.py"} for n in range(10_000)],
        "MEMORY_CONTRACT",
        "at most 200 items",
    ),
    ([0] * 10_001, "MEMORY_CONTRACT", "10,000"),
    (b"\xff\xfe[]", "INPUT_JSON", "not UTF-8 at byte 0"),
    (b"", "INPUT_JSON", "line 1"),
    (b"[{]", "INPUT_JSON", "line 1 column"),
    (b'[{"item_id": "a", "item_id": "b"}]', "INPUT_JSON", "repeated key"),
    (b"[" * 65 + b"]" * 65, "INPUT_JSON", "deep"),
    (b'[{"item_id": "\\ud800", "path": "a"}]', "INPUT_JSON", "surrogate"),
    (b" " * (1 << 20) + b"[]", "CONTEXT_INPUT_PATH", "large"),
]


@pytest.mark.requirement("H3", "C12")
def test_items_that_are_none_are_refused_with_their_place_and_nothing_begins(
    agentctx: InProcess, project: Path, tmp_path: Path, clock: Ticking
) -> None:
    assert agentctx(*START).status == 0
    first = kept(project, clock)
    for content, code, words in BAD:
        path = items_file(tmp_path, content)
        told = failure(agentctx(*START[:-1], "second", "--items", path))
        assert told["error"] == code, content
        assert words in told["detail"], told["detail"]
        assert "second" not in str(kept(project, clock))
    for path in (str(tmp_path), str(tmp_path / "gone.json")):
        told = failure(agentctx(*START, "--items", path))
        assert told["error"] == "CONTEXT_INPUT_PATH"
    assert kept(project, clock) == first


@pytest.mark.requirement("H3")
@pytest.mark.parametrize(
    ("option", "value"),
    [("--run", "a:b"), ("--run", ""), ("--session", " "), ("--session", "s" * 201)],
)
def test_a_session_and_a_run_have_names(
    agentctx: InProcess, option: str, value: str
) -> None:
    told = failure(agentctx(*START, option, value))
    assert told["error"] == "MEMORY_CONTRACT"


@pytest.mark.requirement("H3", "M1.1(a)")
def test_where_memory_is_off_or_absent_a_review_is_refused_and_nothing_is_made(
    agentctx: InProcess,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    for words in (START, STOP):
        assert failure(agentctx(*words, cwd=plain))["error"] == "MEMORY_ABSENT"
    assert list(plain.iterdir()) == []
    assert json.loads(agentctx(*STOP).out)["stopped"] is False
    assert list((project / ".agentctx").iterdir()) == []
    monkeypatch.setenv("AGENTCTX_MEMORY", "0")
    told = failure(agentctx(*START))
    assert told["error"] == "MEMORY_OFF"
    assert "AGENTCTX_MEMORY" in told["hint"]
    assert list((project / ".agentctx").iterdir()) == []


@pytest.mark.requirement("H3")
def test_a_review_can_be_stopped_while_memory_is_off(
    agentctx: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agentctx(*START).status == 0
    monkeypatch.setenv("AGENTCTX_MEMORY", "0")
    assert json.loads(agentctx(*STOP).out)["stopped"] is True


@pytest.mark.requirement("H3")
def test_the_words_before_a_command_name_the_commands_that_begin_so(
    agentctx: InProcess,
) -> None:
    outcome = agentctx("memory", "review")
    assert failure(outcome)["error"] == "USAGE"
    assert "`agentctx memory review` needs a command" in outcome.err
    page = agentctx("memory", "review", "--help")
    assert page.status == 0
    assert "memory review start" in page.out
    assert "memory mcp" not in page.out
    wrong = failure(agentctx("memory", "review", "begin"))
    assert "`memory review begin` is not a command" in wrong["detail"]
    near = failure(agentctx("memory", "review", "strat"))
    assert "`agentctx memory review start`" in near["hint"]
    for last in ("start", "stop"):
        page = agentctx("memory", "review", last, "--help")
        assert page.status == 0
        assert f"agentctx memory review {last}" in page.out
