"""What tests of memory share: an open memory in a project of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agentctx.memory.memories import memory_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.memory.store import MemoryStore
    from tests.recorded import Ticking


@pytest.fixture
def memory(project: Path, clock: Ticking) -> Iterator[MemoryStore]:
    """Give the open, empty memory of the project."""
    with memory_at(project, clock) as opened:
        yield opened
