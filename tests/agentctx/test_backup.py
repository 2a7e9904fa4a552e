"""Copies of the store, put back whole or not at all; and a project's clean start."""

from __future__ import annotations

import os
import sqlite3
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import BackupError, BackupTargetError
from agentctx.records.backup import (
    backups_in,
    check_backup,
    make_backup,
    newest_usable,
    reset_project,
    restore_backup,
)
from agentctx.records.read import all_records
from agentctx.records.schema import APPLICATION_ID
from agentctx.records.write import add_record
from corpus.errors import StoreBusyError
from tests.agentctx.facts import ELSEWHERE, HERE, add, dump, fact, heard, replace
from tests.recorded import START, Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A9")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    with store_at(home) as opened:
        yield opened


def titles(store: Store) -> set[str]:
    return {one.title for one in all_records(store.db, (HERE, ELSEWHERE, "_global"))}


def test_a_copy_is_one_private_file_that_holds_everything(
    home: Path, store: Store
) -> None:
    replace(store, add(store, "One", files=["a.py"]), "Two")
    backup = make_backup(store)
    assert backups_in(str(home)) == (backup.path,)
    (only,) = (home / "backups").iterdir()
    assert str(only) == backup.path
    assert only.stat().st_mode & 0o777 == 0o600
    assert (backup.records, check_backup(backup.path)) == (2, 2)
    copy = sqlite3.connect(backup.path)
    try:
        assert copy.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert copy.execute("SELECT count(*) FROM edges").fetchone()[0] == 2
    finally:
        copy.close()


def test_two_copies_of_one_second_have_two_names(home: Path, store: Store) -> None:
    moment = store.clock()
    store.clock = lambda: moment
    made = [make_backup(store).path for _ in range(3)]
    assert sorted(made) == sorted(backups_in(str(home)))
    assert len(set(made)) == 3


def test_a_copy_never_takes_the_place_of_a_file(tmp_path: Path, store: Store) -> None:
    there = tmp_path / "mine.db"
    there.write_text("mine", encoding="utf-8")
    with pytest.raises(BackupTargetError):
        make_backup(store, str(there))
    assert there.read_text("utf-8") == "mine"
    assert list(tmp_path.glob(".*")) == []
    with pytest.raises(BackupTargetError):
        make_backup(store, str(tmp_path / "no" / "such" / "folder.db"))
    assert not (tmp_path / "no").exists()


def test_the_newest_copy_that_can_be_put_back_is_found(
    home: Path, store: Store
) -> None:
    assert newest_usable(str(home)) is None
    add(store, "One")
    first, second = make_backup(store).path, make_backup(store).path
    assert newest_usable(str(home)) == max(first, second)
    made_text(home / "backups" / max(first, second).rpartition("/")[2])
    assert newest_usable(str(home)) == min(first, second)


def test_restoring_puts_back_what_was_and_keeps_what_is(store: Store) -> None:
    old = add(store, "Before the copy")
    backup = make_backup(store)
    before = dump(store, derived=True)
    add(store, "After the copy")
    version = store.version
    restored = restore_backup(store, backup.path)
    assert dump(store, derived=True) == before
    assert restored.records == 1
    assert store.version > version
    add(store, "After it was restored")
    restore_backup(store, restored.saved.path)
    assert titles(store) == {old.title, "After the copy"}


def test_whoever_has_the_store_open_sees_the_restored_one(
    home: Path, store: Store
) -> None:
    add(store, "Before the copy")
    backup = make_backup(store)
    add(store, "After the copy")
    later = Ticking(START + timedelta(days=1))
    with store_at(home, later, create=False) as other:
        assert len(titles(other)) == 2
        restore_backup(store, backup.path)
        assert titles(other) == {"Before the copy"}
        add(other, "From the other")
    assert titles(store) == {"Before the copy", "From the other"}
    with store_at(home, create=False) as again:
        assert titles(again) == titles(store)


def test_restoring_waits_for_writers_and_gives_up(
    home: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, "One")
    backup = make_backup(store)
    add(store, "Two")
    monkeypatch.setattr("corpus.sqlite.PATIENCE", 0.05)
    with (
        store_at(home, create=False) as other,
        other.writing(),
        pytest.raises(StoreBusyError),
    ):
        restore_backup(store, backup.path)
    assert titles(store) == {"One", "Two"}


def truncated(path: Path) -> None:
    os.truncate(path, 5000)


def overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        for page in range(2, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xa5" * 64)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def made_text(path: Path) -> None:
    path.write_text("not a database, whatever its name", encoding="utf-8")


def made_foreign(path: Path) -> None:
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE other (x)")
    db.commit()
    db.close()


def made_hollow(path: Path) -> None:
    made_foreign(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()


def made_newer(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.commit()
    db.close()


def made_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def made_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def removed(path: Path) -> None:
    path.unlink()


def given_a_log(path: Path) -> None:
    path.with_name(path.name + "-wal").write_bytes(b"x" * 100)


HARMED = [
    truncated,
    overwritten,
    emptied,
    made_text,
    made_foreign,
    made_hollow,
    made_newer,
    made_folder,
    made_fifo,
    removed,
    given_a_log,
]


@pytest.mark.parametrize("harm", HARMED, ids=lambda harm: harm.__name__)
def test_a_file_that_is_no_sound_copy_is_refused_and_changes_nothing(
    tmp_path: Path, store: Store, harm: Callable[[Path], None]
) -> None:
    for number in range(40):
        add(store, f"Fact {number}", "A text to fill a page " * 40)
    path = tmp_path / "copy.db"
    make_backup(store, str(path))
    harm(path)
    content = path.read_bytes() if path.is_file() else None
    before = dump(store)
    with pytest.raises(BackupError):
        restore_backup(store, str(path))
    assert dump(store) == before
    assert (path.read_bytes() if path.is_file() else None) == content


def test_the_store_is_no_copy_of_itself(home: Path, store: Store) -> None:
    add(store, "One")
    with pytest.raises(BackupError):
        restore_backup(store, str(home / "agentctx.db"))
    assert titles(store) == {"One"}


def test_reset_deletes_this_project_and_can_be_taken_back(store: Store) -> None:
    replace(store, add(store, "One", "wobbulator", files=["a.py"]), "Two")
    add_record(store, HERE, fact("For all", type="preference", scope="global"))
    add_record(store, ELSEWHERE, heard("Of another project", files=["a.py"]))
    before = dump(store)
    cleared = reset_project(store, HERE)
    assert cleared.records == 2
    assert titles(store) == {"For all", "Of another project"}
    left = dump(store)
    assert len(left["nodes"]) == len(left["edges"]) == len(left["record_entities"]) == 1
    assert cleared.saved is not None
    restore_backup(store, cleared.saved.path)
    assert dump(store) == before


@pytest.mark.requirement("A2.9")
def test_reset_leaves_no_word_in_the_store(home: Path, store: Store) -> None:
    for number in range(20):
        add(store, f"Fact {number}", f"wobbulator of the kind {number}")
    reset_project(store, HERE)
    held = b"".join(path.read_bytes() for path in home.glob("agentctx.db*"))
    assert b"wobbul" not in held
