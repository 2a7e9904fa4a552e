"""`agentctx sync` shows a diff and writes what is confirmed, nothing else (A7.2)."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.cli import commands
from corpus.cli.app import run_program
from tests.agentctx.answers import answer, refusal
from tests.agentctx.mcp.serving import call, desk_at, record
from tests.conftest import FakeTerminal, Outcome, caught

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import InProcess

ROOT = Path(__file__).parents[2]
run_agentctx = partial(run_program, commands.PROGRAM)


@pytest.fixture
def sync(
    project: Path, store_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Run `agentctx sync` in the project; `says` is what a person types."""
    del store_home
    home = tmp_path / "user"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)

    def run(*arguments: str, says: str | None = None) -> Outcome:
        with monkeypatch.context() as patch:
            patch.chdir(project)
            if says is not None:
                typed = FakeTerminal(io.BytesIO(says.encode()), encoding="utf-8")
                patch.setattr(sys, "stdin", typed)
            words = ("sync", *arguments)
            return caught(run_agentctx, words, terminal=says is not None)

    return run


@pytest.fixture
def rules(project: Path, agentctx: InProcess) -> Path:
    """Give a CLAUDE.md that lacks three decisions."""
    for title in ("Keep logs in Loki", "Deploy on Mondays", "Store prices in cents"):
        answer(agentctx("add", "decision", title))
    path = project / "CLAUDE.md"
    path.write_text("# Rules\n", encoding="utf-8")
    return path


def kept(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return [one for one in ("Loki", "Mondays", "cents") if one in text]


@pytest.mark.requirement("A7.2", "A1.5")
def test_without_a_terminal_it_shows_and_changes_nothing(
    sync: Callable[..., Outcome], rules: Path
) -> None:
    done = sync()
    assert done.status == 2
    assert json.loads(done.err)["error"] == "CONSENT_REQUIRED"
    value: dict[str, Any] = json.loads(done.out)
    assert len(value["missing"]) == len(value["changes"]) == 3
    assert value["proposed_diff"].startswith("--- a/CLAUDE.md\n+++ b/CLAUDE.md\n")
    assert rules.read_text(encoding="utf-8") == "# Rules\n"
    text = sync("--format", "text")
    assert text.status == 2
    assert "change 3 of 3" in text.out


@pytest.mark.requirement("A7.2")
def test_changes_are_applied_by_their_numbers(
    sync: Callable[..., Outcome], rules: Path
) -> None:
    value = answer(sync("--apply", "1,3"))
    assert value["applied"] == [1, 3]
    assert kept(rules) == ["Loki", "cents"]
    value = answer(sync("--apply", "all"))
    assert value["applied"] == [1]
    assert kept(rules) == ["Loki", "Mondays", "cents"]
    assert rules.read_text(encoding="utf-8").count("agentctx:begin") == 1
    assert answer(sync())["changes"] == []


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize("asked", ["0", "4", "x", "", "1,,2", "-1", "²", "9" * 99])
def test_a_number_that_is_no_change_is_refused(
    sync: Callable[..., Outcome], rules: Path, asked: str
) -> None:
    assert refusal(sync(f"--apply={asked}")) == "CHANGE_UNKNOWN"
    assert kept(rules) == []


@pytest.mark.requirement("A7.2")
def test_a_plan_that_is_no_longer_so_is_refused(
    sync: Callable[..., Outcome], rules: Path
) -> None:
    plan = json.loads(sync().out)["plan"]
    rules.write_text("# Other rules\n", encoding="utf-8")
    assert refusal(sync("--apply", "all", "--plan", plan)) == "PLAN_STALE"
    plan = json.loads(sync().out)["plan"]
    assert answer(sync("--apply", "all", "--plan", plan))["applied"] == [1, 2, 3]


@pytest.mark.requirement("A7.2")
@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("y\nn\ny\n", ["Loki", "cents"]),
        ("n\nall\n", ["Loki", "Mondays"]),
        ("yes\nq\n", ["cents"]),
        ("y\n", ["cents"]),
        ("\n\n\n", []),
        ("maybe\n1\nY\n", ["Loki"]),
    ],
)
def test_a_person_is_asked_about_each_change(
    sync: Callable[..., Outcome], rules: Path, says: str, expected: list[str]
) -> None:
    done = sync(says=says)
    assert done.status == 0, done.err
    assert kept(rules) == expected


@pytest.mark.requirement("A7.2")
def test_what_was_decided_is_said(sync: Callable[..., Outcome], rules: Path) -> None:
    plan = json.loads(sync().out)["plan"]
    text = sync("--format", "text").out
    assert f"--apply all --plan {plan}" in text
    none = sync("--format", "text", says="n\nn\nn\n")
    assert none.out.endswith("nothing was applied\n")
    assert "change 1" not in none.out
    done = sync("--format", "text", "--apply", "all", "--plan", plan)
    assert done.out.endswith("applied 3 changes (1, 2, 3) to CLAUDE.md\n")
    again = sync("--format", "text", "--apply", "all")
    assert (again.status, again.err) == (0, "")
    assert again.out.endswith("there is nothing to apply\n")
    assert len(kept(rules)) == 3


