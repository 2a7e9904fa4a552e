"""The profile follows a project's files; preferences are a page of the user's."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.records.preferences import PLACE
from tests.agentctx.answers import answer, faults, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

MANIFEST = """\
[project]
name = "weather"
dependencies = ["flask"]
[project.scripts]
weather = "weather.main:main"
"""


@pytest.fixture
def python_project(project: Path) -> Path:
    (project / "pyproject.toml").write_text(MANIFEST, encoding="utf-8")
    return project


def profile(agentctx: InProcess) -> dict[str, Any]:
    shown = answer(agentctx("profile", "show"))["profile"]
    return {one["key"]: one for one in shown}


@pytest.mark.requirement("A7.3", "A10.2")
def test_the_profile_is_read_from_the_files_and_never_explicit(
    agentctx: InProcess, python_project: Path
) -> None:
    del python_project
    done = answer(agentctx("profile", "refresh"))
    assert {"stack", "entry-points"} <= set(done["added"])
    found = profile(agentctx)
    assert sorted(found) == done["added"]
    assert {one["trust"] for one in found.values()} == {"file"}
    assert {one["confidence"] for one in found.values()} == {"inferred"}
    assert "weather.main:main" in found["entry-points"]["body"]
    pinned = agentctx("pin", found["stack"]["id"])
    assert refusal(pinned) == "TRUST_TOO_LOW"


@pytest.mark.requirement("A7.3", "A2.6")
def test_a_refresh_supersedes_what_changed_and_ends_what_vanished(
    agentctx: InProcess, python_project: Path
) -> None:
    first = answer(agentctx("profile", "refresh"))
    before = profile(agentctx)
    same = answer(agentctx("profile", "refresh"))
    assert same["same"] == first["added"]
    assert profile(agentctx) == before
    manifest = MANIFEST.replace("flask", "django").partition("[project.scripts]")[0]
    (python_project / "pyproject.toml").write_text(manifest, encoding="utf-8")
    changed = answer(agentctx("profile", "refresh"))
    assert "stack" in changed["changed"]
    assert changed["retired"] == ["entry-points"]
    after = profile(agentctx)
    assert "entry-points" not in after
    versions = answer(agentctx("history", after["stack"]["id"]))["versions"]
    assert [one["id"] for one in versions] == [
        before["stack"]["id"],
        after["stack"]["id"],
    ]
    ended = answer(agentctx("show", before["entry-points"]["id"]))
    assert ended["head"] is None


@pytest.mark.requirement("A7.3")
def test_nothing_is_taken_for_gone_where_a_manifest_cannot_be_read(
    agentctx: InProcess, python_project: Path
) -> None:
    answer(agentctx("profile", "refresh"))
    before = profile(agentctx)
    (python_project / "pyproject.toml").write_text("[project\n", encoding="utf-8")
    (python_project / "package.json").write_text('{"name": "w"}', encoding="utf-8")
    (python_project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    done = answer(agentctx("profile", "refresh"), status=1)
    assert done["problems"]
    assert (done["retired"], done["changed"]) == ([], [])
    assert {"stack", "entry-points"} <= set(done["held"])
    after = profile(agentctx)
    assert {key: after[key] for key in before} == before
    assert sorted(set(after) - set(before)) == done["added"]
    assert "commands" in done["added"]


@pytest.mark.requirement("A7.3", "A10.2")
def test_what_a_person_says_of_the_project_stays(
    agentctx: InProcess, python_project: Path
) -> None:
    answer(agentctx("profile", "refresh"))
    stack = profile(agentctx)["stack"]["id"]
    edited = answer(agentctx("profile", "edit", stack, "--body", "Flask, and COBOL."))
    assert edited["record"]["key"] == "stack"
    confirmed = profile(agentctx)["entry-points"]["id"]
    answer(agentctx("reinforce", confirmed))
    (python_project / "pyproject.toml").unlink()
    (python_project / "package.json").write_text('{"name": "w"}', encoding="utf-8")
    done = answer(agentctx("profile", "refresh"))
    assert "stack" in done["kept"]
    assert "entry-points" not in done["retired"]
    assert profile(agentctx)["stack"]["body"] == "Flask, and COBOL."


@pytest.mark.requirement("A9")
def test_an_entry_can_be_cleared_and_its_history_stays(
    agentctx: InProcess, python_project: Path
) -> None:
    del python_project
    answer(agentctx("profile", "refresh"))
    stack = profile(agentctx)["stack"]["id"]
    assert answer(agentctx("profile", "clear", stack))["record"]["superseded_at"]
    assert "stack" not in profile(agentctx)
    assert len(answer(agentctx("history", stack))["versions"]) == 1
    assert refusal(agentctx("profile", "clear", stack)) == "RECORD_ENDED"


@pytest.mark.requirement("A9")
def test_the_profile_commands_leave_other_records_alone(agentctx: InProcess) -> None:
    made = answer(agentctx("add", "decision", "Readings are stored in UTC"))
    record_id = made["record"]["id"]
    edit = agentctx("profile", "edit", record_id, "--body", "x")
    assert refusal(edit) == "FIELD_INVALID"
    assert refusal(agentctx("profile", "clear", record_id)) == "FIELD_INVALID"
    assert answer(agentctx("show", record_id))["record"] == made["record"]


@pytest.mark.requirement("A9", "A2.5")
def test_the_page_of_preferences_follows_every_change(
    agentctx: InProcess, store_home: Path
) -> None:
    page = store_home / PLACE
    answer(agentctx("add", "preference", "Only here"))
    assert not page.exists()
    words = ("add", "preference", "Short functions", "--scope", "global")
    made = answer(agentctx(*words, "--body", "Thirty lines.\n# Not a heading"))
    text = page.read_text(encoding="utf-8")
    assert "## Short functions" in text
    assert "\n# Not a heading" not in text
    assert "Only here" not in text
    if os.name != "nt":
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    record_id = made["record"]["id"]
    edited = answer(agentctx("profile", "edit", record_id, "--title", "Long ones"))
    text = page.read_text(encoding="utf-8")
    assert "Long ones" in text
    assert "Short functions" not in text
    answer(agentctx("profile", "clear", edited["record"]["id"]))
    assert "Long ones" not in page.read_text(encoding="utf-8")
    shown = answer(agentctx("profile", "show"))["preferences"]
    assert [one["title"] for one in shown] == ["Only here"]


@pytest.mark.requirement("A9")
def test_a_page_that_cannot_be_written_is_told_by_status_alone(
    agentctx: InProcess, store_home: Path
) -> None:
    store_home.mkdir(mode=0o700)
    (store_home / "profile").write_text("in the way", encoding="utf-8")
    words = ("add", "preference", "Short functions", "--scope", "global")
    assert answer(agentctx(*words))["record"]
    assert faults(answer(agentctx("status"))) == ["preferences-stale"]


@pytest.mark.requirement("A7.3", "A9")
def test_the_profile_reads_well_on_a_terminal(
    agentctx: InProcess, python_project: Path
) -> None:
    del python_project
    assert agentctx("profile", "refresh", terminal=True).status == 0
    shown = agentctx("profile", "show", terminal=True)
    assert shown.status == 0
    assert "unconfirmed" in shown.out
    stack = profile(agentctx)["stack"]["id"]
    assert agentctx("profile", "edit", stack, "--body", "B", terminal=True).status == 0
    stack = profile(agentctx)["stack"]["id"]
    assert agentctx("profile", "clear", stack, terminal=True).status == 0
