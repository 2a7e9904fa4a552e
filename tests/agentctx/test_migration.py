"""A store of an earlier layout is brought up to date, whole, and once (A2.10)."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.ids import Ids
from agentctx.records.damage import examine_store
from agentctx.records.heard import HEARD_TABLES
from agentctx.records.read import by_id, current_records
from agentctx.records.schema import APPLICATION_ID, LAYOUT
from agentctx.records.search import search_records
from agentctx.records.store import FILE, open_store
from agentctx.records.terms import index_missing
from corpus.errors import StoreTooNewError
from corpus.sqlite import Layout, open_database, transaction
from tests.agentctx.facts import HERE, add, dump
from tests.recorded import START, Counted, Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.sqlite import Db

pytestmark = pytest.mark.requirement("A2.10")

FIRST = Layout(APPLICATION_ID, LAYOUT.migrations[:1])
"""What a program of the first layout knows."""

MANY = 50
OPEN = """
import sys
from agentctx.records.store import open_store
from tests.recorded import Counted, Ticking
sys.stdin.readline()
with open_store(sys.argv[1], clock=Ticking(), random=Counted()) as store:
    query = "SELECT count(*) FROM records"
    print(store.db.execute(query).fetchone()[0], store.changes("a" * 64))
"""


def layout_of(db: Db) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a home with a store of the first layout, in which records are."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    ids = Ids(Ticking(START - timedelta(days=9)), Counted())
    db = open_database(str(folder / FILE), FIRST)
    with transaction(db) as tx:
        old: str | None = None
        for number in range(MANY):
            record_id = ids.new()
            tx.execute(
                "INSERT INTO records (id, project_id, type, title, body, confidence,"
                " valid_from, recorded_at, source, access_count)"
                " VALUES (?, ?, 'decision', ?, ?, 'explicit', ?, ?, 'cli', 3)",
                (
                    record_id,
                    HERE,
                    f"The sensor number{number}",
                    f"It measures value{number}.",
                    "2026-01-01T00:00:00.000Z",
                    "2026-01-01T00:00:00.000Z",
                ),
            )
            if old is not None and number % 10 == 0:
                tx.execute(
                    "UPDATE records SET superseded_at = ?, superseded_by = ?"
                    " WHERE id = ?",
                    ("2026-01-02T00:00:00.000Z", record_id, old),
                )
            old = record_id
        index_missing(tx)
    db.close()
    return folder


def test_a_store_of_the_first_layout_keeps_everything(home: Path) -> None:
    db = open_database(str(home / FILE), FIRST)
    before = sorted(map(tuple, db.execute("SELECT * FROM records")))
    assert db.execute("PRAGMA user_version").fetchone()[0] == 1
    db.close()
    with store_at(home) as store:
        assert layout_of(store.db) == len(LAYOUT.migrations)
        assert sorted(map(tuple, store.db.execute("SELECT * FROM records"))) == before
        assert set(HEARD_TABLES) - {"changes"} <= set(dump(store))
        assert len(current_records(store.db, HERE)) == MANY - 4
        assert store.changes(HERE) == 0
        made = add(store, "One more sensor")
        assert by_id(store.db, made.id) is not None
        assert store.changes(HERE) == 1
        found = search_records(store, HERE, "what does number17 measure?")
        assert [one.record.title for one in found.results][:1] == [
            "The sensor number17"
        ]
    assert [one for one in examine_store(str(home)) if not one.ok] == []


def test_eight_processes_at_once_bring_it_up_to_date_once(home: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(8)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60) for process in processes]
    assert [said for _, said in answers] == [""] * 8
    assert [told.split() for told, _ in answers] == [[str(MANY), "0"]] * 8
    assert [one for one in examine_store(str(home)) if not one.ok] == []


def test_a_program_of_the_first_layout_leaves_it_alone(home: Path) -> None:
    store_at(home).close()
    content = (home / FILE).read_bytes()
    with pytest.raises(StoreTooNewError):
        open_database(str(home / FILE), FIRST)
    assert (home / FILE).read_bytes() == content
    store_at(home).close()


def test_a_migration_that_is_cut_off_is_made_by_the_next(home: Path) -> None:
    def dies(_: object) -> None:
        raise KeyboardInterrupt

    torn = Layout(APPLICATION_ID, (*LAYOUT.migrations, dies))
    with pytest.raises(KeyboardInterrupt):
        open_database(str(home / FILE), torn)
    with open_store(str(home), clock=Ticking(START), random=Counted()) as store:
        assert layout_of(store.db) == len(LAYOUT.migrations)
        assert len(current_records(store.db, HERE)) == MANY - 4
