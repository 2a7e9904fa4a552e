"""The worker as a person starts it: bounded, hurried, interrupted, failing (A1.1)."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.failures import last_failures
from agentctx.hooks.app import EVENTS
from agentctx.records.transcripts import Source, hear, waiting
from tests.agentctx.answers import answer, namespace, refusal
from tests.agentctx.extraction.conftest import decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails
from tests.agentctx.spoken import transcript
from tests.agentctx.working import came_to_work, start, wall, who_holds
from tests.recorded import store_at

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("A1.1")

UTC, SAID = "Store readings in UTC", "Let's store readings in UTC everywhere."
needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")


def goes_on(home: Path, project: Path) -> None:
    """Let a session have said something just now; it goes on."""
    said = transcript(project, project, "s1").turn(SAID)
    source = Source("s1", namespace(project), str(project), str(said.path))
    with store_at(home) as store, store.writing() as tx:
        hear(tx, source, now=wall())


def key_of(api: FakeApi) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "sk-x",
        "ANTHROPIC_BASE_URL": api.url,
        "AGENTCTX_MEMORY": "0",
    }


def ended(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return dict(json.loads(out))


@pytest.mark.requirement("A9")
@pytest.mark.parametrize("seconds", ["0", "-1", "86401", "soon", "1.5"])
def test_a_life_without_bounds_is_refused(
    agentctx: InProcess, store_home: Path, seconds: str
) -> None:
    assert refusal(agentctx("work", "--max-seconds", seconds)) == "USAGE"
    assert not store_home.exists()


@pytest.mark.requirement("A9")
def test_work_with_nothing_to_do_ends(agentctx: InProcess) -> None:
    value = answer(agentctx("work"))
    assert (value["busy"], value["sessions"], value["left"]) == (False, 0, 0)
    assert value["consolidated"]["projects"] == []
    told = agentctx("work", "--now", "--format", "text").out
    assert told.startswith("sessions     0 sessions\nrecords      0 made\n")


@needs_signals
def test_work_lives_no_longer_than_it_may(store_home: Path, project: Path) -> None:
    goes_on(store_home, project)
    with FakeApi([Says(found())]) as api:
        process = start(
            store_home, project, "work", "--max-seconds", "2", **key_of(api)
        )
        value = ended(process)
        assert api.asked == ()
    assert (value["sessions"], value["left"]) == (0, 1)
    assert who_holds(store_home) is None


@needs_signals
@pytest.mark.requirement("A6.2")
def test_a_waiting_worker_is_hurried_and_both_end(
    store_home: Path, project: Path
) -> None:
    goes_on(store_home, project)
    with FakeApi([Says(found(decisions=[decision(UTC)]))]) as api:
        first = start(store_home, project, "work", **key_of(api))
        assert came_to_work(store_home, first)
        second = start(store_home, project, "work", "--now", **key_of(api))
        hurried, worked = ended(second), ended(first)
        assert len(api.asked) == 1
    assert (hurried["busy"], hurried["sessions"], hurried["left"]) == (False, 0, 0)
    assert (worked["sessions"], worked["records"]) == (1, 1)
    assert who_holds(store_home) is None


@needs_signals
@pytest.mark.requirement("A6.2")
def test_who_hurries_a_worker_does_not_wait_for_what_cannot_be_done(
    store_home: Path, project: Path
) -> None:
    goes_on(store_home, project)
    with FakeApi([fails(401)]) as api:
        first = start(store_home, project, "work", **key_of(api))
        assert came_to_work(store_home, first)
        second = start(store_home, project, "work", "--now", **key_of(api))
        hurried = ended(second)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)
        assert len(api.asked) == 1
    assert (hurried["busy"], hurried["left"]) == (False, 1)


@needs_signals
def test_an_interrupted_worker_leaves_the_lease_free(
    store_home: Path, project: Path
) -> None:
    goes_on(store_home, project)
    with FakeApi([Says(found())]) as api:
        process = start(store_home, project, "work", **key_of(api))
        assert came_to_work(store_home, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode != 0
    assert b"Traceback" not in said
    with store_at(store_home) as store:
        rows = store.db.execute("SELECT count(*) FROM leases").fetchone()
        assert rows[0] == 0
        assert len(waiting(store.db)) == 1


@pytest.mark.requirement("A4.1")
@pytest.mark.parametrize(
    "place",
    [
        pytest.param("agentctx.extraction.session.Extraction.update", id="a session"),
        pytest.param("agentctx.extraction.worker._Shift._look", id="the worker"),
    ],
)
def test_a_defect_is_noted_and_leaves_the_lease_free(
    agentctx: InProcess,
    store_home: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    goes_on(store_home, project)

    def breaks(*_: object, **__: object) -> None:
        raise ZeroDivisionError(SAID)

    with monkeypatch.context() as patch:
        patch.setattr(place, breaks)
        agentctx("work", "--now")
    assert who_holds(store_home) is None
    (failure,) = answer(agentctx("status"))["last_errors"]
    assert (failure["where"], failure["code"]) == ("worker", "BUG")
    assert SAID not in json.dumps(failure)
    assert "worker: BUG (ZeroDivisionError)" in agentctx("status", terminal=True).out
    assert answer(agentctx("work", "--now"))["sessions"] == 1


def test_what_a_store_cannot_do_is_told_in_the_log(
    agentctx: InProcess, store_home: Path
) -> None:
    answer(agentctx("work"))
    (store_home / "agentctx.db").write_bytes(b"no database" * 99)
    assert refusal(agentctx("work")) == "STORE_FOREIGN"
    assert last_failures(str(store_home)) == []  # a person was told


@pytest.mark.requirement("A6.7", "A9")
def test_consolidate_proposes_and_a_person_decides(agentctx: InProcess) -> None:
    old = answer(agentctx("add", "decision", UTC))["record"]["id"]
    new = answer(agentctx("add", "decision", "Readings are stored in UTC"))["record"]
    value = answer(agentctx("consolidate"))
    (one,) = value["proposals"]
    assert (value["merges"], one["kind"]) == (1, "merge")
    assert {one["record_id"], one["other_id"]} == {old, new["id"]}
    assert answer(agentctx("status"))["proposals"] == 1
    told = agentctx("consolidate", "--format", "text").out
    assert f"[{old}] {UTC}" in told
    assert f"agentctx consolidate --accept {one['id']}" in told
    assert f"agentctx consolidate --dismiss {one['id']}" in told
    done = answer(agentctx("consolidate", "--accept", one["id"]))
    assert done["proposals"] == []
    assert done["decided"] == [{"id": one["id"], "ended": old, "kept": new["id"]}]
    shown = answer(agentctx("show", old))["record"]
    assert shown["superseded_by"] == new["id"]
    for option in ("--accept", "--dismiss"):
        done_again = agentctx("consolidate", option, one["id"])
        assert refusal(done_again) == "PROPOSAL_UNKNOWN"
    assert answer(agentctx("doctor"))["ok"]


@pytest.mark.requirement("A6.7", "A9")
def test_a_dismissed_proposal_is_told_and_gone(agentctx: InProcess) -> None:
    for title in (UTC, "Readings are stored in \x1b[31mUTC".replace("\x1b[31m", "")):
        answer(agentctx("add", "decision", title))
    (one,) = answer(agentctx("consolidate"))["proposals"]
    done = agentctx("consolidate", "--dismiss", one["id"], "--format", "text").out
    assert done.startswith("dismissed    ")
    assert answer(agentctx("consolidate"))["proposals"] == []


@pytest.mark.requirement("A9")
def test_consolidate_makes_no_store(agentctx: InProcess, store_home: Path) -> None:
    assert answer(agentctx("consolidate"))["proposals"] == []
    assert not store_home.exists()


@pytest.mark.requirement("A4.1", "A9")
def test_help_of_hooks_names_every_event(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    told = "".join(agentctx("hook", "--help").out.split())
    assert [name for name in EVENTS if name not in told] == []
    process = start(store_home, project, "hook", "--help")
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert b"session-start" in out
    assert refusal(agentctx("hook", "no-such-event")) == "USAGE"
    assert refusal(agentctx("hook", "stop")) == "USAGE"
    assert refusal(agentctx("hook")) == "USAGE"
