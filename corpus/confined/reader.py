"""A project's files: a portable relative path in, bytes or a reason out (P4).

Nothing outside the root is ever read, nothing blocks, and a file that changes while it
is read gives its old bytes, its new bytes or a report. One file that cannot be read
never keeps another from being read.
"""

from __future__ import annotations

import errno
import os
import stat
import time
import unicodedata
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self

from corpus.confined.folder import read_whole
from corpus.errors import RootNotFoundError
from corpus.refs import RelPath, name_problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from corpus.confined.folder import Child, Folder

    Asks = Callable[[str], bool]

GuaranteeLevel = Literal["openat2", "walk", "portable"]

MAX_DEPTH = 64
"""Parts a path may have; what lies deeper is reported, not read."""

SETTLED_NS = 20_000_000
"""A status this old, in nanoseconds, is settled: twice the coarsest grain of the clock
that a kernel stamps files with (10 ms). A younger file is read this much later."""

ATTEMPTS = 4
"""How often a file that changes is read before it is given up."""

LINK = "symbolic link"
NOT_REGULAR = "not a regular file"
HARD_LINK = "hard link"
OTHER_FILE_SYSTEM = "other file system"
TOO_LARGE = "too large"
DENIED = "permission denied"
NOT_FOUND = "not found"
NOT_FOLDER = "not a directory"
CHANGED = "changed while reading"
TOO_DEEP = "nested too deep"
TOO_LONG = "name too long"

_REASONS = {
    errno.ELOOP: LINK,
    errno.ENOENT: NOT_FOUND,
    errno.ENOTDIR: NOT_FOLDER,
    errno.EACCES: DENIED,
    errno.EPERM: DENIED,
    errno.EXDEV: OTHER_FILE_SYSTEM,
    errno.ENXIO: NOT_REGULAR,
    errno.ENODEV: NOT_REGULAR,
    errno.EISDIR: NOT_REGULAR,
    errno.ENAMETOOLONG: TOO_LONG,
    errno.ESTALE: CHANGED,
}


class Unreadable(Exception):  # noqa: N818 - it is a verdict on one path, not a failure
    """One path cannot be read; `reason` is a short stable phrase."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FileBytes(NamedTuple):
    """A file's whole content at one moment, with what identified it then."""

    content: bytes
    size: int
    mtime_ns: int
    device: int
    inode: int


class Entry(NamedTuple):
    r"""A path found below a folder; `problem` says why it was skipped, if it was.

    A path with a problem may hold escapes (`\xff`, `\n`) where the name itself cannot
    be shown; it is for people to read, not to open.
    """

    path: RelPath
    problem: str | None


class Tree(Protocol):
    """What a platform provides; every failure is an `OSError`."""

    level: GuaranteeLevel
    device: int

    def open_file(self, path: str, /) -> int:
        """Open a file to read without following, crossing or blocking."""
        ...

    def open_folder(self, path: str, /) -> Folder:
        """Open a folder in the same way."""
        ...

    def look(self, path: str, /) -> os.stat_result:
        """Describe what is at a path now, reached in the same way."""
        ...

    def identity(self) -> tuple[int, int]:
        """Give the device and the number of the root itself."""
        ...

    def filesystem(self) -> str:
        """Name the file system of the root."""
        ...

    def close(self) -> None:
        """Let the root go."""
        ...


