"""`status` shows what is known, what it costs and what is wrong, and never fails."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from agentctx.records.store import FILE
from tests.agentctx.answers import answer, faults, namespace, refusal
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

KEYS = {
    "project",
    "state_dir",
    "store",
    "records",
    "tokens_injected",
    "cost_usd",
    "hit_rate",
    "degraded",
    "last_errors",
    "worker",
}


@pytest.mark.requirement("A9")
def test_status_of_nothing_is_honest(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    value = answer(agentctx("status"))
    assert set(value) >= KEYS
    assert value["home"] == str(store_home)
    assert value["state_dir"] == str(store_home / "sessions")
    assert value["project"]["project_id"] == namespace(project)
    assert value["store"]["exists"] is False
    assert value["records"]["total"] == 0
    assert value["tokens_injected"] == {"session": 0, "total": 0}
    assert value["cost_usd"] == {"today": 0, "total": 0}
    assert value["hit_rate"] is None
    assert (value["worker"]["running"], value["worker"]["waiting"]) == (False, 0)
    assert [one["code"] for one in value["degraded"]] == ["no-llm"]
    assert value["last_errors"] == []


@pytest.mark.requirement("A9")
def test_status_counts_the_records_of_this_project(agentctx: InProcess) -> None:
    made = answer(agentctx("add", "decision", "Readings are stored in UTC"))
    answer(agentctx("pin", made["record"]["id"]))
    answer(agentctx("add", "preference", "Tabs", "--scope", "global"))
    value = answer(agentctx("status"))
    assert value["records"] == {
        "total": 1,
        "by_type": {"decision": 1},
        "by_confidence": {"explicit": 1},
        "pinned": 1,
        "past": 0,
        "global": 1,
    }
    assert value["store"]["bytes"] > 0
    assert value["store"]["changes"] > 0


@pytest.mark.requirement("A9")
def test_status_adds_up_what_sessions_took(
    agentctx: InProcess, store_home: Path, project: Path
) -> None:
    rows = [
        ("a", namespace(project), "2026-01-01T00:00:00.000Z", 100, 0.5),
        ("b", namespace(project), "2026-01-02T00:00:00.000Z", 30, 0.25),
        ("c", "ab" * 32, "2026-01-03T00:00:00.000Z", 7, 1.0),
    ]
    with store_at(store_home) as store, store.writing() as tx:
        tx.executemany(
            "INSERT INTO sessions (session_id, project_id, started_at,"
            " tokens_injected, extraction_cost_usd) VALUES (?, ?, ?, ?, ?)",
            rows,
        )
    value = answer(agentctx("status"))
    assert value["tokens_injected"] == {"session": 30, "total": 130}
    assert value["cost_usd"] == {"today": 0, "total": 1.75}


@pytest.mark.requirement("A9", "A2.10")
@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("garbage", "STORE_FOREIGN"),
        ("foreign", "STORE_FOREIGN"),
        ("newer", "STORE_TOO_NEW"),
        ("corrupt", "STORE_CORRUPT"),
        ("folder", "STORE_FOREIGN"),
        ("open to all", "HOME_UNUSABLE"),
    ],
)
def test_a_store_that_cannot_be_used_is_told_and_left_as_it_is(
    agentctx: InProcess, store_home: Path, kind: str, code: str
) -> None:
    if kind == "open to all" and os.name == "nt":
        pytest.skip("Windows says nothing of it")
    place = store_home / FILE
    damage(agentctx, store_home, kind)
    before = place.read_bytes() if place.is_file() else None
    value = answer(agentctx("status"))
    assert faults(value) == [code]
    assert all(one["detail"] and one["hint"] for one in value["degraded"])
    assert value["records"]["total"] == 0
    assert code in agentctx("status", terminal=True).out
    found = answer(agentctx("search", "wind"), status=1)
    assert (found["results"], found["degraded"]) == ([], code)
    assert found["problem"]["code"] == code
    assert answer(agentctx("project"), status=1)["problem"]["code"] == code
    assert answer(agentctx("profile", "show"), status=1)["problem"]["code"] == code
    for words in (("search", "wind"), ("project",), ("profile", "show")):
        assert code in agentctx(*words, terminal=True).out
    assert refusal(agentctx("add", "decision", "The wind turns")) == code
    assert refusal(agentctx("show", "01ARZ3NDEK")) == code
    if before is not None:
        assert place.read_bytes() == before


@pytest.mark.requirement("A9")
def test_settings_that_cannot_be_used_are_told(
    agentctx: InProcess, store_home: Path
) -> None:
    store_home.mkdir(mode=0o700)
    (store_home / "config.json").write_text("{", encoding="utf-8")
    value = answer(agentctx("status"))
    assert faults(value) == ["CONFIG_UNREADABLE"]
    answer(agentctx("add", "decision", "The wind turns"))


@pytest.mark.requirement("A9")
def test_a_working_directory_that_is_gone_is_no_defect(
    store_home: Path, program_env: dict[str, str], tmp_path: Path
) -> None:
    del store_home
    if os.name == "nt":
        pytest.skip("a folder in use cannot be removed there")
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import sys; from agentctx.cli.app import main; sys.exit(main(['status']))"
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            'rmdir "$0" && exec "$1" -c "$2"',
            gone,
            sys.executable,
            code,
        ],
        cwd=gone,
        env=program_env,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert (done.returncode, json.loads(done.stderr)["error"]) == (2, "USAGE")


def damage(agentctx: InProcess, home: Path, kind: str) -> None:
    """Put something at the store's place that is no store of ours."""
    place = home / FILE
    if kind in {"newer", "corrupt", "open to all"}:
        answer(agentctx("add", "decision", "Readings are stored in UTC"))
    else:
        home.mkdir(mode=0o700)
    if kind == "garbage":
        place.write_bytes(b"no database at all " * 40)
    elif kind == "folder":
        place.mkdir()
    elif kind == "foreign":
        sqlite3.connect(place).execute("CREATE TABLE t (x)").connection.close()
    elif kind == "newer":
        db = sqlite3.connect(place)
        db.execute("PRAGMA user_version = 99")
        db.close()
    elif kind == "corrupt":
        content = bytearray(place.read_bytes())
        content[100:] = b"\xff" * (len(content) - 100)
        place.write_bytes(content)
    else:
        home.chmod(0o777)
