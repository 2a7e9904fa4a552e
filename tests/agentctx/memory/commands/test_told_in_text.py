"""What people read on a terminal: the same facts as in JSON, and what to do next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.memory_state import WAITS, waits_lines
from agentctx.memory.model import JobId
from agentctx.memory.telling import Flushed
from tests.agentctx.llm.fakeapi import FakeApi, fails
from tests.agentctx.memory.memories import TABS, believe, memory_at, say

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item
    from tests.agentctx.memory.commands.conftest import Ask, LetAsk
    from tests.conftest import InProcess


ONE = (JobId("job_1"),)
TWO = (*ONE, JobId("job_2"))


def told(agentctx: InProcess, *words: str) -> str:
    """Give what a person sees on a terminal."""
    done = agentctx("memory", *words, terminal=True)
    assert done.status == 0, done.err
    return done.out


@pytest.mark.requirement("M11.8", "M11.5")
def test_steering_is_told_with_the_way_back(
    agentctx: InProcess, project: Path, item: Item
) -> None:
    words = ("--content", "Indent with tabs.\nIn every file.", "--subject", "Tabs")
    edited = told(agentctx, "edit", item.id, *words)
    assert "take it back: `agentctx memory undo`" in edited
    new = f"{item.logical_id}_r2"
    assert f"in place of {item.id}" in edited
    assert "nothing had to change" in told(agentctx, "confirm", new)
    with memory_at(project) as store, store.writing() as writing:
        writing.tx.execute(
            "UPDATE memory_items SET applies_to_paths_json = ?, pinned = 1",
            (json.dumps(["src/a.py", "src/b.py"]),),
        )
    shown = told(agentctx, "show", new)
    assert "  In every file." in shown
    assert "in           src/a.py\n             src/b.py" in shown
    assert ", pinned" in shown
    assert "2 revisions: `agentctx memory history` shows them" in shown
    assert f"replaced by  {new}" in told(agentctx, "show", item.id)
    assert "on_match" in told(agentctx, "pin", new, "--off")
    assert told(agentctx, "undo").startswith("taken back: the last edit")
    live = told(agentctx, "list").split()[0]
    purged = told(agentctx, "forget", live, "--purge-quotes", "--confirm")
    assert "undo" not in purged
    assert "taken out of 1 turn." in purged


@pytest.mark.requirement("M8.3(c)", "M11.9")
def test_housekeeping_is_told(agentctx: InProcess, project: Path, item: Item) -> None:
    assert item.id
    path = told(agentctx, "export").splitlines()[0]
    assert path.startswith(str(project))
    gone = told(agentctx, "retain", "--days", "0", "--confirm")
    assert "the words of 1 turn are gone" in gone
    assert "agentctx memory vacuum" in gone
    assert "pages now" in told(agentctx, "vacuum")
    assert "before:" not in told(agentctx, "clear", "--confirm", "--no-backup")
    assert "taken in: 1 thread, 1 turn, 1 revision" in told(agentctx, "import", path)
    assert "memory_summary.md (current)" in told(agentctx, "summary")
    off = told(agentctx, "off")
    assert "memory is off" in off
    assert "hint: turn it on with `agentctx memory on`" in off


def test_a_way_back_is_told_only_where_it_leads_back(
    agentctx: InProcess, item: Item
) -> None:
    told(agentctx, "off")
    assert "memory undo" not in told(agentctx, "forget", item.id)


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (Flushed((), (), timed_out=False), ""),
        (Flushed(ONE, (), timed_out=False), "1 memory job waits for the next start"),
        (Flushed(TWO, (), timed_out=True), "2 memory jobs wait for the next start"),
        (Flushed((), TWO, timed_out=False), "2 memory jobs failed"),
        (
            Flushed(ONE, ONE, timed_out=True, held=1),
            "1 memory job left: another process is at work on it; 1 memory job failed",
        ),
        (
            Flushed(TWO, (), timed_out=True, held=1),
            "2 memory jobs left: another process is at work on 1 of them",
        ),
    ],
)
def test_what_a_pass_left_is_told_in_words(left: Flushed, text: str) -> None:
    assert left.text == text


@pytest.mark.requirement("M3.2(a)", "M8.1(a)")
def test_what_is_left_of_an_old_thread_is_told(
    agentctx: InProcess, let_ask: LetAsk, project: Path
) -> None:
    with memory_at(project) as store:
        say(store)
    left = agentctx("memory", "new", "--wait", "0", terminal=True)
    assert "1 job of it stays queued" in left.out
    assert WAITS["NO_KEY"] in left.out
    assert left.err == ""
    with memory_at(project) as store:
        say(store)
    with FakeApi([fails(403)]) as api:
        let_ask(api)
        failed = agentctx("memory", "new", "--wait", "300", terminal=True)
        rest = agentctx("memory", "flush", "--deadline", "300", terminal=True)
    assert "1 job of it failed" in failed.out
    assert "agentctx memory status" in failed.out
    assert (rest.status, rest.err) == (1, "")
    assert rest.out == "1 memory job failed\nsee `agentctx memory status`\n"
    assert told(agentctx, "status").count("provider_permanent call primary") == 2


def test_a_store_of_records_that_cannot_be_read_hides_nothing_of_memory(
    agentctx: InProcess,
    ask: Ask,
    project: Path,
    store_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with memory_at(project) as store:
        say(store)
        with store.writing() as writing:
            writing.tx.execute("UPDATE turns SET late_refused = 1")
    store_home.mkdir()
    (store_home / "agentctx.db").write_bytes(b"garbage" * 999)
    card = ask("status")
    assert (card["spend"]["today_usd"], card["spend"]["total_usd"]) == (None, None)
    assert card["waiting"] == "NO_KEY"
    text = told(agentctx, "status")
    assert "cannot be read; at most $0.25 a session" in text
    assert "1 with an answer that came too late" in text
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    assert ask("status")["waiting"] is None
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    done = agentctx("memory", "flush")
    notes = [json.loads(line)["notice"] for line in done.err.splitlines()]
    assert [note.partition("_")[0] for note in notes] == ["STORE", "STORE"]


def test_many_items_that_an_id_may_mean_are_named_in_part(
    refused: Ask, project: Path
) -> None:
    with memory_at(project) as store:
        believe(
            store,
            *(TABS._replace(subject=f"Gauge {number} of it") for number in range(7)),
        )
    error = refused("show", "memory_")
    assert len(error["facts"]["ids"]) == 5
    assert error["facts"]["count"] == 7
    assert error["detail"].endswith(", …")


def test_a_code_that_has_no_words_is_told_as_it_is() -> None:
    assert list(waits_lines("STORE_BUSY")) == ["they wait because of STORE_BUSY"]
    assert list(waits_lines(None)) == []
