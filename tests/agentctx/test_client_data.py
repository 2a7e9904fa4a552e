"""The store's own folder: when it goes, what stays in it, and what is wrong with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from agentctx.clients.claude_hooks import HOOKS, group_of
from tests.agentctx.answers import facts, refusal
from tests.agentctx.claude_host import Host

if TYPE_CHECKING:
    from pathlib import Path

OURS = {"hooks": {hook.event: [group_of(hook)] for hook in HOOKS}}


@pytest.fixture
def host(
    monkeypatch: pytest.MonkeyPatch, user_home: Path, store_home: Path, project: Path
) -> Host:
    return Host(monkeypatch, user=user_home, home=store_home, project=project)


def loaded(path: Path) -> object:
    return json.loads(path.read_bytes())


@pytest.mark.requirement("A9")
def test_uninstall_deletes_the_data_only_when_asked(host: Host) -> None:
    host.has("{}", None)
    before = host.files()
    host.init()
    host.uninstall()
    assert (host.home / "agentctx.db").is_file()
    asked = host.run("uninstall", "--data", terminal=True, says="n\n")
    assert "agentctx.db" in asked.err
    assert (host.home / "agentctx.db").is_file()
    assert "agentctx.db" in host.uninstall("--data")["data"]
    assert not host.home.exists()
    assert host.files() == before
    assert host.uninstall("--data")["data"] == []


@pytest.mark.requirement("A9")
def test_what_is_not_ours_in_a_home_that_was_chosen_stays(host: Host) -> None:
    host.init()
    (host.home / "thesis.txt").write_text("years", encoding="utf-8")
    (host.home / "backups").mkdir()
    (host.home / "backups" / "one.db").write_bytes(b"")
    done = host.uninstall("--data")
    assert done["left"] == ["thesis.txt"]
    assert [one.name for one in host.home.iterdir()] == ["thesis.txt"]


@pytest.mark.requirement("A9")
def test_the_usual_home_goes_whole_and_a_projects_own_folder_does_not(
    host: Host,
) -> None:
    shared = host.project / ".agentctx" / "context.md"
    shared.write_text("ours", encoding="utf-8")
    host.patch.setenv("AGENTCTX_HOME", str(shared.parent))
    host.init()
    assert host.uninstall("--data")["left"] == ["context.md"]
    assert [one.name for one in shared.parent.iterdir()] == ["context.md"]
    host.patch.delenv("AGENTCTX_HOME")
    host.init()
    (host.user / ".agentctx" / "new.bin").write_bytes(b"")
    assert host.uninstall("--data")["left"] == []
    assert not (host.user / ".agentctx").exists()


@pytest.mark.requirement("A9")
def test_a_home_that_is_a_link_is_not_deleted(host: Host, tmp_path: Path) -> None:
    real = tmp_path / "disk"
    real.mkdir(mode=0o700)
    host.home.symlink_to(real)
    host.has(None, None)
    host.init()
    done = host.run("uninstall", "--data", "--yes")
    assert (done.status, facts(done)["error"]) == (2, "HOME_UNUSABLE")
    assert (real / "agentctx.db").is_file()
    assert host.home.is_symlink()
    assert (host.settings.exists(), host.account.exists()) == (False, False)


@pytest.mark.requirement("A1.5")
def test_one_folder_for_the_client_and_the_store_holds_nobody_up(host: Host) -> None:
    host.home.mkdir(mode=0o700)
    host.patch.setenv("CLAUDE_CONFIG_DIR", str(host.home))
    host.init()
    assert loaded(host.home / "settings.json") == OURS
    host.uninstall("--data")
    assert not host.home.exists()


@pytest.mark.requirement("A1.5")
def test_a_home_that_is_gone_keeps_nobody_from_uninstalling(
    host: Host, tmp_path: Path
) -> None:
    host.has("{}", "{}")
    host.init()
    host.patch.setenv("AGENTCTX_HOME", str(tmp_path / "gone" / "home"))
    done = host.run("uninstall", "--data", "--yes")
    assert (done.status, facts(done)["error"]) == (2, "HOME_UNUSABLE")
    assert (loaded(host.settings), loaded(host.account)) == ({}, {})
    assert not (tmp_path / "gone").exists()


@pytest.mark.requirement("A1.5", "A2.10")
def test_where_the_store_is_damaged_no_client_is_told(host: Host) -> None:
    host.has("{}", "{}")
    host.home.mkdir(mode=0o700)
    (host.home / "agentctx.db").write_bytes(b"no database " * 1000)
    before = host.files()
    assert refusal(host.run("init", "--yes")) == "STORE_FOREIGN"
    assert host.files() == before
