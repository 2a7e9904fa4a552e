"""What becomes of jobs when their worker dies, is replaced, or finds damage."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.failures import last_failures
from agentctx.memory.jobs import LEASE
from agentctx.memory.opening import clear_memory
from agentctx.memory.store import RandomIds
from agentctx.memory.summary import FIRST_LINE, STALE_LINE, write_summary
from agentctx.memory.verdict import Degraded, Healthy, judge
from agentctx.records.leases import WORKER, holder, take
from tests.agentctx.extraction.recalling import Remembering, at_ease
from tests.agentctx.llm.fakeapi import FakeApi, Says
from tests.agentctx.memory.memories import TABS, believe
from tests.agentctx.memory.pipeline.minds import is_extraction, remembering
from tests.agentctx.working import start, wall
from tests.recorded import Ticking

if TYPE_CHECKING:
    from pathlib import Path

    from tests.agentctx.extraction.conftest import Sessions
    from tests.agentctx.llm.fakeapi import Asked


LONG = 120.0
"""Seconds that a process of its own has to load what asks a model, and to ask."""


@pytest.fixture
def talk(sessions: Sessions) -> Remembering:
    return Remembering(sessions)


@pytest.mark.requirement("H5")
def test_a_second_worker_leaves_memories_alone(talk: Remembering) -> None:
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        talk.say()
        with talk.sessions.store() as store, store.writing() as tx:
            assert take(tx, WORKER, "the first", now=talk.clock())
        done = talk.sessions.work()
        assert (done.busy, done.memory.projects, api.asked) == (True, 0, ())
    assert talk.waits() is True
    assert talk.rows("status, claim_count") == [("pending", 0)]


@pytest.mark.requirement("H5", "M4.8(b)")
@pytest.mark.parametrize("stage", ["extraction", "consolidation"])
def test_what_a_killed_worker_had_taken_is_done_by_the_next_after_its_lease(
    talk: Remembering, stage: str
) -> None:
    asked_there, killed = threading.Event(), threading.Event()

    def script(asked: Asked) -> Says:
        if not killed.is_set() and (stage == "extraction") == is_extraction(asked):
            asked_there.set()
            return Says(hang=True)
        return remembering(asked)

    talk.clock.now = wall() - timedelta(minutes=2)
    talk.say()
    with FakeApi(script) as api:
        talk.sessions.ask(api)
        process = start(talk.sessions.home, talk.root, "work", **talk.sessions.environ)
        try:
            assert asked_there.wait(LONG)
        finally:
            process.kill()
            process.communicate(timeout=LONG)
        killed.set()
        died = talk.clock.now = wall()
        with talk.sessions.store() as store:
            assert store.db.execute("SELECT count(*) FROM leases").fetchone()[0] == 1
            assert holder(store.db, WORKER, now=wall()) is None, "its process is gone"
        assert talk.rows("kind", "memory_jobs WHERE status = 'leased'") == [(stage,)]
        done = talk.work()
    waited = talk.clock() - died
    assert LEASE - timedelta(seconds=30) < waited < LEASE * 2
    assert done.left == 0
    claims = dict(talk.rows("kind, claim_count"))
    assert claims[stage] == 2
    assert {row[0] for row in talk.rows("status")} == {"succeeded"}
    assert len(talk.rows("id", "memory_items")) == 1


def taken_over(talk: Remembering) -> None:
    with talk.sessions.store() as store, store.writing() as tx:
        tx.execute("UPDATE leases SET owner = 'another'")


@pytest.mark.requirement("M3.4(b)", "H5")
@pytest.mark.parametrize("answer", ["sound", "to be mended"])
def test_who_is_no_longer_the_worker_writes_nothing_and_asks_nothing(
    talk: Remembering, answer: str
) -> None:
    def script(asked: Asked) -> Says:
        taken_over(talk)
        return remembering(asked) if answer == "sound" else Says([])

    with FakeApi(script) as api:
        talk.sessions.ask(api)
        talk.say()
        talk.say(session="s2")
        noted = talk.noted()
        done = talk.work(hurry=False)
        assert len(api.asked) == 1
    assert (done.succeeded, done.lost) == (0, 1)
    assert not talk.summary.exists()
    assert talk.noted() == noted
    assert [row[0] for row in talk.rows("status")] == ["leased", "pending"]
    assert talk.rows("compaction", "threads") == [("",)]


@pytest.mark.requirement("M4.11", "H7", "M8.3(a)")
def test_a_memory_that_is_cleared_meanwhile_begins_anew(talk: Remembering) -> None:
    def script(asked: Asked) -> Says:
        root = str(talk.root)
        ids = RandomIds(os.urandom)
        clear_memory(root, clock=Ticking(), ids=ids, owner="a person", backup=False)
        return remembering(asked)

    with FakeApi(script) as api:
        talk.sessions.ask(api)
        talk.say()
        done = talk.work()
        assert len(api.asked) == 1
    assert (done.lost, done.succeeded, done.left, done.waiting) == (1, 0, 0, ())
    assert talk.rows("id") == []


@pytest.mark.requirement("A1.1")
def test_a_defect_in_one_memory_ends_no_worker_and_is_told_once(
    talk: Remembering, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise ZeroDivisionError(TABS.statement)

    said = talk.sessions.session().turn("Let's store readings in UTC everywhere.")
    talk.sessions.hear(said, ended=True)
    talk.say()
    with monkeypatch.context() as patch:
        patch.setattr("agentctx.extraction.memories.outlook", breaks)
        done = talk.sessions.work()
        assert (done.sessions, done.memory.waiting) == (1, ("BUG",))
        talk.clock.tick(timedelta(hours=1))
        talk.work()
    (failure,) = last_failures(str(talk.sessions.home))
    assert (failure.code, failure.detail) == ("BUG", "ZeroDivisionError")
    with FakeApi(at_ease) as api:
        talk.sessions.ask(api)
        assert talk.work(hurry=True).left == 0


def ruin(root: Path, name: str) -> None:
    """Overwrite the first page of a table or an index, with no word to SQLite."""
    path = root / ".agentctx" / "memory.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        (page,) = db.execute(query, (name,)).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


def held_before(talk: Remembering) -> None:
    """Let memory hold something, with a summary that is current."""
    with talk.memory() as memory:
        believe(memory, TABS)
        write_summary(str(talk.root), memory)
    assert talk.status().summary.state == "current"


@pytest.mark.requirement("M4.10(a)", "M4.10(b)")
@pytest.mark.parametrize(
    ("when", "name"),
    [("while it is asked", "memory_candidates"), ("at the start", "memory_jobs")],
    ids=["while it is asked", "at the start"],
)
def test_damage_makes_the_summary_stale_to_every_process_and_asks_nothing_more(
    talk: Remembering, when: str, name: str
) -> None:
    held_before(talk)
    held = talk.summary.read_text(encoding="utf-8").removeprefix(FIRST_LINE)

    def script(asked: Asked) -> Says:
        ruin(talk.root, name)
        return remembering(asked)

    talk.say()
    if when == "at the start":
        ruin(talk.root, name)
    with FakeApi(script) as api:
        talk.sessions.ask(api)
        done = talk.work()
        assert len(api.asked) == int(when == "while it is asked")
        assert (done.waiting, done.left) == (("MEMORY_DEGRADED",), 1)
        assert talk.status().summary.state == "stale"
        text = talk.summary.read_text(encoding="utf-8")
        assert text.startswith(f"{FIRST_LINE}\n\n{STALE_LINE}\n")
        assert text.endswith(held), "what it said may be all that is left"
        talk.clock.tick(timedelta(hours=1))
        talk.work()
        assert talk.status().summary.state == "stale"
        assert len(api.asked) == int(when == "while it is asked")
    (failure,) = last_failures(str(talk.sessions.home))
    assert (failure.where, failure.code) == ("memory", "MEMORY_DEGRADED")


@pytest.mark.requirement("M4.10(b)")
def test_damage_that_a_quick_look_does_not_see_keeps_the_summary_stale(
    talk: Remembering,
) -> None:
    held_before(talk)
    talk.say()

    def script(asked: Asked) -> Says:
        ruin(talk.root, "candidate_sources")
        return remembering(asked)

    with FakeApi(script) as api:
        talk.sessions.ask(api)
        assert talk.work().waiting == ("MEMORY_DEGRADED",)
    root = str(talk.root)
    assert isinstance(judge(root), Healthy), "a look at its first pages sees nothing"
    assert isinstance(judge(root, fully=True), Degraded)
    assert talk.status().summary.state == "stale"


@pytest.mark.requirement("M4.10(b)", "C11")
def test_a_memory_that_is_sound_again_has_a_summary_that_is_current(
    talk: Remembering,
) -> None:
    held_before(talk)
    sound = (talk.root / ".agentctx" / "memory.db").read_bytes()
    before = talk.summary.read_bytes()
    talk.say()
    ruin(talk.root, "memory_jobs")
    talk.work()
    assert talk.status().summary.state == "stale"
    for path in (talk.root / ".agentctx").glob("memory.db*"):
        path.unlink()
    (talk.root / ".agentctx" / "memory.db").write_bytes(sound)
    with talk.memory() as memory:
        assert write_summary(str(talk.root), memory).state == "current"
    assert talk.summary.read_bytes() == before
    assert talk.status().summary.state == "current"
