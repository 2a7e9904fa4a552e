"""Whatever lies in their place, races or kills: settings are never half, never lost."""

from __future__ import annotations

import itertools
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.clients import claude_code
from agentctx.clients.claude_hooks import HOOKS, group_of
from agentctx.clients.claude_settings import SERVERS
from agentctx.errors import ClientBusyError, ClientFileError
from tests.agentctx.answers import refusal
from tests.agentctx.claude_host import START, Host, needs_modes
from tests.faults.test_publish_kills import killed

if TYPE_CHECKING:
    from collections.abc import Callable

GROUPS = {hook.event: [group_of(hook)] for hook in HOOKS}
OURS = {"hooks": GROUPS}


@pytest.fixture
def host(
    monkeypatch: pytest.MonkeyPatch, user_home: Path, store_home: Path, project: Path
) -> Host:
    return Host(monkeypatch, user=user_home, home=store_home, project=project)


def loaded(path: Path) -> Any:  # noqa: ANN401 - any JSON
    return json.loads(path.read_bytes())


BAD = [
    pytest.param(b'{"hooks": []}', id="hooks a list"),
    pytest.param(b'{"hooks": null}', id="hooks null"),
    pytest.param(b'{"hooks": {"Stop": {}}}', id="an event an object"),
    pytest.param(b'{"hooks": {"SessionEnd": "x"}}', id="an event a text"),
    pytest.param(b"[]", id="a list"),
    pytest.param(b"3", id="a number"),
    pytest.param(b'{"a": 1', id="cut off"),
    pytest.param(b'{\n  // mine\n  "a": 1\n}', id="a comment"),
    pytest.param(b'{"a": 1,}', id="a comma too many"),
    pytest.param(b'{"a": 1, "a": 2}', id="a key twice"),
    pytest.param(b'{"a": NaN}', id="no number"),
    pytest.param(b'{"a": "\xff"}', id="not UTF-8"),
    pytest.param('{"a": 1}'.encode("utf-16"), id="UTF-16"),
    pytest.param(b"\x00" * 100, id="zeroes"),
    pytest.param(b'{"a":' * 5000 + b"1" + b"}" * 5000, id="nested deeply"),
    pytest.param(b'{"a":' * 970 + b"1" + b"}" * 970, id="nested to the edge"),
]


@pytest.mark.requirement("A1.5")
@pytest.mark.parametrize("content", BAD)
def test_settings_that_cannot_be_edited_stay_and_nothing_is_begun(
    host: Host, content: bytes
) -> None:
    host.has(content, "{}")
    before = host.files()
    for words in (("init", "--yes"), ("init", "--dry-run")):
        assert refusal(host.run(*words)) == "CLIENT_FILE"
    assert host.files() == before
    assert not host.home.exists()
    assert host.uninstall()["applied"] is True
    assert host.files() == before


@pytest.mark.requirement("A1.5", "A5.1")
@pytest.mark.parametrize("content", [b'{"mcpServers": []}', b'{"mcpServers": "x"}'])
def test_an_account_that_cannot_be_edited_keeps_settings_untouched(
    host: Host, content: bytes
) -> None:
    host.has("{}", content)
    before = host.files()
    assert refusal(host.run("init", "--yes")) == "CLIENT_FILE"
    assert host.files() == before


def a_folder(path: Path) -> None:
    path.mkdir()


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_loop(path: Path) -> None:
    path.symlink_to(path.name)


def a_link_to_nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "absent" / "deep" / "file")


def read_only(path: Path) -> None:
    path.write_bytes(b"{}")
    path.chmod(0o444)


def what_lies_at(path: Path) -> tuple[int, ...]:
    """Give what tells a place from any other; being read does not count."""
    found = os.lstat(path)
    return (found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns)


def too_large(path: Path) -> None:
    path.touch()
    os.truncate(path, 65 * 1024 * 1024)


@pytest.mark.requirement("A1.5")
@pytest.mark.parametrize(
    "put",
    [a_folder, a_fifo, a_device, a_loop, a_link_to_nowhere, read_only, too_large],
    ids=lambda put: put.__name__,
)
def test_what_is_no_file_of_the_users_is_refused(
    host: Host, put: Callable[[Path], None]
) -> None:
    needs_modes()
    host.has(None, None)
    put(host.settings)
    was = what_lies_at(host.settings)
    assert refusal(host.run("init", "--yes")) == "CLIENT_FILE"
    assert host.uninstall()["files"][0]["action"] == "none"
    assert what_lies_at(host.settings) == was
    assert [one.name for one in host.folder.iterdir()] == ["settings.json"]


