"""A derived file is put in place whole or not at all."""

from __future__ import annotations

import multiprocessing
import os
import resource
import stat
from typing import TYPE_CHECKING, get_args

import pytest

from corpus.confined.publish import publish, stages, sweep_stages
from corpus.confined.reader import ConfinedRoot, GuaranteeLevel, open_root
from corpus.errors import CodedError, IndexPathError, OutputError
from corpus.refs import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CACHE = RelPath(".project-corpus/cache")
NAME = "context.sqlite3"
NOW = 1_000_000.0
HOUR = 3600.0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".project-corpus").mkdir(parents=True)
    return folder


@pytest.fixture(params=get_args(GuaranteeLevel))
def root(project: Path, request: pytest.FixtureRequest) -> Iterator[ConfinedRoot]:
    with open_root(project, request.param) as opened:
        yield opened


def failure(root: ConfinedRoot, content: bytes = b"new") -> CodedError:
    with pytest.raises(CodedError) as caught:
        publish(root, CACHE, NAME, content)
    return caught.value


@pytest.mark.requirement("P5.5")
def test_the_folder_and_the_file_are_made_for_the_user_alone(
    root: ConfinedRoot, project: Path
) -> None:
    publish(root, CACHE, NAME, b"rows")
    place = project / CACHE / NAME
    assert place.read_bytes() == b"rows"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert [child.name for child in place.parent.iterdir()] == [NAME]


@pytest.mark.requirement("P5.5")
def test_an_older_file_is_replaced_and_its_readers_keep_it(
    root: ConfinedRoot, project: Path
) -> None:
    publish(root, CACHE, NAME, b"old")
    with (project / CACHE / NAME).open("rb") as reader:
        publish(root, CACHE, NAME, b"new" * 100_000)
        assert reader.read() == b"old"
    assert (project / CACHE / NAME).read_bytes() == b"new" * 100_000


@pytest.mark.requirement("P5.5")
@pytest.mark.parametrize("way", [".project-corpus", ".project-corpus/cache"])
def test_a_link_on_the_way_is_refused(
    root: ConfinedRoot, project: Path, tmp_path: Path, way: str
) -> None:
    (tmp_path / "outside/cache").mkdir(parents=True)
    (project / ".project-corpus").rmdir()
    (project / way).parent.mkdir(exist_ok=True)
    (project / way).symlink_to(tmp_path / "outside")
    error = failure(root)
    assert isinstance(error, IndexPathError)
    assert error.facts == {"path": f"{CACHE}/{NAME}", "reason": "symbolic link"}
    assert list((tmp_path / "outside").rglob("*")) == [tmp_path / "outside/cache"]


@pytest.mark.requirement("P5.5")
@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_a_target_that_is_no_plain_file_is_refused(
    root: ConfinedRoot, project: Path, tmp_path: Path, kind: str
) -> None:
    target = project / CACHE / NAME
    target.parent.mkdir()
    (tmp_path / "other").write_bytes(b"other")
    if kind == "link":
        target.symlink_to(tmp_path / "other")
    elif kind == "folder":
        target.mkdir()
    else:
        os.mkfifo(target)
    assert isinstance(failure(root), IndexPathError)
    assert (tmp_path / "other").read_bytes() == b"other"
    assert stages(root, CACHE) == []


@pytest.mark.requirement("P5.5")
def test_a_folder_in_the_place_of_the_cache_must_be_one(
    root: ConfinedRoot, project: Path
) -> None:
    (project / CACHE).write_bytes(b"")
    assert isinstance(failure(root), IndexPathError)
    (project / CACHE).unlink()
    (project / ".project-corpus").rmdir()
    assert isinstance(failure(root), IndexPathError)


def test_a_name_that_is_not_portable_is_refused(root: ConfinedRoot) -> None:
    for name in ("../x.sqlite3", "a/b.sqlite3", "con.sqlite3", ""):
        with pytest.raises(IndexPathError):
            publish(root, CACHE, name, b"")


@pytest.mark.requirement("P5.5")
def test_a_system_that_will_not_write_leaves_the_old_file_and_no_stage(
    root: ConfinedRoot, project: Path
) -> None:
    publish(root, CACHE, NAME, b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        error = failure(root, b"new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert isinstance(error, OutputError)
    assert error.facts == {"reason": "the file would be too large"}
    assert (project / CACHE / NAME).read_bytes() == b"old"
    assert stages(root, CACHE) == []


def stage(project: Path, name: str, *, age: float) -> None:
    place = project / CACHE / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"half")
    os.utime(place, (NOW - age, NOW - age))


@pytest.mark.requirement("P5.5")
def test_stages_older_than_an_hour_are_swept(root: ConfinedRoot, project: Path) -> None:
    old, young = (f".{NAME}.{digit * 16}.stage" for digit in "01")
    future = f".{NAME}.{'2' * 16}.stage"
    stage(project, old, age=HOUR + 1)
    stage(project, young, age=HOUR - 1)
    stage(project, future, age=-HOUR)
    for other in (NAME, ".other.stage", f"{NAME}.{'0' * 16}.stage"):
        stage(project, other, age=10 * HOUR)
    (project / CACHE / f".{NAME}.{'3' * 16}.stage").mkdir()
    assert stages(root, CACHE) == [old, young, future]
    assert sweep_stages(root, CACHE, older_than=HOUR, now=NOW) == [old]
    assert stages(root, CACHE) == [young, future]
    assert (project / CACHE / NAME).exists()


def test_a_missing_cache_has_nothing_to_sweep(root: ConfinedRoot) -> None:
    assert stages(root, CACHE) == []
    assert sweep_stages(root, CACHE, older_than=HOUR, now=NOW) == []


def test_the_stage_is_named_by_the_randomness_given(
    root: ConfinedRoot, project: Path
) -> None:
    stage(project, f".{NAME}.{'07' * 8}.stage", age=0)
    with pytest.raises(OutputError):
        publish(root, CACHE, NAME, b"", random=lambda count: b"\x07" * count)


@pytest.mark.requirement("P5.5")
def test_any_number_of_publishers_at_once_succeed(project: Path) -> None:
    fork = multiprocessing.get_context("fork")
    contents = [bytes([65 + n]) * 50_000 for n in range(6)]
    workers = [fork.Process(target=publish_often, args=(project, c)) for c in contents]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * len(workers)
    assert (project / CACHE / NAME).read_bytes() in contents
    assert [child.name for child in (project / CACHE).iterdir()] == [NAME]


def publish_often(project: Path, content: bytes) -> None:
    with open_root(project) as root:
        for _ in range(20):
            publish(root, CACHE, NAME, content)
