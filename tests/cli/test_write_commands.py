"""The commands that change a project, under a grant made by `trust create`."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from corpus.markdown import parse_markdown
from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import section_text
from corpus.userdirs import user_dirs
from tests.corpora import task_page, write_corpus
from tests.trusted import STATUS, editing_policy, hash_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess, Outcome

TASKS = ".project-corpus/tasks"
REPORTS = ".project-corpus/reports"
ALLOWED = (
    *("state.update", "task.create", "task.update", "report.create"),
    *("audit.read", "corpus.read"),
)
ABSENT = "0" * 64


@pytest.fixture
def project(tmp_path: Path, cli: InProcess) -> Path:
    tasks = {
        "task-one": task_page("task-one", status="ACTIVE"),
        "task-two": task_page("task-two"),
    }
    root = tmp_path / "weather"
    write_corpus(root, policy=editing_policy(), tasks=tasks)
    allow = [word for name in ALLOWED for word in ("--allow", name)]
    assert cli("trust", "create", str(root), *allow).status == 0
    return root


def answer(done: Outcome) -> dict[str, object]:
    assert (done.status, done.err) == (0, "")
    value = json.loads(done.out)
    assert isinstance(value, dict)
    return value


def refusal(done: Outcome) -> str:
    assert (done.status, done.out) == (2, "")
    return str(json.loads(done.err)["error"])


def value_of(path: Path, key: str) -> str | None:
    text = path.read_text(encoding="utf-8")
    return read_metadata(parse_markdown(text)).get(key)


def give_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)


@pytest.mark.requirement("P13.1")
def test_state_update_replaces_what_was_read_and_leaves_a_receipt(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    status = project / STATUS
    new = status.read_bytes().replace(b"OBSERVED", b"INFERRED") + b"\nMore.\n"
    (tmp_path / "new.md").write_bytes(new)
    known = hash_of(status)
    words = ("--input", str(tmp_path / "new.md"), "--expected-sha256", known)
    done = answer(cli("state", "update", str(project), *words))
    assert status.read_bytes() == new
    assert (done["phase"], done["target"]) == ("COMPLETE", STATUS)
    assert done["sha256"] == hash_of(status)
    assert (project / str(done["audit_relative"])).is_file()
    assert refusal(cli("state", "update", str(project), *words)) == "STALE_HASH"


@pytest.mark.requirement("P13.1")
def test_the_new_content_may_come_from_standard_input(
    project: Path, cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = (project / STATUS).read_bytes() + b"\nMore.\n"
    give_stdin(monkeypatch, new)
    words = ("--input", "-", "--expected-sha256", hash_of(project / STATUS))
    answer(cli("state", "update", *words, cwd=project))
    assert (project / STATUS).read_bytes() == new


@pytest.mark.requirement("P13.1")
def test_an_input_that_cannot_be_the_content_is_refused(
    project: Path, tmp_path: Path, cli: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "large").open("wb") as large:
        large.truncate(8 * 1024 * 1024 + 1)
    words = ("state", "update", str(project), "--expected-sha256", ABSENT, "--input")
    for name in ("absent", ".", "fifo", "large", "a\x00b"):
        source = str(tmp_path / name)
        assert refusal(cli(*words, source)) == "CONTEXT_INPUT_PATH"
    give_stdin(monkeypatch, b"x" * (8 * 1024 * 1024 + 1))
    assert refusal(cli(*words, "-")) == "CONTEXT_INPUT_PATH"


@pytest.mark.requirement("P13.1")
@pytest.mark.parametrize("known", ["", "abc", "G" * 64, "A" * 64])
def test_an_expected_hash_is_64_hexadecimal_digits(
    project: Path, cli: InProcess, known: str
) -> None:
    words = ("--input", str(project / STATUS), "--expected-sha256", known)
    assert refusal(cli("state", "update", str(project), *words)) == "EXPECTED_HASH"


@pytest.mark.requirement("P13.1")
def test_a_task_goes_from_its_title_to_its_end(project: Path, cli: InProcess) -> None:
    title = ("--title", "Measure the cold start", "--objective", "We know it.")
    more = ("--acceptance", "One.", "--acceptance", "Two.", "--scope", "No code.")
    done = answer(cli("task", "create", str(project), *title, *more))
    task = project / TASKS / "measure-the-cold-start.md"
    assert done["sha256"] == hash_of(task)
    assert value_of(task, "Task-Status") == "OPEN"
    chosen = (str(project), "--id", "measure-the-cold-start", "--expected-sha256")
    cli("task", "activate", *chosen, hash_of(project / STATUS), "--next-action", "Go.")
    assert value_of(task, "Task-Status") == "ACTIVE"
    assert value_of(project / TASKS / "task-one.md", "Task-Status") == "OPEN"
    assert value_of(project / STATUS, "Active-Task-ID") == "measure-the-cold-start"
    text = (project / STATUS).read_text(encoding="utf-8")
    assert section_text(parse_markdown(text), "Exact Next Action") == "Go."
    known = (hash_of(project / STATUS), "--task-sha256", hash_of(task))
    done = answer(cli("task", "close", *chosen, *known, "--status", "CANCELLED"))
    assert value_of(task, "Task-Status") == "CANCELLED"
    assert value_of(project / STATUS, "Active-Task-ID") == "NONE"
    changes = done["changes"]
    assert isinstance(changes, list)
    assert len(changes) == 2
    again = cli("task", "close", *chosen, hash_of(project / STATUS))
    assert refusal(again) == "TASK_STATUS"


@pytest.mark.requirement("P13.1")
def test_a_stale_hash_of_either_file_leaves_both_alone(
    project: Path, cli: InProcess
) -> None:
    before = {p: p.read_bytes() for p in (project / ".project-corpus").rglob("*.md")}
    words = ("task", "activate", str(project), "--id", "task-two", "--expected-sha256")
    assert refusal(cli(*words, ABSENT)) == "STALE_HASH"
    known = hash_of(project / STATUS)
    assert refusal(cli(*words, known, "--task-sha256", ABSENT)) == "STALE_HASH"
    after = {p: p.read_bytes() for p in (project / ".project-corpus").rglob("*.md")}
    assert after == before


@pytest.mark.requirement("P13.1")
def test_a_report_is_written_from_its_parts_or_from_a_file(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    parts = ("--title", "It takes 40 ms", "--result", "PASS", "--summary", "40 ms.")
    answer(cli("report", "create", str(project), *parts, "--task", "task-one"))
    report = project / REPORTS / "it-takes-40-ms.md"
    assert value_of(report, "Task-ID") == "task-one"
    other = report.read_bytes().replace(b"it-takes-40-ms", b"another-one")
    (tmp_path / "other.md").write_bytes(other)
    source = ("--input", str(tmp_path / "other.md"))
    answer(cli("report", "create", str(project), *source))
    assert (project / REPORTS / "another-one.md").read_bytes() == other
    again = cli("report", "create", str(project), *source)
    assert refusal(again) == "TARGET_EXISTS"
    wrong = cli("report", "create", str(project), *source, "--id", "not-this")
    assert refusal(wrong) == "ARTIFACT_CONFORMANCE"


@pytest.mark.requirement("P13.1", "P18.2")
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("task", "create"), id="neither"),
        pytest.param(("task", "create", "--title", "Do it"), id="half a draft"),
        pytest.param(("task", "create", "--input", "x", "--title", "T"), id="both"),
        pytest.param(("task", "create", "--input", "x", "--scope", "S"), id="mixed"),
        pytest.param(
            ("task", "create", "--title", "ab", "--objective", "x"), id="no id"
        ),
        pytest.param(
            ("task", "create", "--title", "CON", "--objective", "x"), id="a device"
        ),
        pytest.param(("report", "create", "--title", "T", "--summary", "S"), id="part"),
        pytest.param(("report", "create", "--input", "x", "--task", "T"), id="report"),
        pytest.param(("recover", "--yes"), id="nothing to say yes to"),
        pytest.param(("recover", "--resolve", "both"), id="no such choice"),
        pytest.param(("task", "close", "--id", "task-one"), id="no hash"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(
    project: Path, cli: InProcess, words: tuple[str, ...]
) -> None:
    assert refusal(cli(*words, cwd=project)) == "USAGE"


@pytest.mark.requirement("P13.1")
def test_an_input_without_an_id_needs_one(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    for content in (b"# A task\n", b"\xff"):
        (tmp_path / "task.md").write_bytes(content)
        words = ("task", "create", str(project), "--input", str(tmp_path / "task.md"))
        assert refusal(cli(*words)) == "USAGE"
    assert refusal(cli(*words, "--id", "task-six")) == "CONTENT_ENCODING"


@pytest.mark.requirement("P13.1", "P3.1")
def test_a_grant_named_alone_says_which_project(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    grant = user_dirs().trust / "demo-one.toml"
    words = ("--title", "From afar", "--objective", "It works.", "--trust", str(grant))
    answer(cli("task", "create", *words, cwd=tmp_path))
    assert (project / TASKS / "from-afar.md").is_file()


@pytest.mark.requirement("P13.1", "P3.3")
def test_without_a_grant_nothing_is_written(project: Path, cli: InProcess) -> None:
    assert cli("trust", "revoke", str(project), "--yes").status == 0
    words = ("task", "create", "--title", "A task", "--objective", "x")
    assert refusal(cli(*words, cwd=project)) == "TRUST_MISSING"
    assert refusal(cli("recover", cwd=project)) == "TRUST_MISSING"
    assert not (project / TASKS / "a-task.md").exists()


@pytest.mark.requirement("P13.1", "P3.3")
def test_a_capability_that_is_not_granted_is_denied(
    project: Path, cli: InProcess
) -> None:
    words = ("--replace", "--yes", "--allow", "corpus.read")
    assert cli("trust", "create", str(project), *words).status == 0
    create = cli("task", "create", "--title", "A b", "--objective", "x", cwd=project)
    assert refusal(create) == "CAPABILITY_DENIED"
    read = cli("audit-read", "--transaction-id", "0" * 32, cwd=project)
    assert refusal(read) == "CAPABILITY_DENIED"


@pytest.mark.requirement("P13.1", "P13.3")
def test_audit_read_shows_the_receipt_of_a_write(project: Path, cli: InProcess) -> None:
    words = ("--title", "A task", "--objective", "Some words.")
    done = answer(cli("task", "create", *words, cwd=project))
    asked = ("audit-read", "--transaction-id", str(done["transaction_id"]))
    shown = answer(cli(*asked, cwd=project))
    receipt = shown["receipt"]
    assert isinstance(receipt, dict)
    assert receipt["transport"] == "cli"
    assert receipt["new_sha256"] == done["sha256"]
    assert "Some words" not in json.dumps(shown)
    text = cli(*asked, cwd=project, terminal=True).out
    assert str(done["sha256"]) in text
    unknown = cli("audit-read", "--transaction-id", "0" * 32, cwd=project)
    assert refusal(unknown) == "TRANSACTION_UNKNOWN"
    none = cli("audit-read", "--transaction-id", "../x", cwd=project)
    assert refusal(none) == "TRANSACTION_ID"


@pytest.mark.requirement("P13.1", "P18.1")
def test_a_terminal_is_told_the_hash_the_receipt_and_the_next_step(
    project: Path, tmp_path: Path, cli: InProcess
) -> None:
    def told(*words: str) -> str:
        done = cli(*words, cwd=project, terminal=True)
        assert (done.status, done.err) == (0, "")
        assert "next: " in done.out
        assert "receipt .project-corpus/audit/" in done.out
        return done.out

    out = told("task", "create", "--title", "A task", "--objective", "x")
    assert hash_of(project / TASKS / "a-task.md") in out
    chosen = ("--id", "a-task", "--expected-sha256")
    out = told("task", "activate", *chosen, hash_of(project / STATUS))
    assert (
        f"task close --id a-task --expected-sha256 {hash_of(project / STATUS)}" in out
    )
    told("task", "close", *chosen, hash_of(project / STATUS))
    parts = ("--title", "A report", "--result", "INFO", "--summary", "x")
    assert ".project-corpus/reports/a-report.md" in told("report", "create", *parts)
    (tmp_path / "new.md").write_bytes((project / STATUS).read_bytes() + b"\nx\n")
    known = ("--expected-sha256", hash_of(project / STATUS))
    told("state", "update", "--input", str(tmp_path / "new.md"), *known)
