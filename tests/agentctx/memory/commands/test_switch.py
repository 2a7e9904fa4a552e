"""Memory is on where a person wants it, and nothing is made where it is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.memory_commands import MEMORY_COMMANDS
from tests.agentctx.memory.memories import files

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item
    from tests.agentctx.memory.commands.conftest import Ask
    from tests.conftest import InProcess

WORDS = {
    "show": ("x",),
    "search": ("tabs",),
    "read": ("x",),
    "why": ("x",),
    "promote": ("x",),
    "history": ("x",),
    "edit": ("x", "--subject", "y"),
    "confirm": ("x",),
    "pin": ("x",),
    "forget": ("x",),
    "import": ("x",),
    "retain": ("--days", "1", "--confirm"),
    "clear": ("--confirm",),
}
"""What a command cannot do without."""

ADDING = ("edit", "confirm", "pin", "undo", "new", "flush", "import")
"""What is refused while memory is off."""

LOOKING = ("list", "search", "show", "read", "why", "history", "export", "summary")


@pytest.mark.requirement("M8.0")
def test_every_command_of_the_contract_is_there() -> None:
    names = {command.path[1] for command in MEMORY_COMMANDS if len(command.path) == 2}
    assert names >= {"status", "list", "show", "forget", "clear", "export", *WORDS}
    assert names >= {*ADDING, *LOOKING, "on", "off", "reset", "vacuum"}


def test_where_there_is_no_memory_nothing_is_made(
    agentctx: InProcess, tmp_path: Path
) -> None:
    root = tmp_path / "bare"
    root.mkdir()
    card = json.loads(agentctx("memory", "status", cwd=root).out)
    assert (card["state"], card["on"], card["off"]) == ("absent", False, "no_folder")
    assert card["summary"]["state"] == "missing"
    for command in MEMORY_COMMANDS:
        name = command.path[-1]
        if name in {"on", "status"} or len(command.path) > 2:
            continue
        done = agentctx(*command.path, *WORDS.get(name, ()), cwd=root)
        assert (done.status, done.out) == (2, ""), name
        error = json.loads(done.err)
        assert error["error"] == "MEMORY_ABSENT", name
        assert "agentctx memory on" in error["hint"]
    assert list(root.iterdir()) == []


def test_on_makes_a_memory_and_off_keeps_it(
    agentctx: InProcess, tmp_path: Path
) -> None:
    root = tmp_path / "bare"
    (root / "below").mkdir(parents=True)
    (root / ".project-corpus").mkdir()  # what makes it a project
    said = json.loads(agentctx("memory", "on", cwd=root / "below").out)
    assert said == {"on": True, "off": None, "root": str(root)}
    assert (root / ".agentctx" / ".gitignore").exists()
    before = files(root)
    assert json.loads(agentctx("memory", "off", cwd=root).out)["off"] == "off"
    card = json.loads(agentctx("memory", "status", cwd=root).out)
    assert (card["state"], card["on"], card["off"]) == ("healthy", False, "off")
    assert files(root)["memory.db"] == before["memory.db"]
    assert json.loads(agentctx("memory", "on", cwd=root).out)["on"]
    assert json.loads(agentctx("memory", "status", cwd=root).out)["on"]


@pytest.mark.parametrize("off", ["off", "environment", "setting"])
def test_while_memory_is_off_what_is_kept_can_be_seen_and_removed(
    agentctx: InProcess,
    ask: Ask,
    refused: Ask,
    item: Item,
    off: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if off == "off":
        ask("off")
    elif off == "environment":
        monkeypatch.setenv("AGENTCTX_MEMORY", "0")
    else:
        assert agentctx("config", "set", "memory", "false").status == 0
    card = ask("status")
    assert (card["off"], card["items"]["active"]) == (off, 1)
    text = agentctx("memory", "status", "--format", "text").out
    assert "hint: " in text
    for name in LOOKING:
        words = (item.id,) if WORDS.get(name) == ("x",) else WORDS.get(name, ())
        ask(name, *words)
    for name in ADDING:
        error = refused(name, *WORDS.get(name, ()))
        assert (error["error"], error["facts"]["off"]) == ("MEMORY_OFF", off), name
    assert ask("forget", item.id)["turns_kept"]
    assert ask("clear", "--confirm", "--no-backup")["backup"] is None
    assert ask("status")["items"]["forgotten"] == 0


def test_a_project_whose_memory_is_off_gets_none_by_looking(
    ask: Ask, refused: Ask, project: Path
) -> None:
    ask("off")
    assert ask("status")["state"] == "absent"
    assert refused("list")["error"] == "MEMORY_ABSENT"
    assert [path.name for path in (project / ".agentctx").iterdir()] == ["memory.off"]


def test_what_keeps_memory_off_besides_is_told(
    agentctx: InProcess, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTCTX_MEMORY", "0")
    said = json.loads(agentctx("memory", "on").out)
    assert (said["on"], said["off"]) == (False, "environment")
    text = agentctx("memory", "on", "--format", "text").out
    assert "AGENTCTX_MEMORY" in text
    assert str(project) in text


def test_the_folder_of_the_users_own_store_is_no_memory(
    agentctx: InProcess, user_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTCTX_HOME", str(user_home / ".agentctx"))
    for made in (False, True):
        if made:
            (user_home / ".agentctx").mkdir()
        done = agentctx("memory", "on", cwd=user_home)
        assert json.loads(done.err)["error"] == "MEMORY_PLACE"
        assert (user_home / ".agentctx").exists() == made
    assert list((user_home / ".agentctx").iterdir()) == []


def test_what_stands_in_the_way_of_the_switch_is_told(
    agentctx: InProcess, refused: Ask, ask: Ask, project: Path
) -> None:
    (project / ".agentctx" / "memory.off").mkdir()
    assert refused("on")["error"] == "STORE_UNUSABLE"
    assert refused("off")["error"] == "STORE_UNUSABLE"
    (project / ".project-corpus").mkdir()  # still a project without its folder
    (project / ".agentctx").rename(project / "aside")
    (project / ".agentctx").write_text("mine", encoding="utf-8")
    error = refused("on")
    assert (error["error"], error["facts"]["problem"]) == (
        "MEMORY_DEGRADED",
        "not_a_folder",
    )
    assert "move `.agentctx` away" in error["hint"]
    assert ask("status")["state"] == "degraded"
    assert agentctx("memory", "clear", "--confirm").status == 2
    assert (project / ".agentctx").read_text(encoding="utf-8") == "mine"
