"""A program that talks to memory, with a pipeline that answers at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agentctx.memory.api.programs import Answering, program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.memory import Memory
    from tests.recorded import Ticking


@pytest.fixture
def talk(project: Path, clock: Ticking) -> Iterator[Memory]:
    """Give a program's open memory."""
    with program(project, clock, pipeline=Answering()) as opened:
        yield opened
