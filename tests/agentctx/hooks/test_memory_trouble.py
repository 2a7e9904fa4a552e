"""Memory that is off, held or broken costs a session nothing else (C3 to C6, H6)."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from agentctx.failures import last_failures
from agentctx.hooks.app import EVENTS
from agentctx.memory.switch import turn_off
from tests.agentctx.hooked import SESSION, Client, became, start_hook
from tests.agentctx.hooks.shelf import ASKED, Shelf, other_items, spaces

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.agentctx.hooks.conftest import Desk

PROMPT = "how long does the uploader wait when it retries?"
SAID, ANSWER = "From now on indent with tabs.", "Understood: tabs."


@pytest.fixture
def shelf(client: Client) -> Shelf:
    return Shelf(client)


def a_folder(path: Path) -> None:
    path.mkdir()


def not_a_database(path: Path) -> None:
    path.write_bytes(b"mine, and no database" * 500)


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()


def newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 9")
        db.execute("CREATE TABLE threads (x)")
    db.close()


def a_link(path: Path) -> None:
    other = path.parent.parent / "elsewhere.db"
    foreign(other)
    path.symlink_to(other)


BROKEN = [a_folder, not_a_database, foreign, newer, a_link]


@pytest.mark.requirement("C3", "C6", "A4.3", "M1.2(a)")
@pytest.mark.parametrize("spoil", BROKEN)
def test_a_memory_that_cannot_be_used_costs_no_record_and_is_told_once(
    client: Client, desk: Desk, spoil: Callable[[Path], None]
) -> None:
    path = client.cwd / ".agentctx" / "memory.db"
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    for number in range(2):
        told = client.hook("user-prompt-submit", prompt=PROMPT)
        assert ("8 seconds" in told) == (number == 0)
        assert client.hook("stop", last_assistant_message=ANSWER) == ""
        assert client.hook("session-start", source="resume") is not None
    lines = (client.home / "logs" / "failures.log").read_bytes().split(b"\n")
    codes = [json.loads(line)["code"] for line in lines if line]
    assert codes == ["MEMORY_DEGRADED"]
    assert (path.read_bytes() if path.is_file() else None) == before
    client.hook("user-prompt-submit", prompt=SAID, session_id="another")
    (one,) = last_failures(str(client.home))
    assert one.detail  # the problem, and nothing that was said
    assert SAID not in one.detail


@pytest.mark.requirement("M1.1(a)", "A4.3")
def test_an_empty_file_becomes_a_memory(client: Client, shelf: Shelf) -> None:
    (client.cwd / ".agentctx" / "memory.db").touch()
    client.hook("user-prompt-submit", prompt=SAID)
    assert shelf.told() == [("open", SAID, "")]


@pytest.mark.requirement("C3", "A4.3", "A3.3")
def test_a_broken_store_costs_no_turn_and_no_map(
    client: Client, desk: Desk, shelf: Shelf
) -> None:
    shelf.believe(spaces(), *other_items())
    desk.keep("Use SQLite")
    desk.store.close()
    path = client.home / "agentctx.db"
    path.write_bytes(path.read_bytes()[:5000] + b"\x00" * 4096)
    assert "four spaces" in client.hook("user-prompt-submit", prompt=ASKED)
    client.hook("stop", last_assistant_message=ANSWER)
    assert shelf.told() == [("completed", ASKED, ANSWER)]


@pytest.mark.requirement("A4.3", "A1.1")
@pytest.mark.parametrize("how", ["environment", "setting", "off", "link", "no folder"])
def test_where_memory_is_off_nothing_is_kept_and_nothing_made(
    client: Client, desk: Desk, how: str
) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    folder = client.cwd / ".agentctx"
    if how == "environment":
        client.environ = {"AGENTCTX_MEMORY": "0"}
    elif how == "setting":
        (client.home / "config.json").write_bytes(b'{"memory": false}')
    elif how == "off":
        turn_off(str(client.cwd))
    else:
        folder.rmdir()
    if how == "link":
        elsewhere = client.cwd.parent / "elsewhere"
        elsewhere.mkdir()
        folder.symlink_to(elsewhere)
    before = sorted(client.cwd.parent.rglob("*"))
    for event in EVENTS:
        told = client.hook(event, prompt=PROMPT, session_id=event)
        assert event != "user-prompt-submit" or "8 seconds" in told
    made = set(client.cwd.parent.rglob("*")) - set(before)
    assert not [path for path in made if client.home not in path.parents]
    codes = {one.code for one in last_failures(str(client.home))}
    assert codes <= {"TRANSCRIPT_UNREADABLE"}  # there is none here


@pytest.mark.requirement("A4.3", "M2.0(b)")
def test_memory_that_is_turned_off_keeps_no_answer(
    client: Client, shelf: Shelf
) -> None:
    client.hook("user-prompt-submit", prompt=SAID)
    turn_off(str(client.cwd))
    client.hook("stop", last_assistant_message=ANSWER)
    assert shelf.told() == [("open", SAID, "")]


@pytest.mark.requirement("A4.3", "M2.0(a)", "C3", "C5")
def test_a_turn_behind_a_held_memory_is_kept_and_so_is_its_answer(
    client: Client, desk: Desk, shelf: Shelf
) -> None:
    desk.keep("The uploader retries", "It waits 2, 4 and 8 seconds.")
    begin = client.payload("user-prompt-submit", prompt=PROMPT)
    end = client.payload("stop", last_assistant_message=ANSWER)
    with shelf.open() as memory:
        with memory.writing():
            run = start_hook("user-prompt-submit", begin, client.home)
        assert "8 seconds" in run.stdout.decode()
        assert became(lambda: [one[0] for one in shelf.told()] == ["open"])
        with memory.writing():
            run = start_hook("stop", end, client.home)
        assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert became(lambda: shelf.told() == [("completed", PROMPT, ANSWER)])
    assert became(lambda: bool(shelf.waiting()))


@pytest.mark.requirement("A4.4", "C5")
def test_a_failure_behind_a_held_memory_is_kept_though_its_writer_leaves(
    client: Client, desk: Desk, shelf: Shelf
) -> None:
    del desk
    client.hook("user-prompt-submit", prompt=SAID)
    with shelf.open() as memory, memory.writing():
        run = start_hook("stop-failure", client.payload("stop-failure"), client.home)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")
    assert became(lambda: shelf.told() == [("failed", SAID, "")])


@pytest.mark.requirement("A4.3", "M2.0(a)")
def test_a_prompt_of_six_megabytes_is_kept_whole(client: Client, shelf: Shelf) -> None:
    shelf.believe(spaces(), *other_items())
    prompt = f"{ASKED}\n" + "word and another\n" * 350_000
    payload = client.payload("user-prompt-submit", prompt=prompt)
    run = start_hook("user-prompt-submit", payload, client.home)
    assert run.stderr == b""
    assert "four spaces" in run.stdout.decode()
    assert became(lambda: [one.user_text for one in shelf.turns()] == [prompt])
    assert [one.session_id for one in shelf.turns()] == [SESSION]
