"""A writer that races the reader never makes it give what lies outside the root.

Each race runs a writer process that changes one file or folder as fast as it can while
the reader reads it in a loop. Whatever comes back is something the file held at some
moment, or a reason why it cannot be read.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from corpus.confined.reader import GuaranteeLevel, Unreadable, open_root
from corpus.refs import RelPath

if TYPE_CHECKING:
    from collections.abc import Iterator

RACE_SECONDS = 1.0
OLD = b"old line\n" * 200
NEW = b"new and longer line\n" * 150
OUTSIDE = b"never to be read\n" * 100
GROWN = OLD + b"one more line\n"
CUT = OLD[:100]
NAME = RelPath("r/a.md")


Step = Callable[[Path], None]


def renaming(project: Path) -> None:
    for content in (NEW, OLD):
        put(project / "r/a.md", content)


def swapping_for_a_link(project: Path) -> None:
    staged = project / "staged"
    staged.symlink_to(project.parent / "outside/a.md")
    staged.replace(project / "r/a.md")
    put(project / "r/a.md", OLD)


def swapping_for_a_hard_link(project: Path) -> None:
    staged = project / "staged"
    staged.hardlink_to(project.parent / "outside/a.md")
    staged.replace(project / "r/a.md")
    put(project / "r/a.md", OLD)


def swapping_the_folder(project: Path) -> None:
    """Replace the folder by a link to one outside that holds the same name."""
    (project / "r").rename(project / "was")
    (project / "r").symlink_to(project.parent / "outside")
    (project / "r").unlink()
    (project / "was").rename(project / "r")


def truncating(project: Path) -> None:
    os.truncate(project / "r/a.md", len(CUT))
    with (project / "r/a.md").open("r+b", buffering=0) as stream:
        stream.seek(len(CUT))
        stream.write(OLD[len(CUT) :])


def growing(project: Path) -> None:
    with (project / "r/a.md").open("ab", buffering=0) as stream:
        stream.write(GROWN[len(OLD) :])
    os.truncate(project / "r/a.md", len(OLD))


def removing(project: Path) -> None:
    (project / "r/a.md").unlink()
    (project / "r/a.md").mkdir()
    (project / "r/a.md").rmdir()
    os.mkfifo(project / "r/a.md")
    put(project / "r/a.md", OLD)


def put(place: Path, content: bytes) -> None:
    staged = place.parent.parent / "staged"
    staged.write_bytes(content)
    staged.replace(place)


RACES: dict[Step, set[bytes]] = {
    renaming: {OLD, NEW},
    swapping_for_a_link: {OLD},
    swapping_for_a_hard_link: {OLD},
    swapping_the_folder: {OLD},
    truncating: {OLD, CUT},
    growing: {OLD, GROWN},
    removing: {OLD},
}
REASONS = {
    "changed while reading",
    "symbolic link",
    "hard link",
    "not found",
    "not a regular file",
    "not a directory",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.md").write_bytes(OUTSIDE)
    (tmp_path / "outside/b.md").write_bytes(OUTSIDE)
    (tmp_path / "project/r").mkdir(parents=True)
    (tmp_path / "project/r/a.md").write_bytes(OLD)
    return tmp_path / "project"


@contextmanager
def writer(step: Step, project: Path) -> Iterator[None]:
    """Repeat `step` in a process of its own until the block ends."""
    fork = multiprocessing.get_context("fork")
    done, started = fork.Event(), fork.Event()

    def work() -> None:
        while not done.is_set():
            step(project)
            started.set()

    process = fork.Process(target=work)
    process.start()
    try:
        assert started.wait(10)
        yield
    finally:
        done.set()
        process.join(10)
    assert process.exitcode == 0


@pytest.mark.requirement("P4.4")
@pytest.mark.parametrize("level", get_args(GuaranteeLevel))
@pytest.mark.parametrize("step", RACES, ids=lambda step: str(step.__name__))
def test_a_race_gives_old_bytes_new_bytes_or_a_reason(
    project: Path, step: Step, level: GuaranteeLevel
) -> None:
    contents: set[bytes] = set()
    reasons: set[str] = set()
    with open_root(project, level) as root, writer(step, project):
        end = time.monotonic() + RACE_SECONDS
        while time.monotonic() < end:
            try:
                contents.add(root.read(NAME, limit=10_000).content)
            except Unreadable as problem:
                reasons.add(problem.reason)
    assert OUTSIDE not in contents
    assert contents <= RACES[step]
    assert reasons <= REASONS
    with open_root(project, level) as root:
        assert root.read(NAME, limit=10_000).content == OLD


@pytest.mark.requirement("P4.4", "P2.4")
@pytest.mark.parametrize("level", get_args(GuaranteeLevel))
def test_a_folder_swapped_for_a_link_never_lists_what_lies_outside(
    project: Path, level: GuaranteeLevel
) -> None:
    if level == "portable":
        pytest.skip("this level lists by path and promises it for reading alone")
    found: set[tuple[str, str | None]] = set()
    with open_root(project, level) as root, writer(swapping_the_folder, project):
        end = time.monotonic() + RACE_SECONDS
        while time.monotonic() < end:
            found.update(
                root.entries(RelPath("r"), wanted=lambda _: True, enter=lambda _: True)
            )
    assert found <= {
        ("r/a.md", None),
        ("r", "symbolic link"),
        ("r", "not a directory"),
    }


@pytest.mark.requirement("P4.4")
@pytest.mark.parametrize("level", get_args(GuaranteeLevel))
def test_a_file_that_grows_past_the_limit_is_never_read_past_it(
    project: Path, level: GuaranteeLevel
) -> None:
    with open_root(project, level) as root, writer(growing, project):
        end = time.monotonic() + RACE_SECONDS
        reasons = set()
        while time.monotonic() < end:
            try:
                assert root.read(NAME, limit=len(OLD)).content == OLD
            except Unreadable as problem:
                reasons.add(problem.reason)
    assert reasons <= {"too large", "changed while reading"}
