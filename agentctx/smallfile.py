"""Read a small file that somebody else wrote: never wait, never read without end.

A FIFO, a device, a folder, a file too large or one that is not ours to read has no
text; nothing here raises.
"""

from __future__ import annotations

import os
import stat

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


def small_text(path: Path | str, *, limit: int) -> str | None:
    """Give the text of a regular file of at most `limit` bytes, else None.

    Links are followed. Bytes that are not UTF-8 come back as lone surrogates, as
    Python gives them in file names.
    """
    content = small_bytes(path, limit=limit)
    return None if content is None else content.decode("utf-8-sig", "surrogateescape")


def small_bytes(path: Path | str, *, limit: int) -> bytes | None:
    """Give the bytes of a regular file of at most `limit` bytes, else None."""
    try:
        found = os.stat(path)  # noqa: PTH116 - text or path
        if not stat.S_ISREG(found.st_mode):  # some devices act on being opened
            return None
        descriptor = os.open(path, _FLAGS)  # noqa: TID251 - a file git or ssh reads too
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    try:
        return _content(descriptor, limit)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def is_folder(path: Path | str) -> bool:
    """Say whether there is a folder, links followed, that we can see."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - text or path
    except (OSError, ValueError):
        return False


def _content(descriptor: int, limit: int) -> bytes | None:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        return None
    content = bytearray()
    while len(content) <= limit:
        block = os.read(descriptor, limit + 1 - len(content))
        if not block:
            return bytes(content)
        content += block
    return None
