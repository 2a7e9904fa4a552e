"""`init` makes the project's memory, shown before, where it is wanted (M1.1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.switch import turn_off
from agentctx.memory.verdict import Healthy, judge
from tests.agentctx.answers import answer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess


@pytest.fixture(autouse=True)
def no_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user have no client that could be told."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("AGENTCTX_MEMORY", raising=False)


@pytest.fixture
def bare(project: Path) -> Path:
    """Give a project that has no folder of ours yet."""
    (project / ".agentctx").rmdir()
    return project


@pytest.mark.requirement("M1.1(a)", "M1.1(b)")
def test_init_shows_and_makes_the_memory_of_the_project(
    agentctx: InProcess, bare: Path
) -> None:
    told = answer(agentctx("init", "--dry-run"))["memory"]
    folder = bare / ".agentctx"
    assert (told["folder"], told["makes"], told["runs"]) == (str(folder), True, True)
    assert not folder.exists()
    assert str(folder) in agentctx("init", "--dry-run", "--format", "text").out
    assert answer(agentctx("init", "--yes"))["memory"]["makes"] is True
    assert isinstance(judge(str(bare)), Healthy)
    assert (folder / ".gitignore").read_bytes() == b"*\n!context.md\n"
    again = answer(agentctx("init", "--yes"))["memory"]
    assert (again["makes"], again["runs"]) == (False, True)


@pytest.mark.requirement("M1.1(a)")
def test_init_makes_no_memory_that_is_not_wanted(
    agentctx: InProcess, bare: Path, store_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = answer(agentctx("init", "--yes", "--no-memory"))["memory"]
    assert (told["makes"], told["runs"]) == (False, False)
    (bare / ".agentctx").mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("AGENTCTX_MEMORY", "0")
        told = answer(agentctx("init", "--yes"))["memory"]
        assert (told["makes"], told["runs"]) == (False, False)
    turn_off(str(bare))
    told = answer(agentctx("init", "--yes"))["memory"]
    assert (told["makes"], told["runs"]) == (False, False)
    (bare / ".agentctx" / "memory.off").unlink()
    (store_home / "config.json").write_bytes(json.dumps({"memory": False}).encode())
    told = answer(agentctx("init", "--yes"))["memory"]
    assert (told["makes"], told["runs"]) == (False, False)
    assert not (bare / ".agentctx" / "memory.db").exists()


@pytest.mark.requirement("M1.2(a)")
def test_init_leaves_a_memory_that_cannot_be_used(
    agentctx: InProcess, project: Path
) -> None:
    path = project / ".agentctx" / "memory.db"
    path.write_bytes(b"mine, and no database" * 300)
    told = answer(agentctx("init", "--yes"))["memory"]
    assert (told["makes"], told["runs"]) == (False, False)
    assert path.read_bytes() == b"mine, and no database" * 300


@pytest.mark.requirement("M1.1(a)")
def test_the_store_of_every_project_is_no_projects_memory(
    agentctx: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("AGENTCTX_HOME", str(user / ".agentctx"))
    told = answer(agentctx("init", "--yes", cwd=user))["memory"]
    assert (told["makes"], told["runs"]) == (False, False)
    assert not (user / ".agentctx" / "memory.db").exists()
