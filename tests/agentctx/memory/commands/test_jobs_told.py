"""Jobs through the command line: worked on in time, failures told in closed words."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.clock import stamp
from agentctx.memory.jobs import LEASE, claim
from agentctx.memory.model import ReviewItem
from agentctx.memory.underreview import start_review
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails
from tests.agentctx.memory.commands.conftest import KEY
from tests.agentctx.memory.memories import SAID, count, memory_at, say
from tests.agentctx.memory.pipeline.minds import extracted, remembering, tabs
from tests.published_formats import problems

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.memory.commands.conftest import Ask, LetAsk
    from tests.conftest import InProcess, Outcome

FAILURE = {
    "job_id",
    "failure_class",
    "failure_phase",
    "failure_call",
    "failure_rule",
    "claim_count",
    "provider_calls",
    "at",
}
FLUSH = ("flush", "--deadline", "300")
"""Ends when all is done, however slow the machine."""

USER, QUOTE = "the heron lands at noon", "the walrus answers"
REPLY, BODY = "a reply that nobody may see", "upstream-host.internal refused"
"""What the user says, and what a model and its provider answer."""


def notices(done: Outcome) -> list[Any]:
    """Give what was told on stderr besides failures."""
    return [json.loads(line) for line in done.err.splitlines()]


def once(api_answer: Says) -> Says:
    """Give an answer that is not waited for again."""
    return api_answer._replace(headers={"retry-after": "0"})


@pytest.mark.requirement("M10.1", "M8.0")
def test_a_flush_works_through_what_waits(
    agentctx: InProcess, ask: Ask, let_ask: LetAsk, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
    assert ask("status")["jobs"]["pending"] == 1
    with FakeApi(remembering) as api:
        let_ask(api)
        done = agentctx("memory", *FLUSH)
    assert (done.status, done.err) == (0, "")
    assert json.loads(done.out) == {
        "timed_out": False,
        "pending": [],
        "held": 0,
        "failed": [],
        "waiting": None,
    }
    card = ask("status")
    assert (card["items"]["active"], card["jobs"]["succeeded"]) == (1, 2)
    assert card["spend"]["today_usd"] > 0
    assert card["last_succeeded_at"] is not None
    (item,) = ask("list")["items"]
    assert item["statement"] == "Indent with tabs."
    assert ask("status")["summary"]["state"] == "current"


def test_what_another_process_holds_is_told(
    agentctx: InProcess, let_ask: LetAsk, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
        with store.writing() as writing:
            assert claim(writing, "extraction", drain=True) is not None
            until = stamp(datetime.now(UTC) + LEASE / 2)
            writing.tx.execute("UPDATE memory_jobs SET lease_expires_at = ?", (until,))
    with FakeApi([Says()]) as api:
        let_ask(api)
        done = agentctx("memory", "flush", "--deadline", "0.2")
        shown = agentctx("memory", "flush", "--deadline", "0", terminal=True)
        assert api.asked == ()
    told = json.loads(done.out)
    assert (len(told["pending"]), told["held"]) == (1, 1)
    assert problems("memory-flush", told) == []
    left = "1 memory job left: another process is at work on it"
    assert (shown.out.splitlines()[0], shown.err) == (left, "")


@pytest.mark.parametrize("words", [FLUSH, ("new", "--wait", "300")], ids=" ".join)
def test_a_record_follows_as_soon_as_its_item_is_made(
    agentctx: InProcess, let_ask: LetAsk, project: Path, words: tuple[str, ...]
) -> None:
    with memory_at(project) as store:
        say(store)
    with FakeApi(remembering) as api:
        let_ask(api)
        assert agentctx("memory", *words).status == 0
    (record,) = json.loads(agentctx("search", "tabs").out)["results"]
    assert (record["type"], record["title"]) == ("preference", "Indent with tabs")


@pytest.mark.requirement("M10.2(a)", "M10.2(b)", "M8.1(a)")
def test_a_transient_failure_is_kept_for_the_next_start(
    agentctx: InProcess, ask: Ask, let_ask: LetAsk, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
    with FakeApi([once(fails(503))]) as api:
        let_ask(api)
        done = agentctx("memory", *FLUSH)
        asked = len(api.asked)
    assert (done.status, done.err) == (0, "")
    assert len(json.loads(done.out)["pending"]) == 1
    card = ask("status")
    assert card["jobs"]["retry"] == 1
    (failure,) = card["failures"]
    assert set(failure) == FAILURE
    assert failure["failure_class"] == "provider_transient"
    assert failure["failure_call"] == "primary"
    assert (failure["claim_count"], failure["provider_calls"]) == (1, 1)
    assert asked > 0
    with memory_at(project) as store, store.writing() as writing:
        writing.tx.execute("UPDATE memory_jobs SET next_retry_at = created_at")
    with FakeApi(remembering) as api:
        let_ask(api)
        ask(*FLUSH)
    assert ask("status")["items"]["active"] == 1
    assert ask("status")["failures"] == []


@pytest.mark.requirement("M10.3(a)", "M10.3(b)", "M8.1(a)")
def test_a_terminal_failure_is_told_and_not_tried_again(
    agentctx: InProcess, ask: Ask, let_ask: LetAsk, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
    with FakeApi([fails(403)]) as api:
        let_ask(api)
        done = agentctx("memory", *FLUSH)
        first = len(api.asked)
        again = agentctx("memory", *FLUSH)
        assert len(api.asked) == first > 0
    value = json.loads(done.out)
    assert (value["pending"], len(value["failed"])) == ([], 1)
    assert json.loads(again.out)["failed"] == []
    assert again.err == ""
    card = ask("status")
    assert (card["jobs"]["failed"], card["jobs"]["pending"]) == (1, 0)
    (failure,) = card["failures"]
    assert failure["job_id"] == value["failed"][0]
    text = agentctx("memory", "status", "--format", "text").out
    assert "provider_permanent" in text
    assert "(1 claim, 1 call)" in text


@pytest.mark.requirement("M8.1(b)", "M8.5(b)", "M8.5(c)", "M4.6(c)")
@pytest.mark.parametrize("debug", ["", "1"], ids=["normal", "debug"])
@pytest.mark.parametrize("how", ["provider", "contract"])
def test_no_word_of_anybody_is_in_what_status_tells(
    agentctx: InProcess,
    let_ask: LetAsk,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    debug: str,
    how: str,
) -> None:
    monkeypatch.setenv("PROJECT_CORPUS_DEBUG", debug)
    with memory_at(project) as store:
        turn = say(store, f"From now on {USER}.")
    if how == "provider":
        script = [fails(400, message=BODY)]
    else:
        forged = tabs(turn.id, statement=REPLY)
        forged["sources"] = [{"turn_id": turn.id, "role": "user", "quote": QUOTE}]
        script = [Says(extracted(forged))]
    with FakeApi(script) as api:
        let_ask(api)
        done = agentctx("memory", *FLUSH, "--format", "text")
        told = [done.out, done.err]
        told += [agentctx("memory", "status", "--format", x).out for x in _BOTH]
        place = api.url.removeprefix("http://")
        assert api.asked
    exported = json.loads(agentctx("memory", "export").out)["path"]
    whole = json.loads((project / exported).read_bytes())
    (job,) = whole["jobs"]
    wanted = "provider_permanent" if how == "provider" else "contract_semantic"
    assert (job["status"], job["failure_class"]) == ("failed", wanted)
    assert wanted in told[-1]
    assert f'"{wanted}"' in told[-2]
    secrets = [USER, QUOTE, REPLY, BODY, KEY, place]
    for text in told:
        assert [one for one in secrets if one in text] == []
    # an export holds what was said, and nothing of what was answered
    assert USER in json.dumps(whole)
    assert [one for one in secrets[1:] if one in json.dumps(whole)] == []


_BOTH = ("json", "text")


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({}, "NO_KEY"),
        ({"llm": "false"}, "LLM_OFF"),
        ({"key": "not a key", "llm": "true"}, "MODEL_KEY"),
        ({"key": KEY, "spendPerDay": "0.001"}, "SPEND_DAY"),
    ],
    ids=["no key", "not wanted", "no real key", "spent"],
)
def test_why_jobs_wait_is_said(
    agentctx: InProcess,
    ask: Ask,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    code: str,
) -> None:
    key = settings.pop("key", None)
    for name, value in settings.items():
        assert agentctx("config", "set", name, value).status == 0
    if key is not None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    assert ask("status")["waiting"] is None  # nothing waits
    with memory_at(project) as store:
        say(store)
    assert ask("status")["waiting"] == code
    done = agentctx("memory", *FLUSH)
    value = json.loads(done.out)
    assert (value["waiting"], len(value["pending"])) == (code, 1)
    assert done.err == ""
    text = agentctx("memory", "status", "--format", "text").out
    assert {"NO_KEY": "is not set", "SPEND_DAY": "is spent"}.get(code, "model") in text
    card = ask("status")
    assert (card["jobs"]["pending"], card["failures"]) == (1, [])


@pytest.mark.requirement("M10.0", "M3.2(a)", "M3.2(b)")
@pytest.mark.parametrize(
    "words", [("flush", "--deadline", "0.2"), ("new", "--wait", "0.2")], ids=" ".join
)
def test_a_model_that_hangs_holds_a_command_no_longer_than_was_said(
    agentctx: InProcess,
    let_ask: LetAsk,
    project: Path,
    words: tuple[str, ...],
) -> None:
    with memory_at(project) as store:
        say(store)
    import_module("agentctx.llm.line")  # which takes longer than the wait
    with FakeApi([Says(hang=True)]) as api:
        let_ask(api)
        begun = time.monotonic()
        done = agentctx("memory", *words)
        took = time.monotonic() - begun
        assert done.status == 0
        assert took < 20  # a question may take sixty
        value = json.loads(done.out)
        assert value["timed_out"]
        assert len(value["pending"]) == 1
        assert done.err == ""
    for thread in threading.enumerate():
        if thread.name == "memory-pass":
            thread.join(300)
    with memory_at(project) as store:
        assert count(store, "turns", f"user_text = '{SAID}'") == 1
        assert count(store, "memory_jobs", "status <> 'failed'") == 1


@pytest.mark.requirement("M3.0(b)", "M3.0(c)", "M3.0(d)", "M3.1(c)", "M3.7(b)")
def test_a_new_thread_begins_once_the_old_one_is_worked_through(
    agentctx: InProcess, ask: Ask, let_ask: LetAsk, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
    old = ask("status")["active_thread"]
    with FakeApi(remembering) as api:
        let_ask(api)
        made = ask("new", "--wait", "300")
    assert made["archived_thread_id"] == old
    assert (made["timed_out"], made["pending"], made["failed"]) == (False, [], [])
    card = ask("status")
    assert (card["active_thread"], card["threads"]) == (made["thread_id"], 2)
    assert [one["statement"] for one in ask("list")["items"]] == ["Indent with tabs."]
    assert "a new thread began" in agentctx("memory", "new", "--format", "text").out


@pytest.mark.requirement("M9.0", "M9.1(a)", "M9.1(b)", "M9.1(c)")
def test_a_reset_keeps_memory_and_says_what_clears_it(
    agentctx: InProcess, ask: Ask, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
        with store.writing() as writing:
            start_review(writing, "s1", "run", [ReviewItem("f", "a.py")])
    path = project / ask("export")["path"]
    told = ask("reset")
    assert told["memory_kept"]
    assert told["clear"] in told["detail"]
    assert (
        "agentctx memory clear" in agentctx("memory", "reset", "--format", "text").out
    )
    with memory_at(project) as store:
        assert count(store, "memory_reviews") == 0
        assert count(store, "turns") == 1
    assert path.exists()


@pytest.mark.parametrize("given", ["-1", "nan", "x", "1e9", "3601"])
def test_a_wait_is_a_number_of_seconds(refused: Ask, given: str) -> None:
    for words in (("new", f"--wait={given}"), ("flush", f"--deadline={given}")):
        assert refused(*words)["error"] == "USAGE"


def test_a_model_whose_window_nobody_knows_is_a_mistake_in_the_settings(
    agentctx: InProcess, refused: Ask, let_ask: LetAsk
) -> None:
    assert agentctx("config", "set", "model", "unheard-of").status == 0
    with FakeApi(remembering) as api:
        let_ask(api)
        for name in ("new", "flush"):
            assert refused(name)["error"] == "CONTEXT_PROFILE"
        assert api.asked == ()
