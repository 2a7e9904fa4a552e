"""A damaged store keeps its bytes, is told as such, and gives what it has (A2.10)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import HomeError
from agentctx.records.damage import examine_store, rebuild_store
from agentctx.records.read import all_records, find_record
from agentctx.records.remove import delete_record
from agentctx.records.salvage import repair_store
from agentctx.records.write import add_record
from corpus.errors import (
    CodedError,
    StoreCorruptError,
    StoreForeignError,
    StoreTooNewError,
)
from tests.agentctx import test_backup as harms
from tests.agentctx.facts import HERE, add, dump, fact, heard, replace
from tests.recorded import START, Counted, Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.records.store import Store

pytestmark = pytest.mark.requirement("A2.10")

BAD: dict[Callable[[Path], None], type[CodedError]] = {
    harms.truncated: StoreCorruptError,
    harms.overwritten: StoreCorruptError,
    harms.emptied: StoreForeignError,
    harms.made_text: StoreForeignError,
    harms.made_foreign: StoreForeignError,
    harms.made_hollow: StoreCorruptError,
    harms.made_newer: StoreTooNewError,
    harms.made_folder: StoreForeignError,
    harms.made_fifo: StoreForeignError,
}
"""What may be in the store's place, and what it is called."""

MANY = 60
LATER = START + timedelta(days=1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def path(home: Path) -> Path:
    """Give a store that was filled and closed."""
    with store_at(home) as store:
        first = add(store, "The first", "As it was", files=["a.py"])
        replace(store, first, "As it is")
        for number in range(MANY):
            add(store, f"Fact {number}", f"word{number} to fill a page " * 30)
        add_record(store, HERE, heard("Heard", rationale="why"))
        delete_record(store, HERE, add(store, "To be forgotten for good").id)
    return home / "agentctx.db"


def content_of(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def checks_of(home: Path) -> dict[str, str | None]:
    return {
        check.name: check.cure for check in examine_store(str(home)) if check.problem
    }


def plain(path: Path, *statements: str) -> None:
    """Write to a store as any program could."""
    db = sqlite3.connect(path)
    try:
        for statement in statements:
            db.execute(statement)
        db.commit()
    finally:
        db.close()


def use(home: Path) -> None:
    """Open a store, read all of it, and write to it."""
    with store_at(home) as store:
        records = all_records(store.db, (HERE,))
        find_record(store.db, HERE, records[0].id)
        add(store, "One more", "x " * 500)


@pytest.mark.parametrize("harm", BAD, ids=lambda harm: harm.__name__)
def test_a_store_that_cannot_be_used_keeps_every_byte(
    home: Path, path: Path, harm: Callable[[Path], None]
) -> None:
    harm(path)
    before = content_of(path)
    for _ in range(2):
        with pytest.raises(BAD[harm]):
            use(home)
        assert examine_store(str(home))
    assert content_of(path) == before


def test_a_link_in_the_store_s_place_is_not_followed(
    home: Path, path: Path, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere.db"
    path.rename(target)
    path.symlink_to(target)
    before = target.read_bytes()
    with pytest.raises(StoreForeignError):
        use(home)
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreForeignError):
        use(home)
    assert target.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()


def test_a_page_found_damaged_while_reading_is_told_as_damage(
    home: Path, path: Path
) -> None:
    with store_at(home) as store:
        harms.overwritten(path)
        store.db.execute("PRAGMA cache_size = 1")
        before = content_of(path)
        with pytest.raises(StoreCorruptError):
            add(store, "One more", "x " * 500)
    assert content_of(path) == before


@pytest.mark.skipif(os.name == "nt", reason="needs another user")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to be another user")
def test_a_store_that_may_not_be_written_is_not_called_damaged(
    tmp_path: Path, path: Path
) -> None:
    home = path.parent
    above = [folder for folder in tmp_path.parents if "pytest-of-" in str(folder)]
    for place in (home, *home.rglob("*"), tmp_path, *above):
        place.chmod(0o755 if place.is_dir() else 0o444)
        if place == home or home in place.parents:
            os.chown(place, 65534, 65534)
    home.chmod(0o500)
    before = content_of(path)
    child = os.fork()
    if not child:
        code = "NOTHING"
        with suppress(BaseException):
            os.setgid(65534)
            os.setuid(65534)
            try:
                use(home)
            except CodedError as error:
                code = error.code
        os._exit(0 if code == "STORE_UNUSABLE" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert content_of(path) == before


def test_a_sound_store_has_nothing_wrong(home: Path, path: Path) -> None:
    assert path.exists()
    assert checks_of(home) == {}
    assert checks_of(home / "absent") == {}


def test_looking_sees_what_is_still_in_the_log(home: Path) -> None:
    with store_at(home) as store:
        store.db.execute("PRAGMA wal_autocheckpoint = 0")
        add(store, "Only in the log")
        store.db.execute("DELETE FROM record_terms")
        assert checks_of(home) == {"terms": "rebuild"}


@pytest.mark.parametrize(
    ("statement", "name", "cure"),
    [
        ("DELETE FROM record_terms", "terms", "rebuild"),
        ("DELETE FROM indexed_records", "terms", "rebuild"),
        ("DELETE FROM nodes", "links", "rebuild"),
        ("UPDATE edges SET to_id = 'nobody'", "links", "rebuild"),
        ("UPDATE records SET superseded_by = 'nobody'", "references", None),
        ("UPDATE records SET superseded_at = NULL", "succession", None),
        ("DROP TABLE tombstones", "tables", "repair"),
        ("INSERT INTO records_fts (records_fts) VALUES ('delete-all')", "full text",
         "rebuild"),
    ],
)  # fmt: skip
def test_each_inconsistency_is_found_and_the_cure_named(
    home: Path, path: Path, statement: str, name: str, cure: str | None
) -> None:
    plain(path, statement)
    assert checks_of(home)[name] == cure


@pytest.mark.parametrize(
    ("what", "mode", "name"),
    [("", 0o755, "folder"), ("agentctx.db", 0o644, "file")],
)
def test_what_others_can_read_is_told(
    home: Path, path: Path, what: str, mode: int, name: str
) -> None:
    assert path.exists()
    (home / what).chmod(mode)
    assert name in checks_of(home)


def test_a_folder_that_others_can_write_is_not_used(home: Path, path: Path) -> None:
    home.chmod(0o777)
    with pytest.raises(HomeError):
        use(home)
    assert "folder" in checks_of(home)
    assert path.exists()


@pytest.mark.requirement("A1.7")
def test_everything_derived_can_be_deleted_and_is_made_anew(
    home: Path, path: Path
) -> None:
    with store_at(home) as store:
        before, found = dump(store, derived=True), words(store)
    plain(
        path,
        "DELETE FROM record_terms",
        "DELETE FROM indexed_records",
        "DELETE FROM unindexed_records",
        "DROP TABLE records_fts",
        "UPDATE records SET score = 0.1, claudemd_drift_score = 0.9",
    )
    with store_at(home) as store:
        rebuilt = rebuild_store(store)
        assert dump(store, derived=True) == before
        assert words(store) == found
    assert rebuilt.records == MANY + 3
    assert checks_of(home) == {}


@pytest.mark.requirement("A1.7")
def test_the_index_as_written_is_the_index_as_rebuilt(home: Path, path: Path) -> None:
    assert path.exists()
    with store_at(home) as store:
        before = dump(store, derived=True)
        rebuild_store(store)
        assert dump(store, derived=True) == before


def words(store: Store) -> list[tuple[object, ...]]:
    return [
        tuple(row)
        for row in store.db.execute(
            "SELECT rowid FROM records_fts WHERE records_fts MATCH 'fact OR heard'"
            " ORDER BY rowid"
        )
    ]


def repaired(home: Path) -> tuple[bytes | None, int]:
    done = repair_store(str(home), clock=Ticking(), random=Counted())
    aside = home / os.path.basename(done.aside)  # noqa: PTH119 - a text
    return content_of(aside), done.recovered


@pytest.mark.parametrize(
    "harm",
    [one for one in BAD if one is not harms.made_newer],
    ids=lambda h: h.__name__,
)
def test_repair_sets_the_file_aside_whole_and_starts_anew(
    home: Path, path: Path, harm: Callable[[Path], None]
) -> None:
    harm(path)
    before = content_of(path)
    aside, _ = repaired(home)
    assert aside == before
    assert checks_of(home) == {}
    use(home) if all_in(home) else add_one(home)


def all_in(home: Path) -> int:
    with store_at(home) as store:
        return len(all_records(store.db, (HERE,)))


def add_one(home: Path) -> None:
    with store_at(home) as store:
        add(store, "One more")


def test_repair_recovers_every_row_of_a_page_that_can_be_read(
    home: Path, path: Path
) -> None:
    with store_at(home) as store:
        before = {one.id: one for one in all_records(store.db, (HERE,))}
        page, size = damaged_page(store)
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    damaged = content_of(path)
    done = repair_store(str(home), clock=Ticking(), random=Counted())
    aside, recovered = home / os.path.basename(done.aside), done.recovered  # noqa: PTH119
    assert content_of(aside) == damaged
    assert MANY // 2 < recovered < len(before)
    assert (done.expected, done.whole) == (len(before), False)
    with store_at(home) as store:
        for one in all_records(store.db, (HERE,)):
            same = before[one.id]
            assert one._replace(rowid=0) == same._replace(rowid=0)
        assert store.db.execute("SELECT count(*) FROM tombstones").fetchone()[0] == 1
    assert checks_of(home) == {}


def damaged_page(store: Store) -> tuple[int, int]:
    """Choose a leaf in the middle of the records."""
    pages = [
        row[0]
        for row in store.db.execute(
            "SELECT pageno FROM dbstat WHERE name = 'records' AND pagetype = 'leaf'"
            " ORDER BY path"
        )
    ]
    size = store.db.execute("PRAGMA page_size").fetchone()[0]
    return pages[len(pages) // 2], size


def test_repair_takes_the_log_along_and_reads_it(home: Path, path: Path) -> None:
    with store_at(home, Ticking(LATER)) as store:
        add(store, "Only in the log")
        log = path.with_name("agentctx.db-wal").read_bytes()
        content = path.read_bytes()
    path.write_bytes(content)
    path.with_name("agentctx.db-wal").write_bytes(log)
    aside, recovered = repaired(home)
    assert aside == content
    (kept,) = home.glob("agentctx.db.corrupt-*-wal")
    assert kept.read_bytes() == log
    assert recovered == MANY + 4


def test_rows_that_are_no_records_are_left_behind(home: Path, path: Path) -> None:
    plain(
        path,
        "UPDATE records SET body = 'x' || char(0) || 'y' WHERE title = 'Fact 3'",
        "UPDATE records SET id = 'no id', superseded_by = NULL WHERE title = 'Fact 4'",
    )
    _, recovered = repaired(home)
    assert recovered == MANY + 3 - 2


@pytest.mark.requirement("A2.1")
def test_a_row_of_plain_sql_is_indexed_with_our_next_write(
    home: Path, path: Path
) -> None:
    plain(
        path,
        "INSERT INTO records (id, project_id, type, title, body, valid_from,"
        " recorded_at, source) VALUES ('00000000000000000000000009', 'p',"
        " 'decision', 'Plain', 'wobbulator', '2026-01-01T00:00:00.000Z',"
        " '2026-01-01T00:00:00.000Z', 'cli')",
    )
    query = "SELECT count(*) FROM records_fts WHERE records_fts MATCH 'wobbulator'"
    with store_at(home, Ticking(LATER)) as store:
        assert store.db.execute(query).fetchone()[0] == 1
        assert "terms" in checks_of(home)
        add_record(store, HERE, fact("One more"))
    assert checks_of(home) == {}