@pytest.mark.requirement("A1.5")
def test_a_file_in_place_of_the_folder_is_refused(host: Host) -> None:
    host.folder.write_bytes(b"")
    host.patch.setenv("CLAUDE_CONFIG_DIR", str(host.folder))
    assert (
        refusal(host.run("init", "--yes", "--client", "claude-code")) == "CLIENT_FILE"
    )
    assert host.folder.read_bytes() == b""


@pytest.mark.requirement("A1.5")
def test_a_folder_that_cannot_be_written_is_refused(host: Host) -> None:
    needs_modes()
    if os.geteuid() == 0:
        pytest.skip("the superuser can write anywhere")
    host.has("{}", None)
    host.folder.chmod(0o500)
    try:
        assert refusal(host.run("init", "--yes")) == "CLIENT_FILE"
    finally:
        host.folder.chmod(0o700)
    assert host.settings.read_bytes() == b"{}"


@pytest.mark.requirement("A1.5")
def test_mode_owner_and_link_stay(host: Host, tmp_path: Path) -> None:
    needs_modes()
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(b"{}")
    target.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(target, 1234, 4321)
    host.has(None, None)
    host.settings.symlink_to(target)
    was = target.stat()
    host.init()
    for expected in (OURS, {}):
        assert loaded(target) == expected
        assert host.settings.readlink() == target
        now = target.stat()
        assert stat.S_IMODE(now.st_mode) == 0o640
        assert (now.st_uid, now.st_gid) == (was.st_uid, was.st_gid)
        assert [one.name for one in target.parent.iterdir()] == [target.name]
        host.uninstall()
    assert target.read_bytes() == b"{}"


@pytest.mark.requirement("A1.5")
def test_a_link_to_a_file_yet_to_come_is_written_through(
    host: Host, tmp_path: Path
) -> None:
    target = tmp_path / "settings.json"
    host.has(None, None)
    host.settings.symlink_to(target)
    host.init()
    assert host.settings.is_symlink()
    assert loaded(target) == OURS
    host.uninstall()
    assert (host.settings.is_symlink(), target.exists()) == (True, False)


@pytest.mark.requirement("A1.5")
def test_what_is_new_is_the_users_alone(host: Host) -> None:
    needs_modes()
    host.provide("claude")
    host.init()
    assert stat.S_IMODE(host.account.stat().st_mode) == 0o600
    assert stat.S_IMODE(host.settings.stat().st_mode) == 0o600
    assert stat.S_IMODE(host.folder.stat().st_mode) == 0o700


@pytest.mark.requirement("A1.5")
def test_megabytes_of_account_are_edited_in_place(host: Host) -> None:
    projects = {f"/p/{n}": {"history": ["x" * 90] * 10} for n in range(2_000)}
    text = json.dumps({"projects": projects, "z": 1}, indent=2)
    assert len(text) > 2_000_000
    host.has(text, text)
    host.init()
    assert loaded(host.account) == {**json.loads(text), "mcpServers": SERVERS}
    host.uninstall()
    assert host.account.read_text(encoding="utf-8") == text
    assert host.settings.read_text(encoding="utf-8") == text