@pytest.mark.requirement("A7.2")
def test_what_is_not_proposed_is_named_with_the_reason(
    sync: Callable[..., Outcome], rules: Path, agentctx: InProcess
) -> None:
    for number in range(20):
        answer(agentctx("add", "decision", f"Module m{number}x uses driver d{number}q"))
    value = json.loads(sync().out)
    later = [one for one in value["missing"] if one["change"] is None]
    assert [one["held"] for one in later] == ["later"] * 3
    shown = sync("--format", "text").out
    assert all(f"  {one['id']}  {one['title']}\n" in shown for one in later)
    rules.write_text("```\nls\n", encoding="utf-8")
    value = answer(sync())
    assert {one["held"] for one in value["missing"]} == {"open"}
    assert value["changes"] == []


@pytest.mark.requirement("A7.2", "A10.2")
def test_reinforce_is_named_only_where_it_helps(
    sync: Callable[..., Outcome], rules: Path, project: Path, store_home: Path
) -> None:
    desk = desk_at(store_home, project, HOME=str(project))
    old = record(desk, title="Use npm for installs")
    asked = {"old_id": old, "title": "Use pnpm for installs", "new_body": "Use pnpm."}
    made = call(desk, "ctx_supersede", {**asked, "rationale": "faster"})
    head = made.value["new_id"]
    desk.forget()
    rules.write_text("- Use npm for installs\n", encoding="utf-8")
    told = json.loads(sync().out)["contradicted"]
    assert [(one["id"], one["held"]) for one in told] == [(head, "unconfirmed")]
    assert f"`agentctx reinforce {head}`" in sync("--format", "text").out
    rules.write_text("# Use npm for installs\n", encoding="utf-8")
    assert "reinforce" not in sync("--format", "text").out


@pytest.mark.requirement("A7.1", "A2.9")
def test_a_check_counts_a_line_whose_record_was_deleted(
    sync: Callable[..., Outcome], rules: Path, agentctx: InProcess
) -> None:
    value = answer(sync("--apply", "all"))
    answer(agentctx("delete", value["missing"][0]["id"], "--yes"))
    checked = answer(sync("--check"), status=1)
    assert (checked["deleted"], checked["missing"]) == (1, [])
    foreign = "- Use npm <!-- agentctx:01ARZ3NDEKTSV4RRFFQ69G5FAV 000000000000 -->\n"
    answer(sync("--apply", "all"))
    rules.write_text(rules.read_text(encoding="utf-8") + foreign, encoding="utf-8")
    found = answer(sync("--check"))["findings"]
    assert [one["code"] for one in found] == ["unknown-record"]


@pytest.mark.requirement("A7.2")
def test_a_check_says_whether_anything_differs(
    sync: Callable[..., Outcome], rules: Path
) -> None:
    assert len(answer(sync("--check"), status=1)["missing"]) == 3
    assert kept(rules) == []
    answer(sync("--apply", "all"))
    assert answer(sync("--check"))["missing"] == []
    assert refusal(sync("--check", "--apply", "all")) == "USAGE"


@pytest.mark.requirement("A7.2")
def test_without_a_store_there_is_nothing_to_do(
    sync: Callable[..., Outcome], store_home: Path
) -> None:
    assert answer(sync())["changes"] == []
    assert not store_home.exists()


@pytest.mark.requirement("A7.1", "A5.1")
def test_the_tool_reports_and_writes_nothing(
    store_home: Path, project: Path, rules: Path, agentctx: InProcess
) -> None:
    del agentctx
    desk = desk_at(store_home, project, HOME=str(project))
    noted = record(desk, title="Readings are in UTC")
    said = call(desk, "ctx_sync_claudemd")
    desk.forget()
    assert [one["title"] for one in said.value["missing"]] == [
        "Store prices in cents",
        "Deploy on Mondays",
        "Keep logs in Loki",
    ]
    assert noted not in json.dumps(said.value)
    assert said.value["contradicted"] == []
    assert "Loki" in said.value["proposed_diff"]
    assert str(project) not in json.dumps(said.value)
    assert rules.read_text(encoding="utf-8") == "# Rules\n"


@pytest.mark.requirement("A5.1", "A10.1")
def test_the_tools_diff_keeps_line_ends_and_no_secret(
    store_home: Path, project: Path, rules: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    rules.write_bytes(f"# Rules\r\n\r\ntoken {secret}\r\n".encode())
    desk = desk_at(store_home, project, HOME=str(project))
    said = call(desk, "ctx_sync_claudemd")
    desk.forget()
    lines = said.value["proposed_diff"].split("\n")[3:-1]
    assert all(line.endswith("\r") for line in lines)
    assert secret not in json.dumps(said.value)
    assert "\ufffd" not in said.value["proposed_diff"]


RACER = ("-W", "error", "-m", "agentctx", "sync", "--apply", "all", "--format", "json")


@pytest.mark.requirement("A7.2", "A1.5")
def test_of_racing_processes_one_writes_and_none_loses_a_line(
    sync: Callable[..., Outcome], rules: Path
) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, *RACER],
            cwd=rules.parent,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    told = [racer.communicate(timeout=60) for racer in racers]
    assert {racer.returncode for racer in racers} <= {0, 2}, told
    refused = [json.loads(err)["error"] for _, err in told if err]
    assert set(refused) <= {"INSTRUCTIONS_STALE"}
    text = rules.read_text(encoding="utf-8")
    assert [text.count(word) for word in ("Loki", "Mondays", "cents")] == [1, 1, 1]
    assert sorted(one.name for one in rules.parent.iterdir()) == [
        ".agentctx",
        "CLAUDE.md",
    ]
    assert answer(sync("--check"))["missing"] == []
