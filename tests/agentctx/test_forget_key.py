"""Without its key nothing deleted can be recognized, and that is told (A2.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import BackupTargetError, ForgetKeyError, ForgottenError
from agentctx.records.backup import make_backup, restore_backup
from agentctx.records.damage import examine_store
from agentctx.records.remove import delete_record
from agentctx.records.transfer import export_records, import_records
from agentctx.records.write import add_record
from tests.agentctx.facts import HERE, add, fact, heard
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A2.9")

TITLE, BODY = "Redis is the queue", "Jobs wait in Redis until a worker takes them."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    """Give a store in which one fact was forgotten."""
    with store_at(home) as opened:
        delete_record(opened, HERE, add(opened, TITLE, BODY).id)
        yield opened


def gone(key: Path) -> None:
    key.unlink()


def cut(key: Path) -> None:
    key.write_bytes(b"x")


def another(key: Path) -> None:
    key.write_bytes(b"k" * len(key.read_bytes()))


def open_to_all(key: Path) -> None:
    key.chmod(0o644)


HARMS = pytest.mark.parametrize(
    "harm", [gone, cut, another, open_to_all], ids=lambda harm: harm.__name__
)


def problems(home: Path) -> dict[str, str | None]:
    return {one.name: one.problem for one in examine_store(str(home)) if not one.ok}


@HARMS
def test_only_a_person_adds_while_nobody_can_tell_what_was_forgotten(
    home: Path, store: Store, harm: Callable[[Path], None]
) -> None:
    document = export_records(store, HERE, name="x").content
    content = document.replace(b'"records": []', b'"records": [%s]' % _one(store))
    harm(home / "forget.key")
    with pytest.raises(ForgetKeyError):
        add_record(store, HERE, heard("A model's"))
    with pytest.raises(ForgetKeyError):
        import_records(store, HERE, content, name="x.json")
    assert not add_record(store, HERE, fact(TITLE, BODY)).existing
    (told,) = problems(home).values()
    assert str(told).startswith("FORGET_KEY: ")


def _one(store: Store) -> bytes:
    made = add_record(store, HERE, fact("To carry")).record
    document = export_records(store, HERE, name="x").content
    delete_record(store, HERE, made.id)
    start, end = document.index(b"[") + 1, document.rindex(b"]")
    inner = document[start:end].replace(made.id.encode(), b"0" * 26)
    return inner.replace(b"To carry", b"Another one")


def test_a_store_that_forgot_nothing_needs_no_key(home: Path) -> None:
    with store_at(home) as opened:
        add_record(opened, HERE, heard("A model's"))
    assert problems(home) == {}
    assert not (home / "forget.key").exists()


def test_a_deletion_without_the_old_key_begins_anew(home: Path, store: Store) -> None:
    (home / "forget.key").unlink()
    one = add(store, "Kafka is the log", "Events are kept in Kafka for a week.")
    delete_record(store, HERE, one.id)
    assert problems(home) == {}
    with pytest.raises(ForgottenError):
        add_record(store, HERE, heard(one.title, one.body))
    assert add_record(store, HERE, heard(TITLE, BODY)).record.current


def test_a_damaged_key_is_not_replaced_by_a_deletion(home: Path, store: Store) -> None:
    one = add(store, "Kept")
    cut(home / "forget.key")
    with pytest.raises(ForgetKeyError):
        delete_record(store, HERE, one.id)
    assert (home / "forget.key").read_bytes() == b"x"


def test_a_backup_carries_the_key_to_a_home_without_one(
    home: Path, store: Store, tmp_path: Path
) -> None:
    copy, key = tmp_path / "copy.db", tmp_path / "copy.db.key"
    tmp_path.chmod(0o700)
    make_backup(store, str(copy))
    assert key.read_bytes() == (home / "forget.key").read_bytes()
    assert key.stat().st_mode & 0o777 == 0o600
    with store_at(tmp_path / "new", Ticking()) as other:
        restore_backup(other, str(copy))
        with pytest.raises(ForgottenError):
            add_record(other, HERE, heard(TITLE, BODY))
    assert problems(tmp_path / "new") == {}


def test_a_home_keeps_its_own_key(store: Store, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    make_backup(store, str(copy))
    with store_at(tmp_path / "new", Ticking()) as other:
        delete_record(other, HERE, add(other, "Of its own").id)
        own = tmp_path / "new" / "forget.key"
        another(own)
        before = own.read_bytes()
        restore_backup(other, str(copy))
        assert own.read_bytes() == before
    assert "forgotten" in problems(tmp_path / "new")


def test_a_key_that_lies_there_already_is_not_written_over(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "copy.db.key").write_bytes(b"mine")
    with pytest.raises(BackupTargetError):
        make_backup(store, str(tmp_path / "copy.db"))
    assert (tmp_path / "copy.db.key").read_bytes() == b"mine"
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_is_made_beside_a_damaged_key(
    home: Path, store: Store, tmp_path: Path
) -> None:
    cut(home / "forget.key")
    make_backup(store, str(tmp_path / "copy.db"))
    assert not (tmp_path / "copy.db.key").exists()
