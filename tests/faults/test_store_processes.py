"""Many processes on one store: none loses, none waits for ever, none does it twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.errors import AlreadySupersededError
from agentctx.records.model import Replacement
from agentctx.records.read import all_records, by_id
from agentctx.records.schema import LAYOUT
from agentctx.records.store import open_store
from agentctx.records.write import add_record, supersede_record
from corpus.errors import StoreBusyError
from corpus.sqlite import (
    Layout,
    new_image,
    open_database,
    transaction,
)
from tests.agentctx.facts import HERE, fact

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

pytestmark = pytest.mark.requirement("A2.10")

START = multiprocessing.get_context("fork")


def opened(home: Path, *, create: bool = True) -> Store:
    return open_store(
        str(home), clock=lambda: datetime.now(UTC), random=os.urandom, create=create
    )


def at_once(works: list[Callable[[], object]]) -> list[object]:
    """Let every work start at the same moment in a process; give what each gave."""
    gate = START.Barrier(len(works))

    def run(work: Callable[[], object], out: Connection) -> None:
        gate.wait()
        try:
            out.send(work())
        except BaseException as error:
            out.send(repr(error))
            raise

    started = []
    for work in works:
        ours, theirs = START.Pipe(duplex=False)
        process = START.Process(target=run, args=(work, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    found = []
    for process, ours in started:
        found.append(ours.recv())
        process.join()
    return found


def insert(home: Path, worker: int, count: int) -> list[str]:
    with opened(home) as store:
        return [
            add_record(store, HERE, fact(f"Worker {worker}, fact {number}")).record.id
            for number in range(count)
        ]


def ids_in(home: Path) -> set[str]:
    with opened(home, create=False) as store:
        rows = store.db.execute("PRAGMA integrity_check").fetchall()
        assert [row[0] for row in rows] == ["ok"]
        store.db.execute(
            "INSERT INTO records_fts (records_fts) VALUES ('integrity-check')"
        )
        return {one.id for one in all_records(store.db, (HERE,))}


def test_eight_processes_with_a_hundred_inserts_keep_eight_hundred(
    tmp_path: Path,
) -> None:
    made = at_once([partial(insert, tmp_path / "h", each, 100) for each in range(8)])
    ids = {one for part in made if isinstance(part, list) for one in part}
    assert len(ids) == 800
    assert ids_in(tmp_path / "h") == ids


def test_eight_first_runs_at_once_all_succeed(tmp_path: Path) -> None:
    for number in range(4):
        home = tmp_path / f"home {number}"
        made = at_once([partial(insert, home, worker, 1) for worker in range(8)])
        assert all(isinstance(one, list) for one in made), made
        assert len(ids_in(home)) == 8


def test_twenty_four_short_processes_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        " from tests.faults.test_store_processes import insert;"
        " print(insert(Path(sys.argv[1]), int(sys.argv[2]), 1)[0])"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "h"), str(worker)],
            stdout=subprocess.PIPE,
            cwd=Path.cwd(),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for worker in range(24)
    ]
    said = {process.communicate()[0].decode().strip() for process in running}
    assert len(said) == 24
    assert ids_in(tmp_path / "h") == said


def test_what_was_committed_outlives_any_kill(tmp_path: Path) -> None:
    """Killed at another statement each time, a writer loses nothing it was told."""
    home = tmp_path / "h"
    told = set(insert(home, 0, 3))
    for statement in range(1, 60, 2):
        said, says = os.pipe()
        child = os.fork()
        if not child:
            die_at(home, statement, says)
        os.close(says)
        _, status = os.waitpid(child, 0)
        with os.fdopen(said, encoding="utf-8") as lines:
            told |= set(lines.read().split())
        assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL}
        held = ids_in(home)
        assert told <= held
        assert len(held - told) <= 1  # committed, and killed before it could tell
        told |= held


def die_at(home: Path, statement: int, says: int) -> None:
    """Write records until so many statements have begun, then be killed."""
    left = [statement]

    def count(_: str) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        with opened(home) as store:
            store.db.set_trace_callback(count)
            for number in range(4):
                new = fact(f"Killed at {statement}, fact {number}", files=["a.py"])
                made = add_record(store, HERE, new).record.id
                os.write(says, f"{made}\n".encode())
    finally:
        os._exit(0)


@pytest.mark.requirement("A2.6")
def test_of_writers_that_supersede_one_record_one_wins(tmp_path: Path) -> None:
    home = tmp_path / "h"
    (old,) = insert(home, 0, 1)

    def race(worker: int) -> str:
        new = Replacement(body=f"By {worker}", source="cli", trust="developer")
        with opened(home) as store:
            try:
                return supersede_record(store, HERE, old, new).record.id
            except AlreadySupersededError as error:
                return f"head {error.facts['head']}"

    said = at_once([partial(race, worker) for worker in range(8)])
    (winner,) = (one for one in said if not str(one).startswith("head "))
    assert set(said) == {winner, f"head {winner}"}
    with opened(home) as store:
        record = by_id(store.db, old)
    assert record is not None
    assert record.superseded_by == winner


def _first(tx: Tx) -> None:
    tx.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT) STRICT")


def _second(tx: Tx) -> None:
    tx.execute("CREATE TABLE migrated (pid INTEGER) STRICT")
    tx.execute("INSERT INTO migrated VALUES (?)", (os.getpid(),))


OLD = Layout(77, (_first,))
NEW = Layout(77, (_first, _second))


def test_a_migration_under_load_runs_once(tmp_path: Path) -> None:
    path = str(tmp_path / "notes.db")
    open_database(path, OLD).close()

    def write(layout: Layout) -> int:
        done = 0
        for _ in range(20):
            db = open_database(path, layout)
            with transaction(db) as tx:
                tx.execute("INSERT INTO note (text) VALUES ('x')")
                done += 1
            db.close()
        return done

    before = open_database(path, OLD)
    made = at_once([partial(write, NEW) for _ in range(8)])
    with transaction(before) as tx:  # who opened the old layout still may write
        tx.execute("INSERT INTO note (text) VALUES ('old')")
    assert made == [20] * 8
    assert before.execute("SELECT count(*) FROM note").fetchone()[0] == 161
    assert before.execute("SELECT count(*) FROM migrated").fetchone()[0] == 1
    before.close()


def _failing(tx: Tx) -> None:
    _second(tx)
    raise KeyboardInterrupt


def test_a_migration_that_fails_leaves_the_old_layout(tmp_path: Path) -> None:
    path = str(tmp_path / "notes.db")
    open_database(path, OLD).close()
    with pytest.raises(KeyboardInterrupt):
        open_database(path, Layout(77, (_first, _failing)))
    db = open_database(path, NEW)
    assert db.execute("SELECT count(*) FROM migrated").fetchone()[0] == 1
    db.close()


def counted_elsewhere(path: str) -> int:
    """Open and close a store in a process of its own; give the notes it saw."""
    code = (
        "import sys; from tests.faults.test_store_processes import OLD, open_database;"
        " db = open_database(sys.argv[1], OLD);"
        " print(db.execute('SELECT count(*) FROM note').fetchone()[0]); db.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return int(done.stdout)


def test_opening_a_store_twice_in_a_process_does_not_let_go_of_it(
    tmp_path: Path,
) -> None:
    """To close any descriptor of a file would drop this process's locks on it."""
    path = str(tmp_path / "notes.db")
    first = open_database(path, OLD)
    with transaction(first) as tx:
        tx.execute("INSERT INTO note (text) VALUES ('one')")
    open_database(path, OLD).close()
    second = open_database(path, OLD)
    assert counted_elsewhere(path) == 1
    with transaction(first) as tx:
        tx.execute("INSERT INTO note (text) VALUES ('two')")
    assert counted_elsewhere(path) == 2
    first.close()
    second.close()


