"""Read one instructions file, or say why it cannot be read; nothing waits, none fails.

Bytes are kept as they lie there, so that a change can be made of them and compared
with them again.
"""

from __future__ import annotations

import os
import stat
from typing import Literal

MOST_BYTES = 4 * 1024 * 1024
"""The client skips a larger file."""

Refusal = Literal["too-large", "not-a-file", "unreadable", "link-loop", "gone"]

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_SYSTEM = ("/proc/", "/sys/", "/dev/")
"""What lies here is made up when it is read; some of it waits, some of it acts."""

_MEMORY = "/dev/shm/"  # noqa: S108 - a file system in memory: real files, not devices


def read_bytes_of(path: str) -> bytes | Refusal:
    """Give the bytes of a regular file of at most `MOST_BYTES`, links followed."""
    try:
        status = os.stat(path)  # noqa: PTH116 - any text
        if not stat.S_ISREG(status.st_mode):
            return "not-a-file"
        if status.st_size > MOST_BYTES:
            return "too-large"
        real = f"{os.path.realpath(path)}/"
        if real.startswith(_SYSTEM) and not real.startswith(_MEMORY):
            return "not-a-file"
        descriptor = os.open(path, _FLAGS)  # noqa: TID251 - what the client reads
    except (OSError, ValueError) as problem:
        return _reason(path, problem)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return "not-a-file"
        return _content(descriptor)
    except OSError:
        return "unreadable"
    finally:
        os.close(descriptor)


def text_of(content: bytes) -> str | None:
    """Read bytes as UTF-8 text; None for what is none, a picture for example."""
    if b"\x00" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _reason(path: str, problem: OSError | ValueError) -> Refusal:
    import errno  # noqa: PLC0415 - only where something is wrong

    if not isinstance(problem, OSError):  # a NUL in the path
        return "gone"
    if problem.errno == errno.ELOOP:
        return "link-loop"
    if problem.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
        # a link that leads nowhere is a file that somebody meant to be there
        return "unreadable" if os.path.islink(path) else "gone"  # noqa: PTH114
    return "unreadable"


def _content(descriptor: int) -> bytes | Refusal:
    content = bytearray()
    while len(content) <= MOST_BYTES:
        block = os.read(descriptor, MOST_BYTES + 1 - len(content))
        if not block:
            return bytes(content)
        content += block
    return "too-large"
