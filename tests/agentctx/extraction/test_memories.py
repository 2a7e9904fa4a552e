"""When the worker does the jobs of memories, and that nothing is done for nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.extraction.consolidation import consolidate
from agentctx.failures import last_failures
from agentctx.memory.summary import FIRST_LINE
from agentctx.memory.switch import MARK, VARIABLE
from agentctx.records.spending import Call, reserve
from tests.agentctx.extraction.recalling import Remembering, at_ease, is_memorys
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails
from tests.agentctx.memory.memories import TABS
from tests.agentctx.memory.pipeline.minds import extracted, payload, remembering
from tests.agentctx.memory.pipeline.test_trouble import unused_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.extraction.conftest import Sessions
    from tests.agentctx.llm.fakeapi import Asked

DONE = ("succeeded", 1)
NO_MESSAGE = Says(body="{}")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def talk(sessions: Sessions) -> Remembering:
    """Give a project whose memory waits for a worker."""
    return Remembering(sessions)


@pytest.mark.requirement("M4.1(a)", "C11")
def test_one_turn_is_taken_up_when_it_is_half_a_minute_old(talk: Remembering) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        start = talk.say()
        done = talk.work()
        assert len(api.asked) == 2
    assert timedelta(seconds=28) < talk.clock() - start < timedelta(minutes=2)
    assert (done.projects, done.succeeded, done.left) == (1, 2, 0)
    assert talk.rows("status, claim_count") == [DONE, DONE]
    text = talk.summary.read_text(encoding="utf-8")
    assert text.startswith(FIRST_LINE)
    assert TABS.keywords[0] in text
    assert talk.status().summary.state == "current"
    assert not talk.waits()
    noted = talk.noted()
    assert noted is not None
    assert (noted.is_settled, noted.retry_at, noted.problem) == (True, None, None)


@pytest.mark.requirement("M4.1(a)", "M4.1(c)")
def test_turns_that_are_enough_are_taken_up_at_once_four_at_a_time(
    talk: Remembering,
) -> None:
    with FakeApi([Says(extracted())]) as api:
        talk.sessions.ask(api)
        for number in range(6):
            start = talk.say(f"Turn {number}.")
        done = talk.work()
        sizes = [len(payload(one)["turns"]) for one in api.asked]
    assert sizes == [4, 2]
    assert (done.empty, done.left) == (2, 0)
    assert talk.clock() - start < timedelta(seconds=60)
    assert talk.sessions.seconds == 0


@pytest.mark.requirement("M4.1(a)", "A6.2")
def test_hurry_waits_for_no_debounce(talk: Remembering) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        assert talk.work(hurry=True).succeeded == 2
    assert talk.sessions.seconds == 0


@pytest.mark.requirement("A1.1", "H5")
def test_a_worker_whose_life_is_short_leaves_what_is_not_due(talk: Remembering) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        done = talk.work(seconds=5)
        assert api.asked == ()
    assert (done.left, done.waiting) == (1, ())
    assert talk.waits()
    assert not talk.summary.exists()


@pytest.mark.requirement("M2.3(b)")
def test_a_turn_that_was_given_up_is_taken_up_once_its_lease_is_over(
    talk: Remembering,
) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.begin()
        talk.work()
        assert api.asked == ()
        assert talk.sessions.seconds < 2, "nobody waits for a person's answer"
        assert not talk.waits(), "no hook starts a worker while the turn is open"
        talk.clock.tick(31 * MINUTE)
        assert talk.waits()
        assert talk.work().succeeded == 2
    assert talk.rows("state", "turns") == [("interrupted",)]
    assert not talk.waits()


@pytest.mark.requirement("M2.3(b)")
def test_what_others_say_meanwhile_is_not_held_up_by_an_open_turn(
    talk: Remembering,
) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.begin("s1")
        talk.work()
        talk.say(session="s2")
        assert talk.waits()
        assert talk.work().succeeded == 2
    assert talk.rows("state", "turns") == [("open",), ("completed",)]


@pytest.mark.requirement("M4.7(a)", "M10.2(b)")
def test_a_retry_is_waited_for_within_the_workers_life(talk: Remembering) -> None:
    answers = iter([NO_MESSAGE])
    with FakeApi(lambda asked: next(answers, None) or remembering(asked)) as api:
        talk.sessions.ask(api)
        talk.say()
        done = talk.work()
        assert len(api.asked) == 3
    assert (done.retrying, done.succeeded, done.left) == (1, 2, 0)
    assert talk.rows("status, claim_count")[0] == ("succeeded", 2)


@pytest.mark.requirement("M4.7(b)", "M10.3(b)")
def test_a_job_that_failed_twice_is_nobodys_work_any_more(talk: Remembering) -> None:
    with FakeApi([NO_MESSAGE]) as api:
        talk.sessions.ask(api)
        talk.say()
        done = talk.work()
        assert len(api.asked) == 2
        assert (done.retrying, done.failed, done.left) == (1, 1, 0)
        assert talk.work().projects == 0
        assert len(api.asked) == 2
    assert talk.rows("status, completed_at IS NULL") == [("failed", 0)]


def test_a_service_that_cannot_be_reached_uses_no_claim_and_is_left_for_a_while(
    talk: Remembering,
) -> None:
    talk.sessions.environ = {
        "ANTHROPIC_API_KEY": "sk-x",
        "ANTHROPIC_BASE_URL": unused_port(),
    }
    talk.say()
    for _ in range(2):
        done = talk.work(hurry=True)
        assert (done.waiting, done.left) == (("MODEL_DOWN",), 1)
    assert talk.sessions.seconds == 0
    assert not talk.waits()
    assert talk.work().projects == 0
    assert talk.rows("status, claim_count, provider_calls") == [("pending", 0, 0)]
    codes = [one.code for one in last_failures(str(talk.sessions.home))]
    assert codes == ["MODEL_DOWN"], "the log is told once"
    talk.clock.tick(6 * MINUTE)
    assert talk.waits()
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        assert talk.work().left == 0


def test_without_a_key_no_worker_is_started_again_and_again(talk: Remembering) -> None:
    talk.say(asks=False)
    assert not talk.waits()
    done = talk.work()
    assert (done.waiting, done.left, talk.sessions.seconds) == (("NO_LLM",), 1, 0)
    talk.say("More.", asks=False)
    assert not talk.waits()
    assert last_failures(str(talk.sessions.home)) == []
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.work(hurry=True)
        assert api.asked == (), "nobody with a key has wanted this"
        talk.note(asks=True)
        assert talk.waits()
        assert talk.work().left == 0
    assert talk.rows("claim_count")[0] == (1,)


def test_a_worker_with_a_key_does_not_wait_because_another_had_none(
    talk: Remembering,
) -> None:
    talk.say()
    talk.work()
    assert not talk.waits()
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        assert talk.work().succeeded == 2


def test_a_model_of_unknown_size_is_told_and_nothing_is_asked(
    talk: Remembering,
) -> None:
    talk.sessions.set("model", "a-model-of-nobody")
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        (code,) = talk.work().waiting
        assert api.asked == ()
    assert [one.code for one in last_failures(str(talk.sessions.home))] == [code]
    assert talk.rows("status, claim_count") == [("pending", 0)]


def spent(talk: Remembering, session: str, dollars: float) -> None:
    """Let the extraction of records have spent something."""
    with talk.sessions.store() as store, store.writing() as tx:
        reserve(store, tx, Call(session, "extract", "a model"), dollars)


def test_a_day_that_records_used_up_lets_memory_wait_for_the_next(
    talk: Remembering,
) -> None:
    spent(talk, "another", 1.9999)
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        done = talk.work()
        assert (done.waiting, api.asked) == (("SPEND_DAY",), ())
        talk.say("More.")
        assert not talk.waits()
        assert talk.work().projects == 0
        assert talk.rows("status, claim_count") == [("pending", 0)] * 2
        talk.clock.tick(timedelta(days=1))
        assert talk.waits()
        assert talk.work().left == 0


def test_a_session_at_its_cap_holds_up_no_other_and_wakes_nobody(
    talk: Remembering,
) -> None:
    spent(talk, "s1", 0.2499)
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say(session="s1")
        done = talk.work()
        assert (done.waiting, done.left, api.asked) == (("SPEND_SESSION",), 1, ())
        assert not talk.waits()
        talk.say(session="s2")
        assert talk.waits()
        done = talk.work()
        assert (done.succeeded, done.waiting) == (2, ("SPEND_SESSION",))
        assert not talk.waits()
        talk.clock.tick(timedelta(days=1))
        talk.sessions.set("spendPerSession", 5.0)
        assert talk.work().left == 0
    assert {row[0] for row in talk.rows("claim_count")} == {1}


@pytest.mark.parametrize("how", ["mark", "setting"])
def test_what_was_turned_off_is_left_as_it_is(talk: Remembering, how: str) -> None:
    mark = talk.root / ".agentctx" / MARK
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        if how == "mark":
            mark.touch()
        else:
            talk.sessions.set("memory", value=False)
        assert (talk.work().left, api.asked) == (0, ())
        assert not talk.waits()
        mark.unlink(missing_ok=True)
        talk.sessions.set("memory", value=True)
        talk.note()
        assert talk.work().succeeded == 2


def test_an_environment_without_memory_speaks_for_its_own_worker_alone(
    talk: Remembering,
) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        on = dict(talk.sessions.environ)
        talk.sessions.environ[VARIABLE] = "0"
        assert talk.work().waiting == ("MEMORY_OFF",)
        assert (talk.waits(), api.asked) == (False, ())
        talk.sessions.environ = on
        talk.clock.tick(11 * MINUTE)
        assert talk.work().succeeded == 2


@pytest.mark.parametrize("gone", ["project", "memory"])
def test_a_memory_that_is_gone_is_forgotten_and_not_made_anew(
    talk: Remembering, gone: str
) -> None:
    folder = talk.root / ".agentctx"
    talk.say()
    for path in folder.glob("memory.db*"):
        path.unlink()
    if gone == "project":
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        talk.root.rename(talk.root.with_name("moved"))
    done = talk.work()
    assert (done.left, talk.noted()) == (0, None)
    assert list(folder.glob("memory.db*")) == []


def another_project(talk: Remembering) -> Path:
    root = talk.root.with_name("another")
    (root / ".agentctx").mkdir(parents=True)
    return root


def test_a_damaged_memory_stops_no_other_and_is_told_once(talk: Remembering) -> None:
    broken = another_project(talk)
    talk.say(root=broken)
    path = broken / ".agentctx" / "memory.db"
    path.write_bytes(b"no database at all" * 300)
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        done = talk.work()
        assert (done.projects, done.succeeded) == (2, 2)
        assert (done.left, done.waiting) == (1, ("MEMORY_DEGRADED",))
        assert not talk.waits()
        talk.clock.tick(11 * MINUTE)
        assert talk.work().waiting == ("MEMORY_DEGRADED",)
    codes = [one.code for one in last_failures(str(talk.sessions.home))]
    assert codes == ["MEMORY_DEGRADED"]
    assert path.read_bytes() == b"no database at all" * 300


def test_a_job_that_fails_in_one_project_stops_no_other(talk: Remembering) -> None:
    other = another_project(talk)

    def script(asked: Asked) -> Says:
        return fails(400) if "Poison." in asked.text else at_ease(asked)

    with FakeApi(script) as api:
        talk.sessions.ask(api)
        talk.say("Poison.", root=other)
        talk.say()
        done = talk.work()
    assert (done.failed, done.succeeded, done.left) == (1, 2, 0)


def test_a_memory_with_much_to_do_lets_others_take_turns(talk: Remembering) -> None:
    other = another_project(talk)
    with FakeApi([Says(extracted())]) as api:
        talk.sessions.ask(api)
        for number in range(10):
            talk.say("Much.", f"s{number}")
        talk.say("Little.", root=other)
        done = talk.work(hurry=True)
        order = ["Little." in one.text for one in api.asked]
    assert order == [False] * 8 + [True] + [False] * 2
    assert (done.empty, done.left) == (11, 0)


@pytest.mark.requirement("A4.5")
def test_memories_and_sessions_come_before_the_digest(
    talk: Remembering, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[tuple[str]]] = []

    def watched(*given: object, **named: object) -> object:
        seen.append(talk.rows("status"))
        return consolidate(*given, **named)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr("agentctx.extraction.worker.consolidate", watched)
    sessions = talk.sessions
    said = sessions.session().turn("Let's store readings in UTC everywhere.")
    with FakeApi(at_ease) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        talk.say()
        talk.say()
        done = sessions.work()
        kinds = [is_memorys(one) for one in api.asked]
    assert sorted(kinds) == [False, True, True]
    assert (done.sessions, done.memory.succeeded) == (1, 2)
    assert seen == [[("succeeded",), ("succeeded",), ("succeeded",)]]
