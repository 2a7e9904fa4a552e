"""What was forgotten is shown to no model beside later talk, and stays out (M11.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.memory.letting import (
    NOTHING_LEFT,
    checkpoint_without_forgotten,
    let_go,
)
from agentctx.memory.tasks import extraction_task
from tests.agentctx.memory.memories import SAID, TABS, believe, memory_at, say, take

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("M11.5")
def test_a_turn_that_said_what_was_forgotten_is_not_shown_beside_the_next(
    project: Path,
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)
        let_go(store, item.id)
        say(store, "How is the parser tested?")
        batch = take(store)
        with store.looking() as db:
            task = extraction_task(db, batch)
    assert task.adjacent is None
    assert SAID not in task.previous_compaction


@pytest.mark.requirement("M11.5")
def test_a_checkpoint_of_turns_said_before_leaves_out_what_was_forgotten(
    project: Path,
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)
        turn = say(store, f"As I said: {SAID}")
        let_go(store, item.id)
        told = "The parser streams. They indent with tabs."
        with store.looking() as db:
            kept = checkpoint_without_forgotten(db, [turn.id], told)
            none = checkpoint_without_forgotten(db, [turn.id], "Indent with tabs.")
        assert (kept, none) == ("The parser streams.", NOTHING_LEFT)
        later = say(store, "No, indent with tabs.")
        with store.looking() as db:
            assert checkpoint_without_forgotten(db, [later.id], told) == told
