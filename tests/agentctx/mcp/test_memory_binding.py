"""Which session a memory server answers in, and how long its turn is held."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.clock import stamp
from agentctx.memory.binding import KEPT, RENEWAL
from agentctx.memory.hosted import complete, leave
from agentctx.memory.opening import clear_memory
from agentctx.memory.requests import drop_request, request_state
from agentctx.memory.store import RandomIds
from agentctx.memory.turns import open_turns, recover
from agentctx.memory.underreview import start_review
from tests.agentctx.mcp.remembering import (
    OTHER,
    SESSION,
    THIRD,
    clients_memory,
    found,
    look,
    memory_desk,
    prompt,
    read,
    remember,
)
from tests.agentctx.memory.memories import count
from tests.agentctx.memory.recalled import discussion, item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from agentctx.mcp.memorydesk import MemoryDesk
    from agentctx.memory.store import MemoryStore
    from tests.recorded import Ticking

WALRUS = item(1, "walrus", "The walrus sleeps.")
TALK = discussion(2, "walrus or seal")
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.fixture
def memory(project: Path, clock: Ticking) -> Iterator[MemoryStore]:
    with clients_memory(project, clock) as opened:
        remember(opened, [WALRUS, TALK])
        yield opened


@pytest.fixture
def started(
    memory: MemoryStore, store_home: Path, project: Path, clock: Ticking
) -> Iterator[Callable[..., MemoryDesk]]:
    """Start servers; all of them end with the test."""
    del memory
    desks: list[MemoryDesk] = []

    def start(session: str | None = SESSION, **environ: str) -> MemoryDesk:
        desks.append(memory_desk(store_home, project, clock, session, **environ))
        return desks[-1]

    yield start
    for desk in desks:
        desk.forget()


def spent(memory: MemoryStore, session: str) -> int:
    """Give how many searches the open turn of a session has used."""
    (turn,) = open_turns(memory.db, session)
    kept = request_state(memory.db, turn.id)
    assert kept is not None
    return len(kept.searches)


@pytest.mark.requirement("H3", "A5.4")
def test_the_session_is_the_one_named_at_the_start_else_the_environments(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    prompt(memory, "one", "a")
    prompt(memory, "two", "b")
    prompt(memory, "three", "c")
    client, other = {"CLAUDE_CODE_SESSION_ID": "b"}, {"AGENTCTX_SESSION": "c"}
    for session, environ, expected in (
        ("a", {**client, **other}, "a"),
        (None, {**client, **other}, "b"),
        (None, other, "c"),
        (None, {"CLAUDE_CODE_SESSION_ID": " \n", **other}, "c"),
    ):
        desk = started(session, **environ)
        before = spent(memory, expected)
        found(desk, "walrus")
        found(desk, f"seal {expected}{before}")
        assert spent(memory, expected) == before + 2 - (before > 0)


@pytest.mark.requirement("H3")
def test_a_server_without_a_session_refuses_and_says_what_to_do(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    prompt(memory, "one")
    desk = started(None)
    for answer in (look(desk, "walrus"), read(desk, WALRUS.id)):
        assert answer.code == "SESSION_UNBOUND"
        assert "--session" in answer.value["hint"]
        assert "degraded" not in answer.value


@pytest.mark.requirement("H3")
def test_between_two_prompts_a_session_is_refused_even_beside_an_open_one(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    desk = started()
    prompt(memory, "elsewhere", OTHER)
    assert look(desk, "walrus").code == "SESSION_NO_TURN"
    prompt(memory, "here")
    assert found(desk, "walrus")
    complete(memory, SESSION, "Done.")
    for answer in (look(desk, "walrus"), read(desk, WALRUS.id)):
        assert answer.code == "SESSION_NO_TURN"
        assert "next prompt" in answer.value["hint"]
    assert spent(memory, OTHER) == 0


@pytest.mark.requirement("H3", "M7.2(c)")
def test_two_windows_spend_each_from_its_own_turn(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    with memory.writing() as writing:
        start_review(writing, OTHER, "run", ())
    prompt(memory, "here")
    prompt(memory, "there", OTHER)
    mine, theirs = started(SESSION), started(OTHER)
    assert set(found(mine, "walrus seal")) == {WALRUS.id, TALK.id}
    assert found(theirs, "walrus seal") == [WALRUS.id]
    for number in range(3):
        found(mine, f"walrus {number}")
    assert look(mine, "walrus again").code == "RECALL_QUOTA"
    assert read(theirs, TALK.id).code == "RECALL_UNAVAILABLE"
    assert found(theirs, "walrus again")
    assert (spent(memory, SESSION), spent(memory, OTHER)) == (4, 2)


@pytest.mark.requirement("H3")
def test_a_server_goes_on_in_the_one_session_that_is_open_after_its_own_ended(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    desk = started()
    prompt(memory, "here")
    leave(memory, SESSION)
    assert look(desk, "walrus").code == "SESSION_NO_TURN"
    prompt(memory, "after clearing", OTHER)
    assert found(desk, "walrus")
    prompt(memory, "another window", THIRD)
    assert found(desk, "walrus again"), "the session it went on in stays its own"
    assert (spent(memory, OTHER), spent(memory, THIRD)) == (2, 0)
    complete(memory, OTHER, "Done.")
    assert look(desk, "walrus").code == "SESSION_NO_TURN"
    leave(memory, OTHER)
    assert found(desk, "walrus")
    assert spent(memory, THIRD) == 1


@pytest.mark.requirement("H3")
def test_a_session_that_ended_before_its_first_prompt_has_ended_too(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    leave(memory, SESSION)
    prompt(memory, "after clearing", OTHER)
    assert found(started(), "walrus")


@pytest.mark.requirement("H3")
def test_several_open_sessions_are_refused_and_given_up_turns_do_not_count(
    memory: MemoryStore, started: Callable[..., MemoryDesk], clock: Ticking
) -> None:
    prompt(memory, "given up", THIRD)
    clock.tick(timedelta(minutes=31))
    prompt(memory, "one", OTHER)
    prompt(memory, "two", "window-four")
    leave(memory, SESSION)
    desk = started()
    answer = look(desk, "walrus")
    assert answer.code == "SESSION_UNCLEAR"
    assert "2 others" in answer.value["error"]
    assert "window" not in answer.value["error"]
    complete(memory, "window-four", "Done.")
    assert found(desk, "walrus")
    assert spent(memory, OTHER) == 1


@pytest.mark.requirement("H3")
def test_a_session_that_is_resumed_has_not_ended(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    leave(memory, SESSION)
    prompt(memory, "resumed")
    complete(memory, SESSION, "Done.")
    prompt(memory, "another window", OTHER)
    assert look(started(), "walrus").code == "SESSION_NO_TURN"


@pytest.mark.requirement("H3")
def test_that_a_session_ended_is_not_kept_for_ever(
    memory: MemoryStore, clock: Ticking
) -> None:
    for number in range(3):
        leave(memory, f"window-{number}")
    assert count(memory, "ended_sessions") == 3
    clock.tick(KEPT)
    leave(memory, "window-0")
    assert count(memory, "ended_sessions") == 1


@pytest.mark.requirement("H3", "M11.7")
def test_a_session_whose_id_looks_like_a_secret_is_bound_too(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    prompt(memory, "here", SECRET)
    assert count(memory, "turns", f"session_id = '{SECRET}'") == 0
    desk = started(SECRET)
    assert found(desk, "walrus")
    complete(memory, SECRET, "Done.")
    prompt(memory, "again", SECRET)
    assert found(desk, "walrus")


@pytest.mark.requirement("H2", "H7", "A5.3")
@pytest.mark.parametrize("sound", [True, False], ids=["emptied", "replaced"])
def test_clearing_ends_what_a_server_may_ask_until_the_next_prompt(
    memory: MemoryStore,
    started: Callable[..., MemoryDesk],
    project: Path,
    clock: Ticking,
    sound: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    desk = started()
    prompt(memory, "here")
    assert found(desk, "walrus")
    if not sound:
        memory.close()
        (project / ".agentctx/memory.db").write_bytes(b"nothing of ours" * 100)
    clear_memory(
        str(project), clock=clock, ids=RandomIds(lambda n: b"\x07" * n), owner="o"
    )
    for answer in (look(desk, "walrus"), read(desk, WALRUS.id)):
        assert answer.code == "SESSION_NO_TURN"
    with clients_memory(project, clock) as anew:
        prompt(anew, "after clearing")
        assert found(desk, "walrus") == []
        remember(anew, [WALRUS])
        assert found(desk, "walrus now") == [WALRUS.id]
        assert spent(anew, SESSION) == 2


@pytest.mark.requirement("M3.8(c)", "H2")
def test_a_turn_without_a_request_is_refused_as_if_it_were_over(
    memory: MemoryStore, started: Callable[..., MemoryDesk]
) -> None:
    turn = prompt(memory, "here").turn
    with memory.writing() as writing:
        drop_request(writing, turn.id)
    assert look(started(), "walrus").code == "SESSION_NO_TURN"


@pytest.mark.requirement("H4")
def test_a_call_holds_the_turn_of_its_session_and_writes_that_every_few_minutes(
    memory: MemoryStore, started: Callable[..., MemoryDesk], clock: Ticking
) -> None:
    turn = prompt(memory, "here").turn
    theirs = prompt(memory, "there", OTHER).turn

    def held_until(turn_id: str) -> str:
        row = memory.db.execute(
            "SELECT lease_expires_at FROM turns WHERE id = ?", (turn_id,)
        ).fetchone()
        return str(row[0])

    desk = started()
    first, other = held_until(turn.id), held_until(theirs.id)
    found(desk, "walrus")
    assert held_until(turn.id) == first
    clock.tick(RENEWAL)
    found(desk, "walrus")
    second = held_until(turn.id)
    assert second > first
    read(desk, WALRUS.id)
    read(desk, WALRUS.id)
    assert held_until(turn.id) == second
    clock.tick(timedelta(minutes=28))
    assert found(desk, "walrus")
    with memory.writing() as writing:
        assert recover(writing) == (theirs.id,)
    assert other < stamp(clock())
    assert spent(memory, SESSION) == 1


@pytest.mark.requirement("H4")
def test_a_call_in_a_turn_whose_lease_ran_out_is_a_sign_of_it(
    memory: MemoryStore,
    started: Callable[..., MemoryDesk],
    clock: Ticking,
    store_home: Path,
) -> None:
    store_home.mkdir(mode=0o700)
    (store_home / "config.json").write_bytes(b'{"turnLeaseMinutes": 2}')
    (store_home / "config.json").chmod(0o600)
    prompt(memory, "here")
    clock.tick(timedelta(minutes=40))
    assert found(started(), "walrus")
    clock.tick(timedelta(minutes=1))
    with memory.writing() as writing:
        assert recover(writing) == ()
    clock.tick(timedelta(minutes=1))
    with memory.writing() as writing:
        assert len(recover(writing)) == 1


@pytest.mark.requirement("H2")
def test_eight_searches_at_once_are_paid_once_each(
    memory: MemoryStore, started: Callable[..., MemoryDesk], clock: Ticking
) -> None:
    remember(memory, [item(n, f"seal {n}", f"Seal {n} swims.") for n in range(10, 20)])
    prompt(memory, "here")
    texts = [f"seal 1{number}" for number in range(4)]
    alone = started()
    for text in texts:
        found(alone, text)
    (turn,) = open_turns(memory.db, SESSION)
    expected = request_state(memory.db, turn.id)
    assert expected is not None
    prompt(memory, "here")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(found, [started() for _ in range(8)], texts * 2))
    assert answers[:4] == answers[4:]
    (turn,) = open_turns(memory.db, SESSION)
    kept = request_state(memory.db, turn.id)
    assert kept is not None
    assert {one.key for one in kept.searches} == {one.key for one in expected.searches}
    assert kept.spent_tokens == expected.spent_tokens
    prompt(memory, "here")
    with ThreadPoolExecutor(8) as pool:
        more = [f"seal {number}" for number in range(10, 18)]
        said = list(pool.map(look, [started() for _ in range(8)], more))
    assert sum(one.failed for one in said) == 4
    assert {one.code for one in said if one.failed} == {"RECALL_QUOTA"}
    assert spent(memory, SESSION) == 4
    del clock
