"""What tests of records share: a project's folder and `agentctx` run in process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.cli.app import main
from tests.conftest import Outcome, caught

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess


@pytest.fixture
def store_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder where `agentctx` keeps the store; it does not exist yet."""
    home = tmp_path / "agentctx-home"
    monkeypatch.setenv("AGENTCTX_HOME", str(home))
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a folder that is a project: it is marked, and in no repository."""
    root = tmp_path / "weather"
    (root / ".agentctx").mkdir(parents=True)
    return root


@pytest.fixture
def agentctx(
    project: Path, store_home: Path, monkeypatch: pytest.MonkeyPatch
) -> InProcess:
    """Run `agentctx` in this process, in the project if nothing else is said."""
    del store_home

    def run(
        *arguments: str, cwd: Path | None = None, terminal: bool = False
    ) -> Outcome:
        with monkeypatch.context() as patch:
            patch.chdir(project if cwd is None else cwd)
            return caught(main, arguments, terminal=terminal)

    return run
