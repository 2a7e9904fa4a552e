"""Two people with stores of their own, and one working tree that both look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agentctx.team.people import Person
from tests.recorded import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give the project's folder."""
    folder = tmp_path / "weather"
    folder.mkdir()
    return folder


@pytest.fixture
def ana(tmp_path: Path, root: Path) -> Iterator[Person]:
    """Give somebody who shares."""
    with store_at(tmp_path / "ana") as store:
        yield Person(store, root)


@pytest.fixture
def bob(tmp_path: Path, root: Path) -> Iterator[Person]:
    """Give a teammate, whose ids are others."""
    with store_at(tmp_path / "bob") as store:
        store.ids.new()
        for _ in range(500):
            store.ids.new()
        yield Person(store, root)
