"""One opened folder of a project: list it, and change entries in it by name.

Every operation is relative to the folder as it was opened, so a folder that is moved
or replaced meanwhile is never confused with another one. Failures are `OSError`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from corpus.confined.rename import exchange, rename_new

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Kind = Literal["file", "folder", "link", "other"]

_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_PRIVATE = 0o600
_SHARED = 0o666
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}


class Child(NamedTuple):
    """One entry of a folder, as the folder itself describes it; links unfollowed."""

    name: str
    kind: Kind


class Held(NamedTuple):
    """What a file of a folder held, and its status when it was read."""

    content: bytes
    status: os.stat_result

    @property
    def identity(self) -> str:
        """Name the file itself, whatever it is called."""
        return f"posix:{self.status.st_dev:x}:{self.status.st_ino:x}"


class Folder:
    """A folder held open: by descriptor where there are any, else by checked path.

    `confirm` fails when the path no longer leads to the folder that was checked.
    """

    def __init__(
        self,
        *,
        prefix: str = "",
        descriptor: int | None = None,
        confirm: Callable[[], object] | None = None,
    ) -> None:
        self._prefix = prefix
        self._descriptor = descriptor
        self._confirm = confirm

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the folder go; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):  # a folder has nothing that closing could lose
                os.close(descriptor)

    def children(self) -> list[Child]:
        """List what the folder holds, in no particular order."""
        place = self._prefix if self._descriptor is None else self._descriptor
        with os.scandir(place) as found:
            children = [Child(entry.name, _kind(entry)) for entry in found]
        if self._confirm is not None:
            self._confirm()
        return children

    def lstat(self, name: str) -> os.stat_result:
        """Describe an entry itself, not what it may point to."""
        return os.stat(
            self._prefix + name, dir_fd=self._descriptor, follow_symlinks=False
        )

    def create(self, name: str, mode: int = 0o600) -> int:
        """Create a file that must not exist, open to write; the umask applies."""
        return os.open(self._prefix + name, _CREATE, mode, dir_fd=self._descriptor)

    def identity(self) -> tuple[int, int]:
        """Name the folder itself, wherever its path may lead by now."""
        assert self._descriptor is not None, "only a folder with a descriptor"
        status = os.fstat(self._descriptor)
        return status.st_dev, status.st_ino

    def write_new(self, name: str, content: bytes, mode: int | None = 0o600) -> None:
        """Create a file that must not exist and make its content durable.

        Without a mode it is for whom the user's umask lets new files be.
        What fails half-way is removed again.
        """
        descriptor = self.create(name, _PRIVATE if mode is not None else _SHARED)
        try:
            try:
                write_through(descriptor, content)
                if mode is not None and mode != _PRIVATE:
                    os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except BaseException:
            with suppress(OSError):
                self.remove(name)
            raise

    def open(self, name: str) -> int:
        """Open an entry to read; a link is not followed and nothing blocks."""
        return os.open(self._prefix + name, _READ, dir_fd=self._descriptor)

    def read(self, name: str, *, limit: int) -> Held | None:
        """Read a plain file of one name; None when there is none.

        What is no such file, is larger than `limit`, or changes while it is read, is
        an OSError: ELOOP, EISDIR, ENXIO, EMLINK, EFBIG or EAGAIN.
        """
        try:
            descriptor = self.open(name)
        except FileNotFoundError:
            return None
        try:
            before = os.fstat(descriptor)
            _require_plain(before, limit)
            content = read_whole(descriptor, before.st_size)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        same = (before.st_size, before.st_mtime_ns) == (
            after.st_size,
            after.st_mtime_ns,
        )
        if not same or len(content) != after.st_size:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return Held(content, before)

    def make_folder(self, name: str, mode: int = 0o700) -> None:
        """Create a folder, private to the user; one that is there already is fine."""
        try:
            os.mkdir(self._prefix + name, mode, dir_fd=self._descriptor)
        except FileExistsError:
            return

    def replace(self, source: str, target: str) -> None:
        """Give `source` the name `target`, in one step, over what was there."""
        os.replace(
            self._prefix + source,
            self._prefix + target,
            src_dir_fd=self._descriptor,
            dst_dir_fd=self._descriptor,
        )

    def claim(self, source: str, target: str) -> None:
        """Give `source` the name `target`, or raise FileExistsError if it is taken."""
        assert self._descriptor is not None, "only a folder with a descriptor"
        rename_new(self._descriptor, source, target)

    def exchange(self, first: str, second: str) -> bool:
        """Exchange two names in one step; False where the system cannot."""
        assert self._descriptor is not None, "only a folder with a descriptor"
        return exchange(self._descriptor, first, second)

    def lock(self) -> bool:
        """Take this folder for ourselves until it is closed; False when it is taken.

        The lock is on the folder itself: no file has to be made or left behind.
        """
        import fcntl  # noqa: PLC0415 - POSIX alone, as are controlled writes

        assert self._descriptor is not None, "only a folder with a descriptor"
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def remove(self, name: str) -> None:
        """Remove a file or a link; one that is gone already is fine."""
        try:
            os.unlink(self._prefix + name, dir_fd=self._descriptor)
        except FileNotFoundError:
            return

    def sync(self) -> None:
        """Make names durable, on systems and file systems that know how."""
        if self._descriptor is None:
            return
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno not in _NO_FOLDER_SYNC:
                raise


def write_through(descriptor: int, content: bytes) -> None:
    """Write all of `content`, however little the system takes at a time."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_whole(descriptor: int, size: int) -> bytes:
    """Read at most `size` bytes, however little the system gives at a time."""
    parts = []
    missing = size
    while missing > 0:
        part = os.read(descriptor, missing)
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _require_plain(status: os.stat_result, limit: int) -> None:
    number = 0
    if stat.S_ISDIR(status.st_mode):
        number = errno.EISDIR
    elif not stat.S_ISREG(status.st_mode):
        number = errno.ENXIO
    elif status.st_nlink != 1:
        number = errno.EMLINK
    elif status.st_size > limit:
        number = errno.EFBIG
    if number:
        raise OSError(number, os.strerror(number))


def is_link(status: os.stat_result) -> bool:
    """Say whether an unfollowed entry is a symbolic link or a reparse point."""
    attributes: int = getattr(status, "st_file_attributes", 0)
    return stat.S_ISLNK(status.st_mode) or bool(
        attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT
    )


def _kind(entry: os.DirEntry[str]) -> Kind:
    """Ask the listing where it knows; only Windows needs a look at the entry."""
    if os.name == "nt" and is_link(entry.stat(follow_symlinks=False)):
        return "link"
    if entry.is_file(follow_symlinks=False):
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "link" if entry.is_symlink() else "other"
