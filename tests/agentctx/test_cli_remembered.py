"""The card of memory in `agentctx status`, and what `agentctx work` tells of it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.memory.jobs import Failure, fail
from agentctx.memory.switch import MARK, VARIABLE
from agentctx.records.memories import note_memory, put_memory_off
from tests.agentctx.answers import answer
from tests.agentctx.memory.memories import (
    SAID,
    TABS,
    begin,
    believe,
    files,
    memory_at,
    say,
    take,
)
from tests.agentctx.working import wall
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("A9", "M8.1(a)")

TRANSIENT = Failure("provider_transient", "call", "primary", "model_busy")


def card(agentctx: InProcess) -> dict[str, Any]:
    return dict(answer(agentctx("status"))["memory"])


def drawn(agentctx: InProcess) -> str:
    told = agentctx("status", terminal=True).out
    start = told.index("\nmemory ")
    return told[start : told.index("\nused ")]


def test_the_card_counts_what_waits_and_says_what_for(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    with memory_at(project, Ticking(wall())) as memory:
        believe(memory, TABS)
        say(memory, "One.")
        batch = take(memory)
        with memory.writing() as writing:
            fail(writing, batch, TRANSIENT, retryable=True)
        say(memory, "Two.", "s2")
        batch = take(memory)
        with memory.writing() as writing:
            fail(writing, batch, TRANSIENT, retryable=False)
        say(memory, "Three.", "s3")
        begin(memory, SAID, "s4")
    until = wall() + timedelta(hours=5)
    with store_at(store_home) as store, store.writing() as tx:
        note_memory(tx, str(project), asks=True, now=wall())
        put_memory_off(tx, str(project), until=until, problem="SPEND_DAY")
    found = card(agentctx)
    assert (found["on"], found["why"], found["state"]) == (True, None, "healthy")
    assert found["root"] == str(project)
    assert found["jobs"] == {"pending": 1, "leased": 0, "retry": 1, "failed": 1}
    assert (found["items"], found["open_turns"]) == (1, 1)
    assert (found["waits"], found["problem"]) == ("SPEND_DAY", None)
    assert found["retry_at"][:16] == until.isoformat()[:16]
    status = answer(agentctx("status"))
    assert status["worker"]["memories"] == 1
    assert SAID not in json.dumps(status)
    assert drawn(agentctx).split("\n")[1:] == [
        "memory       on, 1 item",
        "             jobs: 1 pending, 1 retry, 1 failed",
        f"             waits because of SPEND_DAY until {found['retry_at'][:16]}",
    ]
    assert "1 memory waiting" in agentctx("status", terminal=True).out


@pytest.mark.parametrize("why", ["no_folder", "environment", "setting", "off"])
def test_the_card_says_why_memory_is_off(
    agentctx: InProcess,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    why: str,
) -> None:
    if why == "no_folder":
        (project / ".agentctx").rmdir()
    elif why == "environment":
        monkeypatch.setenv(VARIABLE, "0")
    elif why == "setting":
        agentctx("config", "set", "memory", "false")
    else:
        (project / ".agentctx" / MARK).touch()
    found = card(agentctx)
    assert (found["on"], found["why"], found["jobs"]) == (False, why, None)
    assert drawn(agentctx).startswith("\nmemory       off: ")
    assert not (project / ".agentctx" / "memory.db").exists()


def test_looking_makes_no_memory(agentctx: InProcess, project: Path) -> None:
    assert card(agentctx)["state"] == "absent"
    assert drawn(agentctx) == "\nmemory       on; nothing was said yet"
    assert list((project / ".agentctx").iterdir()) == []


def test_a_memory_that_cannot_be_read_is_told_and_left_as_it_is(
    agentctx: InProcess, project: Path
) -> None:
    (project / ".agentctx" / "memory.db").write_bytes(b"no database at all" * 99)
    before = files(project)
    found = card(agentctx)
    assert (found["state"], found["problem"]) == ("degraded", "MEMORY_DEGRADED")
    assert found["detail"]
    assert found["detail"] in drawn(agentctx).replace("\n             ", " ")
    assert files(project) == before


def test_work_tells_what_became_of_memories(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    with memory_at(project, Ticking(wall())) as memory:
        say(memory)
    with store_at(store_home) as store, store.writing() as tx:
        note_memory(tx, str(project), asks=False, now=wall())
    told = agentctx("work", "--now", "--format", "text").out
    assert told.endswith(
        "memory       1 project looked at\n"
        "             1 memory waiting\n"
        "             waits because of NO_LLM\n"
    )
    value = answer(agentctx("work", "--now"))["memory"]
    assert (value["projects"], value["left"], value["waiting"]) == (1, 1, ["NO_LLM"])
    assert card(agentctx)["waits"] == "NO_LLM"
