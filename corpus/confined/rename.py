"""Renaming in one step that never destroys what it did not expect to find.

POSIX `rename` replaces silently. Linux (`renameat2`) and macOS (`renameatx_np`) can
also refuse to replace, or exchange two names so that nothing is lost.
"""

from __future__ import annotations

import errno
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[int, bytes, int, bytes, int], int]

_LINUX_FLAGS = (0x1, 0x2)  # RENAME_NOREPLACE, RENAME_EXCHANGE: linux/fs.h
_DARWIN_FLAGS = (0x4, 0x2)  # RENAME_EXCL, RENAME_SWAP: sys/stdio.h
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}


def rename_new(folder: int, source: str, target: str) -> None:
    """Give `source` the name `target` in the same folder; FileExistsError if taken.

    `folder` is the folder's descriptor.
    """
    number = _attempt(folder, source, target, kind=0)
    if number == 0:
        return
    if number not in _CANNOT:
        raise OSError(number, os.strerror(number))
    # A hard link never takes a name in use; for a moment the file has two names.
    os.link(
        source,
        target,
        src_dir_fd=folder,
        dst_dir_fd=folder,
        follow_symlinks=False,
    )
    os.unlink(source, dir_fd=folder)


def exchange(folder: int, first: str, second: str) -> bool:
    """Exchange two names of one folder in one step; False where that is unknown."""
    number = _attempt(folder, first, second, kind=1)
    if number == 0:
        return True
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number))


def _attempt(folder: int, source: str, target: str, *, kind: int) -> int:
    """Give 0, or the number of the error."""
    found = _system_call()
    if found is None:
        return errno.ENOSYS
    call, flags = found
    import ctypes  # noqa: PLC0415 - slow to load, and only writes need it

    if call(folder, os.fsencode(source), folder, os.fsencode(target), flags[kind]) == 0:
        return 0
    return ctypes.get_errno()


@cache
def _system_call() -> tuple[Call, tuple[int, int]] | None:
    """Find what this system offers, with the flags for not replacing and exchanging."""
    if sys.platform.startswith("linux"):
        name, flags = "renameat2", _LINUX_FLAGS
    elif sys.platform == "darwin":
        name, flags = "renameatx_np", _DARWIN_FLAGS
    else:
        return None
    try:
        import ctypes  # noqa: PLC0415 - slow to load, and only writes need it

        function = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (ImportError, AttributeError):
        return None
    function.argtypes = [
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_uint,
    ]
    function.restype = ctypes.c_int
    call: Call = function
    return call, flags
