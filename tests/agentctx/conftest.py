"""What tests of records share: a project's folder, `agentctx` in process, a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.cli.app import main
from tests.agentctx.searched import FACTS, keep
from tests.conftest import Outcome, caught
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.store import Store
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


@pytest.fixture
def clock() -> Ticking:
    """Give a clock that goes on a little each time it is read."""
    return Ticking()


@pytest.fixture
def store(tmp_path: Path, clock: Ticking) -> Iterator[Store]:
    """Give an open, empty store in a folder of its own."""
    with store_at(tmp_path / "home", clock) as opened:
        yield opened


@pytest.fixture
def filled(store: Store) -> Store:
    """Give the store with the facts that searches are tried on."""
    for title, body in FACTS:
        keep(store, title, body)
    return store
