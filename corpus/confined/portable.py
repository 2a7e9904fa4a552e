"""Any system: every component is looked at before opening, the result after it.

Links and reparse points are refused before a file is opened. After it, the file must be
the one that was looked at, and where the system can tell an open file's real path, that
path must be the one asked for: a component swapped in between is noticed. Failures
are `OSError`; ESTALE means that something moved meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from corpus.confined.folder import Folder, is_link
from corpus.confined.volume import filesystem_at

if TYPE_CHECKING:
    from collections.abc import Callable

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)


class PortableTree:
    """A project's files below one resolved path, checked by looking twice."""

    level: Literal["openat2", "walk", "portable"] = "portable"

    def __init__(
        self, root: str, real_path: Callable[[int], str | None] | None = None
    ) -> None:
        status = os.lstat(root)
        if is_link(status) or not stat.S_ISDIR(status.st_mode):
            raise _failure(errno.ENOTDIR)
        self._root = root
        self._identity = (status.st_dev, status.st_ino)
        self._real_path = real_path or real_path_of
        self.device = status.st_dev

    def open_file(self, path: str) -> int:
        """Open the regular file at `path` to read."""
        full, seen = self._look(path)
        if not stat.S_ISREG(seen.st_mode):
            raise _failure(errno.ENXIO)
        descriptor = os.open(full, _FLAGS)
        try:
            self._confirm(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def open_folder(self, path: str) -> Folder:
        """Open the folder at `path`; an empty path is the root itself."""
        full, seen = self._look(path)
        if not stat.S_ISDIR(seen.st_mode):
            raise _failure(errno.ENOTDIR)

        def confirm() -> None:
            if not os.path.samestat(self._look(path)[1], seen):
                raise _failure(errno.ESTALE)

        return Folder(prefix=_below(full, ""), confirm=confirm)

    def look(self, path: str) -> os.stat_result:
        """Describe what is at `path` now."""
        return self._look(path)[1]

    def identity(self) -> tuple[int, int]:
        """Give the device and the number of the root as it was pinned."""
        return self._identity

    def filesystem(self) -> str:
        """Name the file system of the root."""
        return filesystem_at(self._root)

    def close(self) -> None:
        """Nothing is held open."""

    def _look(self, path: str) -> tuple[str, os.stat_result]:
        """Look at every component from the root down; the last may be anything."""
        full = self._root
        status = os.lstat(full)
        if (status.st_dev, status.st_ino) != self._identity:
            raise _failure(errno.ESTALE)
        for part in path.split("/") if path else ():
            if part == "..":
                raise _failure(errno.EXDEV)
            if not stat.S_ISDIR(status.st_mode):
                raise _failure(errno.ENOTDIR)
            full = _below(full, part)
            status = os.lstat(full)
            if is_link(status):
                raise _failure(errno.ELOOP)
            if status.st_dev != self.device:
                raise _failure(errno.EXDEV)
        return full, status

    def _confirm(self, descriptor: int, path: str) -> None:
        full, seen = self._look(path)
        if not os.path.samestat(os.fstat(descriptor), seen):
            raise _failure(errno.ESTALE)
        real = self._real_path(descriptor)
        if real is not None and os.path.normcase(real) != os.path.normcase(full):
            raise _failure(errno.ESTALE)


def real_path_of(descriptor: int) -> str | None:
    """Ask the system for an open file's path as it is now; None if it cannot tell."""
    if sys.platform == "win32":
        return _windows_path(descriptor)
    try:
        return str(Path(f"/proc/self/fd/{descriptor}").readlink())
    except OSError:
        return None


def without_device_prefix(path: str) -> str:
    r"""Give a Windows path as people write it: no `\\?\`, shares with two slashes."""
    if path.startswith("\\\\?\\UNC\\"):
        return "\\" + path[7:]
    return path.removeprefix("\\\\?\\")


if sys.platform == "win32":

    def _windows_path(descriptor: int) -> str | None:
        import ctypes  # noqa: PLC0415 - Windows only
        import msvcrt  # noqa: PLC0415 - Windows only

        buffer = ctypes.create_unicode_buffer(32_768)
        length = ctypes.windll.kernel32.GetFinalPathNameByHandleW(
            ctypes.c_void_p(msvcrt.get_osfhandle(descriptor)), buffer, len(buffer), 0
        )
        if not 0 < length < len(buffer):
            return None
        return without_device_prefix(buffer.value)


def _below(folder: str, part: str) -> str:
    """Append one part as text: no part, whatever it holds, starts a path anew."""
    return folder + part if folder.endswith(os.sep) else f"{folder}{os.sep}{part}"


def _failure(number: int) -> OSError:
    return OSError(number, os.strerror(number))
