"""What a write leaves a person to do next, and the names it finds by itself."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from corpus.userdirs import user_dirs
from corpus.writes.audit import MOST_LISTED
from tests.corpora import report_page, task_page, write, write_corpus
from tests.trusted import STATUS, editing_policy, hash_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess, Outcome

pytestmark = pytest.mark.requirement("P13.1")

TASKS = ".project-corpus/tasks"
AUDIT = ".project-corpus/audit"


@pytest.fixture
def project(tmp_path: Path, cli: InProcess) -> Path:
    root = tmp_path / "my weather"
    tasks = {
        "task-one": task_page("task-one", status="ACTIVE"),
        "task-0001-first": task_page("task-0001-first"),
    }
    reports = {
        "report-one": report_page("report-one"),
        "report-0004": report_page("report-0004"),
    }
    write_corpus(root, policy=editing_policy(), tasks=tasks, reports=reports)
    assert cli("trust", "create", str(root), "--writes").status == 0
    return root


def next_lines(done: Outcome) -> list[list[str]]:
    """Give the words of each call that a command shows as the next one."""
    assert (done.status, done.err) == (0, "")
    calls = [x.removeprefix("next: ") for x in done.out.splitlines()]
    return [shlex.split(one) for one in calls if one.startswith("project-corpus ")]


def refusal(done: Outcome) -> tuple[str, dict[str, object]]:
    assert (done.status, done.out) == (2, "")
    value = json.loads(done.err)
    return value["error"], value["facts"]


def test_the_next_call_can_be_copied_as_it_stands(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    words = ("task", "create", "my weather", "--title", "New work", "--objective", "x")
    done = cli(*words, cwd=tmp_path, terminal=True)
    (begin,) = next_lines(done)
    assert begin[1:4] == ["task", "activate", "my weather"]
    assert begin[-1] == hash_of(project / STATUS)
    done = cli(*begin[1:], cwd=tmp_path, terminal=True)
    (end,) = next_lines(done)
    assert end[-1] == hash_of(project / STATUS)
    done = cli(*end[1:], "--next-action", "Rest.", cwd=tmp_path, terminal=True)
    (build,) = next_lines(done)
    assert build == ["project-corpus", "context", "build", "my weather"]


def test_the_next_call_names_the_grant_that_was_named(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    grant = str(user_dirs().trust / "demo-one.toml")
    words = ("--title", "New work", "--objective", "x", "--trust", grant)
    (begin,) = next_lines(cli("task", "create", *words, cwd=tmp_path, terminal=True))
    assert begin[-2:] == ["--trust", grant]
    (end,) = next_lines(cli(*begin[1:], cwd=tmp_path, terminal=True))
    assert end[-2:] == ["--trust", grant]
    done = cli(*end[1:], "--next-action", "Rest.", cwd=tmp_path, terminal=True)
    assert next_lines(done) == [["project-corpus", "context", "build", str(project)]]


def test_a_root_that_looks_like_an_option_is_still_a_root(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    project.rename(tmp_path / "-x")
    assert cli("trust", "renew", "./-x", "--yes", cwd=tmp_path).status == 0
    words = ("task", "create", "--title", "New work", "--objective", "x", "--", "-x")
    (begin,) = next_lines(cli(*words, cwd=tmp_path, terminal=True))
    assert cli(*begin[1:], cwd=tmp_path).status == 0


def test_closing_the_active_task_warns_of_its_next_action(
    project: Path, cli: InProcess
) -> None:
    words = ("task", "close", "--id", "task-one", "--expected-sha256")
    before = (project / STATUS).read_bytes()
    task = project / TASKS / "task-one.md"
    text = task.read_bytes()
    done = cli(*words, hash_of(project / STATUS), cwd=project)
    assert json.loads(done.out)["warnings"] == ["NEXT_ACTION_UNCHANGED"]
    (project / STATUS).write_bytes(before)
    task.write_bytes(text)
    done = cli(*words, hash_of(project / STATUS), cwd=project, terminal=True)
    assert "warning: " in done.out
    assert any(
        call[1:3] == ["state", "update"] and call[-1] == hash_of(project / STATUS)
        for call in next_lines(done)
    )


def test_closing_without_a_doubt_warns_of_nothing(
    project: Path, cli: InProcess
) -> None:
    words = ("task", "close", "--id", "task-0001-first", "--expected-sha256")
    done = cli(*words, hash_of(project / STATUS), cwd=project)
    assert json.loads(done.out)["warnings"] == []
    told = ("task", "close", "--id", "task-one", "--next-action", "Rest.")
    known = ("--expected-sha256", hash_of(project / STATUS))
    assert json.loads(cli(*told, *known, cwd=project).out)["warnings"] == []


def test_a_next_action_of_none_is_no_doubt(project: Path, cli: InProcess) -> None:
    status = project / STATUS
    text = status.read_text(encoding="utf-8").replace("ACTIVE", "PAUSED", 1)
    head = text.partition("## Exact Next Action")[0]
    status.write_text(f"{head}## Exact Next Action\n\nNONE\n", encoding="utf-8")
    words = ("task", "close", "--id", "task-one", "--expected-sha256")
    done = cli(*words, hash_of(status), cwd=project)
    assert json.loads(done.out)["warnings"] == []


@pytest.mark.parametrize(
    ("title", "task", "report"),
    [
        pytest.param("Measure it", "measure-it", "measure-it", id="en"),
        pytest.param("Измерить щуку", "izmerit-shhuku", "izmerit-shhuku", id="ru"),
        pytest.param("测量冷启动", "task-0002", "report-0005", id="zh"),
        pytest.param("起動を測る", "task-0002", "report-0005", id="ja"),
        pytest.param("🚀🚀", "task-0002", "report-0005", id="emoji"),
        pytest.param("Ж", "task-0002", "report-0005", id="one letter"),
    ],
)
def test_no_title_needs_an_id(
    project: Path, cli: InProcess, title: str, task: str, report: str
) -> None:
    words = ("--title", title, "--objective", "x")
    made = json.loads(cli("task", "create", *words, cwd=project).out)
    assert made["target"] == f"{TASKS}/{task}.md"
    parts = ("--title", title, "--result", "INFO", "--summary", "x")
    made = json.loads(cli("report", "create", *parts, cwd=project).out)
    assert made["target"] == f".project-corpus/reports/{report}.md"


def test_a_number_out_of_scope_is_not_counted(project: Path, cli: InProcess) -> None:
    policy = editing_policy(deny=[f"{TASKS}/private/**"])
    write(project / ".project-corpus/policy.toml", policy)
    write(project / TASKS / "private/task-0900.md", task_page("task-0900"))
    assert cli("trust", "approve-policy", cwd=project).status == 0
    words = ("--title", "冷", "--objective", "x")
    made = json.loads(cli("task", "create", *words, cwd=project).out)
    assert made["target"] == f"{TASKS}/task-0002.md"


@pytest.mark.requirement("P18.2")
@pytest.mark.parametrize("task", ["task-nine", "No such", "../x"])
def test_a_report_of_a_task_that_is_not_there_is_refused(
    project: Path, cli: InProcess, task: str
) -> None:
    words = ("--title", "A report", "--result", "INFO", "--summary", "x", "--task")
    code, facts = refusal(cli("report", "create", *words, task, cwd=project))
    assert code in {"TARGET_MISSING", "ARTIFACT_CONFORMANCE"}
    if task == "task-nine":
        assert (code, facts["path"]) == ("TARGET_MISSING", f"{TASKS}/task-nine.md")
    for known in ("NONE", "task-one"):
        title = ("--title", f"Report of {known}", *words[2:])
        assert cli("report", "create", *title, known, cwd=project).status == 0


@pytest.mark.requirement("P13.3")
def test_receipts_are_listed_and_found_by_their_beginning(
    project: Path, cli: InProcess
) -> None:
    assert json.loads(cli("audit-read", cwd=project).out)["receipts"] == []
    assert cli("audit-read", cwd=project, terminal=True).out
    for title in ("First work", "Second work"):
        words = ("task", "create", "--title", title, "--objective", "x")
        made = json.loads(cli(*words, cwd=project).out)
    listed = json.loads(cli("audit-read", cwd=project).out)
    assert len(listed["receipts"]) == 2
    assert listed["left_out"] == 0
    times = [row["completed_at"] for row in listed["receipts"]]
    assert times == sorted(times, reverse=True)
    (row,) = [r for r in listed["receipts"] if r["target"].endswith("second-work.md")]
    assert row["capability"] == "task.create"
    assert row["transaction_id"] == made["transaction_id"]
    assert row["target"] in cli("audit-read", cwd=project, terminal=True).out
    asked = ("audit-read", "--transaction-id")
    whole = cli(*asked, row["transaction_id"], cwd=project)
    short = cli(*asked, row["transaction_id"][:8], cwd=project)
    assert short == whole
    code, _ = refusal(cli(*asked, row["transaction_id"][:7], cwd=project))
    assert code == "TRANSACTION_ID"
    code, _ = refusal(cli(*asked, "0" * 8, cwd=project))
    assert code == "TRANSACTION_UNKNOWN"


@pytest.mark.requirement("P13.3")
def test_a_list_of_receipts_is_bounded_and_leaves_out_what_is_none(
    project: Path, cli: InProcess
) -> None:
    for number in range(MOST_LISTED + 3):
        name = f"{number:032x}"
        moment = f"2026-01-01T00:{number:02}:00.000Z"
        value = {"transaction_id": name, "completed_at": moment}
        write(project / AUDIT / f"{name}.json", json.dumps(value))
    write(project / AUDIT / f"{'f' * 32}.json", "[]")
    write(project / AUDIT / "letter.json", "{}")
    listed = json.loads(cli("audit-read", cwd=project).out)
    assert len(listed["receipts"]) == MOST_LISTED
    assert listed["left_out"] == 3
    assert listed["receipts"][0]["transaction_id"] == f"{MOST_LISTED + 2:032x}"
    code, facts = refusal(cli("audit-read", "--transaction-id", "0" * 9, cwd=project))
    assert (code, facts["count"]) == ("TRANSACTION_AMBIGUOUS", MOST_LISTED + 3)


@pytest.mark.requirement("P13.3", "P3.3")
def test_receipts_are_listed_only_with_the_right_to_read_them(
    project: Path, cli: InProcess
) -> None:
    write(
        project / AUDIT / f"{'0' * 32}.json", json.dumps({"transaction_id": "0" * 32})
    )
    write(
        project / ".project-corpus/policy.toml",
        editing_policy(deny=[f"{AUDIT}/**"]),
    )
    assert json.loads(cli("audit-read", cwd=project).out)["receipts"] == []
    words = ("--replace", "--yes", "--allow", "corpus.read")
    assert cli("trust", "create", str(project), *words).status == 0
    assert refusal(cli("audit-read", cwd=project))[0] == "CAPABILITY_DENIED"
    short = cli("audit-read", "--transaction-id", "0" * 8, cwd=project)
    assert refusal(short)[0] == "CAPABILITY_DENIED"
