"""Out of a wreck comes every row that its bytes still hold (A2.10)."""

from __future__ import annotations

import random
import sqlite3
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.records.damage import examine_store
from agentctx.records.read import all_records
from agentctx.records.remove import delete_record
from agentctx.records.salvage import repair_store
from tests.agentctx.facts import HERE, add
from tests.recorded import START, Counted, Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.records.salvage import Repaired

pytestmark = pytest.mark.requirement("A2.10")

MANY = 25
PAGE = 4096


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def path(home: Path) -> Path:
    """Give a store that was filled and closed."""
    with store_at(home) as store:
        for number in range(MANY):
            add(store, f"Fact {number}", f"body {number} beta gamma", files=["a.py"])
    return home / "agentctx.db"


def repaired(home: Path) -> Repaired:
    return repair_store(str(home), clock=Ticking(), random=Counted())


def records_in(home: Path) -> int:
    with store_at(home) as store:
        return int(store.db.execute("SELECT count(*) FROM records").fetchone()[0])


def changed(path: Path, start: int, content: bytes) -> None:
    whole = bytearray(path.read_bytes())
    whole[start : start + len(content)] = content
    path.write_bytes(whole)


def a_magic_bit(path: Path) -> None:
    changed(path, 5, b"f")


def the_mark(path: Path) -> None:
    changed(path, 68, b"@")


def the_layout(path: Path) -> None:
    changed(path, 60, b"\x00\x85\x00\x01")


def the_page_size(path: Path) -> None:
    changed(path, 16, b"\x08\x00")


def the_whole_header(path: Path) -> None:
    changed(path, 0, b"\xff" * 100)


def the_first_page(path: Path) -> None:
    changed(path, 0, random.Random(1).randbytes(PAGE))  # noqa: S311 - damage


def a_schema_that_is_no_text(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_schema SET name = CAST(x'ff72656a' AS TEXT), sql = 'no'"
        " WHERE name = 'records_added'"
    )
    db.close()


def the_table_s_own_words(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_schema SET sql = 'CREATE' WHERE name = 'records'")
    db.close()


def a_column_s_name(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_schema SET sql = replace(sql, 'source ', 'sourcd ')"
        " WHERE name = 'records'"
    )
    db.close()
    changed(path, 68, b"@")  # else nothing is wrong with its pages


@pytest.mark.parametrize(
    "harm",
    [
        a_column_s_name,
        a_magic_bit,
        the_mark,
        the_layout,
        the_page_size,
        the_whole_header,
        the_first_page,
        a_schema_that_is_no_text,
        the_table_s_own_words,
    ],
    ids=lambda harm: harm.__name__,
)
def test_what_does_not_touch_the_records_costs_none(
    home: Path, path: Path, harm: Callable[[Path], None]
) -> None:
    harm(path)
    assert "repair" in {check.cure for check in examine_store(str(home))}
    done = repaired(home)
    assert (done.recovered, done.expected, done.whole) == (MANY, MANY, True)
    assert records_in(home) == MANY
    assert all(check.ok for check in examine_store(str(home)))


def test_a_lost_last_page_costs_its_rows_alone(home: Path, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-PAGE])
    done = repaired(home)
    assert 0 < done.recovered == records_in(home)
    assert not done.whole


def the_root(path: Path) -> None:
    """Cut every page of the records off."""
    db = sqlite3.connect(path, isolation_level=None)
    (root,) = db.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'records'"
    ).fetchone()
    db.close()
    changed(path, (root - 1) * PAGE, b"\xa5" * PAGE)


def test_pages_that_nothing_leads_to_are_read_all_the_same(
    home: Path, path: Path
) -> None:
    with store_at(home, Ticking(START + timedelta(days=1))) as store:
        gone = add(store, "Deleted", "for good")
        delete_record(store, HERE, gone.id)
        before = {one.id: one for one in all_records(store.db, (HERE,))}
    the_root(path)
    done = repaired(home)
    assert (done.recovered, done.refused) == (MANY, 0)
    with store_at(home) as store:
        after = {one.id: one for one in all_records(store.db, (HERE,))}
        links = store.db.execute("SELECT count(*) FROM record_entities").fetchone()[0]
    assert {one._replace(rowid=0) for one in after.values()} == {
        one._replace(rowid=0) for one in before.values()
    }
    assert links == MANY


def test_a_header_is_mended_with_the_log_beside_it(home: Path, path: Path) -> None:
    log = path.with_name("agentctx.db-wal")
    with store_at(home) as store:
        store.db.execute("PRAGMA wal_autocheckpoint = 0")
        store.db.execute("UPDATE records SET title = 'From the log'")
        kept, content = log.read_bytes(), path.read_bytes()
    path.write_bytes(content)
    log.write_bytes(kept + kept[-PAGE:])  # and a page that was never committed
    the_mark(path)
    assert repaired(home).recovered == MANY
    with store_at(home) as store:
        titles = {one.title for one in all_records(store.db, (HERE,))}
    assert titles == {"From the log"}


@pytest.mark.parametrize("seed", range(12))
def test_no_damage_ends_a_repair_or_is_called_whole(
    home: Path, path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - damage
    content = bytearray(path.read_bytes())
    for _ in range(20 if seed % 2 else 300):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    examine_store(str(home))
    done = repaired(home)
    assert done.recovered == records_in(home)
    assert done.recovered == MANY or not done.whole
    assert all(check.ok for check in examine_store(str(home)))
