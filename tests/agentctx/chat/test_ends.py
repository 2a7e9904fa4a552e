"""What goes wrong in a chat: it is told and kept as it is, and the chat goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.chat_voice import JsonVoice
from agentctx.memory.refusals import TurnLateError
from tests.agentctx.chat.talking import Talk, kept, minded, talks, texts
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    believe,
    files,
    memory_at,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.chat.talking import Talking
    from tests.agentctx.llm.fakeapi import Asked
    from tests.conftest import InProcess

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.mark.requirement("M2.3(a)", "M2.3(b)", "M4.0(a)")
@pytest.mark.parametrize(
    ("said", "code"),
    [
        pytest.param(fails(401), "MODEL_KEY", id="the key is refused"),
        pytest.param(fails(404), "MODEL_UNKNOWN", id="the model is not known"),
        pytest.param(
            Says(text="Half of", trouble="overloaded_error"),
            "MODEL_BUSY",
            id="trouble midway",
        ),
        pytest.param(Says(text="Half of it", cut=500), "MODEL_REPLY", id="cut midway"),
        pytest.param(
            Says(text="", stop_reason="refusal"), "MODEL_REFUSED", id="refused"
        ),
        pytest.param(Says(text=""), "MODEL_REPLY", id="no text"),
        pytest.param(Says(body="<html>"), "MODEL_REPLY", id="no events"),
    ],
)
def test_a_failed_answer_is_told_and_its_turn_fails(
    talking: Talking, project: Path, said: Says, code: str
) -> None:
    with FakeApi(minded([said, Says(text="Now.")], extract=False)) as api:
        talk = talking(api, "What now?", "And now?")
    assert (talk.status, talk.failures, talk.answers) == (1, [code], ["Now."])
    assert kept(project) == [
        ("failed", "What now?", ""),
        ("completed", "And now?", "Now."),
    ]
    with memory_at(project) as store:
        jobs = store.db.execute(
            "SELECT count(*) FROM memory_jobs WHERE kind = 'extraction'"
        )
        assert jobs.fetchone()[0] == 2
    assert "What now?" not in texts(talks(api)[-1])


@pytest.mark.requirement("M2.3(a)", "M2.3(b)", "C5")
def test_a_stopped_answer_interrupts_its_turn_and_the_chat_goes_on(
    talking: Talking, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(voice: JsonVoice, text: str) -> None:
        del voice
        if "long" in text:
            raise KeyboardInterrupt

    monkeypatch.setattr(JsonVoice, "words", stop)
    said = [Says(text="A long story."), Says(text="Short.")]
    with FakeApi(minded(said, extract=False)) as api:
        talk = talking(api, "Tell me.", "Shorter.")
    assert [one["state"] for one in talk.of("answer")] == ["interrupted", "completed"]
    assert kept(project) == [
        ("interrupted", "Tell me.", ""),
        ("completed", "Shorter.", "Short."),
    ]
    assert talk.events[-1]["failed"] == 1


@pytest.mark.requirement("M1.2(a)", "C3", "C6", "C7")
def test_a_chat_goes_on_without_a_memory_that_is_refused(
    talking: Talking, project: Path
) -> None:
    foreign = project / ".agentctx" / "memory.db"
    foreign.write_bytes(b"not a database at all, but somebody's notes")
    before = files(project)
    with FakeApi(minded([Says(text="Hello."), Says(text="Again.")])) as api:
        talk = talking(api, "Hi.", "Me again.", "/memory status", "/new")
    assert talk.answers == ["Hello.", "Again."]
    assert [one["turn_id"] for one in talk.of("answer")] == [None, None]
    assert talk.notices.count("MEMORY_DEGRADED") == 1
    assert talk.of("command")[0]["value"]["state"] == "degraded"
    assert talk.failures == ["MEMORY_DEGRADED"]
    assert texts(talks(api)[1]) == ["Hi.", "Hello.", "Me again."]
    assert files(project) == before
    with FakeApi(minded([Says(text="Kept.")])) as api:
        talk = talking(api, "/memory clear --confirm", "Hi.")
    assert talk.answers == ["Kept."]
    assert kept(project) == [("completed", "Hi.", "Kept.")]


@pytest.mark.requirement("C3")
def test_tools_of_a_turn_without_memory_are_refused_as_tools(
    talking: Talking, project: Path
) -> None:
    (project / ".agentctx" / "memory.db").write_bytes(b"foreign")
    said = [
        Says(text="", calls=[("memory_search", {"query": "tabs"})]),
        Says(text="Nothing."),
    ]
    with FakeApi(minded(said)) as api:
        assert talking(api, "Hi.").answers == ["Nothing."]
    assert texts(talks(api)[1])[-1].startswith("there is no memory")


@pytest.mark.requirement("C5")
def test_an_answer_is_shown_though_its_turn_cannot_be_finished(
    talking: Talking, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        raise TurnLateError(turn_id="turn_1")

    with FakeApi(minded([Says(text="Here.")])) as api:
        with monkeypatch.context() as patch:
            patch.setattr("agentctx.memory.turns.complete_turn", late)
            talk = talking(api, "Hi.")
        assert (talk.status, talk.answers) == (0, ["Here."])
        assert talk.notices == ["TURN_LATE"]
    assert kept(project, "user_text") == [("Hi.",)]


@pytest.mark.parametrize(
    ("setting", "code"),
    [("spendPerSession", "SPEND_SESSION"), ("spendPerDay", "SPEND_DAY")],
)
def test_at_a_cap_nothing_is_asked_and_that_is_said(
    talking: Talking, project: Path, agentctx: InProcess, setting: str, code: str
) -> None:
    agentctx("config", "set", setting, "0.0001")
    with FakeApi(minded([Says(text="Never.")])) as api:
        talk = talking(api, "Hi.")
        assert api.asked == ()
    assert (talk.status, talk.failures) == (1, [code])
    assert setting in talk.of("failure")[0]["hint"]
    assert talk.events[-1]["pending"] == 1
    assert kept(project) == [("failed", "Hi.", "")]


def test_answers_are_paid_from_the_account_of_extraction(
    talking: Talking, agentctx: InProcess
) -> None:
    counts = {"input_tokens": 1_000_000, "output_tokens": 1_000}
    prices = ("inputPrice", "outputPrice")
    for price in prices:
        agentctx("config", "set", price, "1")
    said = Says(text="Dear.", usage=counts)
    with FakeApi(minded([said], extract=False)) as api:
        talk = talking(api, "Hi.", "Once more.")
    assert (talk.answers, talk.failures) == (["Dear."], ["SPEND_SESSION"])
    status = json.loads(agentctx("memory", "status").out)
    assert status["spend"]["today_usd"] == pytest.approx(1.001, abs=0.01)


def test_without_a_key_it_says_what_to_set(
    talking: Talking, project: Path, agentctx: InProcess
) -> None:
    talk = talking(None, "Hi.")
    told = json.loads(talk.err)
    assert (talk.status, talk.out, told["error"]) == (2, "", "MODEL_KEY")
    assert "ANTHROPIC_API_KEY" in told["hint"]
    assert not (project / ".agentctx" / "memory.db").exists()
    shown = agentctx("chat", "--format", "text")
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith("error[MODEL_KEY]: ")


def test_the_window_of_a_model_is_never_guessed(talking: Talking) -> None:
    with FakeApi([Says(text="Hi.")]) as api:
        for options in (
            ("--model", "somebody-9"),
            ("--model", "somebody-9", "--window", "20"),
        ):
            talk = talking(api, "Hi.", options=options)
            assert talk.status == 2
            assert json.loads(talk.err)["error"] == "CONTEXT_PROFILE"
        assert api.asked == ()


@pytest.mark.parametrize("way", ["environment", "setting", "off", "no_folder"])
def test_where_memory_is_off_nothing_is_kept_and_that_is_said(
    talking: Talking,
    project: Path,
    agentctx: InProcess,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    if way == "environment":
        monkeypatch.setenv("AGENTCTX_MEMORY", "0")
    elif way == "setting":
        agentctx("config", "set", "memory", "false")
    elif way == "off":
        agentctx("memory", "off")
    else:
        (project / ".agentctx").rmdir()
    with FakeApi(minded([Says(text="Hello."), Says(text="Yes.")])) as api:
        talk = talking(api, SAID, "You know that?", "/new", "Still?", "/reset")
    assert talk.answers == ["Hello.", "Yes.", "Yes."]
    assert talk.notices == ["MEMORY_OFF"]
    assert [texts(one) for one in talks(api)] == [
        [SAID],
        [SAID, "Hello.", "You know that?"],
        ["Still?"],
    ]
    assert len(api.asked) == 3
    assert not (project / ".agentctx" / "memory.db").exists()


@pytest.mark.requirement("M10.2(a)", "M10.2(b)")
def test_a_job_that_is_to_be_retried_blocks_no_exit(
    talking: Talking, project: Path
) -> None:
    def said(asked: Asked) -> Says:
        return Says(text="Yes.") if asked.body.get("stream") else fails(503)

    with FakeApi(said) as api:
        talk = talking(api, SAID)
    assert (talk.status, talk.events[-1]["pending"]) == (0, 1)
    assert "MEMORY_PENDING" in talk.notices
    with memory_at(project) as store:
        row = store.db.execute(
            "SELECT status, failure_class, failure_rule FROM memory_jobs"
        ).fetchone()
    assert tuple(row) == ("retry_wait", "provider_transient", "model_down")


@pytest.mark.requirement("M10.3(a)", "M10.3(b)")
def test_a_job_that_failed_for_good_is_told_and_not_taken_up_again(
    talking: Talking, project: Path
) -> None:
    def said(asked: Asked) -> Says:
        return Says(text="Yes.") if asked.body.get("stream") else Says(text="no JSON")

    with FakeApi(said) as api:
        talk = talking(api, SAID)
        assert (talk.events[-1]["pending"], talk.notices) == (0, ["MEMORY_PENDING"])
        asked = len(api.asked)
        talking(api, "/help")
        assert len(api.asked) == asked
    with memory_at(project) as store:
        row = store.db.execute("SELECT status, failure_class FROM memory_jobs")
        assert tuple(row.fetchone()) == ("failed", "contract_structure")


@pytest.mark.requirement("M3.8(a)", "M3.8(b)")
def test_a_request_that_goes_on_keeps_its_thread_while_another_begins(
    talking: Talking, project: Path, agentctx: InProcess
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)

    def said(asked: Asked) -> Says:
        if "tool_result" in json.dumps(asked.body["messages"]):
            return Says(text="Eight.")
        agentctx("memory", "new", "--wait", "0")
        calls: list[tuple[str, object]] = [("memory_search", {"query": "tab width"})]
        return Says(text="", calls=[*calls, ("memory_read", {"id": item.id})])

    with FakeApi(minded(said, extract=False)) as api:
        talk = talking(api, "What is the tab width?", "And now?")
    assert talk.answers == ["Eight.", "Eight."]
    found, read = texts(talks(api)[1])[-1].split("\n", 1)[0], texts(talks(api)[1])[-1]
    assert found.startswith("Memory of this project")
    assert "From now on indent with tabs." in read
    threads = [thread for (thread,) in kept(project, "thread_id")]
    assert threads[0] == threads[1] != threads[2]
    with memory_at(project) as store:
        left = store.db.execute("SELECT count(*) FROM memory_requests")
        assert left.fetchone()[0] == 0


@pytest.mark.requirement("M2.0(b)", "M11.7")
def test_what_is_kept_is_what_was_shown_but_for_secrets(
    talking: Talking, project: Path
) -> None:
    hostile = "Blue\x1b[31m is\x07 nice\u202e.\x1b]0;title\x07 The key is " + KEY
    with FakeApi(minded([Says(text=hostile)], extract=False)) as api:
        (shown,) = talking(api, "Which?").answers
    assert shown == f"Blue is\ufffd nice\ufffd. The key is {KEY}"
    ((_, _, stored),) = kept(project)
    assert stored.startswith("Blue is\ufffd nice\ufffd. The key is ")
    assert KEY not in stored


def test_words_come_as_they_are_said(
    talking: Talking, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces: list[str] = []
    monkeypatch.setattr(JsonVoice, "words", lambda _, text: pieces.append(text))
    with FakeApi(minded([Says(text="One two three four.")], extract=False)) as api:
        talk: Talk = talking(api, "Count.")
    assert pieces == ["One two", " three ", "four."]
    assert talk.answers == ["".join(pieces)]
