"""Writes whose calls of the system fail: refused with a code, and nothing changed."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING

import pytest

from corpus.confined import rename
from corpus.writes.recovery import recover
from tests.interrupted import (
    MOST_STEPS,
    ask_activation,
    ask_task,
    ask_update,
    contents,
    failed_at,
    killed_at,
    project_with,
    receipts,
)
from tests.trusted import leftovers, writer_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interrupted import Ask

FAILURES = {
    "no space": errno.ENOSPC,
    "broken disk": errno.EIO,
    "no permission": errno.EACCES,
    "Ctrl-C": None,
}
STRIDE = 6
"""A kind of failure meets every sixth call, and the four meet different ones."""

ASKS = {"update": ask_update, "create": ask_task, "activate": ask_activation}
CODE = re.compile(r"[A-Z]+(_[A-Z]+)+")
UNSETTLED = "WRITE_UNSETTLED"


@pytest.mark.requirement("P13.1", "P13.2")
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_write_whose_call_fails_changes_nothing_or_is_settled_later(
    tmp_path: Path, ask: Ask, failure: str
) -> None:
    answers = check_failures(tmp_path, ask, FAILURES[failure])
    assert answers & {"WRITE_FAILED", "interrupted"}


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_without_exchanging_names_a_failure_changes_nothing_either(
    tmp_path: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rename, "_system_call", lambda: None)
    assert "WRITE_FAILED" in check_failures(tmp_path, ask, errno.EIO)


@pytest.mark.requirement("P13.2")
@pytest.mark.parametrize("failure", FAILURES)
def test_a_recovery_whose_call_fails_can_be_run_again(
    tmp_path: Path, failure: str
) -> None:
    project = project_with(tmp_path, ask_activation)
    old, new = project.sides()
    halfway = [
        step for step in project.kills() if contents(project.root) not in (old, new)
    ]
    for first in {halfway[0], halfway[-1]}:
        for step in range(begin(FAILURES[failure]), MOST_STEPS, STRIDE):
            assert killed_at(first, project.root, project.fresh())
            answer = failed_at(step, project.root, recover, FAILURES[failure])
            if answer == "ended":
                break
            assert answer in {"done", "interrupted"} or CODE.fullmatch(answer)
            with writer_of(project.root, seed="two") as writer:
                outcome = recover(writer)
            assert outcome is None or outcome.phase == "COMPLETE", (step, answer)
            assert contents(project.root) == new, (step, answer)
            assert receipts(project.root) == 1, (step, answer)
            assert leftovers(project.root) == [], (step, answer)


def begin(number: int | None) -> int:
    """Give the first call that a kind of failure meets."""
    return 1 + [*FAILURES.values()].index(number)


def check_failures(tmp_path: Path, ask: Ask, number: int | None) -> set[str]:
    """Let one call after the other fail; give every answer there was."""
    project = project_with(tmp_path, ask)
    old, new = project.sides()
    answers: set[str] = set()
    for step in range(begin(number), MOST_STEPS, STRIDE):
        answer = failed_at(step, project.root, project.fresh(), number)
        if answer == "ended":
            return answers
        answers.add(answer)
        now, done = contents(project.root), receipts(project.root)
        if answer == "done":
            assert (now, done) == (new, 1), step
        elif answer == "interrupted":
            assert (now, done) in ((old, 0), (new, 1)), step
        elif answer != UNSETTLED:
            assert CODE.fullmatch(answer), (step, answer)
            assert (now, done) == (old, 0), (step, answer)
        with writer_of(project.root, seed="two") as writer:
            outcome = recover(writer)
        assert outcome is None or outcome.phase != "NEEDS_OWNER", (step, answer)
        after = contents(project.root), receipts(project.root)
        assert after in ((old, 0), (new, 1)), (step, answer)
        assert leftovers(project.root) == [], (step, answer)
    pytest.fail("the request never ended")


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: what a process has given to the system is not lost here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
