"""Clearing: whatever the file holds, a copy first, and then a clean memory."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.opening import clear_memory
from agentctx.memory.refusals import (
    MemoryBackupError,
    MemoryDegradedError,
    TurnNotFoundError,
)
from agentctx.memory.store import RandomIds, fence_of
from agentctx.memory.turns import complete_turn
from agentctx.memory.verdict import Healthy, judge
from tests.agentctx.memory.memories import TABS, begin, believe, count, memory_at, say
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def clear(project: Path, *, backup: bool = True) -> str | None:
    return clear_memory(
        str(project),
        clock=Ticking(),
        ids=RandomIds(os.urandom),
        owner="person",
        backup=backup,
    )


def backups(project: Path) -> list[str]:
    folder = project / ".agentctx" / "backups"
    return sorted(str(path) for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.requirement("M8.3(a)", "M8.3(b)", "M8.3(c)", "M11.9")
def test_a_sound_memory_is_copied_and_emptied(project: Path) -> None:
    export = project / ".agentctx" / "memory-exports" / "memory-1.json"
    export.parent.mkdir()
    export.write_bytes(b"{}")
    with memory_at(project) as memory:
        believe(memory, TABS, TABS._replace(subject="Another"))
        old, before = begin(memory), fence_of(memory.db)
        saved = clear(project)
        after = fence_of(memory.db)
        assert after == before._replace(generation=before.generation + 1)
        with pytest.raises(TurnNotFoundError):
            complete_turn(memory, old.id, "Done.")
        tables = [
            row[0]
            for row in memory.db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
            )
        ]
        filled = {name: count(memory, name) for name in tables if count(memory, name)}
        assert filled == {"memory_meta": 1, "threads": 1}
        assert begin(memory).thread_id != old.thread_id
    assert export.read_bytes() == b"{}"
    assert saved is not None
    assert stat.S_IMODE(os.stat(saved).st_mode) == 0o600  # noqa: PTH116 - a text
    with closing(sqlite3.connect(saved)) as copy:
        assert copy.execute("SELECT count(*) FROM memory_items").fetchone()[0] == 2


@pytest.mark.requirement("M8.3(a)")
def test_nothing_of_what_was_cleared_is_left_in_the_files(project: Path) -> None:
    with memory_at(project) as memory:
        say(memory, "A sentence that nobody else would write.")
    clear(project, backup=False)
    assert backups(project) == []
    for path in (project / ".agentctx").glob("memory.db*"):
        assert b"nobody else would write" not in path.read_bytes()


def put_folder(path: Path) -> None:
    path.mkdir()
    (path / "kept").write_bytes(b"kept")


PUT: dict[str, Callable[[Path], object]] = {
    "garbage": lambda path: path.write_bytes(b"garbage" * 1000),
    "a folder": put_folder,
    "a queue": lambda path: os.mkfifo(str(path)),
    "a link": lambda path: path.symlink_to("/etc/hostname"),
    "an empty file": lambda path: path.touch(),
    "nothing": lambda path: path,
}


@pytest.mark.requirement("M1.2(c)", "M8.4(a)")
@pytest.mark.parametrize("put", PUT.values(), ids=PUT)
def test_whatever_lies_in_its_place_makes_room(
    project: Path, put: Callable[[Path], object]
) -> None:
    put(project / ".agentctx" / "memory.db")
    saved = clear(project)
    assert isinstance(judge(str(project)), Healthy)
    with memory_at(project) as memory:
        say(memory)
    if put is PUT["garbage"]:
        assert saved is not None
        with open(saved, "rb") as copy:  # noqa: PTH123 - a text
            assert copy.read() == b"garbage" * 1000
    else:
        assert saved is None
    if put is PUT["a folder"]:
        (kept,) = (project / ".agentctx").glob("memory.db-*/kept")
        assert kept.read_bytes() == b"kept"
    if put is PUT["a link"]:
        assert os.path.getsize("/etc/hostname")  # noqa: PTH202 - what it named


@pytest.mark.requirement("M8.4(a)", "M8.4(b)", "M1.2(c)")
@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM threads", "DELETE FROM memory_meta", "PRAGMA user_version = 3"],
)
def test_a_memory_that_broke_while_it_was_open_is_made_anew(
    project: Path, statement: str
) -> None:
    with memory_at(project) as memory:
        say(memory)
        before = fence_of(memory.db)
        memory.db.execute(statement)
        saved = clear(project)
        assert saved in backups(project)
    with memory_at(project) as again:
        assert count(again, "turns") == 0
        assert fence_of(again.db).database_uuid != before.database_uuid


def test_without_a_copy_nothing_is_cleared(project: Path) -> None:
    with memory_at(project) as memory:
        say(memory)
    (project / ".agentctx" / "backups").write_bytes(b"in the way")
    with pytest.raises(MemoryBackupError):
        clear(project)
    with memory_at(project) as memory:
        assert count(memory, "turns") == 1
    clear(project, backup=False)
    with memory_at(project) as memory:
        assert count(memory, "turns") == 0


def test_a_link_for_our_folder_is_never_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "memory.db").write_bytes(b"somebody else's")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".agentctx").symlink_to(elsewhere)
    with pytest.raises(MemoryDegradedError):
        clear(project)
    assert [path.name for path in elsewhere.iterdir()] == ["memory.db"]


def test_damaged_pages_do_not_keep_memory_from_being_cleared(project: Path) -> None:
    with memory_at(project) as memory:
        for number in range(100):
            say(memory, f"Number {number}. " * 50)
        page = memory.db.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'turns'"
        ).fetchone()[0]
    path = project / ".agentctx" / "memory.db"
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    assert clear(project) in backups(project)
    assert isinstance(judge(str(project), fully=True), Healthy)
