"""What is asked about how much, and what of it fails apart (A6.2, A6.3, A6.8)."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.extraction.asking import AT_ONCE
from agentctx.extraction.planning import (
    ALL,
    FIRST,
    LAST,
    LONG,
    PIECE,
    Measured,
    questions,
)
from agentctx.extraction.prompts import SYNTHESIS
from tests.agentctx.extraction.conftest import Sessions, decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from tests.agentctx.llm.fakeapi import Asked
    from tests.agentctx.spoken import Transcript
    from tests.conftest import InProcess

WORDS = "The importer reads parquet files and writes them to the ledger table. " * 12
"""About 300 tokens of a developer's."""


def turns(*tokens: int) -> list[Measured]:
    return [Measured(10 * at, 10 * at + 10, size) for at, size in enumerate(tokens)]


def long_session(sessions: Sessions, count: int, name: str = "s1") -> Transcript:
    said = sessions.session(name)
    for number in range(count):
        said.turn(f"Topic {number}: {WORDS}")
    return said


@pytest.mark.requirement("A6.3")
def test_a_short_span_is_one_question() -> None:
    (one,) = questions(turns(ALL - 100, 100))
    assert (one.kind, one.parts, one.tokens) == ("whole", ((0, 20),), ALL)


@pytest.mark.requirement("A6.3")
def test_of_a_longer_span_the_ends_are_asked_and_the_rest_is_left_out() -> None:
    sizes = [1000] * 40
    first, *rest = questions(turns(*sizes))
    assert first.kind == "whole"
    assert first.parts == ((0, 30), (230, 400))
    assert first.tokens == FIRST + LAST
    assert {one.kind for one in rest} == {"left_out"}
    assert [one.parts for one in rest] == [((30, 130),), ((130, 230),)]


@pytest.mark.requirement("A6.3")
def test_a_long_span_is_cut_into_pieces() -> None:
    found_ = questions(turns(*[1000] * 55))
    assert {one.kind for one in found_} == {"chunk"}
    assert [one.tokens for one in found_] == [PIECE] * 5 + [5000]


@pytest.mark.requirement("A6.3")
@given(st.lists(st.integers(1, 6000), max_size=60))
def test_every_turn_is_asked_about_or_left_out_once(sizes: list[int]) -> None:
    measured = turns(*sizes)
    parts = sorted(part for one in questions(measured) for part in one.parts)
    covered = [
        turn
        for start, end in parts
        for turn in measured
        if start <= turn.start and turn.end <= end
    ]
    assert covered == measured
    for one in questions(measured):
        assert one.tokens <= max(ALL, FIRST + LAST, *sizes, 0) or one.kind == "whole"
    if sum(sizes) > LONG:
        assert all(one.kind == "chunk" for one in questions(measured))


@pytest.mark.requirement("A6.3", "A6.8")
def test_what_was_left_out_can_be_asked_about(
    sessions: Sessions,
    agentctx: InProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = long_session(sessions, 80)

    def script(asked: Asked) -> Says:
        if "Topic 40:" in asked.text:
            return Says(
                found(decisions=[decision("Topic 40 the importer reads parquet")])
            )
        return Says(found())

    monkeypatch.setenv("AGENTCTX_HOME", str(sessions.home))
    with FakeApi(script) as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("AGENTCTX_MEMORY", "0")
        done = agentctx("extract", "--session-id", "s1", "--transcript", str(said.path))
        assert done.status == 0, done.err
        assert [one.number for one in api.asked] == [0]
        left = [span for span in sessions.spans() if span.kind == "left_out"]
        assert left
        shown = agentctx("review-session", "s1")
        assert '"left_out": [' in shown.out
        asked = agentctx("review-session", "s1", "--extract")
        assert asked.status == 0, asked.err
        assert [one.number for one in api.asked][:2] == [0, 1]
    assert not [span for span in sessions.spans() if span.state != "done"]
    titles = [one.title for one in sessions.records("decision")]
    assert titles == ["Topic 40 the importer reads parquet"]


@pytest.mark.requirement("A6.3")
def test_the_parts_of_a_long_session_are_merged(sessions: Sessions) -> None:
    said = long_session(sessions, 160)
    running: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def script(asked: Asked) -> Says:
        if asked.system == SYNTHESIS:
            assert asked.text.count("<part>") >= 5
            return Says(
                found(decisions=[decision("Topic 3 the importer reads parquet")])
            )
        with lock:
            running.append(1)
            most.append(len(running))
        threading.Event().wait(0.05)
        with lock:
            running.pop()
        return Says(found(decisions=[decision("Topic 3 the importer reads parquet")]))

    with FakeApi(script) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work()
        merging = [one for one in api.asked if one.system == SYNTHESIS]
    assert len(merging) == 1
    assert max(most) <= AT_ONCE
    assert sessions.yields()["stored"] == 1
    assert {span.state for span in sessions.spans()} == {"done"}


@pytest.mark.requirement("A6.3")
def test_a_part_that_fails_keeps_the_others_and_is_asked_again(
    sessions: Sessions,
) -> None:
    said = long_session(sessions, 160)
    broken = [True]

    def script(asked: Asked) -> Says:
        if asked.system == SYNTHESIS:
            return Says(
                found(decisions=[decision("Topic 3 the importer reads parquet")])
            )
        if "Topic 100:" in asked.text:
            if broken[0]:
                return fails(400)
            topic = "Topic 100 writes them to the ledger"
            return Says(found(decisions=[decision(topic)]))
        return Says(found(decisions=[decision("Topic 3 the importer reads parquet")]))

    def script_retryable(asked: Asked) -> Says:
        answer = script(asked)
        return Says(text="no JSON") if answer.status == 400 else answer

    with FakeApi(script_retryable) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        sessions.work(seconds=20)
        assert len(sessions.records("decision")) == 1
        (due,) = [one for one in sessions.spans() if one.state == "due"]
        assert due.problem == "MODEL_REPLY"
        asked = len(api.asked)
        broken[0] = False
        sessions.clock.tick(timedelta(minutes=5))
        sessions.work()
        assert len(api.asked) == asked + 1
    assert len(sessions.records("decision")) == 2


@pytest.mark.requirement("A6.2")
def test_a_long_session_costs_a_small_multiple_of_its_new_text(
    sessions: Sessions,
) -> None:
    said = sessions.session()
    text = " ".join(f"word{number}" for number in range(1100))
    sent = 0
    with FakeApi([Says(found())]) as api:
        sessions.ask(api)
        for number in range(100):
            said.turn(f"Topic {number}. {text}")
            sent += len(text) // 4
            if number % 2:  # as much as it takes to be read at once
                sessions.hear(said)
                sessions.work(seconds=2)
        sessions.hear(said, ended=True)
        sessions.work()
        asked = sum(len(one.text + one.system) // 4 for one in api.asked)
    assert len(api.asked) > 10
    assert asked <= 3 * sent
