"""What is deleted is gone, byte for byte, and can be taken back once (A2.9)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.clock import stamp
from agentctx.errors import (
    ForgottenError,
    NothingToUndoError,
    RecordEndedError,
    RecordNotFoundError,
)
from agentctx.records.read import Moment, all_records, by_id, history_of, holds_at
from agentctx.records.remove import delete_record, undo_delete
from agentctx.records.write import (
    add_record,
    confirm_record,
    pin_record,
    reinforce_record,
)
from tests.agentctx.facts import ELSEWHERE, HERE, add, dump, fact, heard, replace
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentctx.records.model import Record
    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A2.9")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    with store_at(home) as opened:
        yield opened


def bytes_of(home: Path) -> bytes:
    return b"".join(
        path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()
    )


def copies(home: Path) -> list[Path]:
    return sorted((home / "backups").glob("deleted-*.json"))


def in_store(home: Path, word: str) -> bool:
    held = b"".join(path.read_bytes() for path in home.glob("agentctx.db*"))
    return word.encode() in held


def test_no_byte_of_the_store_holds_a_word_of_what_was_deleted(
    home: Path, store: Store
) -> None:
    for number in range(120):
        add(store, f"Sensor {number} reports", f"zirconium{number} quartzite {number}")
    record = add(
        store, "A xylophonist", "wobbulator and Напряжение 電圧計", files=["q.c"]
    )
    for number in range(60):
        add(store, f"Gateway {number} reports", f"feldspar{number}")
    assert in_store(home, "wobbulator")
    deleted = delete_record(store, HERE, record.id)
    assert deleted.erased
    words = ("xylophonist", "wobbul", "напряж", "Напряжение", "電圧計", "電圧", "q.c")
    assert [word for word in words if in_store(home, word)] == []
    assert in_store(home, "zirconium7")
    store.db.execute("INSERT INTO records_fts (records_fts) VALUES ('integrity-check')")


def test_a_replaced_wording_is_not_left_when_both_are_deleted(
    home: Path, store: Store
) -> None:
    old = add(store, "The wobbulator", "A wobbulator of the first kind")
    new = replace(store, old, "A heterodyne of the second kind")
    for one in (old, new):
        delete_record(store, HERE, one.id)
    assert not in_store(home, "wobbulator")
    assert not in_store(home, "heterodyne")


def test_deleted_for_ever_leaves_no_copy(home: Path, store: Store) -> None:
    record = add(store, "The wobbulator", "A wobbulator that nobody may hear of")
    deleted = delete_record(store, HERE, record.id, forever=True)
    assert deleted.copy is None
    assert b"wobbulator" not in bytes_of(home)
    with pytest.raises(NothingToUndoError):
        undo_delete(store, HERE)


def test_the_copy_is_private(home: Path, store: Store) -> None:
    deleted = delete_record(store, HERE, add(store, "One").id)
    (copy,) = copies(home)
    assert deleted.copy == str(copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700


def test_undo_brings_everything_back_as_it_was(store: Store) -> None:
    first = add(store, "The first wording", files=["src/a.py", "src/b.py"])
    made = add_record(
        store,
        HERE,
        heard("The second wording", rationale="because", quote="said so", key="k"),
        supersedes=first.id,
    ).record
    for session in "xyz":
        reinforce_record(store, made.id, session_id=session)
    confirm_record(store, HERE, made.id)
    pin_record(store, HERE, made.id)
    add(store, "Another", files=["src/a.py"])
    before, version = dump(store, derived=True), store.version
    for one in (made, first):
        delete_record(store, HERE, one.id)
        assert by_id(store.db, one.id) is None
        assert undo_delete(store, HERE).record.id == one.id
    assert dump(store) == {
        name: rows for name, rows in before.items() if name in dump(store)
    }
    assert store.version > version
    assert not store.db.execute("SELECT 1 FROM unindexed_records").fetchall()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_chain_is_mended_by_undo_wherever_it_was_cut(
    store: Store, place: int
) -> None:
    chain = [add(store, "Version one")]
    chain.append(replace(store, chain[0], "Version two"))
    chain.append(replace(store, chain[1], "Version three"))
    before = [by_id(store.db, one.id) for one in chain]
    delete_record(store, HERE, chain[place].id)
    left = [by_id(store.db, one.id) for one in chain]
    if place:
        earlier = left[place - 1]
        assert earlier is not None
        assert earlier.superseded_by == (chain[2].id if place == 1 else None)
        assert not earlier.current
    undo_delete(store, HERE)
    after = [by_id(store.db, one.id) for one in chain]
    assert [one and one._replace(rowid=0) for one in after] == [
        one and one._replace(rowid=0) for one in before
    ]
    assert before[0] is not None
    assert len(history_of(store.db, before[0])) == 3


def chained(store: Store, clock: Ticking, count: int = 4) -> list[Record]:
    """Record a fact that was true for long, and change it a few times."""
    chain = [add(store, "Port", "Port 1", valid_from="2025-01-01T00:00:00.000Z")]
    for number in range(2, count + 1):
        clock.tick()
        chain.append(replace(store, chain[-1], f"Port {number}"))
    clock.tick()
    return chain


@pytest.mark.requirement("A2.7", "A2.9")
@pytest.mark.parametrize("order", [(1,), (2, 1), (1, 2), (0, 2), (3, 1), (3, 2, 0)])
def test_a_fact_with_gaps_has_one_version_at_any_time(
    home: Path, order: tuple[int, ...]
) -> None:
    clock = Ticking()
    with store_at(home, clock) as store:
        chain = chained(store, clock)
        before = dump(store)
        for place in order:
            deleted = delete_record(store, HERE, chain[place].id)
        left = [one for place, one in enumerate(chain) if place not in order]
        assert list(deleted.left) == [one.id for one in left]
        for one in left:
            found = by_id(store.db, one.id)
            assert found is not None
            versions = history_of(store.db, found)
            assert [one.id for one in versions] == [one.id for one in left]
            for at in (*(one.valid_from for one in chain), stamp(clock.now)):
                held = holds_at(store.db, versions, Moment(valid_at=at))
                assert len(held) <= 1
        for place in reversed(order):
            assert undo_delete(store, HERE).record.id == chain[place].id
        assert dump(store) == before


@pytest.mark.requirement("A2.7", "A2.9")
def test_what_comes_back_follows_on_to_what_is_left(home: Path) -> None:
    clock = Ticking()
    with store_at(home, clock) as store:
        chain = chained(store, clock, 5)
        delete_record(store, HERE, chain[2].id)
        for place in (1, 3):
            delete_record(store, HERE, chain[place].id, forever=True)
        back = undo_delete(store, HERE).record
        versions = history_of(store.db, back)
        assert [one.id for one in versions] == [chain[at].id for at in (0, 2, 4)]
        assert [one.superseded_by for one in versions] == [
            chain[2].id,
            chain[4].id,
            None,
        ]


@pytest.mark.parametrize("named", [0, 1, 2])
def test_all_versions_go_and_come_back_at_once(home: Path, named: int) -> None:
    clock = Ticking()
    with store_at(home, clock) as store:
        chain = chained(store, clock, 3)
        other = add(store, "Another fact")
        before = dump(store)
        deleted = delete_record(store, HERE, chain[named].id, all_versions=True)
        assert [one.id for one in deleted.gone] == [one.id for one in chain]
        assert (deleted.record.id, deleted.left) == (chain[named].id, ())
        assert [one.id for one in all_records(store.db, (HERE,))] == [other.id]
        assert not in_store(home, "Port")
        assert len(copies(home)) == 1
        back = undo_delete(store, HERE)
        assert back.record.id == chain[named].id
        assert [one.id for one in back.versions] == [one.id for one in chain]
        assert dump(store) == before
        assert copies(home) == []


def test_all_versions_can_go_for_ever(home: Path) -> None:
    clock = Ticking()
    with store_at(home, clock) as store:
        chain = chained(store, clock, 3)
        delete_record(store, HERE, chain[0].id, all_versions=True, forever=True)
        assert b"Port" not in bytes_of(home)
        with pytest.raises(NothingToUndoError):
            undo_delete(store, HERE)
        with pytest.raises(ForgottenError):
            add_record(store, HERE, heard("Port", "Port 2"))


@pytest.mark.requirement("A2.6", "A2.9")
def test_what_is_left_of_a_fact_without_its_head_stays_past(store: Store) -> None:
    old = add(store, "Port", "Port 1")
    head = replace(store, old, "Port 2")
    delete_record(store, HERE, head.id)
    for act in (
        lambda: replace(store, old, "Port 3"),
        lambda: add_record(store, HERE, fact("Port", "Port 3"), supersedes=old.id),
        lambda: pin_record(store, HERE, old.id),
    ):
        with pytest.raises(RecordEndedError) as refused:
            act()
        assert refused.value.facts == {"record_id": old.id}
    undo_delete(store, HERE)
    assert replace(store, head, "Port 3").current


def test_undo_takes_back_the_last_deletion_of_this_project_only(store: Store) -> None:
    one, two = add(store, "One thing"), add(store, "Two things")
    other = add_record(store, ELSEWHERE, fact("Of another project")).record
    delete_record(store, HERE, one.id)
    delete_record(store, HERE, two.id)
    delete_record(store, ELSEWHERE, other.id)
    assert undo_delete(store, HERE).record.id == two.id
    assert undo_delete(store, HERE).record.id == one.id
    with pytest.raises(NothingToUndoError):
        undo_delete(store, HERE)
    assert by_id(store.db, other.id) is None


def test_undo_does_not_make_two_current_records_of_one_key(store: Store) -> None:
    old = add(store, "Build", "make all", type="profile", key="build")
    delete_record(store, HERE, old.id)
    new = add(store, "Build", "just build", type="profile", key="build")
    back = undo_delete(store, HERE).record
    assert back.superseded_by == new.id
    assert by_id(store.db, new.id) == new


def test_a_file_whose_node_was_made_anew_is_linked_again(store: Store) -> None:
    record = add(store, "About a file", files=["src/a.py"])
    delete_record(store, HERE, record.id)
    add(store, "About the same file", files=["src/a.py"])
    undo_delete(store, HERE)
    rows = store.db.execute(
        "SELECT count(*) FROM edges e JOIN nodes n ON n.id = e.to_id"
    ).fetchone()
    assert rows[0] == 2


def test_a_copy_is_swept_after_thirty_days(home: Path) -> None:
    clock = Ticking()
    with store_at(home, clock) as store:
        delete_record(store, HERE, add(store, "Old").id)
        clock.tick(timedelta(days=29))
        delete_record(store, HERE, add(store, "Newer").id)
        assert len(copies(home)) == 2
        clock.tick(timedelta(days=2))
        undo_delete(store, HERE)
        assert copies(home) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 1}', "[" * 9999])
def test_a_broken_copy_is_passed_over(home: Path, store: Store, text: str) -> None:
    delete_record(store, HERE, add(store, "Good").id)
    delete_record(store, HERE, add(store, "Broken").id)
    copies(home)[-1].write_text(text, encoding="utf-8")
    assert undo_delete(store, HERE).record.title == "Good"


def test_nothing_is_deleted_when_no_copy_can_be_kept(home: Path, store: Store) -> None:
    record = add(store, "Kept")
    (home / "backups").write_text("in the way", encoding="utf-8")
    with pytest.raises((FileExistsError, NotADirectoryError)):
        delete_record(store, HERE, record.id)
    assert by_id(store.db, record.id) is not None


@pytest.mark.requirement("A2.5")
def test_a_project_cannot_delete_what_it_cannot_see(store: Store) -> None:
    other = add_record(store, ELSEWHERE, fact("Of another project")).record
    with pytest.raises(RecordNotFoundError):
        delete_record(store, HERE, other.id)
    assert by_id(store.db, other.id) is not None


def test_a_tombstone_and_a_copy_are_of_the_record(home: Path, store: Store) -> None:
    delete_record(store, HERE, add(store, "The wobbulator").id)
    (row,) = store.db.execute("SELECT * FROM tombstones").fetchall()
    assert b"wobbulator" not in repr(tuple(row)).encode()
    assert (
        json.loads(copies(home)[0].read_text("utf-8"))["records"][0]["tombstone"]
        == row["id"]
    )
    undo_delete(store, HERE)
    assert store.db.execute("SELECT * FROM tombstones").fetchall() == []


def test_words_that_a_reader_keeps_in_the_log_are_told(
    home: Path, store: Store
) -> None:
    record = add(store, "The wobbulator")
    with store_at(home, create=False) as other:
        other.db.execute("BEGIN")
        other.db.execute("SELECT * FROM records").fetchall()
        assert not delete_record(store, HERE, record.id).erased
        other.db.execute("COMMIT")
    delete_record(store, HERE, add(store, "Another").id)
    assert not in_store(home, "wobbulator")


@pytest.mark.requirement("A2.9")
def test_what_is_deleted_for_ever_is_in_no_earlier_copy(tmp_path: Path) -> None:
    with store_at(tmp_path / "home") as store:
        for forever in (False, True):
            made = add(store, "Quartz is the code name", "Quartz until the spring.")
            delete_record(store, HERE, made.id, forever=forever)
        with pytest.raises(NothingToUndoError):
            undo_delete(store, HERE)
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"Quartz" in text for text in texts)
