"""Read and replace a settings file of an AI client, which its owner and it write too.

A file is replaced whole, beside what it was: who is killed leaves the old one or the
new one. Mode, owner and group stay, and what a link names is replaced, not the link.
Nothing is replaced that is not, to the last byte, what was read before. Another hard
link to the file keeps what it had.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import ClientFileError
from agentctx.privatefile import NEW_FILE, folder_lock
from corpus.confined.rename import exchange, rename_new

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 * 1024 * 1024
MOST_EXCHANGES = 100

_READ = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NOWHERE = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG))
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class _Found(NamedTuple):
    """A file that is there: its bytes and whose it is."""

    content: bytes
    status: os.stat_result


class _Swap(NamedTuple):
    """A stage that is to take a name in its folder, from `old` to `new`."""

    folder: str
    stage: str
    name: str
    old: bytes | None
    new: bytes


class _NoFileError(OSError):
    """What lies there is no file, so nothing is written in it."""


class FileMovedError(Exception):
    """The file is no longer what it was read as; nothing was changed."""


def read_client_file(path: str) -> bytes | None:
    """Give the bytes of a file that may be edited, None where there is none.

    Raises `ClientFileError` for anything that is not a plain file we may replace.
    """
    try:
        found = _look(path)
    except OSError as problem:
        raise ClientFileError(path=path, reason=_said(problem)) from None
    if found is None:
        _require_folder(path)
        return None
    _require_editable(path, found.status)
    return found.content


def search_client_file(path: str) -> bytes | None:
    """Give the bytes of a file in which we look for entries of ours.

    None where no file is, whatever is there instead. Raises `ClientFileError` for a
    file that cannot be read.
    """
    try:
        found = _look(path)
    except _NoFileError:
        return None
    except OSError as problem:
        if problem.errno in _NOWHERE:
            return None
        raise ClientFileError(path=path, reason=_said(problem)) from None
    return None if found is None else found.content


def require_editable(path: str) -> None:
    """Refuse a file that we may not replace; ClientFileError."""
    try:
        status = os.stat(path)  # noqa: PTH116 - text
    except OSError as problem:
        raise ClientFileError(path=path, reason=_said(problem)) from None
    _require_editable(path, status)


def remove_stage(path: str, *, held: str) -> None:
    """Remove what an earlier process left beside a file when it was killed.

    `held` is as `replace_client_file` has it.
    """
    with suppress(OSError, ValueError):  # it cannot be: whoever writes next is told
        target = os.path.realpath(path)
        stage = _stage_of(target)
        if os.path.lexists(stage):
            with _alone(target, held):
                os.unlink(stage)  # noqa: PTH108 - text


def replace_client_file(
    path: str, *, old: bytes | None, new: bytes | None, held: str
) -> None:
    """Make `new` the content of a file whose content is `old`; None is no file.

    `held` is the folder that the caller has locked, which is not locked twice.
    Raises `FileMovedError` when it is not `old` any more and `ClientFileError` when the
    system does not let us; both leave it as it is.
    """
    target = os.path.realpath(path)
    try:
        with _alone(target, held):
            found = _look(path)
            if (None if found is None else found.content) != old:
                raise FileMovedError
            if new is None:
                os.unlink(target)  # noqa: PTH108 - text
            else:
                _replace(target, found, new)
    except OSError as problem:
        raise ClientFileError(path=path, reason=_said(problem)) from None


def _replace(target: str, found: _Found | None, new: bytes) -> None:
    """Write beside the target, look again, and rename."""
    folder, name = os.path.split(target)
    stage = _stage_of(target)
    staged = os.path.basename(stage)  # noqa: PTH119 - text
    with suppress(FileNotFoundError):  # of a process that was killed
        os.unlink(stage)  # noqa: PTH108 - text
    descriptor = os.open(stage, NEW_FILE, 0o600)  # noqa: TID251 - a client's settings
    try:
        try:
            if found is not None:
                _give(descriptor, found.status)
            rest = memoryview(new)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        old = None if found is None else found.content
        if _bytes(target) != old:
            raise FileMovedError
        _put(_Swap(folder, staged, name, old, new))
    finally:
        with suppress(OSError):
            os.unlink(stage)  # noqa: PTH108 - text


def _stage_of(target: str) -> str:
    folder, name = os.path.split(target)
    return f"{folder}/.{name}.agentctx"


def _put(swap: _Swap) -> None:
    """Give the stage the target's name, if nobody else has been there first.

    The two are exchanged where the system can: then what was there is seen, and is put
    back when it is not what we read.
    """
    folder, stage, name, old, _ = swap
    if os.name == "nt":
        os.replace(f"{folder}/{stage}", f"{folder}/{name}")  # noqa: PTH105 - text
        return
    descriptor = os.open(folder, os.O_RDONLY)  # noqa: TID251 - a client's settings
    try:
        if old is None:
            rename_new(descriptor, stage, name)
        elif exchange(descriptor, stage, name):
            _put_back_if_newer(descriptor, swap)
        else:
            os.replace(f"{folder}/{stage}", f"{folder}/{name}")  # noqa: PTH105 - text
        with suppress(OSError):  # a file system that syncs no folder
            os.fsync(descriptor)
    except FileExistsError:
        raise FileMovedError from None
    finally:
        os.close(descriptor)


def _put_back_if_newer(descriptor: int, swap: _Swap) -> None:
    """Undo an exchange that took away something else than `old`: FileMovedError.

    Whoever writes may do so again meanwhile; then what they wrote last stays.
    """
    out = f"{swap.folder}/{swap.stage}"
    put, taken = swap.new, _bytes(out)
    if taken == swap.old:
        return
    for _ in range(MOST_EXCHANGES):
        if taken is None or not exchange(descriptor, swap.stage, swap.name):
            break
        came = _bytes(out)
        if came == put:  # nobody has been there since
            break
        put, taken = taken, came
    raise FileMovedError


def _bytes(path: str) -> bytes | None:
    found = _look(path)
    return None if found is None else found.content


def _give(descriptor: int, status: os.stat_result) -> None:
    """Let a new file belong to whom the old one did, with the same mode."""
    if os.name == "nt":
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


@contextmanager
def _alone(target: str, held: str) -> Iterator[None]:
    """Keep out whoever edits the same file from another home."""
    folder = os.path.dirname(target)  # noqa: PTH120 - text
    if os.path.realpath(held) == folder:
        yield
        return
    with folder_lock(folder):
        yield


def _look(path: str) -> _Found | None:
    """Read a regular file, links followed, without ever waiting for one that is none.

    OSError says what it is instead.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - text
            reason = "it is not a plain file"
            raise _NoFileError(reason)
        descriptor = os.open(path, _READ)  # noqa: TID251 - a client's settings
    except FileNotFoundError:
        return None
    except ValueError:  # a NUL in the path
        reason = "its path is none"
        raise _NoFileError(reason) from None
    try:
        status = os.fstat(descriptor)
        content = bytearray()
        while len(content) <= MOST_BYTES:
            block = os.read(descriptor, MOST_BYTES + 1 - len(content))
            if not block:
                return _Found(bytes(content), status)
            content += block
    finally:
        os.close(descriptor)
    reason = f"it is larger than {MOST_BYTES} bytes"
    raise OSError(reason)


