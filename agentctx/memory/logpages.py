"""Read single pages out of a write-ahead log without opening the database.

SQLite itself writes to the log's index when it reads a log. Here nothing is written:
the frames that were committed are walked, and the newest of each wanted page is kept
(sqlite.org/fileformat2, section 4).
"""

from __future__ import annotations

import os
import stat

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

_HEADER, _FRAME = 32, 24
_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_SMALLEST_PAGE, _LARGEST_PAGE = 512, 65_536
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_TABLE_LEAF, _INDEX_LEAF = 0x0D, 0x0A


def committed_pages(path: str, wanted: AbstractSet[int]) -> dict[int, bytes]:
    """Give the newest committed content of some pages, by their numbers.

    What the log does not hold, or a log that is no log, gives nothing. Raises OSError
    but for a log that is not there.
    """
    try:
        descriptor = os.open(path, _FLAGS)  # noqa: TID251 - beside a file of ours
    except FileNotFoundError:
        return {}
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return {}
        return _walk(descriptor, wanted)
    finally:
        os.close(descriptor)


def cells(page: bytes) -> int | None:
    """Count the rows of a page that is a whole table or index by itself."""
    if len(page) < _SMALLEST_PAGE or page[0] not in {_TABLE_LEAF, _INDEX_LEAF}:
        return None
    return int.from_bytes(page[3:5], "big")


def _walk(descriptor: int, wanted: AbstractSet[int]) -> dict[int, bytes]:
    header = os.pread(descriptor, _HEADER, 0)
    if len(header) < _HEADER or header[:4] not in _MAGIC:
        return {}
    size = int.from_bytes(header[8:12], "big")
    if not _SMALLEST_PAGE <= size <= _LARGEST_PAGE:
        return {}
    salts = header[16:24]
    found: dict[int, int] = {}
    committed: dict[int, int] = {}
    place = _HEADER
    while True:
        frame = os.pread(descriptor, _FRAME, place)
        if len(frame) < _FRAME or frame[8:16] != salts:
            break
        number = int.from_bytes(frame[:4], "big")
        if number in wanted:
            found[number] = place + _FRAME
        if frame[4:8] != b"\0\0\0\0":  # the last frame of a commit
            committed.update(found)
        place += _FRAME + size
    return {
        number: os.pread(descriptor, size, start) for number, start in committed.items()
    }
