"""Whose key a session is read with, and what a person's own word overrides (A6.1)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.failures import last_failures
from agentctx.records.transcripts import waiting
from tests.agentctx.extraction.conftest import Sessions, decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from tests.conftest import InProcess

SAID = "Let's store readings in UTC everywhere."
UTC = "Store readings in UTC"


@pytest.mark.requirement("A6.1", "A6.7")
def test_a_session_without_a_key_is_read_by_no_model(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    sessions.hear(said, ended=True)  # its environment had no key
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)  # the worker's has one
        sessions.work()
        assert api.asked == ()
    assert len(sessions.records("handover")) == 1


@pytest.mark.requirement("A6.1")
def test_a_worker_without_a_key_leaves_others_sessions_to_one_with_it(
    sessions: Sessions,
) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        keyed, sessions.environ = sessions.environ, {}
        done = sessions.work()
        assert (done.sessions, done.left) == (0, 1)
        assert sessions.seconds == 0  # and it does not wait for one
        sessions.environ = keyed
        sessions.work()
    assert len(sessions.records("decision")) == 1


@pytest.mark.requirement("A6.1", "A6.7")
def test_a_session_whose_key_never_comes_back_is_not_left_for_ever(
    sessions: Sessions,
) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found())]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
    sessions.environ = {}
    sessions.clock.tick(timedelta(hours=1))
    assert sessions.work().left == 0
    assert len(sessions.records("handover")) == 1


@pytest.mark.requirement("A6.8", "A6.3")
def test_a_persons_word_asks_again_at_once(
    sessions: Sessions, agentctx: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = sessions.session().turn(SAID)
    replies = [fails(401)]

    def script(_: object) -> Says:
        return replies[-1]

    with FakeApi(script) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work(seconds=20)
        monkeypatch.setenv("AGENTCTX_HOME", str(sessions.home))
        for name, value in sessions.environ.items():
            monkeypatch.setenv(name, value)
        shown = agentctx("review-session", "s1", "--format", "text").out
        assert "MODEL_KEY" in shown
        replies.append(Says(found(decisions=[decision(UTC)])))
        done = agentctx("review-session", "s1", "--extract")
        assert done.status == 0, done.err
    assert len(sessions.records("decision")) == 1


@pytest.mark.requirement("A6.6")
def test_a_session_that_said_nothing_is_no_failure(sessions: Sessions) -> None:
    said = sessions.session()
    sessions.hear(said, ended=True)  # no prompt, so the client wrote no file
    done = sessions.work()
    assert (done.problems, done.left) == ((), 0)
    assert last_failures(str(sessions.home)) == []


@pytest.mark.requirement("A2.7")
def test_what_was_said_long_ago_was_true_then(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    sessions.clock.tick(timedelta(days=20))
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
    (record,) = sessions.records("decision")
    assert record.valid_from.startswith("2026-01-10T12:00")
    assert record.recorded_at.startswith("2026-01-30")


@pytest.mark.requirement("A4.6", "A6.7")
def test_a_question_alone_replaces_no_handover_of_work(sessions: Sessions) -> None:
    first = sessions.session("s1").says("Rewrite the parser so that it streams")
    edit: dict[str, object] = {"name": "Edit", "input": {"file_path": "src/p.py"}}
    first.answers("Done.", [edit])
    sessions.hear(first, ended=True)
    sessions.work()
    second = sessions.session("s2").turn("is the test of the parser working?")
    sessions.hear(second, ended=True)
    sessions.work()
    (record,) = sessions.records("handover")
    assert record.session_id == "s1"
    with sessions.store() as store:
        assert waiting(store.db) == []
