"""When the worker does what, and that nothing is done twice or lost (A1.1, A6.2)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.digest import read_digest
from agentctx.failures import last_failures
from agentctx.project import resolve_project
from agentctx.records.leases import WORKER, give_back, holder, take
from agentctx.records.read import current_records
from agentctx.records.transcripts import heard, waiting
from tests.agentctx.extraction.conftest import Sessions, decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from pathlib import Path

UTC = "Store readings in UTC"
SAID = "Let's store readings in UTC everywhere."


@pytest.mark.requirement("A6.2", "A6.4", "A6.5")
def test_a_session_becomes_records_with_the_words_they_came_from(
    sessions: Sessions,
) -> None:
    work = {
        "current_task": "Write the importer",
        "blockers": ["the API is slow"],
        "next_steps": ["add an index"],
        "open_questions": [],
    }
    answer = found(
        decisions=[decision(UTC)],
        preferences=[
            {
                "category": "process",
                "rule": "Small commits",
                "confidence": "inferred",
                "scope": "global",
            }
        ],
        conventions=[
            {
                "scope": "project",
                "convention": "Importer functions return tuples",
                "confidence": "explicit",
            }
        ],
        gotchas=[{"pattern": "The API pages by 50", "why_it_matters": "It is slow."}],
        active_work=work,
    )
    said = sessions.session().turn(SAID).turn("small commits please")
    said.turn("importer functions return tuples").turn("the API pages by 50, careful")
    with FakeApi([Says(answer)]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        done = sessions.work()
    assert (done.sessions, done.records, done.left) == (1, 5, 0)
    (record,) = sessions.records("decision")
    assert (record.title, record.quote) == (UTC, SAID)
    assert (record.confidence, record.trust) == ("explicit", "developer")
    assert (record.source, record.session_id) == ("llm_extraction", "s1")
    (wide,) = sessions.records("preference")
    assert (wide.project_id, wide.confidence) == ("_global", "inferred")
    (handover,) = sessions.records("handover")
    assert handover.body.split("\n") == [
        "Write the importer",
        "Blocker: the API is slow",
        "Next: add an index",
    ]
    assert (handover.trust, handover.confidence) == ("model", "inferred")
    (gotcha,) = sessions.records("discovery")
    assert gotcha.confidence == "inferred"
    assert sessions.yields() == {"stored": 4, "handover": 1}


@pytest.mark.requirement("A6.2")
def test_only_what_is_new_is_read_and_asked(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
        sessions.hear(said, ended=True)
        sessions.work()
        assert [one.number for one in api.asked] == [0]
        said.turn("The uploader retries three times")
        sessions.hear(said, ended=True)
        sessions.work()
        first, second = list(api.asked)
    assert "readings" in first.text
    assert "uploader" in second.text
    assert "everywhere" not in second.text.partition("<session>")[2]


@pytest.mark.requirement("A6.2", "A4.4")
def test_a_session_is_read_when_it_was_quiet(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        start = sessions.hear(said)
        done = sessions.work()
        assert len(api.asked) == 1
    assert done.records == 1
    assert sessions.clock() - start >= timedelta(seconds=60)


@pytest.mark.requirement("A6.2")
def test_a_session_that_said_much_is_read_at_once(sessions: Sessions) -> None:
    said = sessions.session()
    for _ in range(3):
        said.turn(SAID + " Because clocks differ by zone." * 250)
    with FakeApi([Says(found(flush_ok=True))]) as api:
        sessions.ask(api)
        start = sessions.hear(said)
        sessions.work()
        assert len(api.asked) == 1
    assert sessions.clock() - start < timedelta(seconds=30)


@pytest.mark.requirement("A6.2")
def test_hurry_waits_for_nobody(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        start = sessions.hear(said)
        assert sessions.work(hurry=True).records == 1
    assert sessions.clock() - start < timedelta(seconds=30)


@pytest.mark.requirement("A1.1", "A6.2")
def test_a_second_worker_ends_at_once(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    sessions.hear(said, ended=True)
    with sessions.store() as store:
        with store.writing() as tx:
            assert take(tx, WORKER, "first", now=sessions.clock())
        assert sessions.work().busy
        assert len(waiting(store.db)) == 1
        with store.writing() as tx:
            give_back(tx, WORKER, "first")
    assert not sessions.work().busy


@pytest.mark.requirement("A1.1")
@pytest.mark.parametrize(
    "span", [timedelta(seconds=61), timedelta(days=-3)], ids=["ran out", "set back"]
)
def test_a_lease_that_no_clock_can_explain_is_free(
    sessions: Sessions, span: timedelta
) -> None:
    with sessions.store() as store:
        with store.writing() as tx:
            take(tx, WORKER, "gone", now=sessions.clock())
        sessions.clock.tick(span)
        assert holder(store.db, WORKER, now=sessions.clock()) is None
    assert not sessions.work().busy


@pytest.mark.requirement("A1.1")
def test_the_lease_of_a_dead_process_is_free(sessions: Sessions) -> None:
    with sessions.store() as store:
        with store.writing() as tx:
            take(tx, WORKER, "gone", now=sessions.clock())
            tx.execute("UPDATE leases SET process = 999999999")
        assert holder(store.db, WORKER, now=sessions.clock()) is None


@pytest.mark.requirement("A1.1")
def test_a_worker_lives_no_longer_than_it_may(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found())]) as api:
        sessions.ask(api)
        sessions.hear(said)
        done = sessions.work(seconds=5)
        assert api.asked == ()
    assert done.left == 1
    assert sessions.seconds <= 6
    with sessions.store() as store:
        assert holder(store.db, WORKER, now=sessions.clock()) is None


@pytest.mark.requirement("A6.7", "A3.3")
def test_without_a_model_the_session_leaves_a_handover(sessions: Sessions) -> None:
    said = sessions.session().turn("Rewrite the parser so that it streams")
    sessions.hear(said, ended=True)
    assert sessions.work().records == 1
    (record,) = sessions.records("handover")
    assert "Rewrite the parser" in record.title
    (span,) = sessions.spans()
    assert (span.kind, span.problem) == ("left_out", "NO_LLM")


@pytest.mark.requirement("A6.7", "A4.5")
def test_a_session_that_never_ended_is_taken_up_later(sessions: Sessions) -> None:
    said = sessions.session().turn("Rewrite the parser so that it streams")
    sessions.hear(said)
    assert sessions.work(seconds=5).sessions == 0
    sessions.clock.tick(timedelta(hours=1))
    assert sessions.work().sessions == 1
    assert len(sessions.records("handover")) == 1


@pytest.mark.requirement("A4.5", "A6.7")
def test_records_come_before_the_digest(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
    digest = read_digest(str(sessions.home), sessions.project.project_id)
    assert digest is not None
    assert [UTC in block.text for block in digest.decisions] == [True]
    with sessions.store() as store:
        assert digest.store_version == store.version


@pytest.mark.requirement("A6.1", "A6.3")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        pytest.param(fails(500), "MODEL_DOWN", id="500"),
        pytest.param(fails(429, retry_after="60"), "MODEL_BUSY", id="429"),
        pytest.param(Says(text="no JSON"), "MODEL_REPLY", id="garbage"),
        pytest.param(Says({}, stop_reason="max_tokens"), "MODEL_TRUNCATED", id="cut"),
        pytest.param(Says({}, stop_reason="refusal"), "MODEL_REFUSED", id="refusal"),
    ],
)
def test_what_failed_is_asked_again_and_nothing_is_lost(
    sessions: Sessions, answer: Says, code: str
) -> None:
    said = sessions.session().turn(SAID)
    replies = [answer]

    def script(_: object) -> Says:
        return replies[-1]

    with FakeApi(script) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        done = sessions.work(seconds=20)
        assert (done.left, sessions.records("decision")) == (1, [])
        (span,) = sessions.spans()
        assert (span.problem, span.attempts) == (code, 1)
        replies.append(Says(found(decisions=[decision(UTC)])))
        sessions.clock.tick(timedelta(minutes=3))
        assert sessions.work().left == 0
    assert [one.title for one in sessions.records("decision")] == [UTC]


@pytest.mark.requirement("A6.1", "A6.3")
def test_a_question_that_never_works_is_given_up_and_shown(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(text="no JSON")]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        for _ in range(8):
            sessions.work(seconds=20)
            sessions.clock.tick(timedelta(hours=2))
        asked = len(api.asked)
        sessions.work()
        assert len(api.asked) == asked
    (span,) = sessions.spans()
    assert (span.state, span.problem) == ("failed", "MODEL_REPLY")
    with sessions.store() as store:
        assert waiting(store.db) == []


@pytest.mark.requirement("A6.1")
def test_a_wrong_key_is_asked_about_once_a_while(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([fails(401)]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work(seconds=20)
        assert len(api.asked) == 1
    assert [one.code for one in last_failures(str(sessions.home))] == ["MODEL_KEY"]
    (span,) = sessions.spans()
    assert (span.state, span.attempts) == ("due", 0)
    assert len(sessions.records("handover")) == 1  # by rule, meanwhile


@pytest.mark.requirement("A6.2")
def test_a_cap_of_a_session_is_never_passed(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    sessions.set("spendPerSession", 0.0)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        done = sessions.work()
        assert api.asked == ()
    assert done.problems == ("SPEND_SESSION",)
    (span,) = sessions.spans()
    assert (span.kind, span.problem) == ("left_out", "SPEND_SESSION")


@pytest.mark.requirement("A6.2")
def test_a_cap_of_a_day_waits_for_the_next_day(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    sessions.set("spendPerDay", 0.0)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work(seconds=20)
        assert api.asked == ()
        sessions.set("spendPerDay", 2.0)
        sessions.clock.tick(timedelta(days=1))
        sessions.work()
    assert [one.title for one in sessions.records("decision")] == [UTC]


@pytest.mark.requirement("A6.2")
def test_what_was_asked_and_not_answered_counts_as_spent(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
        spent = sessions.cost()
        assert spent > 0
        with sessions.store() as store:
            row = store.db.execute(
                "SELECT extraction_cost_usd FROM sessions"
            ).fetchone()
            assert row[0] == pytest.approx(spent)
            (call,) = store.db.execute("SELECT outcome FROM model_calls").fetchall()
            assert call[0] == "answered"


@pytest.mark.requirement("A6.2", "A1.1")
def test_an_answer_that_was_not_stored_is_stored_without_asking_again(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = sessions.session().turn(SAID)

    def dies(*_: object) -> int:
        raise KeyboardInterrupt

    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        with monkeypatch.context() as patch:
            patch.setattr("agentctx.extraction.session.ingest", dies)
            with pytest.raises(KeyboardInterrupt):
                sessions.work()
        (span,) = sessions.spans()
        assert span.state == "replied"
        sessions.clock.tick(timedelta(minutes=2))
        sessions.work()
        assert len(api.asked) == 1
    assert [one.title for one in sessions.records("decision")] == [UTC]
    (span,) = sessions.spans()
    assert (span.state, span.reply) == ("done", None)


@pytest.mark.requirement("A6.6", "A6.2")
def test_a_transcript_written_anew_is_read_from_its_start(sessions: Sessions) -> None:
    said = sessions.session().turn(SAID).turn("and the uploader retries three times")
    with FakeApi([Says(found(flush_ok=True))]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
        said.path.unlink()
        again = sessions.session()
        again.number = 500
        again.turn("The ledger uses SQLite")
        sessions.hear(again, ended=True)
        sessions.work()
        assert "ledger" in api.asked[-1].text


@pytest.mark.requirement("A6.6")
def test_a_transcript_that_is_gone_is_told_and_settled(
    sessions: Sessions, tmp_path: Path
) -> None:
    said = sessions.session().turn(SAID)
    sessions.hear(said)
    sessions.hear(said, ended=True)
    said.path.unlink()
    done = sessions.work()
    assert done.problems == ("TRANSCRIPT_UNREADABLE",)
    with sessions.store() as store:
        one = heard(store.db, "s1")
        assert one is not None
        assert one.problem == "TRANSCRIPT_UNREADABLE"
        assert waiting(store.db) == []
    assert tmp_path.exists()


@pytest.mark.requirement("A4.8", "A2.5")
def test_turns_belong_to_the_project_of_their_folder(
    sessions: Sessions, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    said = sessions.session().turn(SAID)
    said.cwd = other
    said.turn("The ledger uses SQLite")
    said.cwd = sessions.cwd
    said.turn("The importer is written in Rust")
    rules = [
        ("ledger", Says(found(decisions=[decision("The ledger uses SQLite")]))),
        ("UTC", Says(found(decisions=[decision(UTC)]))),
    ]
    with FakeApi([Says(found())], rules=rules) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
        assert len(api.asked) == 3
    assert [one.title for one in sessions.records("decision")] == [UTC]
    there = resolve_project(other, environ={}).project_id
    with sessions.store() as store:
        titles = [one.title for one in current_records(store.db, there)]
    assert titles == ["The ledger uses SQLite"]
