"""`uninstall` is held up by no single place, and leaves nothing of ours behind."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.clients import claude_code
from agentctx.clients.claude_hooks import HOOKS, group_of
from agentctx.errors import ClientBusyError
from tests.agentctx.answers import answer, facts
from tests.agentctx.claude_host import Host, needs_modes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OURS = {"hooks": {hook.event: [group_of(hook)] for hook in HOOKS}}
BY_PATH = {"hooks": [{"type": "command", "command": "/x/agentctx hook stop"}]}


@pytest.fixture
def host(
    monkeypatch: pytest.MonkeyPatch, user_home: Path, store_home: Path, project: Path
) -> Host:
    return Host(monkeypatch, user=user_home, home=store_home, project=project)


def loaded(path: Path) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(path.read_bytes())


def gone(folder: Path) -> None:
    shutil.rmtree(folder)


def gone_with_its_parent(folder: Path) -> None:
    shutil.rmtree(folder.parent)


def a_file_above(folder: Path) -> None:
    shutil.rmtree(folder.parent)
    folder.parent.write_bytes(b"")


def a_loop_above(folder: Path) -> None:
    shutil.rmtree(folder.parent)
    folder.parent.symlink_to(folder.parent.name)


def a_folder_instead(folder: Path) -> None:
    (folder / "settings.json").unlink()
    (folder / "settings.json").mkdir()


def a_fifo_instead(folder: Path) -> None:
    (folder / "settings.json").unlink()
    os.mkfifo(folder / "settings.json")


@pytest.mark.requirement("A1.5", "A9")
@pytest.mark.parametrize(
    "spoil",
    [
        gone,
        gone_with_its_parent,
        a_file_above,
        a_loop_above,
        a_folder_instead,
        a_fifo_instead,
    ],
)
def test_a_place_that_is_no_more_holds_nobody_up(
    host: Host, spoil: Callable[[Path], None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    needs_modes()
    host.has("{}", "{}")
    before = host.files()
    host.init()
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "one" / "two"
    elsewhere.parent.mkdir()
    host.patch.setenv("CLAUDE_CONFIG_DIR", str(elsewhere))
    host.init("--client", "claude-code")
    spoil(elsewhere)
    assert host.uninstall("--data")["applied"] is True
    assert host.files() == before
    assert not host.home.exists()


@pytest.mark.requirement("A1.5", "A9")
def test_one_file_that_cannot_be_edited_keeps_only_its_own_entries(host: Host) -> None:
    needs_modes()
    host.has('{"model": "opus"}', "{}")
    before = host.files()
    host.init()
    host.settings.chmod(0o444)
    told = answer(host.run("uninstall", "--data", "--dry-run"))
    assert [one["action"] for one in told["files"]] == ["blocked", "change"]
    assert told["files"][0]["reason"]
    done = host.run("uninstall", "--data", "--yes")
    assert (done.status, facts(done)["error"]) == (2, "CLIENT_FILE")
    assert facts(done)["facts"]["path"] == str(host.settings)
    assert str(host.account) in facts(done)["hint"]
    assert host.account.read_bytes() == b"{}"
    assert loaded(host.settings) == {"model": "opus", **OURS}
    assert (host.home / "agentctx.db").is_file()
    again = host.run("uninstall", "--yes", terminal=True)
    assert (again.status, str(host.settings) in again.out) == (2, True)
    host.settings.chmod(0o644)
    host.uninstall("--data")
    assert host.files() == before
    assert not host.home.exists()


@pytest.mark.requirement("A1.5", "A9")
def test_a_damaged_file_of_an_earlier_place_is_told_and_the_rest_is_done(
    host: Host,
) -> None:
    host.has("{}", "{}")
    host.init()
    host.patch.setenv("CLAUDE_CONFIG_DIR", str(host.user / "b"))
    (host.user / "b").mkdir()
    host.init()
    text = host.account.read_text(encoding="utf-8")
    host.account.write_text(text[:-3], encoding="utf-8")
    done = host.run("uninstall", "--yes")
    assert facts(done)["error"] == "CLIENT_FILE"
    shown = json.loads(done.out)["files"]
    assert [one["path"] for one in shown if one["reason"]] == [str(host.account)]
    assert loaded(host.settings) == {}
    assert list((host.user / "b").iterdir()) == []


@pytest.mark.requirement("A1.5")
def test_what_a_killed_process_left_goes_even_where_nothing_changes(
    host: Host,
) -> None:
    host.has("{}", '{"oauthAccount": "x"}')
    before = host.files()
    host.init()
    after = host.files()
    stages = (
        host.user / "..claude.json.agentctx",
        host.folder / ".settings.json.agentctx",
        host.home / "clients" / ".claude-code.json.99999999.stage",
    )
    theirs = host.folder / ".other.json.agentctx"
    for words, expected in (("init", after), ("uninstall", before)):
        for stage in stages:
            stage.write_bytes(b"token")
        theirs.write_bytes(b"")
        host.run(words, "--yes")
        assert [one for one in stages if one.exists()] == []
        theirs.unlink()
        assert host.files() == expected
    (host.home / "clients").mkdir()
    for stage in stages:
        stage.write_bytes(b"token")
    host.uninstall()
    assert host.files() == before
    assert not (host.home / "clients").exists()


@pytest.mark.requirement("A1.5")
def test_stages_beside_the_file_that_a_link_names_go_too(
    host: Host, tmp_path: Path
) -> None:
    needs_modes()
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    host.has(None, "{}")
    host.settings.symlink_to(real)
    (real.parent / ".claude.json.agentctx").write_bytes(b"token")
    host.uninstall()
    assert [one.name for one in real.parent.iterdir()] == ["claude.json"]


@pytest.mark.requirement("A1.5")
@pytest.mark.parametrize("rewritten", [False, True], ids=["untouched", "rewritten"])
@pytest.mark.parametrize(
    ("hooks", "left"),
    [
        ({"Stop": [BY_PATH]}, None),
        ({"Stop": [BY_PATH, BY_PATH]}, None),
        ({"Stop": [BY_PATH], "Setup": []}, {"Setup": []}),
        ({"Stop": [BY_PATH], "SessionEnd": []}, {"SessionEnd": []}),
        ({"Stop": [BY_PATH, {"hooks": []}]}, {"Stop": [{"hooks": []}]}),
        ({"Stop": []}, {"Stop": []}),
        ({}, {}),
    ],
)
def test_entries_that_stood_there_before_go_with_the_list_they_leave_empty(
    host: Host, hooks: object, left: object, *, rewritten: bool
) -> None:
    host.has(json.dumps({"hooks": hooks, "n": 1}, indent=2), None)
    host.init()
    if rewritten:
        value = {**loaded(host.settings), "n": 2}
        host.settings.write_text(json.dumps(value), encoding="utf-8")
    host.uninstall()
    expected = {"n": 2 if rewritten else 1}
    kept = {} if left is None else {"hooks": left}
    assert loaded(host.settings) == {**expected, **kept}


@pytest.mark.requirement("A1.5")
def test_a_file_that_never_rests_is_told_with_what_was_done(host: Host) -> None:
    host.has("{}", "{}")
    host.home.mkdir(mode=0o700)
    home, where = str(host.home), claude_code.places(os.environ)
    count = 0
    real = os.fsync

    def writing(descriptor: int) -> None:
        nonlocal count
        real(descriptor)
        count += 1
        text = host.account.read_text(encoding="utf-8")
        host.account.write_text(f"{text} ", encoding="utf-8")

    host.patch.setattr(os, "fsync", writing)
    with pytest.raises(ClientBusyError) as caught:
        claude_code.apply(home, where)
    assert str(host.settings) in caught.value.hint
    assert loaded(host.settings) == OURS
    host.patch.setattr(os, "fsync", real)
    claude_code.apply(home, where)
    host.patch.setattr(os, "fsync", writing)
    changes = claude_code.remove(home, where)
    host.patch.setattr(os, "fsync", real)
    assert [change.is_one for change in changes] == [True, False]
    assert isinstance(changes[1].problem, ClientBusyError)
    assert loaded(host.settings) == {}


@pytest.mark.requirement("A1.5")
def test_a_folder_that_was_never_there_is_refused_until_it_is_made(host: Host) -> None:
    host.patch.setenv("CLAUDE_CONFIG_DIR", str(host.user / "one" / "two"))
    done = host.run("init", "--yes", "--client", "claude-code")
    assert facts(done)["error"] == "CLIENT_FILE"
    assert facts(done)["facts"]["reason"] == f"{host.user / 'one'} does not exist"
    (host.user / "one").mkdir()
    assert host.init("--client", "claude-code")["applied"] is True
    host.uninstall()
    assert list((host.user / "one").iterdir()) == []
