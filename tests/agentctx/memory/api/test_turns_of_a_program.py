"""A program's turns: what is kept, what is told, and what never stops the work."""

from __future__ import annotations

import asyncio
import inspect
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import agentctx.memory
from agentctx.memory import Memory, Outcome
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.turns import turn_of
from corpus.errors import StoreBusyError
from tests.agentctx.memory.api.programs import begun, codes, program, said
from tests.agentctx.memory.memories import TABS, believe, memory_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentctx.memory.model import Turn, TurnId


class ScanError(Exception):
    """What a scanner of the host raises."""


def kept(project: Path, turn: Turn | None) -> Turn:
    assert turn is not None
    with memory_at(project) as store:
        return turn_of(store.db, turn.id)


def failure_of(project: Path, turn: Turn) -> str:
    with memory_at(project) as store:
        row = store.db.execute("SELECT error_code FROM turns WHERE id = ?", (turn.id,))
        return str(row.fetchone()[0])


def every_text(project: Path) -> str:
    path = project / ".agentctx" / "memory.db"
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT user_text, assistant_text FROM turns").fetchall()
    return "\n".join(text for row in rows for text in row)


def spoil(project: Path) -> None:
    path = project / ".agentctx" / "memory.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE threads SET status = 'archived', archived_at = 'x'")


def overwrite(project: Path) -> None:
    (project / ".agentctx" / "memory.db").write_bytes(b"garbage" * 1000)


def test_the_answer_of_a_block_is_what_its_turn_keeps(
    project: Path, talk: Memory
) -> None:
    with talk.turn("s1", "ordinary", "chat", "Hello?") as saying:
        assert saying.answer("Hello.") == "Hello."
        assert kept(project, saying.turn).state == "open"
    turn = kept(project, saying.turn)
    assert (turn.state, turn.assistant_text) == ("completed", "Hello.")


@pytest.mark.requirement("C5")
def test_the_exception_of_the_work_is_its_own_and_fails_the_turn(
    project: Path, talk: Memory
) -> None:
    with (
        pytest.raises(StoreBusyError),
        talk.turn("s1", "ordinary", "chat", "Hello?") as saying,
    ):
        raise StoreBusyError(seconds=5)  # of a store of the host's own
    turn = kept(project, saying.turn)
    assert turn.state == "failed"
    assert failure_of(project, turn) == "STORE_BUSY"
    assert talk.notices == ()


@pytest.mark.requirement("C5")
def test_an_exception_of_the_work_is_not_masked_by_a_broken_memory(
    project: Path, talk: Memory
) -> None:

    def fails_after(breaks: Callable[[], object]) -> None:
        with talk.turn("s1", "ordinary", "chat", "Hello?"):
            breaks()
            raise ScanError

    with pytest.raises(ScanError):
        fails_after(lambda: talk.clear(confirm=True))
    assert codes(talk) == ["TURN_NOT_FOUND"]
    with pytest.raises(ScanError):
        fails_after(lambda: overwrite(project))


@pytest.mark.requirement("C5")
def test_what_is_cancelled_is_interrupted(project: Path, talk: Memory) -> None:
    with (
        pytest.raises(asyncio.CancelledError),
        talk.turn("s1", "ordinary", "chat", "Hello?") as saying,
    ):
        raise asyncio.CancelledError
    assert kept(project, saying.turn).state == "interrupted"


@pytest.mark.requirement("C5")
def test_a_finished_work_keeps_its_result_when_its_turn_cannot_be_ended(
    talk: Memory,
) -> None:
    turn = begun(talk)
    talk.complete_turn(turn, "Done.")
    assert talk.complete_turn(turn, "Done again.") is None
    assert talk.fail_turn(turn, "X") is None
    assert codes(talk) == ["TURN_ENDED"]
    talk.clear(confirm=True)
    assert talk.complete_turn(turn, "Done.") is None
    assert codes(talk) == ["TURN_ENDED", "TURN_NOT_FOUND"]


@pytest.mark.requirement("M1.5(a)", "M1.5(b)")
def test_threads_of_a_program_share_its_memory(project: Path, talk: Memory) -> None:
    def talks(number: int) -> list[TurnId]:
        found = []
        for _ in range(10):
            with talk.turn(f"s{number}", "ordinary", "chat", "Hello?") as saying:
                with talk.open_request(saying.turn) as request:
                    request.map()
                    request.history()
                saying.answer("Hello.")
            assert saying.turn is not None
            found.append(saying.turn.id)
        return found

    with ThreadPoolExecutor(6) as pool:
        ids = [one for found in pool.map(talks, range(6)) for one in found]
    with memory_at(project) as store:
        turns = [turn_of(store.db, one) for one in ids]
    assert sorted(one.sequence for one in turns) == list(range(1, 61))
    assert {one.state for one in turns} == {"completed"}
    assert talk.notices == ()


