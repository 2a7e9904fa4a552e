"""A store that SQLite refuses, as images in memory from which rows can be read.

The bytes are those of the file and of its log; no byte of either changes. The first
image has a whole header, the others a likelier page size and the tables where every
store of this layout has them.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import struct
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.records.schema import LAYOUT
from corpus.sqlite import HEADER, DatabaseError, image_bytes, new_image, transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agentctx.records.rows import Cell
    from corpus.sqlite import Db

DAMAGE = (DatabaseError, UnicodeDecodeError)
"""What reading a damaged image raises; the second quotes a name that is no text."""

_HEAD = 100
_USUAL = 4096
"""The page size of every store that this program made."""

_SIZES = frozenset(1 << power for power in range(9, 17))
_LOG_HEAD, _FRAME_HEAD = 32, 24
_LOG_MARK = 0x377F0682
_WORD = 0xFFFFFFFF
_INTERIOR, _LEAF = 5, 13


def wreck_images(path: str) -> Iterator[bytes]:
    """Give what a file may have been, the likeliest first; nothing for no plain file.

    Formats: sqlite.org/fileformat2 and sqlite.org/walformat. OSError from the system.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return
    content = bytearray(Path(path).read_bytes())
    _apply_log(content, _log_of(path))
    if len(content) <= _HEAD:
        return
    declared = int.from_bytes(content[16:18], "big")
    declared = 1 << 16 if declared == 1 else declared
    for size in dict.fromkeys((declared, _USUAL)):
        if size in _SIZES:
            yield _with_head(content, size)
    for layout in range(len(LAYOUT.migrations), 0, -1):  # or as a store began
        yield _with_head(_with_schema(content, layout), _USUAL)


def open_wreck(image: bytes) -> Db:
    """Open an image for reading; what its schema says wrong is passed over."""
    db = new_image(())
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA writable_schema = ON")
    try:
        db.deserialize(image)
        for pragma in ("query_only = ON", "trusted_schema = OFF"):
            db.execute(f"PRAGMA {pragma}")
    except BaseException:
        db.close()
        raise
    return db


def loose_rows(
    image: bytes, table: str, columns: Sequence[str]
) -> Iterator[Mapping[str, Cell]]:
    """Read every leaf as if it were the whole table, though nothing leads to it.

    Rows of other tables come along; the caller knows what a row has to look like. What
    was deleted is not among them: its pages were overwritten.
    """
    named = ", ".join(f"{name} AS {name}" for name in columns)
    with closing(open_wreck(image)) as db:
        db.execute("PRAGMA query_only = OFF")
        for page in range(2, len(image) // _USUAL + 1):
            if image[(page - 1) * _USUAL] != _LEAF:
                continue
            with suppress(*DAMAGE):
                db.execute("PRAGMA writable_schema = ON")
                db.execute(
                    "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?",
                    (page, table),
                )
                db.execute("PRAGMA writable_schema = RESET")
                for row in db.execute(f"SELECT {named} FROM {table} NOT INDEXED"):
                    yield dict(row)


def _with_head(content: bytearray, size: int) -> bytes:
    """Give whole pages under the header that a sound store of ours has."""
    pages = -(-len(content) // size)
    changes = bytes(content[24:28])
    head = b"".join(
        (
            HEADER,
            struct.pack(">H6B", size % 65535, 1, 1, 0, 64, 32, 32),
            changes,
            struct.pack(">3I", pages, 0, 0),
            bytes(content[40:44]),
            struct.pack(">4I", 4, 0, 0, 1),
            struct.pack(">3I", len(LAYOUT.migrations), 0, LAYOUT.application_id),
            bytes(20),
            changes,
            bytes(content[96:100]),
        )
    )
    return head + bytes(content[_HEAD:]) + bytes(pages * size - len(content))


def _with_schema(content: bytearray, layout: int) -> bytearray:
    """Put the schema of a new store in place: its tables begin at the same pages."""
    with closing(new_image(())) as db:
        with transaction(db) as tx:
            for migration in LAYOUT.migrations[:layout]:
                migration(tx)
        fresh = image_bytes(db)
    changed = bytearray(content)
    changed.extend(bytes(max(0, _USUAL - len(changed))))
    pages = [1, *_children(fresh[:_USUAL])]
    for page in pages:
        start = (page - 1) * _USUAL
        if start < len(changed):
            changed[start : start + _USUAL] = fresh[start : start + _USUAL]
    return changed


def _children(first: bytes) -> Iterator[int]:
    """Give the pages below the first one, where the schema does not fit into it."""
    if first[_HEAD] != _INTERIOR:
        return
    (cells,) = struct.unpack_from(">H", first, _HEAD + 3)
    for (start,) in struct.iter_unpack(">H", first[112 : 112 + 2 * cells]):
        yield struct.unpack_from(">I", first, start)[0]
    yield struct.unpack_from(">I", first, _HEAD + 8)[0]


def _log_of(path: str) -> bytes:
    try:
        return Path(f"{path}-wal").read_bytes()
    except OSError:
        return b""


def _apply_log(content: bytearray, log: bytes) -> None:
    """Put every page that the log holds committed in its place."""
    if len(log) < _LOG_HEAD:
        return
    mark, _, size, _, *salt = struct.unpack_from(">6I", log)
    order = ">" if mark & 1 else "<"
    if mark & ~1 != _LOG_MARK or size not in _SIZES:
        return
    known = _checksum(log[:24], order, (0, 0))
    if known != struct.unpack_from(">2I", log, 24):
        return
    waiting: dict[int, bytes] = {}
    step = _FRAME_HEAD + size
    for start in range(_LOG_HEAD, len(log) - step + 1, step):
        page, committed, *rest = struct.unpack_from(">6I", log, start)
        body = log[start + _FRAME_HEAD : start + step]
        known = _checksum(log[start : start + 8] + body, order, known)
        if [*salt, *known] != rest or not page:
            return
        waiting[page] = body
        if committed:
            for number, text in waiting.items():
                place = (number - 1) * size
                content.extend(bytes(max(0, place - len(content))))
                content[place : place + size] = text
            waiting.clear()
            del content[committed * size :]


def _checksum(text: bytes, order: str, before: tuple[int, int]) -> tuple[int, int]:
    one, two = before
    for first, second in struct.iter_unpack(f"{order}2I", text):
        one = (one + first + two) & _WORD
        two = (two + second + one) & _WORD
    return one, two
