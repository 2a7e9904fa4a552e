"""Ten sessions of one project, with all that happens to a machine, and the eleventh.

The days pass once, in a fixture; each test looks at one thing that has to be true of
them.
"""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.budget import PROMPT_CHARACTERS, PROMPT_TOKENS, SESSION_TOKENS
from agentctx.briefing.opening import HINT
from agentctx.records.card import INTRODUCTION
from corpus.visible import visible
from tests.agentctx.hooked import quoted
from tests.stories.days import ACCOUNT, SETTINGS
from tests.stories.plot import (
    CRASHED,
    DAYS,
    DUCKDB,
    FRIDAYS,
    GAUGE,
    KILLED,
    SECRET,
    SHAKY,
    SMALL,
    TUPLES,
    UTC,
    Story,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.timeout(400),  # whole days, where much else may be going on
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="it watches processes"),
]

NEXT = "Write the objective of the software into `.project-corpus/state/PROJECT.md`."
TITLES = [
    "## The project",
    "## In force",
    "## Where work stopped",
    "## How the developer works",
    "## Tools",
    "## CLAUDE.md",
]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Let the ten days pass, and the eleventh begin."""
    told = Story(tmp_path_factory.mktemp("story"))
    with contextlib.closing(told.machine):
        for pass_day in DAYS:
            pass_day(told)
        yield told


@pytest.mark.requirement("A1.3", "A6.4")
def test_what_was_taken_back_is_never_told_again(story: Story) -> None:
    later = story.machine.given[story.seen["given before"] :]
    assert not [one.text for one in later if "SQLite" in one.text]
    old = story.machine.run("show", story.seen["old"])
    new = story.machine.records("decision")[DUCKDB]
    assert old["record"]["superseded_by"] == new.id
    assert f"> {DUCKDB}" in story.told["eleventh"].split("\n")
    (question,) = [text for text in story.machine.questions if "From now on" in text]
    assert story.seen["old"] in question.partition("</records>")[0]


@pytest.mark.requirement("A2.3", "A6.7")
def test_what_is_preferred_in_three_sessions_is_told_everywhere(story: Story) -> None:
    (after_two,) = story.seen["preference after two"].values()
    assert after_two.confidence == "inferred"
    (now,) = story.machine.records("preference").values()
    assert (now.id, now.confidence) == (after_two.id, "reinforced")
    assert f"> {SMALL}" in story.told["eleventh"].split("\n")
    assert f"> {SMALL}" in story.told["rain"].split("\n")


@pytest.mark.requirement("A4.2", "A4.3", "A4.6")
def test_a_compacted_session_is_told_again_and_where_it_stood(story: Story) -> None:
    assert f"> {GAUGE}" in story.told["asked"]
    assert story.told["asked again"] == ""
    (handover,) = story.seen["compacted"].values()
    assert (
        handover.body == "Last request: Why does the gauge driver drop a ninth packet?"
    )
    assert f"> {handover.body}" in story.told["compacted"].split("\n")
    assert f"> {DUCKDB}" in story.told["compacted"]
    assert f"> {GAUGE}" in story.told["asked after"]
    assert "CSV" not in "".join(story.machine.records("decision"))


@pytest.mark.requirement("A2.6", "A6.7")
def test_working_trees_have_a_handover_each(story: Story) -> None:
    found = {one.key: title for title, one in story.seen["keyless"].items()}
    assert set(found) == {"", "rain"}
    assert "> Draw rain" in story.told["rain"].split("\n")
    assert "Draw rain" not in story.told["eleventh"]


@pytest.mark.requirement("A4.5", "A6.2")
def test_nothing_is_lost_or_doubled_by_crashes(story: Story) -> None:
    decisions = list(story.machine.records("decision"))
    assert decisions.count(CRASHED) == 1
    assert decisions.count(KILLED) == 1
    assert story.machine.became("s06") == {"stored": 1}
    assert story.machine.became("s06-crashed") == {"stored": 1}


@pytest.mark.requirement("A6.7")
def test_without_a_key_there_is_a_handover_by_rule(story: Story) -> None:
    (made,) = [one for one in story.seen["keyless"].values() if one.key == ""]
    assert made.source == "hook_observation"
    assert made.body.split("\n") == [
        "Last request: Let the graph of humidity begin at zero.",
        "Files touched: graph.py",
    ]


@pytest.mark.requirement("A6.1", "A6.3", "A4.1")
def test_a_service_that_fails_costs_no_fact_and_is_told_of(story: Story) -> None:
    assert story.machine.became("s08") == {"stored": 1}
    codes = [one["code"] for one in story.seen["shaky"]["last_errors"]]
    assert codes == ["MODEL_TRUNCATED", "MODEL_REPLY", "MODEL_BUSY", "REPLY_SHAPE"]


@pytest.mark.requirement("A4.7")
def test_a_failing_test_is_noted_and_that_it_was_mended(story: Story) -> None:
    (failing,) = story.seen["failing"].values()
    (mended,) = story.machine.records("bugfix").values()
    assert failing.title == mended.title
    assert "passed later (pytest: 5 passed)" in mended.body
    assert "uploader.py" in mended.body
    assert story.machine.run("show", failing.id)["record"]["superseded_by"] == mended.id


@pytest.mark.requirement("A2.9", "A6.5")
def test_what_was_deleted_is_not_learned_again(story: Story) -> None:
    assert story.machine.became("s10")["forgotten"] == 1
    assert FRIDAYS not in story.machine.records("decision")
    assert "Friday" not in story.told["eleventh"] + story.told["rain"]


@pytest.mark.requirement("A6.5", "A6.6")
def test_only_what_the_developer_said_is_learned(story: Story) -> None:
    assert story.machine.became("s01")["unsupported"] == 1
    assert set(story.machine.records("decision")) == {UTC, DUCKDB, CRASHED, KILLED}
    assert len(story.machine.records("convention")) == 3


@pytest.mark.requirement("A10.1")
def test_a_secret_is_nowhere(story: Story) -> None:
    assert story.machine.said_anywhere(SECRET) == []


@pytest.mark.requirement("A10.3", "A1.2", "A4.2", "A4.3")
def test_everything_told_is_framed_and_within_its_budget(story: Story) -> None:
    assert len(story.machine.given) > 20
    for one in story.machine.given:
        start = "\n## " in one.text
        assert one.tokens <= (SESSION_TOKENS if start else PROMPT_TOKENS)
        assert len(one.text) <= PROMPT_CHARACTERS
        assert visible(one.text) == one.text
        own = [line for line in one.text.split("\n") if not line.startswith(">")]
        assert [line for line in own if not is_frame(line)] == []


def is_frame(line: str) -> bool:
    """Say whether a line is one that only we could have written."""
    return (
        not line
        or line.endswith(INTRODUCTION)
        or re.fullmatch(
            r"\[[0-9A-Z]{26}\] [a-z]+, (since [-0-9]{10}|today), [a-z, ]+", line
        )
        is not None
        or line in TITLES
        or line == HINT
        or re.fullmatch(r"\d+ places of CLAUDE\.md or its rules differ .*", line)
        is not None
    )


@pytest.mark.requirement("A4.2")
def test_the_eleventh_session_knows_where_the_project_stands(story: Story) -> None:
    told = story.told["eleventh"]
    said = quoted(told)
    assert said[:4] == [
        "project weather",
        "corpus weather-station, ACTIVE",
        "active task task-0001-describe-the-software: Describe the software",
        f"exact next action: {NEXT}",
    ]
    assert {UTC, DUCKDB, CRASHED, KILLED, TUPLES, SHAKY, SMALL} <= set(said)
    assert "Next: Check the token" in said
    titles = [line for line in told.split("\n") if line in TITLES]
    assert titles[:4] == TITLES[:4]
    assert GAUGE not in said  # a guess: it comes when it is asked for
    assert f"> {GAUGE}" in story.told["eleventh asked"]


@pytest.mark.requirement("A9")
def test_status_says_what_the_days_have_cost(story: Story) -> None:
    status = story.seen["status"]
    assert status["tokens_injected"]["total"] == sum(
        one.tokens for one in story.machine.given
    )
    assert 0 < status["cost_usd"]["total"] < 0.05
    assert 0 < status["hit_rate"] < 1
    assert story.seen["fetched"]["missing"] == []
    assert [one["code"] for one in status["degraded"]] == ["no-llm"]
    assert status["worker"]["waiting"] == 0


@pytest.mark.requirement("A1.1", "A1.5")
def test_afterwards_everything_is_as_it_was(story: Story) -> None:
    machine = story.machine
    assert story.seen["init"]["applied"]
    assert machine.processes() == []
    assert story.seen["doctor"]["ok"]
    assert machine.settings.read_text(encoding="utf-8") == SETTINGS
    assert machine.account.read_text(encoding="utf-8") == ACCOUNT