def _require_editable(path: str, status: os.stat_result) -> None:
    """Refuse a file that its owner keeps from being changed, or that is another's."""
    if not status.st_mode & _ANY_WRITE:
        raise ClientFileError(path=path, reason="it is read-only")
    if os.name != "nt" and os.geteuid() not in {0, status.st_uid}:
        raise ClientFileError(path=path, reason="it belongs to another user")
    _require_folder(path)


def _require_folder(path: str) -> None:
    """Refuse a place where no file can be put; a folder that is missing can be made."""
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120 - text
    if not os.path.lexists(folder):
        if os.path.islink(path):  # noqa: PTH114 - text
            raise ClientFileError(path=path, reason="it is a link that leads nowhere")
        folder = os.path.dirname(folder)  # noqa: PTH120 - text
    if not os.path.lexists(folder):
        raise ClientFileError(path=path, reason=f"{folder} does not exist")
    if not os.path.isdir(folder):  # noqa: PTH112 - text
        raise ClientFileError(path=path, reason=f"{folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ClientFileError(path=path, reason=f"{folder} cannot be written")


def _said(problem: OSError) -> str:
    """Say what the system said, as the end of a sentence."""
    if problem.errno is None:
        return str(problem)
    text = problem.strerror or "the system does not allow it"
    return text[:1].lower() + text[1:]
