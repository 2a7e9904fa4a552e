"""Many sessions, two at a time, leave no process and lose nothing (A1.1)."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.agentctx.extraction.conftest import found
from tests.agentctx.extraction.recalling import is_memorys
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.memory.pipeline.minds import extracted
from tests.speed.measure import agentctx_environment, own_environment
from tests.speed.sessions import PATIENCE, PROCESSES, Lived, Machine, live, processes_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.llm.fakeapi import Asked

DEAF = """
import sys
if sys.argv[-1] != "session-end":
    from agentctx.start import run
    run()
sys.stdin.buffer.read()
"""
"""The program, but for the end of a session."""

pytestmark = [
    pytest.mark.skipif(
        not PROCESSES.is_dir(), reason="finds processes by what they were started in"
    ),
    pytest.mark.timeout(300),
]


def machine(folder: Path, env: dict[str, str], **more: str) -> Machine:
    """Give a user's machine with the package under test, its modules compiled once."""
    user = own_environment(folder / "user")
    world = agentctx_environment(user, folder / "home")
    command = (sys.executable, "-P", "-m", "agentctx")
    return Machine(folder, command, {**world, "PYTHONPATH": env["PYTHONPATH"], **more})


def find_nothing(asked: Asked) -> Says:
    return Says(extracted() if is_memorys(asked) else found())


def assert_nothing_is_left(lived: Lived) -> None:
    assert (lived.failures, lived.said) == ((), ())
    assert (lived.missing, lived.unended, lived.unsettled, lived.unseen) == (0, 0, 0, 0)
    assert lived.left == 0
    assert lived.after < PATIENCE


@pytest.mark.requirement("A1.1", "A4.5")
def test_many_sessions_leave_no_process_and_lose_nothing(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    count = 16  # four in each project; `make bench` has a thousand
    lived = live(machine(tmp_path, program_env), count)
    assert lived.sessions == count
    assert_nothing_is_left(lived)


@pytest.mark.requirement("A1.1", "A6.2")
def test_sessions_that_a_model_reads_leave_no_process_and_lose_nothing(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    count = 4
    with FakeApi(find_nothing) as api:
        key = {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": api.url}
        lived = live(machine(tmp_path, program_env, **key), count)
        memory = [one.text for one in api.asked if is_memorys(one)]
        asked = "\n".join(one.text for one in api.asked if not is_memorys(one))
    assert_nothing_is_left(lived)
    for number in range(count):
        said = f"Write the importer of table {number}"
        assert asked.count(f"{said}<") == 1
        assert any(said in one for one in memory), "its turns were kept and read"
    assert asked.count("retry three times when the database") == count


def test_sessions_whose_end_nobody_noted_are_counted_as_lost(
    tmp_path: Path, program_env: dict[str, str]
) -> None:
    usual = machine(tmp_path, program_env)
    lived = live(usual._replace(command=(sys.executable, "-P", "-c", DEAF)), 2)
    assert (lived.missing, lived.unended, lived.unsettled, lived.unseen) == (0, 2, 2, 0)
    assert (lived.lost, lived.failures, lived.said) == (4, (), ())


def test_a_process_is_found_by_its_users_folder(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()"],
        env={"AGENTCTX_HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
    ) as process:
        assert processes_of(tmp_path) == [process.pid]
        assert processes_of(tmp_path / "other") == []
        assert process.stdin is not None
        process.stdin.write(b"\n")
    assert processes_of(tmp_path) == []
