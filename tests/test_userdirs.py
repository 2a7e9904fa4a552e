"""The private key of an index is made once, is the user's, and nobody else's."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pytest

from corpus.errors import KeyFileError
from corpus.refs import ProjectId
from corpus.userdirs import existing_key, index_key, state_dir, trust_dir, user_dirs

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

ID = ProjectId("demo-one")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "not" / "there" / "yet"


def key_file(state: Path) -> Path:
    return state / "keys" / f"{ID}.key"


def refusal(state: Path) -> str:
    reasons = set()
    for _ in range(2):
        with pytest.raises(KeyFileError) as made:
            index_key(ID, directory=state, random=os.urandom)
        with pytest.raises(KeyFileError) as read:
            existing_key(ID, directory=state)
        reasons |= {made.value.facts["reason"], read.value.facts["reason"]}
    (reason,) = reasons
    return str(reason)


def test_the_user_folders_follow_the_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("the variables are those of one platform")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert state_dir() == tmp_path / "state" / "project-corpus"
    assert trust_dir() == tmp_path / "config" / "project-corpus" / "trust"
    assert user_dirs() == (state_dir(), trust_dir())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", ["", " ", "relative/place", "/an/absolute/place"])
def test_the_user_folders_are_those_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    for variable in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, given)
    state = platformdirs.user_state_dir("project-corpus", appauthor=False)
    config = platformdirs.user_config_dir("project-corpus", appauthor=False)
    assert user_dirs() == (Path(state), Path(config) / "trust")


@pytest.mark.requirement("P5.2")
def test_a_key_is_made_once_for_the_user_alone(state: Path) -> None:
    assert existing_key(ID, directory=state) is None
    assert not state.exists()
    key = index_key(ID, directory=state, random=os.urandom)
    assert len(key) == 32
    assert index_key(ID, directory=state, random=os.urandom) == key
    assert existing_key(ID, directory=state) == key
    assert key_file(state).read_bytes() == key
    assert stat.S_IMODE(key_file(state).stat().st_mode) == 0o600
    for folder in (state / "keys", state, state.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [child.name for child in (state / "keys").iterdir()] == [f"{ID}.key"]


@pytest.mark.requirement("P5.2")
def test_each_project_has_a_key_of_its_own(state: Path) -> None:
    one = index_key(ID, directory=state, random=os.urandom)
    two = index_key(ProjectId("demo-two"), directory=state, random=os.urandom)
    assert one != two


@pytest.mark.requirement("P5.2")
def test_the_key_is_the_randomness_given(state: Path) -> None:
    counter = itertools.count(1)
    key = index_key(
        ID, directory=state, random=lambda count: bytes([next(counter)]) * count
    )
    assert key == b"\x01" * 32


@pytest.mark.requirement("P5.2")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_key_that_others_can_read_is_refused(state: Path, mode: int) -> None:
    index_key(ID, directory=state, random=os.urandom)
    key_file(state).chmod(mode)
    assert refusal(state) == "others can read it"


@pytest.mark.requirement("P5.2")
def test_a_key_that_is_no_file_of_the_user_is_refused(state: Path) -> None:
    index_key(ID, directory=state, random=os.urandom)
    place = key_file(state)
    place.rename(place.with_name("real"))
    place.symlink_to("real")
    assert refusal(state) == "it is a symbolic link"
    place.unlink()
    place.symlink_to("none")
    assert refusal(state) == "it is a symbolic link"
    place.unlink()
    place.mkdir()
    assert refusal(state) == "it is not a regular file"
    place.rmdir()
    os.mkfifo(place, 0o600)
    assert refusal(state) == "it is not a regular file"


@pytest.mark.requirement("P5.2")
@pytest.mark.parametrize(
    ("size", "reason"),
    [(0, "it is not 32 bytes"), (31, "it is not 32 bytes"), (33, "it is too large")],
)
def test_a_key_of_another_size_is_refused(state: Path, size: int, reason: str) -> None:
    index_key(ID, directory=state, random=os.urandom)
    key_file(state).write_bytes(b"k" * size)
    assert refusal(state) == reason


@pytest.mark.requirement("P5.2")
def test_a_key_in_a_folder_that_others_can_write_is_refused(state: Path) -> None:
    index_key(ID, directory=state, random=os.urandom)
    (state / "keys").chmod(0o777)
    assert refusal(state) == "others can write its folder"


@pytest.mark.requirement("P5.2")
def test_a_key_of_another_user_is_refused(state: Path) -> None:
    index_key(ID, directory=state, random=os.urandom)
    try:
        os.chown(key_file(state), 65534, -1)
    except PermissionError:
        pytest.skip("giving files away is for root alone")
    assert refusal(state) == "it belongs to another user"


def test_a_state_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(KeyFileError):
        index_key(ID, directory=tmp_path / "file" / "state", random=os.urandom)


@pytest.mark.requirement("P5.2")
def test_creators_at_once_end_with_the_same_key(state: Path) -> None:
    fork = multiprocessing.get_context("fork")
    for attempt in range(10):
        place = state / str(attempt)
        queue = fork.SimpleQueue()
        start = fork.Event()
        workers = [
            fork.Process(target=make_key, args=(place, start, queue)) for _ in range(4)
        ]
        for worker in workers:
            worker.start()
        start.set()
        keys = {queue.get() for _ in workers}
        for worker in workers:
            worker.join(30)
        assert keys == {key_file(place).read_bytes()}
        assert [child.name for child in (place / "keys").iterdir()] == [f"{ID}.key"]


def make_key(place: Path, start: object, queue: SimpleQueue[bytes]) -> None:
    start.wait()  # type: ignore[attr-defined]
    queue.put(index_key(ID, directory=place, random=os.urandom))


@pytest.mark.requirement("P5.2")
def test_without_hard_links_a_key_is_made_all_the_same(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    key = index_key(ID, directory=state, random=os.urandom)
    assert existing_key(ID, directory=state) == key


def test_importing_the_folders_loads_nothing_slow() -> None:
    script = "import sys, corpus.userdirs; print('platformdirs' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "False\n"