@pytest.mark.requirement("M1.6(c)")
def test_a_program_keeps_its_whole_scope(talk: Memory) -> None:
    scope = [f"src/{number}.py" for number in range(16)]
    turn = talk.begin_turn("s1", "review", "code_audit", "Scan it.", scope)
    assert turn is not None
    assert list(turn.scope_paths) == scope[:10]
    assert len(scope) == 16


@pytest.mark.requirement("C1")
def test_what_a_program_is_given_has_a_type() -> None:
    methods = [
        one
        for name, one in inspect.getmembers(Memory, inspect.isfunction)
        if not name.startswith("_")
    ]
    given = {one.__name__: one.__annotations__["return"] for one in methods}
    assert len(given) > 25
    assert [
        name
        for name, kind in given.items()
        if "dict" in kind or "Any" in kind or "bool" in kind
    ] == []


@pytest.mark.requirement("C1")
def test_the_surface_loads_only_what_is_asked_for() -> None:
    script = (
        "import sys, agentctx.memory as m; from agentctx.memory import RecallQuery;"
        "print('agentctx.memory.api' in sys.modules); m.Memory;"
        "print('agentctx.memory.api' in sys.modules);"
        "print({'pydantic', 'anthropic', 'mcp', 'argparse'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.split() == ["False", "True", "set()"]
    with pytest.raises(AttributeError):
        agentctx.memory.Nothing  # noqa: B018 - what is asked for


def test_a_breach_of_contract_is_raised(talk: Memory) -> None:
    with pytest.raises(MemoryRuleError):
        talk.begin_turn(" ", "ordinary", "chat", "Hello?")
    with pytest.raises(MemoryRuleError):
        talk.complete_turn(begun(talk), " ")
    with pytest.raises(MemoryRuleError):
        talk.fail_turn(begun(talk), "a sentence is no code")


def test_a_block_without_an_answer_fails_its_turn(project: Path, talk: Memory) -> None:
    with talk.turn("s1", "ordinary", "chat", "Hello?") as saying:
        pass
    assert kept(project, saying.turn).state == "failed"
    with talk.turn("s1", "ordinary", "chat", "Hello?") as saying:
        saying.answer("Half an answ")
        saying.fail("STOPPED")
    turn = kept(project, saying.turn)
    assert (turn.state, turn.assistant_text) == ("failed", "")


@pytest.mark.requirement("M2.4", "C9")
def test_nothing_of_a_request_gets_into_what_was_said(
    project: Path, talk: Memory
) -> None:
    with memory_at(project) as store:
        (item,) = believe(store, TABS)
    with talk.turn("s2", "ordinary", "chat", "How wide is a tab?") as saying:
        with talk.open_request(saying.turn) as request:
            assert request.map().text
            request.search("tabs")
            assert request.read(item.id).text
        saying.answer("Four.")
    texts = every_text(project)
    assert "How wide is a tab?" in texts
    assert "quoted as evidence" not in texts
    assert item.id not in texts


@pytest.mark.requirement("M2.5(a)", "M2.5(b)", "M2.5(c)")
@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (Outcome("completed", found=0), ("0 found",)),
        (
            Outcome("completed", 12, 3, 1, 8, "[bold red]see[/bold red] list[int]"),
            ("12 found", "3 awaiting review", "1 failed", "8 remaining", "list[int]"),
        ),
        (Outcome("no_draft", detail="\x1b[31mnothing\x1b[0m\nnew"), ("nothing new",)),
    ],
    ids=["nothing found", "findings", "no draft"],
)
def test_a_workflow_shows_and_saves_the_same_summary(
    project: Path, talk: Memory, outcome: Outcome, told: tuple[str, ...]
) -> None:
    with talk.turn("s1", "review", "code_audit", "Scan it.") as saying:
        shown = saying.outcome(outcome)
    assert kept(project, saying.turn).assistant_text == shown == outcome.text
    assert all(one in shown for one in told)
    assert "[bold" not in shown
    assert "\x1b" not in shown
    assert "None" not in shown


