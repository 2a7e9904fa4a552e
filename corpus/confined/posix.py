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
from typing import TYPE_CHECKING, Literal

from corpus.confined.folder import Folder
from corpus.confined.volume import filesystem_of

if TYPE_CHECKING:
    from collections.abc import Callable

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

    def identity(self) -> tuple[int, int]:
        """Give the device and the number of the root itself."""
        status = os.fstat(self._root)
        return status.st_dev, status.st_ino

    def filesystem(self) -> str:
        """Name the file system of the root."""
        return filesystem_of(self._root)

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
    # Ready-made arguments: a call that has to convert them takes half as long again.
    number, pinned = ctypes.c_long(_OPENAT2), ctypes.c_long(root)
    size = ctypes.c_long(_HOW_SIZE)
    encoding, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()

    def opener(flags: int) -> Open:
        how = ctypes.c_char_p(struct.pack("=QQQ", flags, 0, _RESOLVE))

        def open_below(path: str) -> int:
            name = path.encode(encoding, errors)
            descriptor: int = call(number, pinned, name, how, size)
            tries = 1
            while descriptor < 0:
                problem = ctypes.get_errno()
                if problem not in _AGAIN or tries == _TRIES:
                    raise _failure(problem)
                descriptor = call(number, pinned, name, how, size)
                tries += 1
            return descriptor

        return open_below

    locate = opener(_LOCATE_FLAGS)
    try:
        os.close(locate("."))
    except OSError as error:
        if error.errno in _UNAVAILABLE:
            return None
    # Without O_NOFOLLOW, which would call a link "not a directory"; `_RESOLVE` bars it.
    open_folder = opener(FOLDER_FLAGS & ~os.O_NOFOLLOW)
    return opener(FILE_FLAGS), open_folder, _looker(locate)


def walk_ways(root: int, device: int) -> Ways:
    """Give what opens files, opens folders and looks one component at a time."""

    def opener(flags: int) -> Open:
        def open_below(path: str) -> int:
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
                return _open_part(here, name, flags)
            finally:
                if here != root:
                    os.close(here)

        return open_below

    open_file = opener(FILE_FLAGS)
    return open_file, opener(FOLDER_FLAGS), _looker(open_file)


def _looker(locate: Open) -> Look:
    def look(path: str) -> os.stat_result:
        place = locate(path)
        try:
            return os.fstat(place)
        finally:
            os.close(place)

    return look


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
