"""The file system of a project has a name, and only a local one is written to."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, get_args

import pytest

from corpus.confined.reader import GuaranteeLevel, open_root
from corpus.confined.volume import (
    UNKNOWN,
    filesystem_at,
    filesystem_of,
    is_qualified,
    name_of_darwin,
    name_of_linux,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.requirement("P3.1", "P4.2")

LINUX = sys.platform.startswith("linux")


def answer_of_linux(magic: int) -> bytes:
    return magic.to_bytes(8, sys.byteorder) + bytes(112)


@pytest.fixture
def proc() -> Iterator[int]:
    if not LINUX:
        pytest.skip("the file system of one platform")
    descriptor = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("level", get_args(GuaranteeLevel))
def test_a_root_has_an_identity_and_a_file_system(
    tmp_path: Path, level: GuaranteeLevel
) -> None:
    status = tmp_path.stat()
    with open_root(tmp_path, level) as opened:
        assert opened.identity == f"posix:{status.st_dev:x}:{status.st_ino:x}"
        assert opened.filesystem == filesystem_at(str(tmp_path))
        moved = tmp_path.rename(tmp_path.with_name("moved"))
        tmp_path.mkdir()
        assert opened.identity == f"posix:{status.st_dev:x}:{status.st_ino:x}"
        tmp_path.rmdir()
        moved.rename(tmp_path)


def test_the_name_is_the_one_that_the_system_lists(tmp_path: Path) -> None:
    if not LINUX:
        pytest.skip("the tool is that of one platform")
    done = subprocess.run(
        ["stat", "--file-system", "--format=%T", str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    told = done.stdout.strip().replace("ext2/ext3", "ext4").replace("fs", "")
    assert filesystem_at(str(tmp_path)).replace("fs", "") == told


def test_a_folder_held_by_path_alone_tells_its_file_system(proc: int) -> None:
    assert filesystem_of(proc) == "linux-magic-9fa0"
    assert not is_qualified(filesystem_of(proc))


def test_what_cannot_be_asked_has_no_name(tmp_path: Path) -> None:
    for place in ("", str(tmp_path / "none")):
        assert filesystem_at(place) == UNKNOWN
    assert filesystem_of(-1) == UNKNOWN
    assert not is_qualified(UNKNOWN)


@pytest.mark.parametrize(
    ("magic", "name", "qualified"),
    [
        (0xEF53, "ext4", True),
        (0x58465342, "xfs", True),
        (0x9123683E, "btrfs", True),
        (0xF2F52010, "f2fs", True),
        (0x2FC12FC1, "zfs", True),
        (0x01021994, "tmpfs", True),
        (0x794C7630, "overlay", True),
        (0x6969, "nfs", False),
        (0xFF534D42, "cifs", False),
        (0xFE534D42, "smb2", False),
        (0x65735546, "fuse", False),
        (0x01021997, "9p", False),
        (0x4D44, "vfat", False),
        (0x12345678, "linux-magic-12345678", False),
    ],
)
def test_linux_names_a_file_system_by_number(
    magic: int, name: str, *, qualified: bool
) -> None:
    assert name_of_linux(answer_of_linux(magic)) == name
    signed = magic - 2**32 if magic >= 2**31 else magic
    extended = signed.to_bytes(8, sys.byteorder, signed=True) + bytes(112)
    assert name_of_linux(extended) == name
    assert is_qualified(name) is qualified


@pytest.mark.parametrize(
    ("written", "name"),
    [(b"apfs", "apfs"), (b"hfs", "hfs"), (b"", UNKNOWN), (b"\xff", UNKNOWN)],
)
def test_macos_names_a_file_system_by_text(written: bytes, name: str) -> None:
    assert name_of_darwin(bytes(72) + written.ljust(16, b"\0") + bytes(2048)) == name
