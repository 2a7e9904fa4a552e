"""POSIX: open below a pinned root descriptor, never through a link or a mount.

Linux resolves a whole path in one `openat2` call; elsewhere, and where that call is
absent or forbidden, every component is opened in turn with `O_NOFOLLOW`. Failures are
`OSError`; a link is ELOOP and another file system EXDEV at both levels.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from corpus.confined.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Open = Callable[[str], int]
    Look = Callable[[str], os.stat_result]
    Ways = tuple[Open, Open, Look]

FILE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW
"""Nothing blocks on a FIFO, takes a terminal, leaks to a child or follows a link."""

FOLDER_FLAGS = FILE_FLAGS | os.O_DIRECTORY

_LOCATE_FLAGS = getattr(os, "O_PATH", 0) | os.O_CLOEXEC | os.O_NOFOLLOW
_OPENAT2 = 437  # the number on every architecture Linux gave it, but alpha
_NO_XDEV, _NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x01, 0x02, 0x04, 0x08
_RESOLVE = _NO_XDEV | _NO_MAGICLINKS | _NO_SYMLINKS | _BENEATH
_HOW_SIZE = 24  # struct open_how: flags, mode, resolve, 64 bits each
_AGAIN = {errno.EINTR, errno.EAGAIN}
_TRIES = 16
_UNAVAILABLE = {errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.E2BIG}


class PosixTree:
    """A project's files below one pinned directory descriptor."""

    level: Literal["openat2", "walk", "portable"]

    def __init__(self, root: str, level: str | None) -> None:
        self._root = os.open(root, _root_flags())
        self.device = os.fstat(self._root).st_dev
        ways = None if level == "walk" else openat2_ways(self._root)
        if ways is None:
            if level == "openat2":
                self.close()
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
            ways = walk_ways(self._root, self.device)
            self.level = "walk"
        else:
            self.level = "openat2"
        self.open_file, self._open_folder, self.look = ways

    def open_folder(self, path: str) -> Folder:
        """Open the folder at `path`; an empty path is the root itself."""
        descriptor = self._open_folder(path or ".")
        if os.fstat(descriptor).st_dev != self.device:
            os.close(descriptor)
            raise _failure(errno.EXDEV)
        return Folder(descriptor=descriptor)

    def close(self) -> None:
        """Let the root go; a second call does nothing."""
        root, self._root = self._root, -1
        if root >= 0:
            os.close(root)


def openat2_ways(root: int) -> Ways | None:
    """Give what opens files, opens folders and looks by `openat2`, or None.

    None when the system has no such call, or a sandbox or an older kernel refuses it
    (ENOSYS, EINVAL, EPERM, E2BIG).
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes  # noqa: PLC0415 - only this level needs it, and it is slow to load
    except ImportError:
        return None
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    call.argtypes = [
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    last_errno = ctypes.get_errno

    def opener(flags: int) -> Open:
        how = struct.pack("=QQQ", flags, 0, _RESOLVE)

        def open_below(path: str) -> int:
            name = os.fsencode(path)
            for _ in range(_TRIES):
                descriptor: int = call(_OPENAT2, root, name, how, _HOW_SIZE)
                if descriptor >= 0:
                    return descriptor
                number = last_errno()
                if number not in _AGAIN:
                    break
            raise _failure(number)

        return open_below

    locate = opener(_LOCATE_FLAGS)

    def look(path: str) -> os.stat_result:
        place = locate(path)
        try:
            return os.fstat(place)
        finally:
            os.close(place)

    try:
        look(".")
    except OSError as error:
        if error.errno in _UNAVAILABLE:
            return None
    return opener(FILE_FLAGS), opener(FOLDER_FLAGS), look


def walk_ways(root: int, device: int) -> Ways:
    """Give what opens files, opens folders and looks one component at a time."""

    @contextmanager
    def folder_of(path: str) -> Iterator[tuple[int, str]]:
        *folders, name = path.split("/")
        here = root
        try:
            for folder in folders:
                below = _open_part(here, folder, FOLDER_FLAGS)
                if here != root:
                    os.close(here)
                here = below
                if os.fstat(here).st_dev != device:
                    raise _failure(errno.EXDEV)
            yield here, name
        finally:
            if here != root:
                os.close(here)

    def open_file(path: str) -> int:
        with folder_of(path) as (folder, name):
            return _open_part(folder, name, FILE_FLAGS)

    def open_folder(path: str) -> int:
        with folder_of(path) as (folder, name):
            return _open_part(folder, name, FOLDER_FLAGS)

    def look(path: str) -> os.stat_result:
        with folder_of(path) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    return open_file, open_folder, look


def _open_part(folder: int, name: str, flags: int) -> int:
    """Open one component; a link is ELOOP whatever the system calls it."""
    if name == "..":
        raise _failure(errno.EXDEV)
    try:
        return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ENOTDIR, errno.EMLINK} and _is_link(folder, name):
            raise _failure(errno.ELOOP) from None
        raise


def _is_link(folder: int, name: str) -> bool:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISLNK(status.st_mode)


def _root_flags() -> int:
    """Pin without needing to list: a root that can only be searched will do."""
    how: int = getattr(os, "O_PATH", os.O_RDONLY)
    return how | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


def _failure(number: int) -> OSError:
    return OSError(number, os.strerror(number))
