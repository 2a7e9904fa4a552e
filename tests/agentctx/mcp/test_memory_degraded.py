"""A memory that is off, gone, damaged, locked or another's, and its recovery."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.schema import VERSION
from agentctx.memory.switch import MARK
from tests.agentctx.mcp.remembering import (
    SESSION,
    clients_memory,
    found,
    look,
    memory_desk,
    prompt,
    read,
    remember,
)
from tests.agentctx.mcp.test_degraded import execute, held
from tests.agentctx.memory.recalled import item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentctx.mcp.memorydesk import MemoryDesk
    from tests.recorded import Ticking

WALRUS = item(1, "walrus", "The walrus sleeps.")


@pytest.fixture
def desk(store_home: Path, project: Path, clock: Ticking) -> Iterator[MemoryDesk]:
    """Give a desk whose session has an open turn, in a memory that nobody holds."""
    with clients_memory(project, clock) as memory:
        remember(memory, [WALRUS])
        prompt(memory, "here")
    desk = memory_desk(store_home, project, clock)
    yield desk
    desk.forget()


def files(project: Path) -> dict[str, bytes]:
    """Give every byte that is there but of the log's index."""
    folder = project / ".agentctx"
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.endswith("-shm")
    }


def without_log(path: Path) -> None:
    for part in ("-wal", "-shm"):
        path.with_name(path.name + part).unlink(missing_ok=True)


def write_junk(path: Path) -> None:
    path.write_bytes(b"no database at all, whatever its name" * 500)
    without_log(path)


def damage_pages(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    without_log(path)


def make_older(path: Path) -> None:
    execute(path, f"PRAGMA user_version = {VERSION - 1}")


def add_a_table(path: Path) -> None:
    execute(path, "CREATE TABLE theirs (x)")


def lose_the_thread(path: Path) -> None:
    execute(path, "UPDATE threads SET status = 'archived', archived_at = 'x'")


def put_a_folder(path: Path) -> None:
    path.unlink()
    without_log(path)
    path.mkdir()


@pytest.mark.requirement("A5.3", "C3", "M1.2(a)")
@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize(
    "harm",
    [
        write_junk,
        damage_pages,
        make_older,
        add_a_table,
        lose_the_thread,
        put_a_folder,
    ],
)
def test_a_memory_that_cannot_be_used_degrades_answers_until_it_is_repaired(
    desk: MemoryDesk,
    project: Path,
    tmp_path: Path,
    harm: Callable[[Path], None],
    warm: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    folder = project / ".agentctx"
    if warm:
        assert found(desk, "walrus") == [WALRUS.id]
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    harm(folder / "memory.db")
    if warm:  # SQLite ends a connection to a file by emptying its log into it
        assert look(desk, "walrus").value["degraded"] == "MEMORY_DEGRADED"
    before = files(project)
    for _ in range(2):
        answer = look(desk, "walrus")
        assert not answer.failed
        assert answer.value["degraded"] == "MEMORY_DEGRADED"
        assert answer.value["results"] == []
        assert "memory clear" in answer.value["hint"]
        refused = read(desk, WALRUS.id)
        assert refused.code == refused.value["degraded"] == "MEMORY_DEGRADED"
    assert files(project) == before
    shutil.rmtree(folder)
    shutil.copytree(kept, folder)
    assert found(desk, "walrus") == [WALRUS.id]
    assert not read(desk, WALRUS.id).failed


@pytest.mark.requirement("A5.3")
def test_a_memory_that_is_off_says_so_and_answers_once_it_is_on(
    desk: MemoryDesk, project: Path, store_home: Path
) -> None:
    assert found(desk, "walrus")
    mark, settings = project / ".agentctx" / MARK, store_home / "config.json"
    store_home.mkdir(mode=0o700)
    for path, content in ((mark, b""), (settings, b'{"memory": false}')):
        path.write_bytes(content)
        path.chmod(0o600)
        answer = look(desk, "walrus")
        assert answer.value["degraded"] == "MEMORY_OFF"
        assert "turn it on" in answer.value["hint"]
        assert read(desk, WALRUS.id).code == "MEMORY_OFF"
        path.unlink()
        assert found(desk, "walrus") == [WALRUS.id]


@pytest.mark.requirement("A5.3")
def test_the_environment_turns_memory_off_for_the_whole_server(
    desk: MemoryDesk, store_home: Path, project: Path, clock: Ticking
) -> None:
    del desk
    off = memory_desk(store_home, project, clock, SESSION, AGENTCTX_MEMORY="0")
    assert look(off, "walrus").value["degraded"] == "MEMORY_OFF"


@pytest.mark.requirement("A5.3", "M1.1(a)")
def test_asking_makes_no_memory_and_finds_the_one_that_is_made_later(
    store_home: Path, tmp_path: Path, clock: Ticking
) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    desk = memory_desk(store_home, root, clock)
    for folder in (False, True):
        if folder:
            (root / ".agentctx").mkdir()
        assert look(desk, "walrus").value["degraded"] == "MEMORY_ABSENT"
        assert read(desk, WALRUS.id).code == "MEMORY_ABSENT"
        assert [one.name for one in root.rglob("*")] == [".agentctx"] * folder
    with clients_memory(root, clock) as memory:
        assert look(desk, "walrus").code == "SESSION_NO_TURN"
        remember(memory, [WALRUS])
        prompt(memory, "here")
        assert found(desk, "walrus") == [WALRUS.id]
    shutil.rmtree(root / ".agentctx")
    assert look(desk, "walrus").value["degraded"] == "MEMORY_ABSENT"
    assert list(root.iterdir()) == []
    desk.forget()


@pytest.mark.requirement("A5.3")
def test_a_locked_memory_degrades_answers_until_it_is_free(
    desk: MemoryDesk, project: Path
) -> None:
    alone = ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE")
    with held(project / ".agentctx/memory.db", *alone):
        assert look(desk, "walrus").value["degraded"] == "STORE_BUSY"
    assert found(desk, "walrus") == [WALRUS.id]


@pytest.mark.requirement("A5.3", "H2", "M6.5(b)")
def test_what_is_free_is_given_while_another_process_writes(
    desk: MemoryDesk, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentctx.memory.store.PATIENCE", 0.05)
    assert found(desk, "walrus")
    whole = read(desk, WALRUS.id)
    with held(project / ".agentctx/memory.db", "BEGIN IMMEDIATE"):
        assert found(desk, "walrus") == [WALRUS.id]
        assert read(desk, WALRUS.id) == whole
        assert look(desk, "seal").value["degraded"] == "STORE_BUSY"
    assert found(desk, "seal") == []


@pytest.mark.requirement("A5.3")
def test_the_memory_is_that_of_the_project_at_the_call(
    desk: MemoryDesk, tmp_path: Path, clock: Ticking
) -> None:
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    seal = item(2, "seal", "Seals swim.")
    with clients_memory(other, clock) as memory:
        remember(memory, [seal])
        prompt(memory, "there")
    here = desk.place
    assert found(desk, "walrus seal") == [WALRUS.id]
    desk.place = here._replace(
        environ={**here.environ, "CLAUDE_PROJECT_DIR": str(other)}
    )
    assert found(desk, "walrus seal") == [seal.id]
    desk.place = here._replace(
        environ={**here.environ, "CLAUDE_PROJECT_DIR": str(tmp_path / "gone")}
    )
    assert look(desk, "walrus").code == "PROJECT_GONE"
    desk.place = here
    assert found(desk, "walrus seal") == [WALRUS.id]
