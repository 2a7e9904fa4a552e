"""Which file system an opened folder lies on, and whether writes may rely on it.

A controlled write needs a local file system that renames in one step and keeps what
was synchronised. Reading asks for nothing (P4.2).
"""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

UNKNOWN = "unknown"
"""The name where the system does not tell."""

WINDOWS = "windows"

QUALIFIED = frozenset(
    {
        "apfs",
        "bcachefs",
        "btrfs",
        "ext4",
        "f2fs",
        "hfs",
        "overlay",
        "tmpfs",
        "xfs",
        "zfs",
    }
)
"""The file systems on which controlled writes are made."""

_MAGIC = {
    0xEF53: "ext4",  # and its elders, which share the number
    0x58465342: "xfs",
    0x9123683E: "btrfs",
    0xF2F52010: "f2fs",
    0x2FC12FC1: "zfs",
    0xCA451A4E: "bcachefs",
    0x01021994: "tmpfs",
    0x794C7630: "overlay",
    0x858458F6: "ramfs",
    0x6969: "nfs",
    0x517B: "smb",
    0xFF534D42: "cifs",
    0xFE534D42: "smb2",
    0x65735546: "fuse",
    0x01021997: "9p",
    0x00C36400: "ceph",
    0x5346414F: "afs",
    0x0BD00BD0: "lustre",
    0x47504653: "gpfs",
    0x786F4256: "vboxsf",
    0x4D44: "vfat",
    0x2011BAB0: "exfat",
    0x5346544E: "ntfs",
    0x7366746E: "ntfs3",
    0xF15F: "ecryptfs",
}
_ROOM = 4096
"""More than a `statfs` needs on any system."""

_DARWIN_NAME = slice(72, 88)
"""Where `f_fstypename` lies in macOS's 64-bit `statfs`."""


def is_qualified(name: str) -> bool:
    """Say whether controlled writes may rely on a file system of this name."""
    return name in QUALIFIED


def filesystem_of(descriptor: int) -> str:
    """Name the file system of an open file or folder, one held by O_PATH included."""
    if sys.platform == "win32":
        return WINDOWS
    return _named(descriptor)


def filesystem_at(path: str) -> str:
    """Name the file system that a path leads to."""
    if sys.platform == "win32":
        return WINDOWS
    return _named(path)


def name_of_linux(content: bytes) -> str:
    """Name a file system by the number of its kind, with which Linux answers."""
    magic = int.from_bytes(content[: struct.calcsize("l")], sys.byteorder) & 0xFFFFFFFF
    return _MAGIC.get(magic, f"linux-magic-{magic:x}")


def name_of_darwin(content: bytes) -> str:
    """Read the name out of what macOS answers."""
    name = content[_DARWIN_NAME].partition(b"\0")[0].decode("ascii", "replace")
    return name if name.isascii() and name.isprintable() and name else UNKNOWN


def _named(place: int | str) -> str:
    try:
        import ctypes  # noqa: PLC0415 - slow to load, and missing in small builds

        library = ctypes.CDLL(None, use_errno=True)
        answer = ctypes.create_string_buffer(_ROOM)
        if isinstance(place, int):
            failed = library.fstatfs(ctypes.c_int(place), answer)
        else:
            failed = library.statfs(ctypes.c_char_p(os.fsencode(place)), answer)
    except (ImportError, OSError, AttributeError):  # no library, or no such call
        return UNKNOWN
    if failed:
        return UNKNOWN
    return _reading()(answer.raw)


def _reading() -> Callable[[bytes], str]:
    """Give what reads the name out of this system's answer."""
    readers: Mapping[str, Callable[[bytes], str]] = {
        "linux": name_of_linux,
        "darwin": name_of_darwin,
    }
    return readers.get(sys.platform, lambda _: UNKNOWN)
