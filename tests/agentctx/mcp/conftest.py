"""A desk in a project of a test's own, with a clock that the test turns on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agentctx.mcp.serving import desk_at
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.mcp.desk import Desk


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def desk(store_home: Path, project: Path, clock: Ticking) -> Iterator[Desk]:
    desk = desk_at(store_home, project, clock)
    yield desk
    desk.forget()
