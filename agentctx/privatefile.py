"""Write a file of the user's own: whole or not at all, readable by nobody else.

What a link names is replaced, the link stays. What fails is OSError, and then the old
file stands as it was. Who is killed leaves a stage beside it, which the next writer
removes once it is old.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ABANDONED = 3600.0
"""Seconds after which nobody is still writing a stage."""

NEW_FILE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
"""How a file is opened that must not be there yet; no link is followed."""

_SUFFIX = ".stage"


def write_private(path: str, content: bytes, *, fresh: bool = False) -> None:
    """Make `content` the file at `path`, its folder included, for the user alone.

    A `fresh` file takes the place of none: FileExistsError where there is something.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    make_private_folder(folder)
    stage = f"{folder}/.{name}.{os.getpid()}{_SUFFIX}"
    with suppress(FileNotFoundError):  # of a process that died with our number
        os.unlink(stage)  # noqa: PTH108 - hooks load it
    descriptor = os.open(stage, NEW_FILE, 0o600)  # noqa: TID251 - a file of the user's own
    try:
        try:
            _write_all(descriptor, content)
            os.fsync(descriptor)
            written = os.fstat(descriptor).st_mtime  # the file system's own clock
        finally:
            os.close(descriptor)
        if fresh:
            name_stage(stage, target)
            with suppress(FileNotFoundError):  # it had to be moved
                os.unlink(stage)  # noqa: PTH108 - hooks load it
        else:
            os.replace(stage, target)  # noqa: PTH105 - hooks load it
    except BaseException:
        with suppress(OSError):
            os.unlink(stage)  # noqa: PTH108 - hooks load it
        raise
    remove_stages(target, changed_before=written - ABANDONED)


def name_stage(stage: str, path: str) -> None:
    """Let a file have a name, never in place of another file."""
    try:
        os.link(stage, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: take the name, then fill it
        os.close(os.open(path, NEW_FILE, 0o600))  # noqa: TID251 - a new file
        os.replace(stage, path)  # noqa: PTH105 - hooks load it


def remove_stages(path: str, *, changed_before: float | None = None) -> None:
    """Remove what processes that were killed left of the file at `path`.

    Without a moment all of it goes, which is for those who keep other writers out.
    """
    folder, name = os.path.split(os.path.realpath(path))
    begin = f".{name}."
    try:
        names = os.listdir(folder)  # noqa: PTH208 - hooks load it
    except OSError:
        return
    for one in names:
        number = one.removeprefix(begin).removesuffix(_SUFFIX)
        if not number.isdecimal() or one != f"{begin}{number}{_SUFFIX}":
            continue
        stage = f"{folder}/{one}"
        with suppress(OSError):  # another has just removed it
            changed = os.lstat(stage).st_mtime
            if changed_before is None or changed < changed_before:
                os.unlink(stage)  # noqa: PTH108 - hooks load it


def make_private_folder(folder: str) -> None:
    """Make a folder and what is missing above it, for the user alone."""
    above = os.path.dirname(folder)  # noqa: PTH120 - hooks load it
    if above != folder and not os.path.isdir(above):  # noqa: PTH112 - hooks load it
        make_private_folder(above)
    with suppress(FileExistsError):
        os.mkdir(folder, mode=0o700)  # noqa: PTH102 - hooks load it


@contextmanager
def folder_lock(folder: str) -> Iterator[None]:
    """Keep other writers of a folder out, where the system has such locks."""
    try:
        import fcntl  # noqa: PLC0415 - absent on Windows
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)  # noqa: TID251 - a folder of the user's
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