class ConfinedRoot:
    """The files below one pinned folder; made by `open_root`, safe across threads."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._portable: set[str] = set()
        self.guarantee_level: GuaranteeLevel = tree.level

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
        """Let the root go; nothing can be read through it any more."""
        self._tree.close()

    @property
    def identity(self) -> str:
        """What tells the pinned root from any other folder (P3.1)."""
        return identity_text(*self._tree.identity())

    @property
    def filesystem(self) -> str:
        """The name of the file system that the root lies on."""
        return self._tree.filesystem()

    def read(self, path: RelPath, *, limit: int) -> FileBytes:
        """Read a whole file of at most `limit` bytes, or raise `Unreadable`.

        The file is looked at again after reading; where it changed it is read again,
        and when that did not help either the reason says so.
        """
        content, status = self._read(path, limit)
        return FileBytes(
            content, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino
        )

    def content(self, path: RelPath, *, limit: int) -> bytes:
        """Give what `read` gives, but for the bytes alone."""
        return self._read(path, limit)[0]

    def size(self, path: RelPath) -> int:
        """Give the size of a file that is not read, 0 when there is none."""
        try:
            return self._tree.look(path).st_size
        except OSError:
            return 0

    def entries(self, directory: RelPath, *, wanted: Asks, enter: Asks) -> list[Entry]:
        """List every wanted file below `directory`, sorted by path.

        A folder for which `enter` is false is never opened, `directory` included; one
        that is missing holds nothing. A wanted entry that is no plain file, and a
        folder that cannot be listed although `enter` allows it, is an entry with a
        problem. A link counts as wanted when either says yes: it is never followed, so
        what it points to stays unknown.
        """
        found: list[Entry] = []
        pending: list[str] = [directory] if enter(directory) else []
        while pending:
            folder = pending.pop()
            if folder.count("/") + 1 >= MAX_DEPTH:
                found.append(Entry(RelPath(folder), TOO_DEEP))
                continue
            try:
                with self._tree.open_folder(folder) as opened:
                    children = opened.children()
            except OSError as error:
                if error.errno != errno.ENOENT:
                    found.append(Entry(RelPath(folder), reason_of(error)))
                continue
            listing = _Listing(folder, wanted, enter)
            listing.take(children)
            found += listing.found
            pending += listing.folders
        found.sort(key=_by_path)
        self._portable.update(entry.path for entry in found if entry.problem is None)
        return found

    def open_folder(self, path: RelPath) -> Folder:
        """Open a folder to change entries in it, or raise `Unreadable`.

        For derived files and controlled writes only; sources come from `read`.
        """
        self._require_portable(path)
        try:
            return self._tree.open_folder(path)
        except OSError as error:
            raise Unreadable(reason_of(error)) from None

    def _read(self, path: str, limit: int) -> tuple[bytes, os.stat_result]:
        if path not in self._portable:
            self._require_portable(path)
        try:
            for _ in range(ATTEMPTS):
                found = self._attempt(path, limit)
                if found is not None:
                    return found
        except OSError as error:
            raise Unreadable(reason_of(error)) from None
        raise Unreadable(CHANGED)

    def _attempt(self, path: str, limit: int) -> tuple[bytes, os.stat_result] | None:
        """Read once; None when the file changed, or may have, under our hands.

        A second link to a file elsewhere, removed once we have opened it, would leave
        one link and not this name. Gaining and losing links is a change of status; so
        a file whose status was settled when it was opened, and is the same after it
        was read, had this one name throughout.
        """
        opened = time.time_ns()
        try:
            descriptor = self._tree.open_file(path)
        except OSError as error:
            if error.errno == errno.ESTALE:
                return None
            raise
        try:
            before = os.fstat(descriptor)
            if before.st_nlink == 0:  # replaced between opening and looking
                return None
            size = before.st_size
            self._require_plain(before, limit)
            if opened - SETTLED_NS < before.st_ctime_ns <= opened:
                time.sleep(SETTLED_NS / 1_000_000_000)
                return None
            content = os.read(descriptor, size)
            if len(content) != size:
                content += read_whole(descriptor, size - len(content))
            if before.st_ctime_ns > opened:  # a clock that went back: it proves nothing
                after = self._tree.look(path)
            else:
                after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if (
            len(content) != size
            or after.st_size != size
            or after.st_nlink != 1
            or after.st_mtime_ns != before.st_mtime_ns
            or after.st_ctime_ns != before.st_ctime_ns
            or after.st_ino != before.st_ino
            or after.st_dev != before.st_dev
        ):
            return None
        return content, before

    def _require_plain(self, status: os.stat_result, limit: int) -> None:
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(NOT_REGULAR)
        if status.st_dev != self._tree.device:
            raise Unreadable(OTHER_FILE_SYSTEM)
        if status.st_nlink != 1:
            raise Unreadable(HARD_LINK)
        if status.st_size > limit:
            raise Unreadable(TOO_LARGE)

    def _require_portable(self, path: str) -> None:
        """Refuse an unportable path; one that passed is remembered."""
        parts = path.split("/")
        problem = next(filter(None, map(name_problem, parts)), None)
        if problem is not None:
            raise Unreadable(_unportable(problem))
        if len(parts) > MAX_DEPTH:
            raise Unreadable(TOO_DEEP)
        self._require_spelled(parts)
        self._portable.add(path)

    def _require_spelled(self, parts: list[str]) -> None:
        """Refuse a path that leads to a file only where letter case does not matter.

        Scopes compare names; a file system that takes `SECRET` for `secret` must not
        answer to a spelling that no scope means. Such a one shows itself: the same
        entry answers to the other case. Then the folder's own listing decides.
        """
        for count in range(1, len(parts) + 1):
            *above, name = parts[:count]
            folder, other = "/".join(above), name.swapcase()
            if other == name or not self._same_entry(folder, name, other):
                continue
            try:
                with self._tree.open_folder(folder) as opened:
                    names = [child.name for child in opened.children()]
            except OSError as error:
                raise Unreadable(reason_of(error)) from None
            if name not in names:
                raise Unreadable(NOT_FOUND)

    def _same_entry(self, folder: str, one: str, other: str) -> bool:
        prefix = f"{folder}/" if folder else ""
        try:
            found = self._tree.look(prefix + other)
            return os.path.samestat(found, self._tree.look(prefix + one))
        except OSError:
            return False


class _Listing:
    """Sorts one folder's children into entries and folders to go on with."""

    def __init__(self, folder: str, wanted: Asks, enter: Asks) -> None:
        self._prefix = f"{folder}/" if folder else ""
        self._wanted = wanted
        self._enter = enter
        self._names: dict[str, str] = {}
        self.found: list[Entry] = []
        self.folders: list[str] = []

    def take(self, children: list[Child]) -> None:
        for name, kind in sorted(children):
            unportable = name_problem(name)
            path = self._prefix + (name if unportable is None else printable(name))
            if not self._in_scope(path, kind):
                continue
            problem = self._problem(name, kind, unportable)
            if problem is not None or kind == "file":
                self.found.append(Entry(RelPath(path), problem))
            else:
                self.folders.append(path)

    def _in_scope(self, path: str, kind: str) -> bool:
        if kind == "folder":
            return self._enter(path)
        return self._wanted(path) or (kind == "link" and self._enter(path))

    def _problem(self, name: str, kind: str, unportable: str | None) -> str | None:
        if unportable is not None:
            return _unportable(unportable)
        if kind == "link":
            return LINK
        if kind == "other":
            return NOT_REGULAR
        first = self._names.setdefault(_folded(name), name)
        if first != name:
            return f"name differs only in case from `{first}`"
        return None


