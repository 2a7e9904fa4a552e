"""What a session was given is kept under a lock, and read where somebody holds it."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing import state as states
from agentctx.briefing.state import read_state, session_state, state_path

if TYPE_CHECKING:
    from pathlib import Path

SESSION = "3f1c"


@pytest.mark.requirement("A2.10", "A4.3")
def test_what_another_hook_holds_is_read_and_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "PATIENCE", 0.02)
    home = str(tmp_path)
    with session_state(home, SESSION) as state:
        state.add(["one"])
    other = os.open(state_path(home, SESSION), os.O_RDWR)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with session_state(home, SESSION) as state:
            assert state.given == ["one"]
            state.add(["two"])
        assert read_state(home, SESSION, patience=0.0).given == ["one"]
    finally:
        os.close(other)
    with session_state(home, SESSION) as state:
        assert state.given == ["one"]


@pytest.mark.requirement("A4.3")
def test_a_state_that_is_half_written_is_an_empty_one(tmp_path: Path) -> None:
    with session_state(str(tmp_path), SESSION) as state:
        state.add(["one"])
    path = state_path(str(tmp_path), SESSION)
    os.truncate(path, 5)
    assert read_state(str(tmp_path), SESSION).given == []
