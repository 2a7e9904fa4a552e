"""Memory that is turned off and on while a chat goes on, from inside and outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.chat.remembering import WhileOn
from agentctx.memory.pipeline import Waiting
from agentctx.memory.switch import turn_off
from tests.agentctx.chat.talking import items, kept, minded, talks, texts
from tests.agentctx.llm.fakeapi import Asked, FakeApi, Says
from tests.agentctx.memory.memories import SAID

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tests.agentctx.chat.talking import Talking

CHANGES = ("MEMORY_OFF", "MEMORY_ON")


def changes(codes: list[str]) -> list[str]:
    """Give what was told of the switch."""
    return [one for one in codes if one in CHANGES]


def test_what_is_said_after_memory_was_turned_off_in_the_chat_is_not_kept(
    talking: Talking, project: Path
) -> None:
    with FakeApi(minded([Says(text="Hello."), Says(text="Tabs.")])) as api:
        talk = talking(api, "Hi.", "/memory off", SAID, "Again?")
        assert [texts(one) for one in talks(api)][1:] == [
            ["Hi.", "Hello.", SAID],
            ["Hi.", "Hello.", SAID, "Tabs.", "Again?"],
        ]
        assert not any(
            SAID in str(one.body) for one in api.asked if one not in talks(api)
        )
    assert talk.answers == ["Hello.", "Tabs.", "Tabs."]
    assert changes(talk.notices) == ["MEMORY_OFF"]
    assert kept(project, "user_text") == [("Hi.",)]
    assert items(project) == []
    assert talk.events[-1]["pending"] == 0


def test_what_is_said_after_memory_was_turned_on_in_the_chat_is_kept(
    talking: Talking, project: Path
) -> None:
    (project / ".agentctx").rmdir()
    with FakeApi(minded([Says(text="Hello.")])) as api:
        talk = talking(api, "Hi.", "/memory on", SAID, "More.")
    assert talk.failures == []
    assert changes(talk.notices) == ["MEMORY_OFF", "MEMORY_ON"]
    assert kept(project, "user_text") == [(SAID,), ("More.",)]
    assert [state for _, state in items(project)] == ["active"]


def test_each_change_is_told_once(talking: Talking, project: Path) -> None:
    with FakeApi(minded([Says(text="Yes.")], extract=False)) as api:
        talk = talking(
            api, "1", "/memory off", "2", "3", "/memory on", "4", "/memory off", "5"
        )
    assert changes(talk.notices) == ["MEMORY_OFF", "MEMORY_ON", "MEMORY_OFF"]
    assert kept(project, "user_text") == [("1",), ("4",)]


def test_another_window_turns_memory_off_before_the_work_on_what_was_said(
    talking: Talking, project: Path
) -> None:
    """The turn at hand ends as it began; no model is asked about it meanwhile."""

    def said(asked: Asked) -> Says:
        del asked
        turn_off(str(project))
        return Says(text="Yes.")

    with FakeApi(minded(said)) as api:
        talk = talking(api, SAID, "And now?")
        assert len(api.asked) == len(talks(api)) == 2
    assert talk.answers == ["Yes.", "Yes."]
    assert changes(talk.notices) == ["MEMORY_OFF"]
    assert kept(project, "user_text, state") == [(SAID, "completed")]
    assert items(project) == []


@pytest.mark.parametrize("method", ["extract", "consolidate"])
def test_a_pipeline_asks_nobody_while_memory_is_off(method: str) -> None:
    class Asks:
        def extract(self, *_: object) -> str:
            return "extract"

        def consolidate(self, *_: object) -> str:
            return "consolidate"

    asks: Any = Asks()
    given: tuple[Any, ...] = (None, None, lambda: None)
    off = getattr(WhileOn(asks, lambda: "off"), method)(*given)
    assert off == Waiting("MEMORY_OFF")
    assert getattr(WhileOn(asks, lambda: None), method)(*given) == method