def test_a_writer_that_holds_on_makes_others_give_up_in_time(tmp_path: Path) -> None:
    path = str(tmp_path / "notes.db")
    holder, other = open_database(path, OLD), open_database(path, OLD)
    with transaction(holder):
        started = time.monotonic()
        with pytest.raises(StoreBusyError), transaction(other, patience=0.2):
            pass
        assert 0.2 <= time.monotonic() - started < 5
    with transaction(other, patience=0.2) as tx:  # and the queue is free again
        tx.execute("INSERT INTO note (text) VALUES ('x')")
    holder.close()
    other.close()


def test_a_foreign_writer_without_our_queue_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "notes.db")
    foreign, ours = open_database(path, OLD), open_database(path, OLD)
    foreign.execute("BEGIN IMMEDIATE")
    letting_go = threading.Timer(0.1, foreign.execute, ("COMMIT",))
    letting_go.start()
    with transaction(ours) as tx:
        tx.execute("INSERT INTO note (text) VALUES ('x')")
    letting_go.join()
    foreign.close()
    ours.close()


def test_a_stopped_writer_in_the_queue_holds_nobody_for_ever(tmp_path: Path) -> None:
    home = tmp_path / "h"
    insert(home, 0, 1)
    child = os.fork()
    if not child:
        try:
            with opened(home) as store, store.writing():
                os.kill(os.getpid(), signal.SIGSTOP)
        finally:
            os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    try:
        db = open_database(str(home / "agentctx.db"), LAYOUT)
        with pytest.raises(StoreBusyError), transaction(db, patience=0.2):
            pass
        db.close()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    insert(home, 1, 1)
    assert len(ids_in(home)) == 2


def test_where_no_queue_can_be_made_writers_still_exclude_each_other(
    tmp_path: Path,
) -> None:
    home = tmp_path / "h"
    insert(home, 0, 1)
    (home / "agentctx.db-queue").unlink()
    (home / "agentctx.db-queue").mkdir()
    made = at_once([partial(insert, home, worker, 10) for worker in range(1, 5)])
    assert all(isinstance(one, list) for one in made)
    assert len(ids_in(home)) == 41


def test_a_database_in_memory_has_no_queue() -> None:
    db: Db = new_image(("CREATE TABLE note (text TEXT)",))
    with transaction(db) as tx:
        tx.execute("INSERT INTO note VALUES ('x')")
    db.close()
