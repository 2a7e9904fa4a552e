"""The first bytes of a store's file, read without letting go of its locks.

To close any descriptor of a file takes from this process every lock it has on it, and
with them the store from under its other connections (sqlite.org/howtocorrupt). So the
descriptor stays open as long as any connection of this process to that file.
"""

from __future__ import annotations

import _thread
import os
import stat

from corpus.errors import StoreForeignError
from corpus.values import NamedTuple

HEAD_BYTES = 100

_lock = _thread.allocate_lock()
_held: dict[Identity, list[int]] = {}
"""For each file its descriptor, and how many hold it."""


class Identity(NamedTuple):
    """Which file it is, by whatever name."""

    device: int
    number: int


class Head(NamedTuple):
    """The first bytes of a file, and what `let_go` takes."""

    identity: Identity
    content: bytes


def hold(path: str) -> Head:
    """Read the beginning of a plain file, and keep it until it is let go.

    Raises `StoreForeignError` for what is no plain file, and OSError.
    """
    status = os.stat(path)  # noqa: PTH116 - hooks do not load pathlib
    if not stat.S_ISREG(status.st_mode):  # it may never answer
        raise StoreForeignError(reason="it is not a plain file")
    with _lock:
        identity = Identity(status.st_dev, status.st_ino)
        if identity not in _held:
            flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)
            opened = os.open(path, flags)  # noqa: TID251 - a file of the user's own
            status = os.fstat(opened)
            identity = Identity(status.st_dev, status.st_ino)
            _held.setdefault(identity, [opened, 0])  # replaced just now: one is lost
        _held[identity][1] += 1
        return Head(identity, os.pread(_held[identity][0], HEAD_BYTES, 0))


def let_go(identity: Identity) -> None:
    """Close the descriptor when nobody of this process holds the file any more."""
    with _lock:
        _held[identity][1] -= 1
        if not _held[identity][1]:
            os.close(_held.pop(identity)[0])


def held_bytes(identity: Identity, size: int, offset: int) -> bytes:
    """Read on in a file that is held; empty at its end."""
    with _lock:
        return os.pread(_held[identity][0], size, offset)
