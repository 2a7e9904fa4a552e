"""What is kept of the use of tools: files, tests, commits, stubs of failures (A4.7)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from agentctx.records.graph import files_of, records_of_file
from agentctx.records.observed import observed
from agentctx.records.read import current_records
from agentctx.records.remove import delete_record
from tests.agentctx.hooked import SESSION, Client, became, start_hook

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.model import Record
    from tests.agentctx.hooks.conftest import Desk

FAILURE = """Exit code 1
============================= FAILURES =============================
____________________________ test_waits ____________________________

    def test_waits():
>       assert wait(3) == 8
E       assert 6 == 8

tests/test_uploader.py:12: AssertionError
===================== short test summary info ======================
FAILED tests/test_uploader.py::test_waits - assert 6 == 8
==================== 1 failed, 4 passed in 0.31s ===================
"""


def bugs(desk: Desk) -> list[Record]:
    found = current_records(desk.store.db, desk.project.project_id)
    return [one for one in found if one.type == "bugfix"]


def ran(client: Client, command: str, output: str) -> str:
    return client.hook(
        "post-tool-use",
        tool_name="Bash",
        tool_input={"command": command},
        tool_response={"stdout": output, "stderr": "", "interrupted": False},
    )


def failed(client: Client, command: str, error: str, **more: object) -> str:
    return client.hook(
        "post-tool-use-failure",
        tool_name="Bash",
        tool_input={"command": command},
        error=error,
        is_interrupt=False,
        **more,
    )


@pytest.mark.requirement("A4.7", "A2.8")
def test_a_failing_test_is_a_stub_linked_to_its_file(
    client: Client, desk: Desk
) -> None:
    assert failed(client, "pytest -q", FAILURE) == ""
    (record,) = bugs(desk)
    assert "test_waits" in record.title
    assert record.body.startswith("`pytest -q` failed.\n")
    assert "6 == 8" in record.body
    assert files_of(desk.store.db, record.id) == ["tests/test_uploader.py"]
    assert (record.confidence, record.trust) == ("inferred", "tool")
    project_id = desk.project.project_id
    linked = records_of_file(desk.store.db, project_id, "tests/test_uploader.py")
    assert [one.id for one in linked] == [record.id]


@pytest.mark.requirement("A4.7")
def test_the_same_failure_makes_one_stub(client: Client, desk: Desk) -> None:
    failed(client, "pytest -q", FAILURE)
    failed(client, "pytest -q", FAILURE.replace("0.31s", "0.77s"))
    failed(client, "pytest -x", FAILURE, session_id="another")
    assert len(bugs(desk)) == 1
    other = FAILURE.replace("test_waits", "test_gives_up").replace("6 == 8", "1 == 2")
    failed(client, "pytest -q", other)
    assert len(bugs(desk)) == 2


@pytest.mark.requirement("A4.7")
def test_a_runners_own_summary_decides_whatever_the_exit_status(
    client: Client, desk: Desk
) -> None:
    ran(client, "pytest -q || true", FAILURE.partition("\n")[2])
    assert len(bugs(desk)) == 1
    failed(client, "pytest -q; false", "Exit code 1\n5 passed in 0.10s\n")
    assert len(bugs(desk)) == 1
    outcomes = [one.detail for one in observed(desk.store.db, SESSION, "tests")]
    assert outcomes == ["pytest: 1 failed, 4 passed", "pytest: 5 passed"]


@pytest.mark.requirement("A4.7")
@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param("cat server.log", "Error: it broke\nTraceback: no", id="cat"),
        pytest.param("grep -rn Error src", "src/a.py:3: raise Error", id="grep"),
        pytest.param("git log -3", "fix: TypeError in a.py:12", id="git log"),
        pytest.param("ls -la", "total 0", id="ls"),
    ],
)
def test_a_text_with_the_word_error_is_no_bug(
    client: Client, desk: Desk, command: str, output: str
) -> None:
    ran(client, command, output)
    failed(client, command, f"Exit code 1\n{output}")
    assert bugs(desk) == []


@pytest.mark.requirement("A4.7")
def test_an_interruption_is_no_bug(client: Client, desk: Desk) -> None:
    client.hook(
        "post-tool-use-failure",
        tool_name="Bash",
        tool_input={"command": "pytest"},
        error=FAILURE,
        is_interrupt=True,
    )
    assert bugs(desk) == []


@pytest.mark.requirement("A4.7")
def test_a_failure_that_ends_is_told_with_what_was_changed(
    client: Client, desk: Desk
) -> None:
    failed(client, "pytest -q", FAILURE)
    (first,) = bugs(desk)
    client.hook(
        "post-tool-use",
        tool_name="Edit",
        tool_input={"file_path": str(client.cwd / "src/uploader.py")},
        tool_response={},
    )
    ran(client, "pytest -q tests/other.py", "3 passed in 0.1s")
    assert [one.id for one in bugs(desk)] == [first.id]
    ran(client, "pytest -q", "5 passed in 0.2s")
    (fixed,) = bugs(desk)
    assert fixed.id != first.id
    assert "passed later (pytest: 5 passed)" in fixed.body
    assert "src/uploader.py" in fixed.body
    assert (fixed.confidence, fixed.trust) == ("inferred", "tool")
    for _ in range(3):  # it is back, and that is news, but one bug is one record
        failed(client, "pytest -q", FAILURE)
        (again,) = bugs(desk)
        assert "passed later" not in again.body
        ran(client, "pytest -q", "5 passed in 0.2s")
        (fixed,) = bugs(desk)
        assert "passed later" in fixed.body


@pytest.mark.requirement("A4.7", "A2.9")
def test_a_stub_that_a_person_deleted_is_not_made_again(
    client: Client, desk: Desk
) -> None:
    failed(client, "pytest -q", FAILURE)
    (record,) = bugs(desk)
    delete_record(desk.store, desk.project.project_id, record.id)
    failed(client, "pytest -q", FAILURE)
    assert bugs(desk) == []


@pytest.mark.requirement("A4.7")
def test_edits_and_commits_are_observed(client: Client, desk: Desk) -> None:
    for name in ("src/a.py", "src/b.py", "src/a.py"):
        client.hook(
            "post-tool-use",
            tool_name="Write",
            tool_input={"file_path": str(client.cwd / name)},
            tool_response={},
        )
    client.hook(
        "post-tool-use",
        tool_name="Write",
        tool_input={"file_path": "/etc/passwd"},
        tool_response={},
    )
    ran(
        client, "git commit -m 'Stream it'", "[main 1a2b3c4] Stream it\n 1 file changed"
    )
    names = [one.name for one in observed(desk.store.db, SESSION, "file")]
    assert names == ["src/b.py", "src/a.py"]
    (commit,) = observed(desk.store.db, SESSION, "commit")
    assert commit.detail == "1a2b3c4 Stream it"


@pytest.mark.requirement("A4.7", "A10.1")
def test_a_stub_holds_no_secret(client: Client, desk: Desk) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    failed(client, f"TOKEN={secret} pytest", FAILURE.replace("6 == 8", f"'{secret}'"))
    dumped = "\n".join(desk.store.db.iterdump())
    assert secret not in dumped
    assert bugs(desk)


@pytest.mark.requirement("A4.7")
def test_a_call_that_shows_nothing_opens_no_store(
    tmp_path: Path, project: Path
) -> None:
    client = Client(tmp_path / "no-home", project)
    assert ran(client, "ls -la", "total 0") == ""
    assert not client.home.exists()


@pytest.mark.requirement("A2.10", "A4.7")
def test_parallel_hooks_lose_nothing(client: Client, desk: Desk) -> None:
    payloads = [
        client.payload(
            "post-tool-use",
            tool_name="Write",
            tool_input={"file_path": str(client.cwd / f"src/f{number:02}.py")},
            tool_response={},
        )
        for number in range(24)
    ]
    with ThreadPoolExecutor(24) as pool:
        runs = list(
            pool.map(
                lambda one: start_hook("post-tool-use", one, client.home), payloads
            )
        )
    assert all(run.returncode == 0 and not run.stderr for run in runs)
    expected = {f"src/f{number:02}.py" for number in range(24)}

    def kept() -> bool:  # what waited too long is left to a process of its own
        seen = observed(desk.store.db, SESSION, "file")
        return {one.name for one in seen} == expected

    assert became(kept)
