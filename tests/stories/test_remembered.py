"""Three days of a developer whose project remembers what is said there."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.agentctx.extraction.conftest import found
from tests.agentctx.extraction.recalling import is_memorys
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.memory.pipeline.minds import (
    creating,
    extracted,
    is_extraction,
    payload,
    tabs,
)
from tests.stories.days import Machine, Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.agentctx.llm.fakeapi import Asked

pytestmark = pytest.mark.timeout(300)

SAID = "From now on indent with tabs."
ONCE = "Just this once, indent with tabs in the changelog."
LATER = "How wide is it when we indent with tabs?"
SECRET = "ghp_" + "R4nd0mV9xQ2mT7cL5bK8zWpY1sHd3fGj6uNa"


def find_wishes(asked: Asked) -> Says:
    """Find a wish in whatever speaks of tabs, as an eager model does."""
    if not is_memorys(asked):
        return Says(found())
    if not is_extraction(asked):
        return creating(asked)
    wishes = [
        tabs(
            one["turn_id"],
            sources=[{"turn_id": one["turn_id"], "role": "user", "quote": quote}],
        )
        for one in payload(asked)["turns"]
        for quote in (SAID, ONCE)
        if quote in one["user"]
    ]
    return Says(extracted(*wishes))


class Days:
    """What was seen on the days."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(folder)
        self.seen: dict[str, Any] = {}

    @contextlib.contextmanager
    def model(self) -> Iterator[FakeApi]:
        with FakeApi(find_wishes) as api:
            self.machine.api = api
            try:
                yield api
            finally:
                self.machine.api = None

    def memory(self, *words: str) -> Any:  # noqa: ANN401 - any JSON
        return self.machine.run("memory", *words)

    def believed(self) -> list[dict[str, Any]]:
        return list(self.memory("list")["items"])


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Days]:
    """Let the three days pass."""
    told = Days(tmp_path_factory.mktemp("remembered"))
    with contextlib.closing(told.machine):
        for pass_day in (first_day, second_day, third_day):
            with told.model():
                pass_day(told)
        yield told


def first_day(days: Days) -> None:
    """Install; say what one wants for good, what just once, and crash in a turn."""
    machine, seen = days.machine, days.seen
    seen["init"] = machine.run("init", "--yes")
    session = Session(machine, "day-1")
    session.start()
    session.asks(SAID, "Tabs it is.")
    session.asks(ONCE, f"Done, with the token {SECRET}.")
    session.asks(f"Deploy with {SECRET}", goes_on=True)
    machine.work()
    seen["first status"] = days.memory("status")
    seen["first list"] = days.believed()
    seen["first records"] = machine.run("search", "indent with tabs")
    item = seen["first list"][0]["id"] if seen["first list"] else ""
    seen["why"] = days.memory("why", item)


def second_day(days: Days) -> None:
    """Ask about it in another session, from the prompt and from the tools."""
    machine, seen = days.machine, days.seen
    session = Session(machine, "day-2")
    session.start()
    seen["small talk"] = session.asks("ok, thanks!")
    seen["asked"] = session.asks(LATER, goes_on=True)
    seen["searched"] = search(machine, "day-2", "indent with tabs")
    session.stop("As wide as you like.")
    seen["between"] = search(machine, "day-2", "indent with tabs")
    seen["asked again"] = session.asks(LATER)
    session.ends()
    machine.rest()


def third_day(days: Days) -> None:
    """Let it be forgotten, and say nothing of it again."""
    machine, seen = days.machine, days.seen
    seen["crashed"] = days.memory("status")
    item = seen["first list"][0]["id"]
    seen["forgot"] = days.memory("forget", item)
    session = Session(machine, "day-3")
    session.start()
    seen["after"] = session.asks(LATER)
    session.ends()
    machine.work()
    seen["last list"] = days.believed()
    seen["last records"] = machine.run("search", "indent with tabs")
    seen["summary"] = days.memory("summary")


def search(machine: Machine, session: str, words: str) -> Any:  # noqa: ANN401 - any JSON
    """Search memory as the agent of a session does."""
    given = {"name": "memory_search", "arguments": {"query": words}}
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "story", "version": "1"},
    }
    with machine.server("agentctx-memory", CLAUDE_CODE_SESSION_ID=session) as ask:
        ask("initialize", hello)
        return ask("tools/call", given)


@pytest.mark.requirement("A4.3", "M8.1(a)")
def test_a_wish_for_good_is_kept_and_one_for_once_is_not(days: Days) -> None:
    (item,) = days.seen["first list"]
    assert (item["kind"], item["status"]) == ("user_preference", "active")
    quotes = [one["quote"] for one in days.seen["why"]["reasons"]]
    assert quotes == [SAID]
    jobs = days.seen["first status"]["jobs"]
    assert (jobs["pending"], jobs["leased"], jobs["failed"]) == (0, 0, 0)


@pytest.mark.requirement("M2.3(a)", "H4")
def test_a_turn_that_nobody_ended_is_kept(days: Days) -> None:
    assert days.seen["first status"]["open_turns"] == 1
    assert days.seen["crashed"]["turns"] == 3 + 3


@pytest.mark.requirement("A4.3", "M11.1")
def test_a_prompt_about_it_is_told_once_and_small_talk_is_not(days: Days) -> None:
    assert "Indent with tabs" not in days.seen["small talk"]
    assert days.seen["asked"].count("Indent with tabs.") == 1
    assert "Indent with tabs" not in days.seen["asked again"]


@pytest.mark.requirement("A6.4")
def test_the_item_and_its_record_are_not_both_told(days: Days) -> None:
    (record,) = days.seen["first records"]["results"]
    item = days.seen["first list"][0]["id"]
    told = days.seen["asked"]
    assert (record["id"] in told) != (item in told)


@pytest.mark.requirement("H3", "A5.4")
def test_the_agent_searches_within_its_turn_and_not_between(days: Days) -> None:
    answer = days.seen["searched"]
    item = days.seen["first list"][0]["id"]
    assert item in json.dumps(answer)
    refused = days.seen["between"]
    assert refused["isError"] is True
    assert "SESSION_NO_TURN" in json.dumps(refused)


@pytest.mark.requirement("M11.5", "M8.2(a)")
def test_what_was_forgotten_is_nowhere_told_and_not_learned_again(days: Days) -> None:
    assert days.seen["last list"] == []
    kinds = {one["type"] for one in days.seen["last records"]["results"]}
    assert kinds <= {"handover"}, "the prompt itself asked about it"
    assert "Indent with tabs" not in days.seen["after"]
    summary = days.machine.repository / ".agentctx" / "memory_summary.md"
    assert "tabs" not in summary.read_text(encoding="utf-8")
    assert days.seen["summary"]["state"] == "current"


@pytest.mark.requirement("M11.7", "C12")
def test_no_secret_is_in_any_file_and_none_of_them_is_committed(days: Days) -> None:
    folder = days.machine.repository / ".agentctx"
    held = [one for one in folder.rglob("*") if one.is_file()]
    assert [one for one in held if SECRET.encode() in one.read_bytes()] == []
    assert days.machine.said_anywhere(SECRET) == []
    place = days.machine.repository
    listed = days.machine.git(place, "status", "--porcelain", "--untracked-files=all")
    assert "memory.db" not in listed
