"""The seven tools: what each one gives, in both eras, and what a client is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from agentctx.mcp.server import INSTRUCTIONS
from agentctx.mcp.table import BY_NAME, TOOLS
from corpus.tokens import injection_tokens
from tests.agentctx.mcp.serving import FACT, call, desk_at, found, listed, record
from tests.mcp.serving import ERAS
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.mcp.desk import Desk
    from corpus.mcp.host import Results
    from tests.recorded import Ticking

SEVEN = [
    "ctx_search",
    "ctx_get",
    "ctx_record",
    "ctx_supersede",
    "ctx_project",
    "ctx_related",
    "ctx_sync_claudemd",
]
READS = [name for name in SEVEN if name not in {"ctx_record", "ctx_supersede"}]
MOST_TOKENS = 1_500


def asked_of(record_id: str) -> dict[str, dict[str, Any]]:
    """Give arguments for every tool."""
    return {
        "ctx_search": {"query": "readings in UTC"},
        "ctx_get": {"ids": [record_id]},
        "ctx_record": {**FACT, "title": "Another fact"},
        "ctx_supersede": {"old_id": record_id, "new_body": "No.", "rationale": "So."},
        "ctx_project": {},
        "ctx_related": {"file": "src/store.py"},
        "ctx_sync_claudemd": {},
    }


def problems(tool: str, value: object) -> list[str]:
    schema = BY_NAME[tool].output_schema()
    return [one.message for one in Draft202012Validator(schema).iter_errors(value)]


@pytest.mark.requirement("A5.1")
@pytest.mark.parametrize("results", ["structured", "text"])
@pytest.mark.parametrize("era", ERAS)
def test_exactly_seven_tools_are_listed_within_their_budget(
    desk: Desk, era: str, results: Results
) -> None:
    answer = listed(desk, era=era, results=results)
    assert [tool.name for tool in answer.tools] == SEVEN
    wire = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert injection_tokens(json.dumps(wire, ensure_ascii=False)) < MOST_TOKENS


@pytest.mark.requirement("A5.1")
def test_every_tool_declares_itself(desk: Desk) -> None:
    for tool in listed(desk, era="legacy", results="structured").tools:
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name in READS)
        assert tool.annotations.destructive_hint in {None, False}
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert {"anyOf", "oneOf", "allOf"} & set(schema) == set()
        assert tool.input_schema["additionalProperties"] is False
    assert len(INSTRUCTIONS) <= 2_000


@pytest.mark.requirement("A5.1")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", SEVEN)
def test_a_tool_gives_what_its_schema_says_in_either_form(
    desk: Desk, name: str, era: str
) -> None:
    arguments = asked_of(record(desk, files=["src/store.py"]))[name]
    answer = call(desk, name, arguments, era=era)
    assert not answer.failed, answer
    assert problems(name, answer.value) == []
    assert "\n" not in answer.text
    if name in READS:
        textual = call(desk, name, arguments, era=era, results="text")
        assert json.loads(textual.text).keys() == answer.value.keys()


@pytest.mark.requirement("A5.2")
def test_a_search_gives_short_entries_and_never_a_body(desk: Desk) -> None:
    title = "降雨量は毎時間保存する。" * 10
    body = "Rain gauge readings are kept for a year, every hour of it."
    for number in range(20):
        record(desk, title=title[number:], body=f"{body} Part {number}.")
    answer = call(desk, "ctx_search", {"query": "rain gauge", "limit": 15})
    assert len(answer.value["results"]) == 15
    assert "degraded" not in answer.value
    for entry in answer.value["results"]:
        names = ["id", "type", "title", "age", "confidence", "score", "by"]
        assert list(entry) == names
        assert entry["by"] == "agent"
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        assert injection_tokens(text) <= 50
        assert entry["title"].endswith("…")
    textual = call(
        desk, "ctx_search", {"query": "rain gauge", "limit": 15}, results="text"
    )
    assert injection_tokens(textual.text) <= 15 * 50 + 10
    assert "Part" not in answer.text + json.dumps(answer.value) + textual.text
    assert len(found(desk, "rain gauge")) == 10


@pytest.mark.requirement("A5.1")
def test_a_search_is_narrowed_by_type_file_and_scope(desk: Desk, project: Path) -> None:
    here = record(desk, files=["src/store.py"])
    everywhere = record(desk, type="preference", title="UTC always", scope="global")
    assert set(found(desk, "UTC")) == {here, everywhere}
    assert found(desk, "UTC", type="preference") == [everywhere]
    assert found(desk, "UTC", scope="global") == [everywhere]
    for path in (
        "src/store.py",
        "./src/../src/store.py",
        str(project / "src/store.py"),
    ):
        assert found(desk, "UTC", file=path) == [here], path
    assert found(desk, "UTC", file="src/other.py") == []
    assert set(found(desk, "UTC", type=None, limit=None)) == {here, everywhere}


@pytest.mark.requirement("A5.2")
def test_whole_records_are_given_in_order_and_counted(desk: Desk) -> None:
    first = record(desk, files=["src/store.py"])
    second = record(desk, title="Another fact")
    asked = {"ids": [second, first.lower(), first, "01UNKNOWN", "x"]}
    value = call(desk, "ctx_get", asked).value
    assert [one["id"] for one in value["records"]] == [second, first]
    assert (value["missing"], value["heads"]) == (["01UNKNOWN", "x"], {})
    given = value["records"][1]
    assert given["body"] == FACT["body"]
    assert given["files"] == ["src/store.py"]
    assert {"valid_from", "recorded_at", "superseded_at", "superseded_by"} < set(given)
    assert (given["access_count"], given["last_accessed"]) == (0, None)
    again = call(desk, "ctx_get", {"ids": [first]}).value["records"][0]
    assert again["access_count"] == 1
    assert again["last_accessed"] is not None


@pytest.mark.requirement("A5.2")
def test_counting_an_access_changes_no_version_and_no_index(
    desk: Desk, store_home: Path
) -> None:
    one = record(desk)

    def written() -> tuple[object, ...]:
        with store_at(store_home, create=False) as store:
            query = "SELECT count(*) FROM unindexed_records"
            return store.version, store.db.execute(query).fetchone()[0]

    before = written()
    assert call(desk, "ctx_get", {"ids": [one]}).value["records"]
    assert written() == before


@pytest.mark.requirement("A10.2")
def test_what_an_agent_records_is_explicit_and_no_persons_word(
    store_home: Path, project: Path, clock: Ticking
) -> None:
    desk = desk_at(store_home, project, clock, CLAUDE_CODE_SESSION_ID="session-7")
    first = record(desk)
    clock.tick()
    replaced = {"old_id": first, "new_body": "Local time.", "rationale": "Wanted."}
    answer = call(desk, "ctx_supersede", replaced).value
    assert answer["old_id"] == first
    second = answer["new_id"]
    for asked in ({"ids": [first], "as_of": "2026-01-10"}, {"ids": [second]}):
        (one,) = call(desk, "ctx_get", asked).value["records"]
        assert (one["source"], one["confidence"]) == ("mcp_tool", "explicit")
        assert (one["trust"], one["confirmed"]) == ("model", False)
        assert one["standing"] == "noted by the agent"
        assert (one["pinned"], one["session_id"]) == (False, "session-7")
    assert one["rationale"] == "Wanted."
    desk.forget()


@pytest.mark.requirement("A5.1", "A1.3")
def test_what_is_superseded_is_missing_and_its_head_is_named(desk: Desk) -> None:
    first = record(desk)
    second = record(desk, body="Local time is kept.", supersedes=first)
    third = record(desk, body="UTC after all.", supersedes=second)
    value = call(desk, "ctx_get", {"ids": [first, second, third]}).value
    assert [one["id"] for one in value["records"]] == [third]
    assert value["missing"] == [first, second]
    assert value["heads"] == {first: third, second: third}
    assert found(desk, "UTC readings local time") == [third]
    late = {"old_id": first, "new_body": "No.", "rationale": "So."}
    answer = call(desk, "ctx_supersede", late)
    assert answer.code == "ALREADY_SUPERSEDED"
    assert third in answer.value["error"]


@pytest.mark.requirement("A2.7", "A5.1")
def test_what_was_believed_on_a_date_and_what_was_true_then(
    desk: Desk, clock: Ticking
) -> None:
    first = record(desk, files=["src/store.py"])
    clock.tick()
    change = {
        "old_id": first,
        "new_body": "Readings are stored in local time.",
        "rationale": "The owners asked for it.",
        "title": "Readings are stored in local time",
    }
    second = call(desk, "ctx_supersede", change).value["new_id"]
    clock.tick()
    third = record(desk, title="Readings are rounded", body="Readings have one digit.")
    query = "how are readings stored"
    assert first not in found(desk, query)
    assert found(desk, query, as_of="2026-01-09") == []
    assert found(desk, query, as_of="2026-01-10") == [first]
    assert found(desk, query, valid_at="2026-01-10", type="decision")[0] == first
    then = found(desk, query, as_of="2026-01-11T23:00:00+00:00")
    assert second in then
    assert third not in then
    both = {"as_of": "2026-01-10", "valid_at": "2026-01-12"}
    assert found(desk, query, **both) == [first]
    ids = {"ids": [first, second]}
    past = call(desk, "ctx_get", {**ids, "as_of": "2026-01-10"}).value
    assert [one["id"] for one in past["records"]] == [first]
    assert past["records"][0]["superseded_by"] == second
    assert (past["missing"], past["heads"]) == ([second], {})
    true_then = call(desk, "ctx_get", {**ids, "valid_at": "2026-01-12"}).value
    assert [one["id"] for one in true_then["records"]] == [second]
    assert true_then["heads"] == {first: second}


@pytest.mark.requirement("A5.1")
def test_recording_the_same_fact_again_gives_the_same_id(desk: Desk) -> None:
    first = call(desk, "ctx_record", FACT).value
    again = call(desk, "ctx_record", FACT).value
    assert (again["id"], again["existing"]) == (first["id"], True)
    assert again["warnings"] == ["DUPLICATE"]


@pytest.mark.requirement("A5.1", "A10.1")
def test_a_secret_is_not_recorded_and_the_answer_says_what_was_found(
    desk: Desk,
) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    answer = call(desk, "ctx_record", {**FACT, "body": f"The token is {secret}."})
    assert answer.value["redacted"]
    whole = call(desk, "ctx_get", {"ids": [answer.value["id"]]})
    assert secret not in json.dumps(whole.value)


@pytest.mark.requirement("A2.6", "A5.1")
def test_a_handover_takes_the_place_of_the_one_before(desk: Desk) -> None:
    first = record(desk, type="handover", title="Monday", body="Half of it is done.")
    answer = call(
        desk, "ctx_record", {"type": "handover", "title": "Tuesday", "body": "Done."}
    )
    assert answer.value["superseded"] == first


@pytest.mark.requirement("A5.1")
def test_a_global_head_can_be_superseded_from_any_project(
    desk: Desk, tmp_path: Path, store_home: Path
) -> None:
    everywhere = record(desk, type="preference", title="Tabs", scope="global")
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    elsewhere = desk_at(store_home, other)
    change = {"old_id": everywhere, "new_body": "Spaces.", "rationale": "Agreed."}
    head = call(elsewhere, "ctx_supersede", change).value["new_id"]
    (one,) = call(desk, "ctx_get", {"ids": [head]}).value["records"]
    assert (one["project_id"], one["scope"]) == ("_global", "global")
    elsewhere.forget()


@pytest.mark.requirement("A2.5", "A5.1")
def test_another_projects_records_are_neither_found_nor_read_nor_changed(
    desk: Desk, tmp_path: Path, store_home: Path
) -> None:
    mine = record(desk, files=["src/store.py"])
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    elsewhere = desk_at(store_home, other)
    for name, arguments in asked_of(mine).items():
        answer = call(elsewhere, name, arguments)
        if name in READS:
            shown = json.dumps(answer.value["missing"]) if name == "ctx_get" else ""
            assert mine not in json.dumps(answer.value).replace(shown, ""), name
    asked = {**FACT, "body": "No.", "supersedes": mine}
    assert call(elsewhere, "ctx_record", asked).code == "RECORD_NOT_FOUND"
    assert call(desk, "ctx_get", {"ids": [mine]}).value["records"]
    elsewhere.forget()


@pytest.mark.requirement("A5.1", "A7.3")
def test_the_project_is_described_by_its_files_and_by_what_a_person_says(
    desk: Desk, project: Path, store_home: Path
) -> None:
    (project / "Makefile").write_text("test:\n\tpytest -q\n", encoding="utf-8")
    (project / "pyproject.toml").write_text(
        '[project]\nname = "weather"\n', encoding="utf-8"
    )
    record(desk)
    value = call(desk, "ctx_project").value
    assert (value["name"], len(value["project_id"])) == ("weather", 64)
    assert "Python" in value["stack"]
    assert value["commands"]["test"] == "make test"
    assert value["record_counts_by_type"] == {"decision": 1}
    assert value["last_session_at"] is None
    assert "corrected" not in value
    from agentctx.records.model import NewRecord  # noqa: PLC0415 - one test's
    from agentctx.records.write import add_record  # noqa: PLC0415 - the same

    with store_at(store_home) as store:
        said = NewRecord("profile", "Commands", "test: tox", "cli", key="commands")
        add_record(store, value["project_id"], said)
        with store.writing() as tx:
            tx.execute(
                "INSERT INTO sessions (session_id, project_id, started_at)"
                " VALUES ('s', ?, '2026-01-02T00:00:00.000Z')",
                (value["project_id"],),
            )
    again = call(desk, "ctx_project").value
    assert again["corrected"] == {"commands": "test: tox"}
    assert again["last_session_at"] == "2026-01-02T00:00:00.000Z"


@pytest.mark.requirement("A5.1", "A2.8")
def test_records_of_a_file_are_listed_as_a_search_lists_them(
    desk: Desk, project: Path
) -> None:
    ids = [
        record(desk, title=f"Fact {number}", files=["src/store.py"])
        for number in range(17)
    ]
    for path in ("src/store.py", str(project / "src/store.py")):
        entries = call(desk, "ctx_related", {"file": path}).value["results"]
        assert [one["id"] for one in entries] == ids[:1:-1]
        assert "body" not in entries[0]


@pytest.mark.requirement("A5.1")
def test_what_only_an_agent_noted_is_not_missing_from_claude_md(
    desk: Desk, project: Path
) -> None:
    (project / "CLAUDE.md").write_text("# Rules\n", encoding="utf-8")
    record(desk)
    empty = {"missing": [], "contradicted": [], "proposed_diff": ""}
    assert call(desk, "ctx_sync_claudemd").value == empty


@pytest.mark.requirement("A5.1")
def test_no_answer_names_a_place_of_this_machine(desk: Desk, tmp_path: Path) -> None:
    for name, arguments in asked_of(record(desk)).items():
        for results in ("structured", "text"):
            answer = call(desk, name, arguments, results=results)
            assert str(tmp_path) not in answer.text + json.dumps(answer.value), name
    for arguments in ({"file": str(tmp_path)}, {"file": "../x"}, {"file": "/etc/x"}):
        answer = call(desk, "ctx_related", arguments)
        assert answer.code == "FILE_OUTSIDE"
        assert str(tmp_path) not in answer.text


@pytest.mark.requirement("A5.1")
def test_every_row_of_the_table_has_its_own_function() -> None:
    assert [tool.run.__name__ for tool in TOOLS] == SEVEN
