"""Every tool, called by a real client in both eras: what it gives and what it says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from mcp.types import ListToolsResult

from corpus.mcp.desk import Desk
from corpus.mcp.reading import LONGEST_ANSWER
from corpus.mcp.server import INSTRUCTIONS
from corpus.mcp.table import BY_NAME, TOOLS
from corpus.policy import CAPABILITIES
from tests.corpora import HOME, live_view_of_corpus, write
from tests.mcp.serving import (
    ERAS,
    call,
    desk_of,
    failures,
    listed,
    problems,
    served_corpus,
)
from tests.trusted import MOMENT, STATUS, editing_policy, grant_everything, hash_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.mcp.host import Results
    from corpus.mcp.table import Tool

LARGEST_LIST = 28 * 1024
LARGEST_SHAPES = 14 * 1024
"""Bytes of the whole list of tools, and of the output schemas in it."""

TASK = f"{HOME}/tasks/task-one.md"
REPORT = f"{HOME}/reports/report-one.md"

READS: dict[str, dict[str, Any]] = {
    "corpus.context_query": {"query": "gauge on the ridge", "temporal": "current"},
    "corpus.context_bundle": {"query": "gauge", "max_tokens": 400},
    "corpus.context_doctor": {},
    "corpus.read": {"path": TASK},
    "corpus.stat": {"path": TASK},
    "corpus.search": {"query": "Stations"},
    "corpus.timeline": {},
    "corpus.show": {"path": "task-one", "lines": "1-3"},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


@pytest.fixture
def desk(root: Path) -> Desk:
    return desk_of(root)


def candidate_of(root: Path, **changes: object) -> dict[str, object]:
    return {
        "schema_version": "1",
        "candidate_id": "ridge-heating",
        "project_id": "demo-one",
        "kind": "semantic_fact",
        "statement": "The gauge on the ridge needs heating in winter.",
        "source_refs": [
            {
                "source_path": f"{HOME}/tasks/task-two.md",
                "source_sha256": hash_of(root / HOME / "tasks/task-two.md"),
                "line_start": 11,
            }
        ],
        "created_at": "2026-01-02T00:00:00Z",
        "status": "candidate",
        **changes,
    }


@pytest.mark.requirement("P15.1", "P15.2")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", READS)
def test_a_reading_tool_gives_what_its_schema_says_and_writes_nothing(
    root: Path, desk: Desk, name: str, era: str
) -> None:
    before = sorted((p, p.is_file() and hash_of(p)) for p in root.rglob("*"))
    answer = call(desk, name, READS[name], era=era)
    assert not answer.failed, answer
    assert problems(BY_NAME[name], answer.value) == []
    assert answer.value["project_id"] == "demo-one"
    after = sorted((p, p.is_file() and hash_of(p)) for p in root.rglob("*"))
    assert before == after


@pytest.mark.requirement("P15.2")
@pytest.mark.parametrize("name", READS)
def test_a_result_is_given_once(desk: Desk, name: str) -> None:
    structured = call(desk, name, READS[name])
    assert "\n" not in structured.text
    assert len(structured.text) < 400
    textual = call(desk, name, READS[name], results="text")
    assert textual.value == structured.value
    assert json.loads(textual.text) == structured.value


@pytest.mark.requirement("P15.2")
@pytest.mark.parametrize("era", ERAS)
def test_every_tool_declares_itself(desk: Desk, era: str) -> None:
    tools = listed(desk, era=era)
    assert list(tools) == [tool.name for tool in TOOLS]
    for name, tool in tools.items():
        row = BY_NAME[name]
        assert row.capability in CAPABILITIES
        assert tool.title
        assert tool.description is not None
        assert len(tool.description.encode()) <= 1024
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is row.effect.read_only
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert {"anyOf", "oneOf", "allOf", "$schema", "$id"} & set(schema) == set()
        assert tool.input_schema["additionalProperties"] is False
        for key, value in tool.input_schema["properties"].items():
            assert value["description"], key
            optional = key not in tool.input_schema["required"]
            stated = re.search("Default|`title`|`content`", value["description"])
            assert stated or not optional, key
    assert {"index", "root", "trust"} & {
        key for tool in tools.values() for key in tool.input_schema["properties"]
    } == set()


@pytest.mark.requirement("P15.2")
def test_a_list_of_tools_is_small(desk: Desk) -> None:
    tools = list(listed(desk).values())
    whole = ListToolsResult(tools=tools).model_dump_json(
        by_alias=True, exclude_none=True
    )
    assert len(whole.encode()) <= LARGEST_LIST
    shapes = [json.dumps(tool.output_schema, separators=(",", ":")) for tool in tools]
    assert sum(map(len, shapes)) <= LARGEST_SHAPES


@pytest.mark.requirement("P15.2")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_shape_says_the_names_and_kinds_of_the_whole_schema(tool: Tool) -> None:
    told, whole = tool.output_schema(), tool.result_schema()
    assert set(told["properties"]) == set(whole["properties"])
    assert told["required"] == whole["required"]
    assert told["additionalProperties"] is False
    for word in ("$ref", "$defs", "pattern", "description"):
        assert f'"{word}":' not in json.dumps(told, separators=(",", ":"))
    for name, one in told["properties"].items():
        assert one.get("type") == whole["properties"][name].get("type"), name


@pytest.mark.requirement("P15.2")
def test_as_text_no_output_schema_is_declared(desk: Desk) -> None:
    tools = listed(desk, results="text")
    assert [name for name, tool in tools.items() if tool.output_schema] == []


@pytest.mark.requirement("P15.2")
def test_the_instructions_fit_where_clients_cut_them() -> None:
    assert len(INSTRUCTIONS) <= 2000


@pytest.mark.requirement("P15.1", "P7.8")
def test_a_query_gives_what_the_command_gives(root: Path, desk: Desk) -> None:
    from corpus.search import search  # noqa: PLC0415 - loads the word lists

    answer = call(desk, "corpus.context_query", {"query": "gauge"})
    expected = search(live_view_of_corpus(root), "gauge").as_json()
    assert answer.value == json.loads(json.dumps(expected))


@pytest.mark.requirement("P15.1")
def test_a_query_can_be_narrowed(desk: Desk) -> None:
    narrow = {"query": "gauge winter", "type": "task", "limit": 1}
    (only,) = call(desk, "corpus.context_query", narrow).value["results"]
    assert only["source_type"] == "task"
    narrow = {"query": "gauge", "path": f"{HOME}/history/**"}
    found = call(desk, "corpus.context_query", narrow).value["results"]
    assert {one["source_type"] for one in found} == {"history"}


@pytest.mark.requirement("P15.1", "P10.1")
@pytest.mark.parametrize("era", ERAS)
def test_a_candidate_is_checked_against_current_sources(
    root: Path, desk: Desk, era: str
) -> None:
    candidate = {"candidate": candidate_of(root)}
    answer = call(desk, "corpus.candidate_validate", candidate, era=era)
    assert not answer.failed, answer
    assert problems(BY_NAME["corpus.candidate_validate"], answer.value) == []
    assert answer.value["warnings"] == []
    wrong = {"candidate": candidate_of(root, kind="rumour")}
    assert call(desk, "corpus.candidate_validate", wrong).code == "CANDIDATE_KIND"
    more = {"candidate": candidate_of(root, extra=1)}
    assert call(desk, "corpus.candidate_validate", more).code == "CANDIDATE_SCHEMA"


@pytest.mark.requirement("P15.2", "P11.1")
def test_the_doctor_checks_current_sources_and_no_index(root: Path, desk: Desk) -> None:
    write(root / HOME / "cache/context.sqlite3", b"not an index")
    assert call(desk, "corpus.context_doctor").value["ok"] is True
    text = (root / STATUS).read_text(encoding="utf-8")
    write(
        root / STATUS, text.replace("Active-Task-ID: task-one", "Active-Task-ID: lost")
    )
    assert failures(desk) == ["DANGLING_ACTIVE_TASK"]


@pytest.mark.requirement("P15.2", "P11.1")
def test_the_doctor_diagnoses_what_cannot_be_indexed(root: Path, desk: Desk) -> None:
    path = root / HOME / "state/PROJECT.md"
    text = path.read_text(encoding="utf-8").replace("demo-one", "demo-two")
    write(path, text)
    assert failures(desk) == ["PROJECT_MISMATCH"]
    assert call(desk, "corpus.context_query", {"query": "a"}).failed


@pytest.mark.requirement("P15.1")
def test_lines_of_a_file_are_given_with_the_hash_of_the_whole(
    root: Path, desk: Desk
) -> None:
    path = f"{HOME}/history/lines.md"
    write(root / path, "one\r\ntwo\nthree\n")
    asked = {"path": path, "first_line": 2, "last_line": 9}
    value = call(desk, "corpus.read", asked).value
    assert value["content"] == "two\nthree"
    assert (value["line_start"], value["line_end"], value["line_count"]) == (2, 3, 3)
    assert value["sha256"] == hash_of(root / path)
    whole = call(desk, "corpus.read", {"path": path}).value
    assert whole["content"] == "one\r\ntwo\nthree\n"
    stat = call(desk, "corpus.stat", {"path": path}).value
    assert (stat["size"], stat["sha256"]) == (15, whole["sha256"])
    write(root / path, "")
    assert call(desk, "corpus.read", {"path": path}).value["line_count"] == 0


@pytest.mark.requirement("P15.1", "P2.4")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("AGENTS.md", "READ_SCOPE_DENIED", id="out of scope"),
        pytest.param("nowhere.md", "READ_SCOPE_DENIED", id="out of scope, missing"),
        pytest.param(f"{HOME}/tasks/none.md", "FILE_UNREADABLE", id="missing"),
        pytest.param(f"{HOME}/tasks/link.md", "FILE_UNREADABLE", id="a link"),
        pytest.param(f"{HOME}/tasks/bytes.md", "FILE_UNREADABLE", id="not UTF-8"),
        pytest.param(f"{HOME}/tasks/../policy.toml", "ARGUMENT_INVALID", id="dots"),
        pytest.param("/etc/passwd", "ARGUMENT_INVALID", id="absolute"),
        pytest.param("C:\\x", "ARGUMENT_INVALID", id="another system's"),
        pytest.param("a//b", "ARGUMENT_INVALID", id="an empty part"),
        pytest.param("a\u202eb", "ARGUMENT_INVALID", id="hidden"),
    ],
)
def test_nothing_out_of_scope_is_read(
    root: Path, desk: Desk, path: str, code: str
) -> None:
    secret = write(root.parent / "secret.md", "secret")
    (root / HOME / "tasks/link.md").symlink_to(secret)
    write(root / HOME / "tasks/bytes.md", b"\xff\xfe")
    answer = call(desk, "corpus.read", {"path": path})
    assert answer.code == code
    assert "secret" not in answer.text


@pytest.mark.requirement("P15.1")
def test_a_source_is_shown_by_id_and_a_missing_one_is_named(desk: Desk) -> None:
    assert call(desk, "corpus.show", {"path": "report-one"}).value["path"] == REPORT
    assert call(desk, "corpus.show", {"path": "none"}).code == "ARTIFACT_NOT_FOUND"
    for lines in ("9-2", "0", "a"):
        answer = call(desk, "corpus.show", {"path": "report-one", "lines": lines})
        assert answer.code == "ARGUMENT_INVALID"
    beyond = {"path": "report-one", "lines": "999"}
    assert call(desk, "corpus.show", beyond).code == "USAGE"


@pytest.mark.requirement("P15.1")
def test_an_answer_is_bounded_and_lines_help(root: Path, desk: Desk) -> None:
    path = f"{HOME}/history/long.md"
    write(root / path, "A line of text.\n" * (LONGEST_ANSWER // 16 + 1))
    for name in ("corpus.read", "corpus.show"):
        assert call(desk, name, {"path": path}).code == "READ_LIMIT"
    assert not call(desk, "corpus.read", {"path": path, "last_line": 5}).failed
    assert not call(desk, "corpus.show", {"path": path, "lines": "1-5"}).failed


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize("tool", ["corpus.search", "corpus.timeline", "corpus.show"])
def test_browsing_sees_the_scope_alone(root: Path, tool: str) -> None:
    policy = editing_policy(deny=[f"{HOME}/history/**"])
    write(root / HOME / "policy.toml", policy)
    grant_everything(root)
    asked = {
        "corpus.search": {"query": "froze in winter"},
        "corpus.timeline": {"selector": "history"},
        "corpus.show": {"path": "year-one"},
    }[tool]
    assert "froze" not in call(desk_of(root), tool, asked).text


@pytest.mark.requirement("P15.3")
def test_no_answer_names_a_place_of_this_machine(root: Path, desk: Desk) -> None:
    asked = {
        **READS,
        "corpus.candidate_validate": {"candidate": candidate_of(root, kind="x")},
        "state.update": {"content": "x", "expected_sha256": "0" * 64},
        "task.create": {"title": "A task", "objective": "x"},
        "task.activate": {"id": "task-none", "expected_sha256": "0" * 64},
        "task.close": {"id": "task-none", "expected_sha256": "0" * 64},
        "report.create": {"id": "abc", "content": "x"},
        "audit.read": {"transaction_id": "0" * 32},
    }
    assert sorted(asked) == sorted(BY_NAME)
    for name, arguments in asked.items():
        for results in ("structured", "text"):
            answer = call(desk, name, arguments, results=results)
            said = answer.text + json.dumps(answer.value)
            assert str(root.parent) not in said, name
            assert "Traceback" not in said, name


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize("era", ERAS)
def test_a_defect_is_told_by_kind_and_place_on_stderr_alone(
    desk: Desk, capsys: pytest.CaptureFixture[str], era: str
) -> None:
    broken = Desk(desk.place._replace(clock=lambda: MOMENT.replace(year=0)))
    answer = call(broken, "corpus.context_bundle", {"query": "gauge"}, era=era)
    assert answer.code == "BUG"
    assert "ValueError" not in answer.text
    assert "corpus." not in answer.text
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("project-corpus mcp: unexpected ValueError at corpus.")
    assert not call(broken, "corpus.context_query", {"query": "gauge"}).failed


@pytest.mark.requirement("P15.3")
@pytest.mark.parametrize("results", ["structured", "text"])
def test_a_receipt_too_deep_to_be_said_is_a_failure(
    root: Path, desk: Desk, results: Results
) -> None:
    named = "a" * 32
    deep = '{"a":' * 500 + "1" + "}" * 500
    write(root / HOME / f"audit/{named}.json", deep)
    answer = call(desk, "audit.read", {"transaction_id": named}, results=results)
    assert answer.code == "TRANSACTION_UNKNOWN"
    strange = f'{{"transaction_id": "{named}", "a": "\\ud800"}}'
    write(root / HOME / f"audit/{named}.json", strange)
    answer = call(desk, "audit.read", {"transaction_id": named}, results=results)
    assert answer.value["receipt"]["a"] == "\ufffd"
