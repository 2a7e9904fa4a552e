"""Opening a memory: what is made, what is refused and keeps its bytes."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.opening import clear_memory
from agentctx.memory.refusals import (
    MemoryAbsentError,
    MemoryDegradedError,
)
from agentctx.memory.schema import APPLICATION_ID, catalog, expected_catalog
from agentctx.memory.store import RandomIds
from agentctx.memory.verdict import Absent, Degraded, Healthy, judge
from corpus.errors import CodedError, StoreUnusableError
from tests.agentctx.memory.memories import TABS, believe, count, files, memory_at, say
from tests.gitrepos import Git
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.memory.store import MemoryStore

    Damage = Callable[[sqlite3.Connection], object]


def database(root: Path) -> Path:
    return root / ".agentctx" / "memory.db"


def changed(root: Path, *statements: str) -> None:
    """Change a closed database by plain SQL, leaving no log."""
    with closing(sqlite3.connect(database(root), isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        for statement in statements:
            db.execute(statement)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def changed_and_killed(root: Path, *statements: str) -> None:
    """Change a database by plain SQL in a process that dies: its log stays."""
    program = (
        "import os, signal, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "for one in sys.argv[2:]: db.execute(one)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(database(root)), *statements], check=False
    )


def refused(root: Path) -> str:
    """Give the problem of a memory, having seen that nothing of it changed."""
    before, names = files(root), sorted((root / ".agentctx").iterdir())
    with pytest.raises(MemoryDegradedError) as caught:
        memory_at(root)
    verdict = judge(str(root))
    assert isinstance(verdict, Degraded)
    assert files(root) == before
    assert sorted((root / ".agentctx").iterdir()) == names
    assert caught.value.facts["problem"] == verdict.problem
    return verdict.problem


@pytest.mark.requirement("M1.1(a)", "M1.1(b)", "M1.0(c)")
def test_a_first_opening_makes_layout_four_with_one_active_thread(
    project: Path, memory: MemoryStore
) -> None:
    assert memory.db.execute("PRAGMA user_version").fetchone()[0] == 4
    assert memory.db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    assert count(memory, "threads", "status = 'active'") == 1
    assert count(memory, "memory_meta") == 1
    assert stat.S_IMODE(database(project).stat().st_mode) == 0o600
    assert (project / ".agentctx" / ".gitignore").read_bytes() == b"*\n!context.md\n"
    assert isinstance(judge(str(project)), Healthy)


@pytest.mark.requirement("M1.0(b)")
def test_the_catalog_is_what_the_layout_says_and_durable(memory: MemoryStore) -> None:
    assert {one.name: one for one in catalog(memory.db)} == expected_catalog()
    modes = ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
    found = [memory.db.execute(f"PRAGMA {one}").fetchone()[0] for one in modes]
    assert found == ["wal", 2, 1, 1]


def test_a_project_without_a_place_for_memory_gets_none(tmp_path: Path) -> None:
    with pytest.raises(MemoryAbsentError):
        memory_at(tmp_path, create=False)
    assert not list(tmp_path.iterdir())
    assert judge(str(tmp_path)) == Absent(
        f"{tmp_path}/.agentctx/memory.db", folder=False
    )


@pytest.mark.requirement("M2.1(a)", "M2.0(c)")
def test_opening_again_finds_the_same_thread(project: Path) -> None:
    with memory_at(project) as store:
        first = say(store)
    with memory_at(project) as store:
        assert say(store).thread_id == first.thread_id


@pytest.mark.requirement("M1.4(a)", "M1.4(b)")
def test_an_old_json_memory_is_left_alone(project: Path) -> None:
    old = project / ".agentctx" / "memory.json"
    old.write_bytes(b'{"facts": ["anything"]}')
    with memory_at(project) as store:
        assert count(store, "memory_items") == 0
    assert old.read_bytes() == b'{"facts": ["anything"]}'


@pytest.mark.parametrize("rest", [b"", b"old log"], ids=["alone", "with a log"])
def test_an_empty_file_is_a_new_memory(project: Path, rest: bytes) -> None:
    database(project).touch()
    database(project).with_name("memory.db-wal").write_bytes(rest)
    with memory_at(project) as store:
        say(store)
    assert isinstance(judge(str(project), fully=True), Healthy)


def test_a_log_without_its_database_is_not_read_into_a_new_one(project: Path) -> None:
    with memory_at(project) as store:
        say(store)
    changed_and_killed(project, "UPDATE turns SET intent = 'changed'")
    assert database(project).with_name("memory.db-wal").stat().st_size
    database(project).unlink()
    with memory_at(project) as store:
        assert count(store, "turns") == 0
        say(store)


SQL_DAMAGE = {
    "an older layout": ("version", "PRAGMA user_version = 3"),
    "a newer layout": ("version", "PRAGMA user_version = 5"),
    "no layout but known objects": ("version", "PRAGMA user_version = 0"),
    "another mark": ("foreign", "PRAGMA application_id = 7"),
    "a table more": ("catalog", "CREATE TABLE notes (text)"),
    "a trigger more": (
        "catalog",
        "CREATE TRIGGER spy AFTER INSERT ON turns BEGIN DELETE FROM threads; END",
    ),
    "an index fewer": ("catalog", "DROP INDEX terms_lookup"),
    "a column more": ("catalog", "ALTER TABLE turns ADD COLUMN more TEXT"),
    "no singleton": ("meta", "DELETE FROM memory_meta"),
    "no active thread": (
        "active_thread",
        "UPDATE threads SET status = 'archived', archived_at = 'now'",
    ),
}


@pytest.mark.requirement("M1.2(a)", "M1.2(b)", "M2.2(a)")
@pytest.mark.parametrize("killed", [False, True], ids=["in the file", "in the log"])
@pytest.mark.parametrize(
    ("problem", "statement"), SQL_DAMAGE.values(), ids=SQL_DAMAGE.keys()
)
def test_another_database_is_refused_and_keeps_every_byte(
    project: Path, problem: str, statement: str, *, killed: bool
) -> None:
    with memory_at(project) as store:
        say(store)
    (changed_and_killed if killed else changed)(project, statement)
    assert refused(project) == problem
    assert refused(project) == problem


@pytest.mark.requirement("M1.3(a)", "M1.3(b)")
def test_an_unversioned_database_is_told_by_its_first_unknown_object(
    project: Path,
) -> None:
    changed(project, "CREATE VIEW b\u202eill AS SELECT 1", "CREATE TABLE a (x)")
    assert refused(project) == "unknown_object"
    verdict = judge(str(project))
    assert isinstance(verdict, Degraded)
    assert "layout 4" in verdict.detail
    assert "view `b\ufffdill`" in verdict.detail


OTHER_THINGS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a folder": ("not_a_file", lambda path: path.mkdir()),
    "a queue": ("not_a_file", lambda path: os.mkfifo(path)),  # noqa: PLW0108 - a path
    "a link": ("not_a_file", lambda path: path.symlink_to("/etc/hostname")),
    "a dangling link": ("not_a_file", lambda path: path.symlink_to("nowhere")),
    "garbage": ("not_a_database", lambda path: path.write_bytes(b"\x00garbage" * 99)),
    "one byte": ("not_a_database", lambda path: path.write_bytes(b"S")),
    "a header alone": (
        "damaged",
        lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 200),
    ),
}


@pytest.mark.requirement("M1.2(a)")
@pytest.mark.parametrize(("problem", "put"), OTHER_THINGS.values(), ids=OTHER_THINGS)
def test_another_thing_in_its_place_is_refused(
    project: Path, problem: str, put: Callable[[Path], object]
) -> None:
    put(database(project))
    assert refused(project) == problem


def test_a_folder_that_is_a_link_is_no_place_for_memory(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    (project / ".agentctx").symlink_to(elsewhere)
    with pytest.raises(MemoryDegradedError):
        memory_at(project)
    assert not list(elsewhere.iterdir())


def test_a_truncated_database_is_refused(project: Path) -> None:
    with memory_at(project) as store:
        say(store)
    whole = database(project).read_bytes()
    for size in (100, 600, 4096, 9000, len(whole) // 2):
        database(project).write_bytes(whole[:size])
        assert refused(project) in {"damaged", "catalog", "meta", "active_thread"}


def test_damage_that_shows_while_memory_is_open_degrades_it(project: Path) -> None:
    with memory_at(project) as store:
        for number in range(200):
            say(store, f"Number {number} of many things that were said. " * 20)
        page = store.db.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'turns'"
        ).fetchone()[0]
    content = bytearray(database(project).read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    database(project).write_bytes(content)
    with memory_at(project) as store, pytest.raises(MemoryDegradedError):
        say(store)
    verdict = judge(str(project), fully=True)
    assert isinstance(verdict, Degraded)
    assert verdict.problem == "damaged"


def test_what_the_system_refuses_is_told_as_such(project: Path) -> None:
    database(project).with_name("memory.db.new").mkdir()
    with pytest.raises(StoreUnusableError):
        memory_at(project)


@pytest.mark.requirement("M1.2(a)")
@pytest.mark.parametrize("logged", [False, True], ids=["file", "file and log"])
def test_whatever_bytes_are_damaged_looking_changes_none_and_clearing_helps(
    project: Path, *, logged: bool
) -> None:
    with memory_at(project) as store:
        believe(store, TABS)
        parts = files(project)
    sound = files(project)["memory.db"]
    chance = random.Random(5)  # noqa: S311 - the same at every run
    for number in range(40):
        for path in (project / ".agentctx").glob("memory.db*"):
            path.unlink()
        for name in ("memory.db", "memory.db-wal") if logged else ("memory.db",):
            content = bytearray(parts[name] if logged else sound)
            for _ in range(chance.randrange(1, 20)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            (project / ".agentctx" / name).write_bytes(content)
        before = files(project)
        judge(str(project), fully=True)
        refusal = judge(str(project))
        assert files(project) == before
        with suppress(CodedError), memory_at(project) as store:
            say(store)
        if isinstance(refusal, Degraded):
            assert files(project) == before
        clear_memory(
            str(project),
            clock=Ticking(),
            ids=RandomIds(os.urandom),
            owner="person",
            backup=not number % 8,
        )
        assert isinstance(judge(str(project), fully=True), Healthy)


def test_a_project_may_have_any_name(tmp_path: Path) -> None:
    project = tmp_path / "a%20b?c#d ü"
    with memory_at(project) as store:
        say(store)
    assert isinstance(judge(str(project)), Healthy)
    assert isinstance(judge(str(project), fully=True), Healthy)


def test_a_log_of_a_killed_writer_that_is_sound_is_taken_over(project: Path) -> None:
    with memory_at(project) as store:
        say(store)
    changed_and_killed(
        project,
        "UPDATE memory_meta SET last_succeeded_at = 'now'",
        "UPDATE threads SET compaction = 'kept'",
    )
    with memory_at(project) as store:
        assert count(store, "threads", "compaction = 'kept'") == 1


def test_an_open_memory_is_sound_to_whoever_else_looks(
    project: Path, memory: MemoryStore
) -> None:
    for number in range(40):
        say(memory, f"Turn {number}.")
        assert isinstance(judge(str(project)), Healthy)
        assert isinstance(judge(str(project), fully=True), Healthy)


@pytest.mark.requirement("C12", "A10.2")
def test_a_memory_that_the_repository_carries_is_nobodys_here(tmp_path: Path) -> None:
    git = Git(tmp_path)
    project = git.repository(tmp_path / "cloned")
    memory_at(project).close()
    git(project, "add", "-f", ".agentctx/memory.db")
    verdict = judge(str(project))
    assert isinstance(verdict, Degraded)
    assert verdict.problem == "committed"
    git(project, "rm", "-q", "--cached", ".agentctx/memory.db")
    assert isinstance(judge(str(project)), Healthy)
