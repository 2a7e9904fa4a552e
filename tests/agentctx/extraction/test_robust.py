"""What must not stop, repeat or undo the worker's work (A1.1, A2.3, A6.2, A6.4)."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.extraction.reading import news, take_up
from agentctx.failures import last_failures
from agentctx.records.leases import WORKER, take
from agentctx.records.model import NewRecord
from agentctx.records.transcripts import heard, waiting
from agentctx.records.write import add_record
from tests.agentctx.extraction.conftest import Sessions, decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from pathlib import Path

SAID = "Let's store readings in UTC everywhere."
UTC = "Store readings in UTC"


@pytest.mark.requirement("A1.1", "A6.6")
def test_a_folder_no_system_could_have_stops_nobody(
    sessions: Sessions, tmp_path: Path
) -> None:
    odd = sessions.session("odd")
    odd.cwd = tmp_path / ("x" * 300)
    odd.turn(SAID)
    odd.cwd = sessions.cwd
    sessions.hear(odd, ended=True)
    sessions.hear(sessions.session("s2").turn("Rewrite the parser"), ended=True)
    done = sessions.work()
    assert (done.sessions, done.left) == (2, 0)


@pytest.mark.requirement("A1.1")
def test_a_session_with_a_defect_stops_no_other(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions.hear(sessions.session("bad").turn("The bad one"), ended=True)
    sessions.hear(sessions.session("good").turn("Rewrite the parser"), ended=True)
    real = news

    def breaks(one: object) -> object:
        if getattr(one, "session_id", "") == "bad":
            raise ZeroDivisionError
        return real(one)  # type: ignore[arg-type]

    monkeypatch.setattr("agentctx.extraction.session.news", breaks)
    done = sessions.work(seconds=20)
    assert (done.sessions, done.left, done.problems) == (2, 1, ("BUG",))
    assert len(sessions.records("handover")) == 1
    (failure, *_) = last_failures(str(sessions.home))
    assert (failure.where, failure.code) == ("worker", "BUG")
    assert "ZeroDivisionError" in failure.detail


@pytest.mark.requirement("A6.2", "A1.1")
def test_what_another_worker_took_up_is_not_taken_up_again(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    sessions.hear(said, ended=True)
    with sessions.store() as store:
        one = heard(store.db, "s1")
        assert one is not None
        for _ in range(2):
            take_up(store, one, news(one), environ={}, holds=lambda _: True)
    assert len(sessions.spans()) == 1


@pytest.mark.requirement("A6.2", "A1.1")
def test_a_worker_that_was_replaced_asks_nothing_more(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)

    def taken(_: object) -> Says:
        with sessions.store() as store, store.writing() as tx:
            tx.execute("DELETE FROM leases")
            take(tx, WORKER, "another", now=sessions.clock())
        return Says(text="no JSON")

    with FakeApi(taken) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work(seconds=20)
        sessions.clock.tick(timedelta(minutes=1, seconds=10))
        asked = len(api.asked)
    assert asked == 1


@pytest.mark.requirement("A1.1", "A6.2")
def test_what_was_put_off_by_a_clock_that_was_ahead_is_not_lost(
    sessions: Sessions,
) -> None:
    said = sessions.session().turn(SAID)
    sessions.clock.tick(timedelta(days=365))
    with FakeApi([fails(500)]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        assert sessions.work(seconds=20).left == 1
    sessions.clock.tick(timedelta(days=-365))
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        assert sessions.work(seconds=20).left == 0
    assert len(sessions.records("decision")) == 1


@pytest.mark.requirement("A2.3", "A2.6", "A6.4")
@pytest.mark.parametrize(
    ("old", "said", "new"),
    [
        (
            "We use Memcached for caching sessions",
            "We switch: we use Redis for caching sessions, no longer Memcached.",
            "We use Redis for caching sessions",
        ),
        (
            "Sessions end after one hour idle",
            "From now on sessions end after two hours idle.",
            "Sessions end after two hours idle",
        ),
    ],
)
def test_a_changed_value_is_no_repetition(
    sessions: Sessions, old: str, said: str, new: str
) -> None:
    with sessions.store() as store:
        fact = NewRecord(type="decision", title=old, body=f"{old}.", source="cli")
        first = add_record(store, sessions.project.project_id, fact).record
    answer = found(decisions=[decision(new, supersedes=str(first.id))])
    with FakeApi([Says(answer)]) as api:
        sessions.ask(api)
        sessions.hear(sessions.session().turn(said), ended=True)
        sessions.work()
        assert str(first.id) in api.asked[0].text
    (record,) = sessions.records("decision")
    assert record.title == new


@pytest.mark.requirement("A6.5", "A10.3")
def test_work_that_nobody_can_see_makes_no_handover(sessions: Sessions) -> None:
    work = {
        "current_task": "\u200b",
        "blockers": ["\u200b\u2060"],
        "next_steps": [],
        "open_questions": [],
    }
    said = sessions.session().turn("Rewrite the parser")
    with FakeApi([Says(found(active_work=work))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
    (record,) = sessions.records("handover")
    assert record.title == "Handover: Rewrite the parser"
    assert json.dumps(record.body).isascii()


@pytest.mark.requirement("A4.4")
def test_what_is_put_off_wakes_nobody(sessions: Sessions) -> None:
    from agentctx.extraction.waking import is_wanted  # noqa: PLC0415 - beside its use

    said = sessions.session().turn(SAID)
    sessions.set("spendPerDay", 0.0)
    with FakeApi([Says(found())]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work(seconds=20)
        with sessions.store() as store:
            assert len(waiting(store.db)) == 1
            assert not is_wanted(store.db, now=sessions.clock())
            later = sessions.clock() + timedelta(days=1)
            assert is_wanted(store.db, now=later)
