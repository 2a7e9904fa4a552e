"""What failed out of sight is kept in a small log and told by `status` (A4.1)."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from agentctx.failures import FILE, MOST_BYTES, OLDER, last_failures, note_failure
from tests.agentctx.answers import answer
from tests.recorded import START, Ticking

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("A4.1")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


def note(home: Path, where: str = "stop", code: str = "BUG", detail: str = "") -> bool:
    return note_failure(str(home), where, code, detail, now=START)


def codes(home: Path) -> list[str]:
    return [one.code for one in last_failures(str(home))]


def log(home: Path) -> Path:
    return home / "logs" / FILE


def test_a_failure_is_kept_for_the_user_alone(home: Path) -> None:
    assert note(home, "stop", "STORE_BUSY", "after 2 s")
    (one,) = last_failures(str(home))
    assert (one.where, one.code, one.detail) == ("stop", "STORE_BUSY", "after 2 s")
    assert one.at == "2026-01-10T12:00:00.000Z"
    assert log(home).stat().st_mode & 0o777 == 0o600
    assert log(home).parent.stat().st_mode & 0o777 == 0o700


def test_the_last_come_first_and_each_kind_once(home: Path) -> None:
    clock = Ticking()
    for where, code in (("a", "X"), ("b", "X"), ("a", "X"), ("a", "Y")):
        note_failure(str(home), where, code, now=clock())
    found = last_failures(str(home))
    assert [(one.where, one.code) for one in found] == [
        ("a", "Y"),
        ("a", "X"),
        ("b", "X"),
    ]
    assert found[1].at == "2026-01-10T12:00:03.000Z"
    assert [one.code for one in last_failures(str(home), limit=1)] == ["Y"]


def test_the_log_stays_small_and_the_last_are_found(home: Path) -> None:
    detail = "x" * 1000
    for number in range(2000):
        assert note(home, "stop", f"CODE_{number}", detail)
    sizes = [path.stat().st_size for path in log(home).parent.iterdir()]
    assert len(sizes) == 2
    assert sum(sizes) < 2 * MOST_BYTES + 4096
    assert codes(home) == [f"CODE_{number}" for number in range(1999, 1994, -1)]


def test_the_log_stays_small_where_it_cannot_be_set_aside(home: Path) -> None:
    note(home)
    (home / "logs" / OLDER).mkdir()
    for number in range(1500):
        note(home, "stop", f"CODE_{number}", "x" * 300)
    assert log(home).stat().st_size < MOST_BYTES + 4096
    assert codes(home)[0] == "CODE_1499"


def test_what_is_no_line_of_ours_is_passed_over(home: Path) -> None:
    note(home, "stop", "FIRST")
    with log(home).open("ab") as file:
        file.write(b'\xff\xfe\n[]\n{"at": 1}\nnull\n' + b"[" * 9999 + b"\n")
        file.write(b'{"at": "x", "where": 3, "code": null, "detail": {}}\n\x00\n{"at')
    assert [one.code for one in last_failures(str(home))] == ["None", "FIRST"]
    assert note(home, "stop", "NEXT")
    assert codes(home)[0] == "NEXT"


def test_without_a_home_nothing_is_made(tmp_path: Path) -> None:
    assert not note(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert last_failures(str(tmp_path / "none")) == []


@pytest.mark.skipif(os.name == "nt", reason="links and pipes are POSIX")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "file in the way"])
def test_what_is_no_log_is_neither_followed_nor_waited_for(
    home: Path, tmp_path: Path, kind: str
) -> None:
    target = tmp_path / "precious"
    target.write_text("kept", "utf-8")
    if kind == "file in the way":
        (home / "logs").write_text("x", "utf-8")
    else:
        log(home).parent.mkdir()
    if kind == "link":
        log(home).symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(log(home))
    elif kind == "folder":
        log(home).mkdir()
    assert not note(home)
    assert target.read_text("utf-8") == "kept"
    if kind != "link":
        assert last_failures(str(home)) == []


def test_many_at_once_lose_no_line(home: Path) -> None:
    def many(number: int) -> None:
        for step in range(50):
            assert note(home, f"hook{number}", f"C{step}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(many, range(8)))
    lines = filter(None, log(home).read_text("utf-8").splitlines())
    assert len({(one["where"], one["code"]) for one in map(json.loads, lines)}) == 400


def test_status_shows_nothing_that_cannot_be_seen(
    agentctx: InProcess, store_home: Path
) -> None:
    answer(agentctx("add", "decision", "Use SQLite"))
    note(store_home, "stop", "BUG", "a\u202eb\x1b[31m\ud800")
    with log(store_home).open("a", encoding="utf-8") as file:
        value = {"at": "now", "where": "\x1b]0;x\x07", "code": "\u202e", "detail": ""}
        file.write(json.dumps(value) + "\n")
    told = agentctx("status", "--format", "text")
    assert told.status == 0
    assert not {"\x1b", "\u202e", "\x07"} & set(told.out)
    assert len(answer(agentctx("status"))["last_errors"]) == 2
