"""A store that is missing, damaged, locked, foreign or too new, and its recovery."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.records.schema import LAYOUT
from tests.agentctx.mcp.serving import FACT, call, desk_at, found, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentctx.mcp.desk import Desk

FILES = ("agentctx.db", "agentctx.db-wal", "agentctx.db-shm")
READS: dict[str, dict[str, Any]] = {
    "ctx_search": {"query": "UTC"},
    "ctx_related": {"file": "src/store.py"},
    "ctx_project": {},
}


def write_junk(home: Path) -> None:
    """Write over the file in place, as a failing disk or a wrong program does."""
    (home / FILES[0]).write_bytes(b"no database at all, whatever its name" * 500)
    for name in FILES[1:]:
        (home / name).unlink(missing_ok=True)


def damage_pages(home: Path) -> None:
    """Keep the header, and make nothing of every page behind it."""
    path = home / FILES[0]
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xa5" * (len(content) - 100))
    for name in FILES[1:]:
        (home / name).unlink(missing_ok=True)


def cut_off(home: Path) -> None:
    path = home / FILES[0]
    path.write_bytes(path.read_bytes()[:50])
    for name in FILES[1:]:
        (home / name).unlink(missing_ok=True)


def make_foreign(home: Path) -> None:
    for name in FILES:
        (home / name).unlink(missing_ok=True)
    execute(home / FILES[0], "PRAGMA application_id = 7; CREATE TABLE t (x)")


def make_newer(home: Path) -> None:
    version = len(LAYOUT.migrations) + 1
    execute(home / FILES[0], f"PRAGMA user_version = {version}")


def put_a_folder(home: Path) -> None:
    for name in FILES:
        (home / name).unlink(missing_ok=True)
    (home / FILES[0]).mkdir()


def let_others_write(home: Path) -> None:
    home.chmod(0o777)


WRONG: list[tuple[Callable[[Path], None], str]] = [
    (write_junk, "STORE_FOREIGN"),
    (damage_pages, "STORE_CORRUPT"),
    (cut_off, "STORE_FOREIGN"),
    (make_foreign, "STORE_FOREIGN"),
    (make_newer, "STORE_TOO_NEW"),
    (put_a_folder, "STORE_FOREIGN"),
    (let_others_write, "HOME_UNUSABLE"),
]


def execute(path: Path, script: str) -> None:
    """Let another process do something to a database."""
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
        "db.executescript(sys.argv[2]); db.commit();"
        "db.execute('PRAGMA wal_checkpoint(TRUNCATE)'); db.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(path), script], check=True)


@contextmanager
def held(path: Path, *statements: str) -> Iterator[None]:
    """Let another process hold a database until the block ends."""
    code = (
        "import sqlite3, sys;"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "[db.execute(one) for one in sys.argv[2:]];"
        "print('held', flush=True); sys.stdin.read()"
    )
    words = [sys.executable, "-c", code, str(path), *statements]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        try:
            yield
        finally:
            holder.stdin.close()
            holder.wait(30)


@pytest.mark.requirement("A5.3", "A2.10")
@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
@pytest.mark.parametrize(
    ("harm", "code"), [pytest.param(*one, id=one[0].__name__) for one in WRONG]
)
def test_a_store_that_cannot_be_read_degrades_answers_until_it_is_repaired(
    desk: Desk,
    store_home: Path,
    tmp_path: Path,
    harm: Callable[[Path], None],
    code: str,
    warm: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    known = record(desk, files=["src/store.py"])
    desk.forget()
    kept = tmp_path / "kept"
    shutil.copytree(store_home, kept)
    if warm:
        assert found(desk, "UTC") == [known]
    harm(store_home)
    before = contents(store_home)
    for name, arguments in READS.items():
        answer = call(desk, name, arguments)
        assert not answer.failed, name
        assert answer.value["degraded"] == code, name
        assert answer.value.get("results", []) == []
    for name, arguments in (
        ("ctx_get", {"ids": [known]}),
        ("ctx_record", FACT),
        ("ctx_supersede", {"old_id": known, "new_body": "No.", "rationale": "So."}),
    ):
        answer = call(desk, name, arguments)
        assert (answer.code, answer.value["degraded"]) == (code, code), name
        assert str(tmp_path) not in answer.text
    assert not call(desk, "ctx_sync_claudemd").failed
    assert contents(store_home) == before
    shutil.rmtree(store_home)
    shutil.copytree(kept, store_home)
    assert found(desk, "UTC") == [known]
    assert record(desk, title="After the repair") != known


def contents(home: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in sorted(home.iterdir())
        if path.is_file() and not path.name.endswith(("-shm", "-wal"))
    }


@pytest.mark.requirement("A5.3")
def test_a_locked_store_degrades_answers_until_it_is_free(
    desk: Desk, store_home: Path
) -> None:
    known = record(desk)
    desk.forget()
    alone = ("PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE")
    with held(store_home / FILES[0], *alone):
        for name, arguments in READS.items():
            assert call(desk, name, arguments).value["degraded"] == "STORE_BUSY", name
        assert call(desk, "ctx_get", {"ids": [known]}).code == "STORE_BUSY"
        assert call(desk, "ctx_record", FACT).code == "STORE_BUSY"
    assert found(desk, "UTC") == [known]


@pytest.mark.requirement("A5.3")
def test_reading_goes_on_while_another_process_writes(
    desk: Desk, store_home: Path
) -> None:
    known = record(desk)
    with held(store_home / FILES[0], "BEGIN IMMEDIATE"):
        assert found(desk, "UTC") == [known]
        asked = {**FACT, "title": "Another fact"}
        answer = call(desk, "ctx_record", asked)
        assert (answer.code, answer.value["degraded"]) == ("STORE_BUSY", "STORE_BUSY")
    assert not call(desk, "ctx_record", asked).failed


@pytest.mark.requirement("A5.3")
def test_what_reads_makes_no_store_and_the_first_record_does(
    desk: Desk, store_home: Path
) -> None:
    for name, arguments in READS.items():
        value = call(desk, name, arguments).value
        assert "degraded" not in value
        assert value.get("results", []) == []
    assert call(desk, "ctx_get", {"ids": ["x"]}).value["missing"] == ["x"]
    gone = {"old_id": "01KBA2", "new_body": "No.", "rationale": "So."}
    assert call(desk, "ctx_supersede", gone).code == "RECORD_NOT_FOUND"
    assert not store_home.exists()
    known = record(desk, type="preference", title="Tabs, not spaces", scope="global")
    assert found(desk, "tabs") == [known]
    page = (store_home / "profile/preferences.md").read_text(encoding="utf-8")
    assert "Tabs, not spaces" in page


@pytest.mark.requirement("A5.3")
def test_a_store_that_is_gone_or_replaced_is_noticed_at_the_next_call(
    desk: Desk, store_home: Path, project: Path, tmp_path: Path
) -> None:
    first = record(desk)
    other_home = tmp_path / "other-home"
    other = desk_at(other_home, project)
    second = record(other)
    other.forget()
    store_home.rename(tmp_path / "away")
    assert found(desk, "UTC") == []
    other_home.rename(store_home)
    assert found(desk, "UTC") == [second]
    assert first != second


@pytest.mark.requirement("A5.3")
@pytest.mark.parametrize("harm", ["DROP TABLE records_fts", "DROP TABLE record_terms"])
def test_a_lost_index_lowers_the_rung_and_is_no_error(
    desk: Desk, store_home: Path, harm: str
) -> None:
    known = record(desk)
    desk.forget()
    execute(store_home / FILES[0], harm)
    assert found(desk, "UTC readings") == [known]


@pytest.mark.requirement("A5.3")
@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX")
def test_a_store_that_cannot_be_written_is_read(desk: Desk, store_home: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    known = record(desk)
    desk.forget()
    (store_home / FILES[0]).chmod(0o400)
    assert found(desk, "UTC") == [known]
    assert call(desk, "ctx_get", {"ids": [known]}).value["records"]
    (store_home / FILES[0]).chmod(0o600)
