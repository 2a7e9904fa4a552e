"""One opened folder of a project: list it, and change entries in it by name.

Every operation is relative to the folder as it was opened, so a folder that is moved
or replaced meanwhile is never confused with another one. Failures are `OSError`.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

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
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EBADF}


class Child(NamedTuple):
    """One entry of a folder, as the folder itself describes it; links unfollowed."""

    name: str
    kind: Kind


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

    def create(self, name: str) -> int:
        """Create a file that must not exist, private to the user, open to write."""
        return os.open(self._prefix + name, _CREATE, 0o600, dir_fd=self._descriptor)

    def make_folder(self, name: str) -> None:
        """Create a folder private to the user; one that is there already is fine."""
        try:
            os.mkdir(self._prefix + name, 0o700, dir_fd=self._descriptor)
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
