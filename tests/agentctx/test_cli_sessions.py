"""What sessions yielded, on the command line: `review-session` and `extract` (A6.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agentctx.project import resolve_project
from agentctx.records.model import GLOBAL, NewRecord
from agentctx.records.read import current_records
from agentctx.records.sessions import note_session
from agentctx.records.spans import LEFT_OUT, NewSpan, add_spans
from agentctx.records.transcripts import Source, hear, heard, settle
from agentctx.records.write import add_record, retire_record
from tests.agentctx.answers import answer, namespace, refusal
from tests.agentctx.extraction.conftest import decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.spoken import Transcript, transcript
from tests.agentctx.working import at_work, wall
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess, Outcome

pytestmark = pytest.mark.requirement("A6.8")

UTC, SAID = "Store readings in UTC", "Let's store readings in UTC everywhere."
SESSION = "3d0c9a4e-77aa"


class Reviewer:
    """Somebody who looks sessions over, with a model or without."""

    def __init__(self, run: InProcess, home: Path, project: Path) -> None:
        self.run = run
        self.home = home
        self.project = project

    def said(self, *texts: str, session: str = SESSION) -> Transcript:
        one = transcript(self.project, self.project, session)
        for text in texts or (SAID,):
            one.turn(text)
        return one

    def extract(self, one: Transcript) -> Outcome:
        words = ("--session-id", one.session, "--transcript", str(one.path))
        return self.run("extract", *words)

    def review(self, *words: str) -> dict[str, Any]:
        return dict(answer(self.run("review-session", *words)))

    def card(self, *words: str) -> str:
        return self.run("review-session", *words, "--format", "text").out


@pytest.fixture
def reviewer(agentctx: InProcess, store_home: Path, project: Path) -> Reviewer:
    return Reviewer(agentctx, store_home, project)


@pytest.fixture
def learned(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> tuple[Reviewer, dict[str, Any]]:
    """Give a session of which one decision was learned, and its review."""
    entries = [decision(UTC), decision("Nobody ever said this"), {"what": 3}]
    with FakeApi([Says(found(decisions=entries))]) as api:
        asks(monkeypatch, api)
        answer(reviewer.extract(reviewer.said()))
    return reviewer, reviewer.review(SESSION)


def asks(patch: pytest.MonkeyPatch, api: FakeApi) -> None:
    patch.setenv("ANTHROPIC_API_KEY", "sk-x")
    patch.setenv("ANTHROPIC_BASE_URL", api.url)
    patch.setenv("AGENTCTX_MEMORY", "0")  # decisions come from these records alone


@pytest.mark.requirement("A6.3")
def test_extract_says_what_was_made(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        asks(monkeypatch, api)
        done = answer(reviewer.extract(reviewer.said()))
        again = answer(reviewer.extract(transcript_of(reviewer)))
        assert len(api.asked) == 1
    assert (done["sessions"], done["records"], done["left"]) == (1, 2, 0)
    assert (again["records"], again["problems"]) == (0, [])


def transcript_of(reviewer: Reviewer) -> Transcript:
    return transcript(reviewer.project, reviewer.project, SESSION)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--session-id", "s", "--transcript", "none.jsonl"), "TRANSCRIPT_UNREADABLE"),
        (("--session-id", "s", "--transcript", "."), "TRANSCRIPT_UNREADABLE"),
        (("--session-id", "s", "--transcript", "a\0b"), "TRANSCRIPT_UNREADABLE"),
        (("--session-id", "", "--transcript", "x"), "FIELD_INVALID"),
        (("--session-id", "x" * 201, "--transcript", "x"), "FIELD_INVALID"),
        (("--session-id", "a\u202eb", "--transcript", "x"), "FIELD_INVALID"),
        (("--session-id", "s"), "USAGE"),
    ],
)
def test_what_cannot_be_extracted_is_refused_and_makes_no_store(
    agentctx: InProcess, store_home: Path, words: tuple[str, ...], code: str
) -> None:
    assert refusal(agentctx("extract", *words)) == code
    assert not store_home.exists()


def test_a_session_shows_what_it_yielded(
    learned: tuple[Reviewer, dict[str, Any]],
) -> None:
    reviewer, value = learned
    assert value["session"]["session_id"] == SESSION
    assert value["session"]["cost_usd"] > 0
    made = {one["type"]: one for one in value["records"]}
    assert made["decision"]["title"] == UTC
    assert made["decision"]["quote"] == SAID
    assert value["outcomes"]["unsupported"] == 1
    assert value["outcomes"]["schema"] == 1
    assert value["left_out"] == []
    told = reviewer.card(SESSION)
    assert f"[{made['decision']['id']}] decision, explicit" in told
    assert f"  > {SAID}" in told
    assert "1 unsupported" in told


def test_sessions_are_listed_and_named_by_their_beginning(
    learned: tuple[Reviewer, dict[str, Any]],
) -> None:
    reviewer, value = learned
    answer(reviewer.extract(reviewer.said(session="3d0c9a4e-88bb")))
    listed = reviewer.review()["sessions"]
    assert {one["session_id"] for one in listed} == {SESSION, "3d0c9a4e-88bb"}
    assert SESSION in reviewer.card()
    assert reviewer.review(SESSION[:10])["session"] == value["session"]
    for named in ("3d0c", "nobody", "%", "3d0c9a4e_77aa"):
        done = reviewer.run("review-session", named)
        assert refusal(done) == "SESSION_UNKNOWN"


def test_an_id_that_begins_another_is_found(reviewer: Reviewer) -> None:
    for session in ("s1", "s11"):
        answer(reviewer.extract(reviewer.said(session=session)))
    assert reviewer.review("s1")["session"]["session_id"] == "s1"


def test_where_nothing_is_known_it_says_so(reviewer: Reviewer) -> None:
    assert reviewer.review() == {"sessions": []}
    assert reviewer.card() == "no session of this project is known\n"
    assert refusal(reviewer.run("review-session", "s")) == "SESSION_UNKNOWN"
    assert refusal(reviewer.run("review-session", "--extract")) == "USAGE"
    assert not reviewer.home.exists()


@pytest.mark.requirement("A2.5")
def test_the_session_of_another_project_is_not_shown(
    learned: tuple[Reviewer, dict[str, Any]], tmp_path: Path
) -> None:
    reviewer, value = learned
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    record = value["records"][0]["id"]
    assert answer(reviewer.run("review-session", cwd=other)) == {"sessions": []}
    for words in ((), ("--confirm", record), ("--reject", record), ("--extract",)):
        done = reviewer.run("review-session", SESSION, *words, cwd=other)
        assert refusal(done) == "SESSION_UNKNOWN"
    assert reviewer.review(SESSION) == value


@pytest.mark.requirement("A2.5", "A4.8")
def test_a_session_that_went_elsewhere_is_shown_where_it_left_records(
    learned: tuple[Reviewer, dict[str, Any]], tmp_path: Path
) -> None:
    reviewer, value = learned
    other = tmp_path / "other"
    (other / ".agentctx").mkdir(parents=True)
    there = resolve_project(other, environ={}).project_id
    new = NewRecord(
        type="decision", title="Use Go", body="x", source="cli", session_id=SESSION
    )
    with store_at(reviewer.home) as store:
        with store.writing() as tx:
            note_session(tx, SESSION, there, now=store.clock())
        made = add_record(store, there, new).record.id
    assert reviewer.review(SESSION)["records"] == value["records"]
    done = answer(reviewer.run("review-session", SESSION[:9], cwd=other))
    assert [one["id"] for one in done["records"]] == [made]


def test_a_record_is_confirmed(reviewer: Reviewer) -> None:
    made = guessed(reviewer)
    value = reviewer.review(SESSION, "--confirm", made)
    assert value["confirmed"] == [made]
    (record,) = value["records"]
    assert (record["confidence"], record["confirmed"]) == ("reinforced", True)
    assert f"confirmed    {made}" in reviewer.card(SESSION, "--confirm", made)


def guessed(reviewer: Reviewer, **more: object) -> str:
    values = {"type": "preference", "scope": "global", "title": "Use tabs", **more}
    new = NewRecord(
        body="Use tabs, please.",
        source="llm_extraction",
        confidence="inferred",
        session_id=SESSION,
        **values,  # type: ignore[arg-type]
    )
    with store_at(reviewer.home) as store:
        project_id = namespace(reviewer.project)
        with store.writing() as tx:
            note_session(tx, SESSION, project_id, now=store.clock())
        return str(add_record(store, project_id, new).record.id)


@pytest.mark.requirement("A2.9")
def test_what_is_rejected_is_not_learned_again(
    learned: tuple[Reviewer, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewer, value = learned
    (record,) = [one["id"] for one in value["records"] if one["type"] == "decision"]
    done = reviewer.review(SESSION, "--reject", record, "--reject", record.lower())
    assert done["rejected"] == [record]
    assert record not in [one["id"] for one in done["records"]]
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        asks(monkeypatch, api)
        answer(reviewer.extract(reviewer.said(session="later")))
    assert reviewer.review("later")["outcomes"]["forgotten"] == 1
    with store_at(reviewer.home) as store:
        left = current_records(store.db, namespace(reviewer.project))
    assert [one.title for one in left if one.type == "decision"] == []


def test_a_correction_is_all_or_nothing(reviewer: Reviewer) -> None:
    made = guessed(reviewer)
    other = answer(reviewer.run("add", "decision", "Use SQLite"))["record"]["id"]
    before = reviewer.review(SESSION)
    for words in (
        ("--reject", made, "--reject", other),
        ("--confirm", made, "--reject", made),
        ("--confirm", made, "--confirm", other),
    ):
        assert refusal(reviewer.run("review-session", SESSION, *words)) == "USAGE"
    done = reviewer.run(
        "review-session", SESSION, "--confirm", made, "--reject", "7ZZ" * 5
    )
    assert refusal(done) == "RECORD_NOT_FOUND"
    assert reviewer.review(SESSION) == before


def test_what_was_superseded_is_marked(reviewer: Reviewer) -> None:
    made = guessed(reviewer)
    with store_at(reviewer.home) as store:
        retire_record(store, GLOBAL, made)
    assert f"[{made}] preference, unconfirmed, superseded" in reviewer.card(SESSION)


@pytest.mark.requirement("A6.3")
def test_what_was_left_out_is_shown_with_its_reason_and_can_be_extracted(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(reviewer.extract(reviewer.said()))
    (span,) = reviewer.review(SESSION)["left_out"]
    assert (span["problem"], span["state"]) == ("NO_LLM", "due")
    told = reviewer.card(SESSION)
    assert "no model could be asked" in told
    assert f"agentctx review-session {SESSION} --extract" in told
    without = reviewer.review(SESSION, "--extract")
    assert [one["problem"] for one in without["left_out"]] == ["NO_LLM"]
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        asks(monkeypatch, api)
        value = reviewer.review(SESSION[:8], "--extract")
        assert len(api.asked) == 1
        reviewer.review(SESSION, "--extract")
        assert len(api.asked) == 1
    assert value["left_out"] == []
    assert UTC in [one["title"] for one in value["records"]]


@pytest.mark.requirement("A6.6")
def test_what_is_to_be_read_and_is_gone_is_told(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = reviewer.said()
    answer(reviewer.extract(one))
    one.path.unlink()
    with FakeApi([Says(found())]) as api:
        asks(monkeypatch, api)
        (span,) = reviewer.review(SESSION, "--extract")["left_out"]
        assert api.asked == ()
    assert (span["problem"], span["state"]) == ("TRANSCRIPT_UNREADABLE", "failed")


@pytest.mark.requirement("A1.1")
def test_nothing_is_extracted_beside_another_worker(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = reviewer.said()
    answer(reviewer.extract(one))
    with FakeApi([Says(found())]) as api:
        asks(monkeypatch, api)
        with at_work(reviewer.home):
            done = reviewer.run("review-session", SESSION, "--extract")
            assert refusal(done) == "WORKER_BUSY"
            assert refusal(reviewer.extract(one)) == "WORKER_BUSY"
            assert answer(reviewer.run("work"))["busy"] is True
            assert "another process" in reviewer.run("work", "--format", "text").out
        assert api.asked == ()


def test_nobody_is_waited_for_by_who_extracts(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = reviewer.said("Rewrite the parser", session="live")
    answer(reviewer.extract(reviewer.said(session="first")))
    project_id = namespace(reviewer.project)
    source = Source("live", project_id, str(reviewer.project), str(live.path))
    with store_at(reviewer.home) as store, store.writing() as tx:
        hear(tx, source, now=wall())
    with FakeApi([Says(found(flush_ok=True))]) as api:
        asks(monkeypatch, api)
        done = answer(reviewer.extract(reviewer.said(session="second")))
    assert (done["busy"], done["left"]) == (False, 0)


@pytest.mark.requirement("A10.3")
def test_nothing_invisible_is_printed(reviewer: Reviewer) -> None:
    session = "a\u202eb\x1b[31m"
    new = NewRecord(
        type="decision",
        title="Use SQLite",
        body="Use it.",
        source="llm_extraction",
        quote="say \u202eit \u200b\U000e0041loud",
        session_id=session,
    )
    project_id = namespace(reviewer.project)
    spans = [NewSpan(LEFT_OUT, ((0, 9),), 4, project_id, "/", "\x1b[2J\u202e")]
    with store_at(reviewer.home) as store:
        with store.writing() as tx:
            note_session(tx, session, project_id, now=store.clock())
            add_spans(store, tx, session, spans, now=store.clock())
        add_record(store, project_id, new)
    for words in ((), (session,)):
        told = reviewer.run("review-session", *words, "--format", "text")
        assert not {"\x1b", "\u202e", "\u200b", "\U000e0041"} & set(told.out)
        assert told.status == 0
    assert reviewer.review(session)["session"]["session_id"] == session


def test_a_failed_reading_is_told_and_retried_by_extract(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(reviewer.extract(reviewer.said()))
    with store_at(reviewer.home) as store, store.writing() as tx:
        tx.execute("UPDATE spans SET kind='whole', state='failed', problem='MODEL_X'")
        one = heard(tx, SESSION)
        assert one is not None
        settle(tx, one, problem="MODEL_X")
    assert "MODEL_X" in reviewer.card(SESSION)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        asks(monkeypatch, api)
        value = reviewer.review(SESSION, "--extract")
    assert value["left_out"] == []
    assert value["outcomes"]["stored"] == 1
