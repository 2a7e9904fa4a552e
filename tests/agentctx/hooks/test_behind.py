"""What is written behind a session keeps its order, and nothing of it is lost."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.state import read_state, session_state
from agentctx.failures import last_failures
from agentctx.hooks.ends import AROUND, ends_of
from agentctx.hooks.here import ODD_SESSION
from agentctx.hooks.line import Place, is_busy
from agentctx.memory.turns import fill_turn
from agentctx.memory.verdict import Degraded, judge, memory_path, private_copy
from tests.agentctx.hooked import SESSION, Client, became, start_hook
from tests.agentctx.hooks.shelf import Shelf

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.hooks.conftest import Desk

KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PASSWORD = "V3ryS3cret" + "Hunter2Xyz9Kq"
LONG_AGO = 1_000_000_000


@pytest.fixture
def shelf(client: Client) -> Shelf:
    return Shelf(client)


@pytest.mark.requirement("A4.3", "A4.4", "M2.0(a)", "M2.0(b)")
def test_turns_behind_a_held_memory_end_with_their_own_answers(
    client: Client, desk: Desk, shelf: Shelf
) -> None:
    del desk
    client.hook("user-prompt-submit", prompt="First words")
    client.hook("stop", last_assistant_message="One")
    with shelf.open() as memory, memory.writing():
        for words, answer in (("Second words", "Two"), ("Third words", "Three")):
            begin = client.payload("user-prompt-submit", prompt=words)
            end = client.payload("stop", last_assistant_message=answer)
            start_hook("user-prompt-submit", begin, client.home)
            start_hook("stop", end, client.home)
        assert is_busy(str(client.home), read_state(str(client.home), SESSION).line)
    assert became(
        lambda: (
            shelf.told()
            == [
                ("completed", "First words", "One"),
                ("completed", "Second words", "Two"),
                ("completed", "Third words", "Three"),
            ]
        )
    )


@pytest.mark.requirement("A4.4", "M2.0(b)")
def test_an_answer_to_a_prompt_that_was_not_kept_ends_no_other_turn(
    client: Client, shelf: Shelf
) -> None:
    client.hook("user-prompt-submit", prompt="Given up by a key")
    client.environ = {"AGENTCTX_MEMORY": "0"}
    client.hook("user-prompt-submit", prompt="Nobody keeps this")
    client.environ = {}
    client.hook("stop", last_assistant_message="Of another prompt")
    assert shelf.told() == [("open", "Given up by a key", "")]
    with session_state(str(client.home), SESSION) as state:
        state.turn = "turn_" + "0" * 32
    client.hook("stop", last_assistant_message="Of a turn that never came")
    assert shelf.told() == [("open", "Given up by a key", "")]
    assert [one.code for one in last_failures(str(client.home))] == ["TURN_NOT_FOUND"]


@pytest.mark.requirement("A4.3", "A4.4")
def test_a_long_turn_is_kept_whole_and_without_its_secrets(
    client: Client, shelf: Shelf
) -> None:
    words = "a line of some log\n" * 8_000
    said = f"{words}{KEY}\n{words}end"
    begin = client.payload("user-prompt-submit", prompt=said)
    end = client.payload("stop", last_assistant_message=said)
    start_hook("user-prompt-submit", begin, client.home)
    start_hook("stop", end, client.home)
    assert became(lambda: [one.state for one in shelf.turns()] == ["completed"])
    (turn,) = shelf.turns()
    first, _, last = turn.user_text.partition("[redacted:github-token]")
    assert (first, last) == (words, f"\n{words}end")
    assert turn.assistant_text == turn.user_text
    assert not last_failures(str(client.home))


@pytest.mark.requirement("M2.0(a)")
def test_only_an_open_turn_is_filled(client: Client, shelf: Shelf) -> None:
    client.hook("user-prompt-submit", prompt="Ends of it")
    client.hook("stop", last_assistant_message="Done")
    (turn,) = shelf.turns()
    with shelf.open() as memory, pytest.raises(Exception) as raised:  # noqa: PT011
        fill_turn(memory, turn.id, "All of it")
    assert getattr(raised.value, "code", "") == "TURN_ENDED"


@pytest.mark.parametrize("shift", range(0, 60, 4))
def test_no_secret_is_kept_in_part_where_a_text_is_cut(shift: int) -> None:
    first = "lorem ipsum dolor "[: 18 - shift % 18] + "lorem ipsum dolor " * 200
    at = first.rindex(" ", 0, 640 - shift) + 1
    head = f"{first[:at]}{KEY} {'tail words here ' * 200}"
    tail = f'{"start words " * 200}password = "{PASSWORD}" '
    tail += ("tail words here " * 50)[: 570 + shift]
    assert KEY[4:14] not in ends_of(head, 600)
    assert not any(PASSWORD[n : n + 6] in ends_of(tail, 600) for n in range(17))


def test_the_ends_of_a_text_are_cut_between_words() -> None:
    text = "a few words " * AROUND
    first, last = ends_of(text, 604).split("\n")
    assert first.split(" ")[-2:] == ["a", ""]
    assert last.startswith(" ")
    assert ends_of("我们" * AROUND * 4, 600) == f"{'我们' * 300}\n{'我们' * 300}"
    assert ends_of("short", 600) == "short"


def test_a_place_is_free_when_its_process_is_gone(client: Client) -> None:
    home = str(client.home)
    place = Place.take(home, SESSION)
    assert place is not None
    name = read_state(home, SESSION).line
    assert is_busy(home, name)
    os.close(place.descriptor)  # as the system does at a process's end
    assert not is_busy(home, name)
    assert not is_busy(home, "../config.json")


@pytest.mark.requirement("A4.1")
def test_a_session_that_cannot_be_kept_is_told_once(client: Client, desk: Desk) -> None:
    del desk
    for name in ("x" * 300, "x" * 300, "a\nb"):
        client.hook("user-prompt-submit", prompt="Some words", session_id=name)
    log = (client.home / "logs" / "failures.log").read_text("utf-8")
    assert log.count(ODD_SESSION) == 2  # there are two such sessions


@pytest.mark.requirement("M1.2(a)", "C3")
def test_a_large_refused_memory_is_copied_by_no_hook(
    client: Client, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.hook("user-prompt-submit", prompt="Some words")
    path = memory_path(str(shelf.root))
    with shelf.open() as memory:
        memory.db.execute("PRAGMA user_version = 9")
    os.truncate(path, 1 << 25)
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")  # a copy would be refused
    found = judge(str(shelf.root), quickly=True)
    assert isinstance(found, Degraded)
    assert found.problem == "version"
    client.hook("user-prompt-submit", prompt="Other words", session_id="another")
    assert [one.detail for one in last_failures(str(client.home))] == ["version"]


@pytest.mark.requirement("M1.2(a)")
def test_the_copy_of_a_process_that_is_gone_is_removed(
    client: Client, shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.hook("user-prompt-submit", prompt="Some words")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / "agentctx-999999999-left"
    others = [
        tmp_path / "agentctx-999999998-young",
        tmp_path / f"agentctx-{os.getpid()}-alive",
        tmp_path / "agentctx-mine",
    ]
    for one in (left, *others):
        one.mkdir()
        if one is not others[0]:
            os.utime(one, (LONG_AGO, LONG_AGO))
    with private_copy(memory_path(str(shelf.root))) as copy:
        assert os.stat(copy).st_mode & 0o777 == 0o600  # noqa: PTH116
    assert not left.exists()
    assert all(one.exists() for one in others)
