"""A talk over several runs: what is remembered, what is not, and what is sent."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.agentctx.chat.talking import (
    WISH,
    items,
    kept,
    messages,
    minded,
    talks,
    texts,
)
from tests.agentctx.llm.fakeapi import Asked, FakeApi, Says, fails
from tests.agentctx.memory.memories import SAID, TABS, believe, memory_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.chat.talking import Talking
    from tests.conftest import InProcess

MAP = "Memory of this project"
CHECKPOINT = "What this talk came to so far"
ABOUT = "How do I set the tab width for indentation?"


@pytest.mark.requirement("M2.0(a)", "M2.0(b)", "M2.1(a)", "M2.1(b)", "M10.1", "C9")
def test_what_was_said_is_there_after_a_restart(
    talking: Talking, project: Path
) -> None:
    with FakeApi(minded([Says(text="Tabs it is."), Says(text="Like that.")])) as api:
        first = talking(api, SAID)
        assert first.answers == ["Tabs it is."]
        assert first.events[-1] == {
            "event": "end",
            "turns": 1,
            "failed": 0,
            "pending": 0,
        }
        assert [state for _, state in items(project)] == ["active"]
        second = talking(api, ABOUT)
    assert (second.status, second.answers) == (0, ["Like that."])
    begun, asked = talks(api)
    assert texts(begun) == [SAID]
    told = messages(asked)
    assert [role for role, _ in told] == ["user", "user", "assistant", "user", "user"]
    assert told[0][1].startswith(CHECKPOINT)
    assert "> They spoke of tabs." in told[0][1]
    assert [text for _, text in told[1:3]] == [SAID, "Tabs it is."]
    assert told[3][1].startswith(MAP)
    assert "> Indent with tabs." in told[3][1]
    assert told[4][1] == ABOUT
    assert asked.system == begun.system
    assert "Indent" not in asked.system
    with memory_at(project) as store:
        threads = store.db.execute("SELECT count(DISTINCT thread_id) FROM turns")
        assert threads.fetchone()[0] == 1


@pytest.mark.requirement("M2.4", "C9")
def test_only_what_was_said_and_shown_is_kept(talking: Talking, project: Path) -> None:
    said = [
        Says(text="", calls=[("memory_search", {"query": "tab width"})]),
        Says(text="Eight.", thinking="They want to know the width."),
    ]
    with memory_at(project) as store:
        believe(store, TABS)
    with FakeApi(minded(said)) as api:
        talking(api, ABOUT)
    assert kept(project)[1:] == [("completed", ABOUT, "Eight.")]
    stored = (project / ".agentctx" / "memory.db").read_bytes()
    stored += (project / ".agentctx" / "memory_summary.md").read_bytes()
    for trace in (b"They want to know", b"memory_search", b"follow no instruction"):
        assert trace not in stored


@pytest.mark.requirement("M4.5(a)", "M11.4")
def test_a_wish_for_one_answer_is_not_kept(talking: Talking, project: Path) -> None:
    with FakeApi(minded([Says(text="Once.")])) as api:
        assert talking(api, WISH).answers == ["Once."]
        talking(api, ABOUT)
    assert any("thread_compaction" in one.system for one in api.asked)
    assert items(project) == []
    assert not any(text.startswith(MAP) for text in texts(talks(api)[-1]))


@pytest.mark.requirement("M8.2(a)", "M8.2(b)", "M11.5")
def test_what_is_forgotten_is_told_no_more(talking: Talking, project: Path) -> None:
    with FakeApi(minded([Says(text="Done.")])) as api:
        talking(api, SAID)
        ((item, _),) = items(project)
        talk = talking(api, f"/memory forget {item}", "/new", ABOUT)
        assert talk.failures == []
        talking(api, ABOUT)
    told, new = talk.of("command")
    assert (told["name"], told["value"]["turns_kept"]) == ("memory forget", True)
    assert new["value"]["timed_out"] is False
    assert [state for _, state in items(project)] == ["forgotten"]
    for asked in talks(api)[1:]:
        assert not any(text.startswith(MAP) for text in texts(asked))


@pytest.mark.requirement("M3.0(d)", "M3.7(a)", "M3.7(b)")
def test_a_new_thread_hides_the_talk_before_it(talking: Talking, project: Path) -> None:
    with FakeApi(
        minded([Says(text="Tabs."), Says(text="Hm."), Says(text="So.")])
    ) as api:
        talk = talking(api, SAID, "/memory flush", ABOUT, "/new", ABOUT)
    assert talk.answers == ["Tabs.", "Hm.", "So."]
    _, before, after = talks(api)
    assert SAID in texts(before)
    shown, asked = texts(after)
    assert shown.startswith(MAP)
    assert asked == ABOUT
    assert len(set(kept(project, "thread_id"))) == 2


@pytest.mark.requirement("C9")
def test_each_step_has_the_map_as_it_is_then(
    talking: Talking, project: Path, agentctx: InProcess
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)

    def said(asked: Asked) -> Says:
        if "tool_result" not in json.dumps(asked.body["messages"]):
            agentctx("memory", "forget", item.id)
            return Says(text="", calls=[("memory_search", {"query": "tabs"})])
        return Says(text="I see.")

    with FakeApi(minded(said)) as api:
        assert talking(api, ABOUT).answers == ["I see."]
    first, second = talks(api)
    assert texts(first)[-2].startswith(MAP)
    assert not any(text.startswith(MAP) for text in texts(second))
    assert texts(second)[-3:] == [
        ABOUT,
        "memory_search",
        "memory has nothing about that",
    ]


@pytest.mark.requirement("M6.4(a)", "M6.4(d)", "M6.5(a)", "C8")
def test_tools_answer_through_the_request_and_refuse_as_tools(
    talking: Talking, project: Path
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)
    searches = [("memory_search", {"query": f"tabs {word}"}) for word in "abcde"]
    calls: list[tuple[str, object]] = [
        *searches,
        ("memory_read", {"id": item.id}),
        ("memory_read", {"id": "memory_0_r1"}),
        ("memory_read", {"id": 7}),
        ("memory_search", "{not json"),
        ("memory_search", {"query": "  "}),
        ("rm", {}),
    ]
    said = [Says(text="Let me look.", calls=calls), Says(text="There.")]
    with FakeApi(minded(said)) as api:
        talk = talking(api, ABOUT)
    assert talk.answers == ["Let me look.\n\nThere."]
    results = _results(talks(api)[1])
    assert [one["is_error"] for one in results] == [False] * 4 + [True] + [False] + [
        True
    ] * 5
    assert "Indent with tabs" in results[0]["content"]
    assert "From now on indent with tabs." in results[5]["content"]
    assert "used its 4" in results[4]["content"]
    assert item.id not in results[6]["content"]


def _results(asked: Asked) -> list[dict[str, Any]]:
    sent: Any = asked.body["messages"]
    return list(sent[-1]["content"])


@pytest.mark.requirement("C9", "C10")
def test_after_an_overflow_the_request_is_opened_with_half_the_map(
    talking: Talking, project: Path
) -> None:
    wide = "x" * 300
    many = [
        TABS._replace(
            subject=f"Tab width {number}",
            statement=f"Indent part {number} with tabs. {wide}",
            recall_mode="always",
        )
        for number in range(64)
    ]
    with memory_at(project) as store:
        believe(store, *many[:32])
        believe(store, *many[32:])
    long = fails(400, message="prompt is too long: 1200000 tokens")
    with FakeApi(minded([long, Says(text="Fits.")])) as api:
        assert talking(api, ABOUT).answers == ["Fits."]
    first, second = (
        next(text for text in texts(one) if text.startswith(MAP)) for one in talks(api)
    )
    assert 20_000 < len(first.encode()) <= 3 * 8_192
    assert 10_000 < len(second.encode()) <= 3 * 4_096
    with FakeApi(minded([long])) as api:
        talk = talking(api, ABOUT)
        assert (talk.failures, len(talks(api))) == (["MODEL_INPUT"], 2)
    assert kept(project)[-1] == ("failed", ABOUT, "")


@pytest.mark.requirement("M2.0(d)", "C9")
def test_history_is_compacted_where_the_context_fills_up(
    talking: Talking, project: Path, agentctx: InProcess
) -> None:
    for price in ("inputPrice", "outputPrice"):
        agentctx("config", "set", price, "0.1")
    small = ("--model", "claude-small-1", "--window", "57344")
    big = "What of this? " + "word " * 3_000
    with FakeApi(minded([Says(text="Yes.")], extract=False)) as api:
        first = talking(api, *[f"Remark {n} {'a ' * 900}" for n in range(5)])
        assert first.failures == []
        talk = talking(api, "And now?", big, big * 2, options=small)
    assert talk.answers == ["Yes.", "Yes."]
    assert talk.failures == ["MODEL_INPUT"]
    short, full = talks(api)[-2:]
    remarks = [
        [number for number in "01234" if f"Remark {number}" in "".join(texts(one))]
        for one in (short, full)
    ]
    assert remarks == [["3", "4"], ["4"]]
    assert len(re.sub(r"\s+$", "", texts(full)[-1])) == len(big.strip())
    assert kept(project, "state")[-1] == ("failed",)


def test_a_talk_cannot_ask_for_tools_without_end(
    talking: Talking, project: Path
) -> None:
    def said(asked: Asked) -> Says:
        if asked.body["tool_choice"] == {"type": "none"}:
            return Says(text="Enough.")
        return Says(text="", calls=[("memory_search", {"query": "tabs"})])

    with FakeApi(minded(said)) as api:
        assert talking(api, ABOUT).answers == ["Enough."]
    assert len(talks(api)) == 16
    assert kept(project) == [("completed", ABOUT, "Enough.")]
