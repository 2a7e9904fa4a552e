"""A file of the user's own is written whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from agentctx.privatefile import remove_stages, write_private

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_made_with_its_folder_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "profile" / "page.md"
    write_private(str(path), b"one")
    write_private(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert [one.name for one in path.parent.iterdir()] == ["page.md"]
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_what_cannot_be_replaced_leaves_no_stage_behind(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match=r"page\.md"):
        write_private(str(path), b"one")
    assert [one.name for one in tmp_path.iterdir()] == ["page.md"]


def test_a_stage_of_a_process_that_died_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    (tmp_path / f".page.md.{os.getpid()}.stage").write_bytes(b"half")
    write_private(str(path), b"whole")
    assert path.read_bytes() == b"whole"
    assert [one.name for one in tmp_path.iterdir()] == ["page.md"]


YOUNG = ".page.md.11.stage"
OTHERS = (".page.stage", ".page.md..stage", ".page.md.x.stage", ".a.page.md.1.stage")


def old_stages(folder: Path) -> None:
    for name in (".page.md.22.stage", ".page.md.333.stage", *OTHERS, YOUNG):
        (folder / name).write_bytes(b"half")
        if name != YOUNG:
            os.utime(folder / name, (1e9, 1e9))


def test_old_stages_of_the_same_file_are_swept_and_no_other_file(
    tmp_path: Path,
) -> None:
    old_stages(tmp_path)
    (tmp_path / ".page.md.4.stage").mkdir()
    os.utime(tmp_path / ".page.md.4.stage", (1e9, 1e9))
    write_private(str(tmp_path / "page.md"), b"whole")
    kept = {"page.md", YOUNG, *OTHERS, ".page.md.4.stage"}
    assert {one.name for one in tmp_path.iterdir()} == kept


def test_who_keeps_others_out_sweeps_young_stages_too(tmp_path: Path) -> None:
    old_stages(tmp_path)
    remove_stages(str(tmp_path / "page.md"))
    assert {one.name for one in tmp_path.iterdir()} == set(OTHERS)
    remove_stages(str(tmp_path / "absent" / "page.md"))


@pytest.mark.requirement("A12")
def test_a_fresh_file_takes_the_place_of_none(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    write_private(str(path), b"one", fresh=True)
    with pytest.raises(FileExistsError):
        write_private(str(path), b"two", fresh=True)
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.stat().st_nlink == 1