def open_root(root: Path, level: GuaranteeLevel | None = None) -> ConfinedRoot:
    """Pin the folder `root`, which may itself be reached through links.

    The strongest guarantee the system gives is taken; `level` asks for one by name and
    fails with `OSError` where it is not to be had. A root that is missing or no folder
    is `RootNotFoundError`.
    """
    try:
        resolved = os.path.realpath(root, strict=True)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        raise RootNotFoundError(root=printable(str(root))) from None
    try:
        return ConfinedRoot(_tree(resolved, level))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        raise RootNotFoundError(root=printable(str(root))) from None


def identity_text(device: int, inode: int) -> str:
    """Write what identifies a folder as grants do."""
    return f"posix:{device:x}:{inode:x}"


def reason_of(error: OSError) -> str:
    """Give the stable phrase for a failure of the system; never its own text."""
    reason = _REASONS.get(error.errno or 0)
    if reason is not None:
        return reason
    return f"cannot be read ({errno.errorcode.get(error.errno or 0, 'unknown')})"


def printable(name: str) -> str:
    r"""Give a name that any output can carry: undecodable bytes become `\xff`."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def _tree(root: str, level: GuaranteeLevel | None) -> Tree:
    if os.name == "nt" or level == "portable":
        from corpus.confined.portable import PortableTree  # noqa: PLC0415 - by platform

        return PortableTree(root)
    from corpus.confined.posix import PosixTree  # noqa: PLC0415 - by platform

    return PosixTree(root, level)


def _unportable(problem: str) -> str:
    return f"name is not portable: {problem}"


def _folded(name: str) -> str:
    """Give the form that two names share when a file system may confuse them."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", name.casefold())


def _by_path(entry: Entry) -> tuple[str, str]:
    return entry.path, entry.problem or ""
