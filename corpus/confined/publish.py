"""Put a derived file in place whole or not at all (P5.5).

The content is staged beside its target, made durable, then renamed over it. Killed at
any step, the old file still stands or the new one is whole; what a killed run leaves
is a stage, which `sweep_stages` removes when it is old.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from corpus.confined.folder import is_link
from corpus.confined.reader import DENIED, NOT_FOUND, ConfinedRoot, Unreadable
from corpus.errors import IndexPathError, OutputError
from corpus.refs import RelPath, name_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus.confined.folder import Folder

STAGE_AGE = 3600.0
"""Seconds after which a stage counts as left behind."""

_STAGE = re.compile(r"\..+\.[0-9a-f]{16}\.stage")
_STAGE_RANDOM_BYTES = 8
_REASONS = {
    errno.ENOSPC: "no space is left",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be too large",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: DENIED,
    errno.EPERM: DENIED,
}


def publish(
    root: ConfinedRoot,
    directory: RelPath,
    name: str,
    content: bytes,
    *,
    random: Callable[[int], bytes] = os.urandom,
) -> None:
    """Make `content` the file `name` in `directory`, readable by the user alone.

    The last part of `directory` is created when missing. A link on the way, or a target
    that is no plain file, is `IndexPathError`; a system that will not write is
    `OutputError`, and then no stage is left.
    """
    target = f"{directory}/{name}"
    problem = name_problem(name)
    if problem is not None:
        raise IndexPathError(path=target, reason=problem)
    with _failures_named(target), _made(root, directory) as folder:
        _require_free(folder, name, target)
        stage = f".{name}.{random(_STAGE_RANDOM_BYTES).hex()}.stage"
        folder.write_new(stage, content)
        try:
            folder.replace(stage, name)
        except BaseException:
            with suppress(OSError):
                folder.remove(stage)
            raise
        folder.sync()


def stages(root: ConfinedRoot, directory: RelPath) -> list[str]:
    """List the stages in `directory`, sorted; a missing folder holds none."""
    try:
        folder = root.open_folder(directory)
    except Unreadable:
        return []
    with folder:
        return _stages(folder)


def sweep_stages(
    root: ConfinedRoot, directory: RelPath, *, older_than: float, now: float
) -> list[str]:
    """Remove the stages last written more than `older_than` seconds before `now`.

    `now` counts seconds from the epoch. Gives the names removed, sorted; one that
    cannot be removed is left for the next sweep.
    """
    try:
        folder = root.open_folder(directory)
    except Unreadable:
        return []
    with folder:
        return [
            name
            for name in _stages(folder)
            if _remove_older(folder, name, before=now - older_than)
        ]


def _stages(folder: Folder) -> list[str]:
    try:
        children = folder.children()
    except OSError:
        return []
    return sorted(
        name for name, kind in children if kind == "file" and _STAGE.fullmatch(name)
    )


def _remove_older(folder: Folder, name: str, *, before: float) -> bool:
    try:
        if folder.lstat(name).st_mtime >= before:
            return False
        folder.remove(name)
    except OSError:
        return False
    return True


def _made(root: ConfinedRoot, directory: RelPath) -> Folder:
    """Open `directory`, creating its last part when missing."""
    try:
        return root.open_folder(directory)
    except Unreadable as problem:
        if problem.reason != NOT_FOUND:
            raise
    parent, _, last = directory.rpartition("/")
    with root.open_folder(RelPath(parent)) as folder:
        folder.make_folder(last)
        folder.sync()
    return root.open_folder(directory)


def _require_free(folder: Folder, name: str, target: str) -> None:
    try:
        status = folder.lstat(name)
    except FileNotFoundError:
        return
    if is_link(status):
        raise IndexPathError(path=target, reason="a link is in its place")
    if not stat.S_ISREG(status.st_mode):
        raise IndexPathError(path=target, reason="something else is in its place")


@contextmanager
def _failures_named(target: str) -> Iterator[None]:
    """Turn what the reader and the system say into errors with a code."""
    try:
        yield
    except Unreadable as problem:
        if problem.reason == DENIED:
            raise OutputError(reason=DENIED) from None
        raise IndexPathError(path=target, reason=problem.reason) from None
    except IsADirectoryError:
        raise IndexPathError(
            path=target, reason="something else is in its place"
        ) from None
    except OSError as error:
        number = error.errno or 0
        fallback = f"the system answered {errno.errorcode.get(number, 'unknown')}"
        raise OutputError(reason=_REASONS.get(number, fallback)) from None
