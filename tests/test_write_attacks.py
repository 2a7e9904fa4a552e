"""What was tried against controlled writes by people who save, move and plant files."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from corpus.confined.folder import Folder
from corpus.errors import CodedError
from corpus.refusals import (
    ArtifactIdError,
    JournalError,
    TargetUnusableError,
    TransactionUnknownError,
)
from corpus.writes import audit
from corpus.writes.audit import read_receipt
from corpus.writes.outcome import Outcome
from corpus.writes.recovery import recover
from corpus.writes.requests import create_task
from corpus.writes.writer import turn_of
from tests.corpora import HOME, dirs_of, task_page, write
from tests.interrupted import ask_activation, ask_update, receipts
from tests.trusted import STATUS, leftovers, write_trusted, writer_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.requirement("P13.1")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_trusted(tmp_path / "corpus")


def before_the_receipt(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]
) -> None:
    """Let somebody act when everything is published and read back."""
    real = audit.stamp

    def stamp(moment: object) -> str:
        if not done:
            done.append(True)
        elif len(done) == 1:
            done.append(True)
            act()
        return real(moment)  # type: ignore[arg-type]

    done: list[bool] = []
    monkeypatch.setattr(audit, "stamp", stamp)
    monkeypatch.setattr("corpus.writes.transaction.stamp", stamp)


def test_a_save_into_the_file_that_was_replaced_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (project / STATUS).open("ab") as editor:

        def save() -> None:
            editor.write(b"a thought of the last moment\n")
            editor.flush()

        before_the_receipt(monkeypatch, save)
        with writer_of(project) as writer:
            outcome = ask_update(project)(writer)
    assert isinstance(outcome, Outcome)
    assert outcome.phase == "COMPLETE"
    (kept,) = outcome.kept
    (copy,) = (dirs_of(project).state / "writes").rglob(kept)
    assert copy.read_bytes().endswith(b"a thought of the last moment\n")
    assert leftovers(project) == [kept]


@pytest.mark.parametrize("folder", ["", "/state"])
def test_a_folder_that_is_replaced_under_way_is_no_success(
    project: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    place = project / f"{HOME}{folder}"
    old = (project / STATUS).read_bytes()
    real = Folder.exchange

    def swap(opened: Folder, one: str, two: str) -> bool:
        if not place.with_name("before").exists():
            place.rename(place.with_name("before"))
            shutil.copytree(place.with_name("before"), place)
        return real(opened, one, two)

    monkeypatch.setattr(Folder, "exchange", swap)
    with writer_of(project) as writer, pytest.raises(TargetUnusableError):
        ask_update(project)(writer)
    assert (project / STATUS).read_bytes() == old
    assert receipts(project) == 0


@pytest.mark.requirement("P13.3", "P1.1")
@pytest.mark.parametrize("task_id", ["con", "aux", "com1", "nul.md"])
def test_an_id_that_names_no_file_everywhere_is_refused(
    project: Path, task_id: str
) -> None:
    content = task_page(task_id).encode()
    with writer_of(project) as writer, pytest.raises(ArtifactIdError):
        create_task(writer, task_id, content)
    assert leftovers(project) == []


@pytest.mark.requirement("P13.2")
def test_a_journal_that_cannot_be_read_is_set_aside_by_its_owner(
    project: Path,
) -> None:
    with writer_of(project) as writer:
        with turn_of(writer) as turn:
            turn.runtime.put("journal.json", b"half a jour")
        for resolve in (None, "old", "new"):
            with pytest.raises(JournalError):
                recover(writer, resolve=resolve)
        recover(writer, resolve="current")
        outcome = ask_update(project)(writer)
    assert isinstance(outcome, Outcome)
    assert outcome.phase == "COMPLETE"
    (name,) = leftovers(project)
    assert name.endswith(".kept")


@pytest.mark.parametrize(
    "content",
    [
        b'{"transaction_id": "ID", "x": NaN}',
        b'{"transaction_id": "ID", "x": 1e999}',
        b'{"transaction_id": "another"}',
        b"[]",
        b"[" * 200_000,
        b"\xff",
    ],
)
def test_a_planted_receipt_is_none(project: Path, content: bytes) -> None:
    name = "0" * 32
    write(project / f"{HOME}/audit/{name}.json", content.replace(b"ID", name.encode()))
    with (
        writer_of(project) as writer,
        turn_of(writer) as turn,
        pytest.raises(TransactionUnknownError),
    ):
        read_receipt(writer.opened, turn.mandate, name)


def test_new_files_are_for_whom_the_umask_lets_them_be(project: Path) -> None:
    before = os.umask(0o077)
    try:
        with writer_of(project) as writer:
            outcome = create_task(writer, "task-new", task_page("task-new").encode())
    finally:
        os.umask(before)
    assert outcome.audit_path is not None
    for path in (project / HOME / "tasks/task-new.md", project / outcome.audit_path):
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("P13.2")
def test_a_failure_after_a_save_in_place_takes_the_owner(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write of several files is never half taken back in silence."""
    real = Folder.sync

    def append(folder: Folder) -> None:
        with (project / STATUS).open("rb") as stream:
            published = b"Active-Task-ID: task-two" in stream.read()
        if published:
            with (project / STATUS).open("ab") as stream:
                stream.write(b"and more\n")
        real(folder)

    monkeypatch.setattr(Folder, "sync", append)
    with writer_of(project) as writer, pytest.raises(CodedError):
        ask_activation(project)(writer)
    monkeypatch.undo()
    with writer_of(project, seed="two") as writer:
        outcome = recover(writer)
        assert outcome is not None
        assert outcome.phase == "NEEDS_OWNER"
        settled = recover(writer, resolve="new")
    assert settled is not None
    assert settled.phase == "COMPLETE"