@pytest.mark.requirement("M2.6(a)", "M2.6(b)")
def test_a_scan_that_fails_at_once_shows_its_error_and_saves_no_answer(
    project: Path, talk: Memory
) -> None:
    with (
        pytest.raises(ScanError, match="no scanner"),
        talk.turn("s1", "review", "code_audit", "Scan it.") as saying,
    ):
        raise ScanError("no scanner")  # noqa: TRY003, EM101 - as a host does
    turn = kept(project, saying.turn)
    assert (turn.state, turn.assistant_text) == ("failed", "")
    assert "no scanner" not in every_text(project)


@pytest.mark.requirement("M2.7(a)", "M2.7(b)", "M2.7(c)", "M2.7(d)")
@pytest.mark.parametrize("draft", ["fitting", "none", "of another", "broken"])
def test_a_revision_saves_what_became_of_the_draft(
    project: Path, talk: Memory, draft: str
) -> None:
    patches = ["the first"]

    def revised() -> Outcome:
        if draft == "broken":
            raise ScanError
        if draft == "none":
            return Outcome("no_draft", remaining=1)
        if draft == "of another":
            return Outcome("refused", remaining=1)
        patches[:] = ["the second"]
        return Outcome("replaced", awaiting=1)

    turn: Turn | None = None
    try:
        with talk.turn("s1", "review", "patch_revise", "Shorter.") as saying:
            turn = saying.turn
            shown = saying.outcome(revised())
    except ScanError:
        assert kept(project, turn).state == "failed"
        return
    ended = kept(project, turn)
    assert (ended.state, ended.assistant_text) == ("completed", shown)
    assert (patches == ["the second"]) is (draft == "fitting")
    assert shown
    assert len({Outcome(one).text for one in ("replaced", "no_draft", "refused")}) == 3


@pytest.mark.requirement("C3", "C6", "M2.2(a)", "M2.2(b)")
def test_a_program_goes_on_without_a_memory_and_is_told_once(
    project: Path, talk: Memory
) -> None:
    said(talk)
    spoil(project)
    for _ in range(3):
        assert talk.begin_turn("s1", "ordinary", "chat", "Hello?") is None
    assert talk.complete_turn(None, "Hello.") is None
    with talk.open_request(None) as request:
        assert request.map().text == ""
        assert request.search("tabs").hits == ()
        assert request.history() == ()
        assert request.checkpoint() == ""
    assert codes(talk) == ["MEMORY_DEGRADED"]
    assert len(talk.notices[0].text) <= 500
    assert talk.status().state == "degraded"
    with pytest.raises(MemoryRuleError):
        talk.begin_turn("s1", "ordinary", "chat", "Hello?", evidence_keys=["a:b"])


@pytest.mark.requirement("C6")
def test_another_cause_is_told_again(project: Path) -> None:
    heard: list[str] = []
    path = project / ".agentctx" / "memory.db"
    path.write_bytes(b"no database at all" * 100)
    with program(project, tell=lambda one: heard.append(one.code)) as memory:
        memory.begin_turn("s1", "ordinary", "chat", "Hello?")
        memory.begin_turn("s1", "ordinary", "chat", "Hello?")
        path.unlink()
        path.mkdir()
        memory.begin_turn("s1", "ordinary", "chat", "Hello?")
    assert heard == ["MEMORY_DEGRADED", "MEMORY_DEGRADED"]


def test_a_closed_memory_is_not_opened_again(project: Path, talk: Memory) -> None:
    talk.close()
    talk.close()
    with pytest.raises(MemoryRuleError):
        talk.begin_turn("s1", "ordinary", "chat", "Hello?")
    assert (project / ".agentctx" / "memory.db").exists()


def _queue(place: Path) -> None:
    place.mkdir()
    os.mkfifo(place / "memory.db")


PLACES: dict[str, Callable[[Path], object]] = {
    "a file": lambda place: place.write_bytes(b"x"),
    "a link": lambda place: place.symlink_to(place.parent.parent),
    "a queue for a database": _queue,
    "a folder for a database": lambda place: (place / "memory.db").mkdir(parents=True),
}


@pytest.mark.requirement("C3", "C7")
@pytest.mark.parametrize("name", PLACES)
def test_a_program_goes_on_where_memory_has_no_place(tmp_path: Path, name: str) -> None:
    root = tmp_path / "odd"
    root.mkdir()
    PLACES[name](root / ".agentctx")
    with program(root) as memory:
        with memory.turn("s1", "ordinary", "chat", "Hello?") as saying:
            with memory.open_request(saying.turn) as request:
                assert request.map().text == ""
            saying.answer("Hello.")
        assert saying.turn is None
        assert memory.flush().pending == ()
        assert memory.summary().state == "missing"
        assert memory.status().state == "degraded"
        assert codes(memory) == ["MEMORY_DEGRADED"]
