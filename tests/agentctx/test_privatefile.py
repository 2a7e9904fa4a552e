"""A file of the user's own is written whole or not at all."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from agentctx.privatefile import write_private

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
