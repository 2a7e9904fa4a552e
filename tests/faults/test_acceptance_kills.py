"""Acceptances killed between any two steps (P19.2): waiting, or accepted and there."""

from __future__ import annotations

import os
import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest

from corpus.acceptance import Wording, accept, entries_of, reject
from corpus.errors import CodedError
from corpus.writes.audit import AUDIT
from corpus.writes.recovery import recover
from tests.corpora import HOME, dirs_of
from tests.interrupted import MOST_STEPS, changed_unnoticed, killed_at
from tests.published_inbox import EARLIER, Keeper, submitted
from tests.trusted import leftovers, write_trusted, writer_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interrupted import Request


@pytest.fixture(autouse=True)
def no_power_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the disk: a process that dies loses nothing it gave to the system."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def fresh(root: Path) -> str:
    """Let one candidate wait, in a corpus where nothing else was ever written."""
    for place in (
        root / HOME / "audit",
        dirs_of(root).state / "writes",
        dirs_of(root).state / "candidates",
    ):
        shutil.rmtree(place, ignore_errors=True)
    for path in (root / HOME / "reports").iterdir():
        if path.name != "report-one.md":
            path.unlink()
    return submitted(root, Keeper()).id


def asked(root: Path, name: str) -> Request:
    return partial(_accept, name=name, root=root)


def _accept(writer: object, *, name: str, root: Path) -> object:
    return accept(writer, name, Wording("twelve"), dirs=dirs_of(root))  # type: ignore[arg-type]


def standing(root: Path) -> tuple[str, bool, int]:
    """Say how the candidate stands, whether its report is there, and the receipts."""
    (entry,), damaged = entries_of(root, state=dirs_of(root).state)
    assert damaged == ()
    there = (root / HOME / "reports/twelve.md").is_file()
    return entry.state, there, len(list((root / AUDIT).glob("*.json")))


@pytest.mark.requirement("P19.2")
def test_an_acceptance_changes_nothing_but_at_its_steps(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "project")
    request = asked(root, fresh(root))

    def work() -> None:
        with writer_of(root) as writer:
            request(writer)

    assert changed_unnoticed(tmp_path, work) == []
    assert standing(root) == ("accepted", True, 1)


@pytest.mark.requirement("P19.2")
def test_an_acceptance_killed_at_any_step_is_whole_or_none(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "project")
    seen = set()
    for step in range(1, MOST_STEPS):
        name = fresh(root)
        if not killed_at(step, root, asked(root, name)):
            break
        with writer_of(root, seed="two") as writer:
            recover(writer)
        after = standing(root)
        assert after in {("waiting", False, 0), ("accepted", True, 1)}, step
        assert leftovers(root) == [], step
        seen.add(after[0])
        if after[0] == "waiting":  # and it can be decided, either way
            _decide_again(root, name, by_rejecting=step % 2 == 0)
        else:
            with pytest.raises(CodedError) as caught:
                _decide_again(root, name, by_rejecting=False)
            assert caught.value.code == "CANDIDATE_DECIDED", step
    else:
        pytest.fail("the acceptance never ended")
    assert seen == {"waiting", "accepted"}
    assert standing(root) == ("accepted", True, 1)


def _decide_again(root: Path, name: str, *, by_rejecting: bool) -> None:
    if by_rejecting:
        state = dirs_of(root).state
        reject(root, name, "No.", state=state, now=EARLIER, random=os.urandom)
        assert standing(root) == ("rejected", False, 0)
        return
    with writer_of(root, seed="three") as writer:
        _accept(writer, name=name, root=root)
    assert standing(root) == ("accepted", True, 1)


@pytest.mark.requirement("P19.2")
def test_what_is_in_doubt_is_not_rejected_before_it_is_settled(tmp_path: Path) -> None:
    root = write_trusted(tmp_path / "project")
    state = dirs_of(root).state
    doubted = 0
    for step in range(1, MOST_STEPS):
        name = fresh(root)
        if not killed_at(step, root, asked(root, name)):
            break
        if not list((state / "writes").glob("*/journal.json")):
            continue
        doubted += 1
        before = standing(root)
        with pytest.raises(CodedError) as caught:
            reject(root, name, "No.", state=state, now=EARLIER, random=os.urandom)
        assert caught.value.code == "CANDIDATE_IN_DOUBT", step
        assert standing(root) == before, step
    assert doubted
