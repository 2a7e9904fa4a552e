"""The end of turns and sessions; what a compaction leaves (A4.4 to A4.6)."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.failures import last_failures
from agentctx.records.leases import WORKER, take
from agentctx.records.read import current_records
from agentctx.records.remove import delete_record
from agentctx.records.transcripts import heard, settle, waiting
from tests.agentctx.hooked import SESSION, Client, start_hook
from tests.agentctx.spoken import Transcript, transcript

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from tests.agentctx.hooks.conftest import Desk

KEY = {"ANTHROPIC_API_KEY": "sk-test"}
EDIT: dict[str, object] = {"name": "Edit", "input": {"file_path": "src/parser.py"}}
TODO: dict[str, object] = {
    "name": "TodoWrite",
    "input": {
        "todos": [
            {"content": "Split the parser", "status": "in_progress", "activeForm": "x"},
            {"content": "Write tests", "status": "pending", "activeForm": "y"},
        ]
    },
}


def handovers(desk: Desk) -> list[Record]:
    found = current_records(desk.store.db, desk.project.project_id)
    return [one for one in found if one.type == "handover"]


@pytest.fixture
def said(client: Client) -> Transcript:
    return transcript(client.cwd, client.cwd, SESSION)


@pytest.mark.requirement("A4.4")
@pytest.mark.parametrize("event", ["stop", "stop-failure"])
def test_the_end_of_a_turn_is_noted_and_nothing_is_said(
    client: Client, desk: Desk, said: Transcript, event: str
) -> None:
    said.turn("Use SQLite for the ledger")
    path = str(said.path)
    assert client.hook(event, transcript_path=path, last_assistant_message="x") == ""
    (one,) = waiting(desk.store.db)
    assert (one.session_id, one.path, one.ended_at) == (SESSION, path, None)


@pytest.mark.requirement("A4.4", "A1.1")
def test_a_turn_wakes_the_worker_once_where_a_model_can_be_asked(
    client: Client, desk: Desk, said: Transcript
) -> None:
    path = str(said.turn("Use SQLite").path)
    client.hook("stop", transcript_path=path)
    assert client.woken == 0  # no key: the session's end wakes it
    client.environ = dict(KEY)
    client.hook("stop", transcript_path=path)
    assert client.woken == 1
    with desk.store.writing() as tx:
        take(tx, WORKER, "somebody", now=client.clock())
    client.hook("stop", transcript_path=path)
    assert client.woken == 1
    client.clock.tick(timedelta(minutes=5))  # that lease has run out
    client.hook("stop", transcript_path=path)
    assert client.woken == 2


@pytest.mark.requirement("A4.4")
def test_a_sub_agents_end_is_no_turn(client: Client, desk: Desk) -> None:
    client.hook("stop", agent_id="a1")
    assert not waiting(desk.store.db)


@pytest.mark.requirement("A4.5")
def test_a_sessions_end_is_stamped_and_wakes_the_worker(
    client: Client, desk: Desk, said: Transcript
) -> None:
    path = str(said.turn("Use SQLite").path)
    assert client.hook("session-end", transcript_path=path, reason="logout") == ""
    row = desk.store.db.execute("SELECT ended_at FROM sessions").fetchone()
    assert row[0] is not None
    one = heard(desk.store.db, SESSION)
    assert one is not None
    assert one.ended_at is not None
    assert client.woken == 1


@pytest.mark.requirement("A4.5")
def test_a_session_that_goes_on_after_its_end_is_read_again(
    client: Client, desk: Desk, said: Transcript
) -> None:
    path = str(said.turn("Use SQLite").path)
    client.hook("session-end", transcript_path=path)
    one = heard(desk.store.db, SESSION)
    assert one is not None
    with desk.store.writing() as tx:
        settle(tx, one)
    assert not waiting(desk.store.db)
    client.hook("stop", transcript_path=path)
    (one,) = waiting(desk.store.db)
    assert one.ended_at is None


@pytest.mark.requirement("A4.4")
def test_a_clock_that_was_set_back_loses_no_turn(
    client: Client, desk: Desk, said: Transcript
) -> None:
    path = str(said.turn("Use SQLite").path)
    client.hook("stop", transcript_path=path)
    one = heard(desk.store.db, SESSION)
    assert one is not None
    with desk.store.writing() as tx:
        settle(tx, one)
    client.clock.tick(timedelta(days=-30))
    client.hook("stop", transcript_path=path)
    assert len(waiting(desk.store.db)) == 1


@pytest.mark.requirement("A4.5")
def test_a_sessions_end_takes_no_time(client: Client) -> None:
    started = time.monotonic()
    run = start_hook("session-end", client.payload("session-end"), client.home)
    assert run.returncode == 0
    assert time.monotonic() - started < 1.5


@pytest.mark.requirement("A4.6")
def test_a_compaction_leaves_a_handover(
    client: Client, desk: Desk, said: Transcript
) -> None:
    said.says("Rewrite the parser so that it streams").answers("Yes.", [EDIT, TODO])
    said.says("ok, go on").answers("Going on.")
    client.hook(
        "post-tool-use",
        tool_name="Edit",
        tool_input={"file_path": str(client.cwd / "src/parser.py")},
        tool_response={},
    )
    assert client.hook("pre-compact", transcript_path=str(said.path)) == ""
    (record,) = handovers(desk)
    assert record.title == "Handover: Rewrite the parser so that it streams"
    assert record.body.split("\n") == [
        "Last request: Rewrite the parser so that it streams",
        "In progress: Split the parser",
        "Files touched: src/parser.py",
    ]
    assert (record.confidence, record.trust, record.source) == (
        "inferred",
        "tool",
        "hook_observation",
    )


@pytest.mark.requirement("A4.6")
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("<command-name>/clear</command-name>", id="a command"),
        pytest.param(
            "<local-command-stdout>deploy all</local-command-stdout>", id="its output"
        ),
        pytest.param("   ", id="nothing"),
        pytest.param("thanks, looks good", id="small talk"),
        pytest.param("[Request interrupted by user]", id="an interruption"),
    ],
)
def test_what_nobody_asked_for_makes_no_handover(
    client: Client, desk: Desk, said: Transcript, line: str
) -> None:
    said.turn(line)
    client.hook("pre-compact", transcript_path=str(said.path))
    assert handovers(desk) == []


@pytest.mark.requirement("A4.6")
def test_a_sub_agents_compaction_makes_no_handover(
    client: Client, desk: Desk, said: Transcript
) -> None:
    said.turn("Rewrite the parser")
    client.hook("pre-compact", transcript_path=str(said.path), agent_id="a1")
    assert handovers(desk) == []
    said.says("Rewrite the whole lexer", isSidechain=True)
    client.hook("pre-compact", transcript_path=str(said.path))
    (record,) = handovers(desk)
    assert "lexer" not in record.body


@pytest.mark.requirement("A4.6")
def test_a_richer_handover_stays(client: Client, desk: Desk, said: Transcript) -> None:
    rich = desk.keep(
        "Handover: move the ledger",
        "Move the ledger to SQLite.\nBlocker: the import is slow.\nNext: index it.",
        type="handover",
        session_id=SESSION,
        key="",
    )
    said.turn("Rename the module").answers("Done.", [EDIT])
    client.hook("pre-compact", transcript_path=str(said.path))
    assert [one.id for one in handovers(desk)] == [rich.id]


@pytest.mark.requirement("A4.6")
def test_a_later_session_with_work_of_its_own_makes_a_new_one(
    client: Client, desk: Desk, said: Transcript
) -> None:
    desk.keep("Handover: old", "Old work.\nNext: a\nNext: b", type="handover", key="")
    client.clock.tick(timedelta(days=2))
    said.says("Rename the module").answers("Done.", [EDIT])
    client.hook("pre-compact", transcript_path=str(said.path))
    (record,) = handovers(desk)
    assert record.title == "Handover: Rename the module"


@pytest.mark.requirement("A4.6", "A2.9")
def test_a_handover_that_was_deleted_is_not_made_again(
    client: Client, desk: Desk, said: Transcript
) -> None:
    said.turn("Rewrite the parser so that it streams its input")
    client.hook("pre-compact", transcript_path=str(said.path))
    (record,) = handovers(desk)
    delete_record(desk.store, desk.project.project_id, record.id)
    assert client.hook("pre-compact", transcript_path=str(said.path)) == ""
    assert handovers(desk) == []
    assert [one.code for one in last_failures(str(client.home))] == ["FORGOTTEN"]


@pytest.mark.requirement("A4.6", "A10.1")
def test_a_handover_holds_no_secret(
    client: Client, desk: Desk, said: Transcript
) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    said.turn(f"Deploy the parser with token {secret} please")
    client.hook("pre-compact", transcript_path=str(said.path))
    (record,) = handovers(desk)
    assert secret not in f"{record.title}{record.body}"


@pytest.mark.requirement("A4.6")
@pytest.mark.parametrize("path", ["/nowhere.jsonl", "/dev/zero", "/"])
def test_a_transcript_that_cannot_be_read_is_told_by_status(
    client: Client, desk: Desk, path: str
) -> None:
    assert client.hook("pre-compact", transcript_path=path) == ""
    (failure,) = last_failures(str(client.home))
    assert (failure.where, failure.code) == ("pre-compact", "TRANSCRIPT_UNREADABLE")
    assert Path(desk.store.home).exists()
