"""The tools that write: what they change, refuse, and leave as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.mcp.table import BY_NAME
from tests.corpora import HOME, report_page
from tests.mcp.serving import (
    ERAS,
    call,
    desk_of,
    failures,
    problems,
    served_corpus,
)
from tests.trusted import STATUS, hash_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.mcp.desk import Desk

TASK = f"{HOME}/tasks/task-one.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return served_corpus(tmp_path / "project")


@pytest.fixture
def desk(root: Path) -> Desk:
    return desk_of(root)


@pytest.mark.requirement("P15.1", "P13.1")
@pytest.mark.parametrize("era", ERAS)
def test_status_is_replaced_once_and_its_receipt_can_be_read(
    root: Path, desk: Desk, era: str
) -> None:
    before = hash_of(root / STATUS)
    text = (root / STATUS).read_text(encoding="utf-8")
    content = text.replace("Nine of twelve", "Ten of twelve")
    update = {"content": content, "expected_sha256": before}
    answer = call(desk, "state.update", update, era=era)
    assert not answer.failed, answer
    assert problems(BY_NAME["state.update"], answer.value) == []
    assert hash_of(root / STATUS) == answer.value["sha256"]
    assert call(desk, "state.update", update, era=era).code == "STALE_HASH"
    named = {"transaction_id": answer.value["transaction_id"]}
    receipt = call(desk, "audit.read", named, era=era)
    assert problems(BY_NAME["audit.read"], receipt.value) == []
    assert receipt.value["receipt"]["transport"] == "stdio-mcp"
    unknown = {"transaction_id": "0" * 32}
    assert call(desk, "audit.read", unknown).code == "TRANSACTION_UNKNOWN"


@pytest.mark.requirement("P15.1", "P13.1")
def test_a_task_is_made_of_a_few_words(root: Path, desk: Desk) -> None:
    words = {"title": "Heat the ridge", "objective": "No ice.", "scope": ["a", "b"]}
    answer = call(desk, "task.create", words)
    assert answer.value["target"] == f"{HOME}/tasks/heat-the-ridge.md"
    assert problems(BY_NAME["task.create"], answer.value) == []
    text = (root / HOME / "tasks/heat-the-ridge.md").read_text(encoding="utf-8")
    assert "- a\n- b\n" in text
    assert call(desk, "task.create", words).code == "TARGET_EXISTS"
    shown = call(desk, "corpus.show", {"path": "heat-the-ridge"})
    assert shown.value["content"] == text


@pytest.mark.requirement("P15.1", "P13.1")
@pytest.mark.parametrize("era", ERAS)
def test_a_task_is_activated_and_closed_with_the_state(
    root: Path, desk: Desk, era: str
) -> None:
    one, two = (root / HOME / f"tasks/task-{n}.md" for n in ("one", "two"))
    before = hash_of(root / STATUS)
    asked = {
        "id": "task-two",
        "expected_sha256": before,
        "task_sha256": hash_of(two),
        "next_action": "Carry the heater up.",
    }
    answer = call(desk, "task.activate", asked, era=era)
    assert not answer.failed, answer
    assert problems(BY_NAME["task.activate"], answer.value) == []
    assert "Task-Status: ACTIVE" in two.read_text(encoding="utf-8")
    assert "Task-Status: OPEN" in one.read_text(encoding="utf-8")
    status = (root / STATUS).read_text(encoding="utf-8")
    assert "Active-Task-ID: task-two" in status
    assert "Carry the heater up." in status
    asked = {"id": "task-two", "expected_sha256": before}
    assert call(desk, "task.close", asked, era=era).code == "STALE_HASH"
    asked["expected_sha256"] = hash_of(root / STATUS)
    answer = call(desk, "task.close", asked, era=era)
    assert problems(BY_NAME["task.close"], answer.value) == []
    assert "Task-Status: DONE" in two.read_text(encoding="utf-8")
    status = (root / STATUS).read_text(encoding="utf-8")
    assert "Active-Task-ID: NONE" in status
    assert failures(desk) == []


@pytest.mark.requirement("P15.1", "P13.1")
def test_a_task_is_changed_only_as_it_was_read(root: Path, desk: Desk) -> None:
    status, stale = hash_of(root / STATUS), "0" * 64
    for tool in ("task.activate", "task.close"):
        asked = {"id": "task-two", "expected_sha256": stale}
        assert call(desk, tool, asked).code == "STALE_HASH"
        asked = {"id": "task-two", "expected_sha256": status, "task_sha256": stale}
        assert call(desk, tool, asked).code == "STALE_HASH"
        asked = {"id": "task-none", "expected_sha256": status}
        assert call(desk, tool, asked).code == "TARGET_MISSING"
        assert call(desk, tool, {"id": "task-two"}).code == "ARGUMENT_INVALID"
    asked = {"id": "task-one", "expected_sha256": status}
    assert call(desk, "task.activate", asked).code == "TASK_STATUS"
    wrong = {**asked, "status": "OPEN"}
    assert call(desk, "task.close", wrong).code == "ARGUMENT_INVALID"
    assert hash_of(root / STATUS) == status
    ended = call(desk, "task.close", {**asked, "status": "CANCELLED"})
    assert not ended.failed, ended
    assert "Task-Status: CANCELLED" in (root / TASK).read_text(encoding="utf-8")


@pytest.mark.requirement("P15.1", "P13.1")
def test_a_report_is_made_of_words_or_given_whole(root: Path, desk: Desk) -> None:
    words = {"title": "Ridge test", "result": "PASS", "summary": "It held."}
    answer = call(desk, "report.create", words)
    assert answer.value["target"] == f"{HOME}/reports/ridge-test.md"
    whole = {"id": "report-two", "content": report_page("report-two")}
    assert not call(desk, "report.create", whole).failed
    other = {"id": "report-three", "content": "# Nothing\n"}
    assert call(desk, "report.create", other).code == "ARTIFACT_CONFORMANCE"
    assert not (root / HOME / "reports/report-three.md").exists()


@pytest.mark.requirement("P15.1", "P13.1")
@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        pytest.param("task.create", {}, "title", id="nothing"),
        pytest.param("task.create", {"title": "A b c"}, "objective", id="half"),
        pytest.param(
            "task.create",
            {"content": "x", "id": "abc", "scope": ["y"]},
            "scope",
            id="both",
        ),
        pytest.param("task.create", {"content": "x"}, "id", id="no id"),
        pytest.param(
            "task.create", {"title": "Go", "objective": "x"}, "id", id="no id in it"
        ),
        pytest.param(
            "report.create", {"title": "A b c", "summary": "x"}, "result", id="result"
        ),
        pytest.param(
            "report.create",
            {"title": "A b c", "summary": "x", "result": "GOOD"},
            "result",
            id="wrong result",
        ),
    ],
)
def test_a_draft_that_does_not_fit_together_names_the_argument(
    root: Path, desk: Desk, tool: str, arguments: dict[str, object], field: str
) -> None:
    before = sorted(root.rglob("*.md"))
    answer = call(desk, tool, arguments)
    assert (answer.code, answer.value["facts"]["field"]) == ("ARGUMENT_INVALID", field)
    assert sorted(root.rglob("*.md")) == before


@pytest.mark.requirement("P15.1")
@pytest.mark.parametrize(
    ("title", "own_id"),
    [("雨量計の点検", "task-0001"), ("Проверка насоса", "proverka-nasosa")],
)
def test_a_title_in_another_script_makes_an_id_too(
    desk: Desk, title: str, own_id: str
) -> None:
    answer = call(desk, "task.create", {"title": title, "objective": "Twelve."})
    assert answer.value["target"] == f"{HOME}/tasks/{own_id}.md"


@pytest.mark.requirement("P15.1")
def test_a_drafted_report_names_a_task_that_there_is(desk: Desk) -> None:
    words = {"title": "Ridge test", "result": "PASS", "summary": "It held."}
    for task, code in (("nobodys-task", "TARGET_MISSING"), ("task-one", None)):
        answer = call(desk, "report.create", {**words, "task_id": task})
        assert (answer.code if answer.failed else None) == code
