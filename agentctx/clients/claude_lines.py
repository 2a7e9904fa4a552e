"""The lines of a transcript, in bounded memory, from a file that is being written.

Only a regular file is opened, and nothing here waits. How long the file is, is asked
once: what is written while it is read belongs to the next reading.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from agentctx.errors import TranscriptError
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

NEWLINE = b"\n"
_BLOCK = 1 << 16
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_IRREGULAR = "it is not a regular file"


class Line(NamedTuple):
    """The bytes from `start` to `end`; `content` is None when there are too many."""

    start: int
    end: int
    content: bytes | None
    ended: bool
    """Whether a line feed ends it; the last line of a file may still be growing."""


class Opened(NamedTuple):
    """An open transcript and how long it was then."""

    descriptor: int
    size: int


@contextmanager
def opened(path: str) -> Iterator[Opened]:
    """Open a transcript; TranscriptError when it cannot be opened or read."""
    try:
        found = os.stat(path)  # noqa: PTH116 - hooks load it
        if not stat.S_ISREG(found.st_mode):  # some devices act on being opened
            raise TranscriptError(path=path, reason=_IRREGULAR)
        descriptor = os.open(path, _FLAGS)  # noqa: TID251 - a file of the client's
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise TranscriptError(path=path, reason=_IRREGULAR)
            yield Opened(descriptor, found.st_size)
        finally:
            os.close(descriptor)
    except OSError as problem:
        reason = problem.strerror or "it cannot be read"
        raise TranscriptError(path=path, reason=reason.lower()) from None
    except ValueError:  # a NUL, or a lone surrogate, in the path
        raise TranscriptError(path=path, reason="that is no path") from None


def lines_between(
    file: Opened, start: int, end: int, *, longest: int
) -> Iterator[Line]:
    """Give the lines from one place to another; the parts of one are one line each.

    A line of more than `longest` bytes is passed over, never held.
    """
    os.lseek(file.descriptor, start, os.SEEK_SET)
    held = bytearray()
    at = place = start
    dropped = False
    while place < end:
        block = os.read(file.descriptor, min(_BLOCK, end - place))
        if not block:  # it was cut short meanwhile
            break
        begin = 0
        while (found := block.find(NEWLINE, begin)) >= 0:
            dropped = dropped or len(held) + found - begin > longest
            content = None if dropped else bytes(held) + block[begin:found]
            begin = found + 1
            yield Line(at, place + begin, content, ended=True)
            at = place + begin
            dropped = False
            held.clear()
        dropped = dropped or len(held) + len(block) - begin > longest
        if dropped:
            held.clear()
        else:
            held += block[begin:]
        place += len(block)
    if at < place:
        yield Line(at, place, None if dropped else bytes(held), ended=False)


def first_bytes(file: Opened, count: int) -> bytes:
    """Give the beginning of a transcript, at most `count` bytes of it."""
    os.lseek(file.descriptor, 0, os.SEEK_SET)
    content = bytearray()
    while len(content) < count:
        block = os.read(file.descriptor, min(_BLOCK, count - len(content)))
        if not block:
            break
        content += block
    return bytes(content)