def start(host: Host, env: dict[str, str], *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", START, *words, "--yes"],
        cwd=host.project,
        env={**os.environ, "PYTHONPATH": env["PYTHONPATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.requirement("A1.5", "A2.10")
def test_eight_first_inits_at_once_all_succeed(
    host: Host, program_env: dict[str, str]
) -> None:
    host.has('{"model":"opus"}', None)
    before = host.files()
    running = [start(host, program_env, "init") for _ in range(8)]
    ended = [(one.communicate(timeout=100)[1], one.returncode) for one in running]
    assert ended == [(b"", 0)] * 8
    assert loaded(host.settings) == {"model": "opus", **OURS}
    assert loaded(host.account) == {"mcpServers": SERVERS}
    host.uninstall()
    assert host.files() == before


@pytest.mark.requirement("A1.5")
def test_init_and_uninstall_at_once_leave_whole_files(
    host: Host, program_env: dict[str, str]
) -> None:
    host.has('{"model":"opus"}', '{"a":1}')
    before = host.files()
    words = ("init", "uninstall") * 3
    running = [start(host, program_env, word) for word in words]
    ended = [(one.communicate(timeout=100)[1], one.returncode) for one in running]
    assert ended == [(b"", 0)] * len(words)
    assert loaded(host.settings) in ({"model": "opus"}, {"model": "opus", **OURS})
    host.init()
    host.uninstall()
    assert host.files() == before


@pytest.mark.requirement("A1.5", "A5.1")
@pytest.mark.parametrize("often", [1, 3])
def test_what_the_client_writes_meanwhile_is_not_lost(host: Host, often: int) -> None:
    host.has("{}", '{"numStartups": 0}')
    host.init()
    host.uninstall()  # the store is there; only the files change now
    count = 0
    real = os.fsync

    def writing(descriptor: int) -> None:
        nonlocal count
        real(descriptor)
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        if name == "..claude.json.agentctx" and count < often:
            count += 1
            host.account.write_text(f'{{"numStartups": {count}}}', encoding="utf-8")

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no names of open files there")
    host.patch.setattr(os, "fsync", writing)
    claude_code.apply(str(host.home), claude_code.places(os.environ))
    assert count == often
    assert loaded(host.account) == {"numStartups": often, "mcpServers": SERVERS}
    host.patch.setattr(os, "fsync", real)
    host.uninstall()
    assert host.account.read_text(encoding="utf-8") == f'{{"numStartups": {often}}}'


@pytest.mark.requirement("A1.5", "A5.1")
@pytest.mark.parametrize("there", [True, False], ids=["file", "none"])
def test_what_the_client_writes_at_the_last_moment_is_not_lost(
    host: Host, *, there: bool
) -> None:
    host.has("{}", '{"n": 0}' if there else None)
    host.home.mkdir(mode=0o700)
    looked = 0
    real = os.open

    def opening(path: Any, *rest: Any, **named: Any) -> int:  # noqa: ANN401
        nonlocal looked
        looked += str(path) == str(host.user)
        if looked == 2:  # the lock was the first time, the exchange is the second
            looked += 1
            other = host.user / "other"
            other.write_text('{"n": 1}', encoding="utf-8")
            other.rename(host.account)
        return real(path, *rest, **named)

    host.patch.setattr(os, "open", opening)
    claude_code.apply(str(host.home), claude_code.places(os.environ))
    host.patch.setattr(os, "open", real)
    assert looked >= 4
    assert loaded(host.account) == {"n": 1, "mcpServers": SERVERS}
    host.uninstall()
    assert host.account.read_text(encoding="utf-8") == '{"n": 1}'
    assert sorted(host.files()) == [".claude", ".claude.json", ".claude/settings.json"]


@pytest.mark.requirement("A1.5")
def test_a_file_that_never_rests_is_left_alone(host: Host) -> None:
    host.has("{}", "{}")
    host.home.mkdir(mode=0o700)
    count = 0
    real = os.fsync

    def writing(descriptor: int) -> None:
        nonlocal count
        real(descriptor)
        count += 1
        host.settings.write_text(f'{{"n": {count}}}', encoding="utf-8")

    host.patch.setattr(os, "fsync", writing)
    with pytest.raises(ClientBusyError):
        claude_code.apply(str(host.home), claude_code.places(os.environ))
    assert loaded(host.settings) == {"n": count}
    assert [one.name for one in host.folder.iterdir()] == ["settings.json"]


@pytest.mark.requirement("A1.5")
def test_a_full_disk_leaves_the_old_file(host: Host) -> None:
    host.has("{}", "{}")
    host.home.mkdir(mode=0o700)
    real = os.write

    def full(descriptor: int, content: bytes) -> int:
        if b"UserPromptSubmit" in bytes(content) and b'"version"' not in bytes(content):
            raise OSError(28, "No space left on device")
        return real(descriptor, content)

    host.patch.setattr(os, "write", full)
    with pytest.raises(ClientFileError):
        claude_code.apply(str(host.home), claude_code.places(os.environ))
    assert host.settings.read_bytes() == b"{}"
    assert [one.name for one in host.folder.iterdir()] == ["settings.json"]


STEPS = ["open", "write", "replace", "mkdir", "unlink", "fchmod"]
"""To die before each is to die after whichever came before it.

Calls that change nothing, as `close`, are left out: what is there after them is there
at the next of these.
"""


@pytest.mark.requirement("A1.5")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("has_files", [True, False], ids=["files", "none"])
def test_killed_at_a_step_the_old_file_stands_or_the_new_one(
    host: Host, step: str, *, has_files: bool
) -> None:
    needs_modes()
    if has_files:
        host.has('{"model":"opus"}', '{\n  "a": 1\n}')
    host.home.mkdir(mode=0o700)
    home, where = str(host.home), claude_code.places(os.environ)
    first = host.files()
    whole = (
        [{"model": "opus"}, {"model": "opus", **OURS}] if has_files else [None, OURS]
    )
    deaths = 0
    for work in (claude_code.apply, claude_code.remove):
        for call in itertools.count(1):
            if work is claude_code.remove:
                claude_code.apply(home, where)

            def dying(work: Callable[[str, Any], object] = work) -> None:
                work(home, where)

            dies = killed(dying, step, call, before=True)
            deaths += dies
            there = host.settings.exists()
            assert (loaded(host.settings) if there else None) in whole
            claude_code.apply(home, where)
            claude_code.remove(home, where)
            assert host.files() == first
            assert list(host.home.iterdir()) == []
            if not dies:  # it ended before that many calls
                break
    assert deaths or (step in {"mkdir", "fchmod"})
