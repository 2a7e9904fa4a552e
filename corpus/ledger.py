"""The receipts this user recorded, one hash-chained line each (P9.3).

A ledger lies in the user's own state folder, one file a project. Every entry holds
the hash of the one before, so a changed, removed or reordered entry shows; entries cut
off at the end do not. It proves what was handed over, never that it was read.

Any number of processes may append at once. A line that a crash left half written is
reported, and the next append mends it; no other entry is ever touched.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from corpus.canonical import canonical_json, digest
from corpus.errors import LedgerError
from corpus.receipt import PROVES
from corpus.refs import is_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from corpus.canonical import Json

FOLDER = "receipts"
NO_ENTRY = "0" * 64
"""The hash the first entry follows."""

LONGEST_LINE = 2 * 1024 * 1024
"""Bytes of one line; a receipt for the largest bundle needs less."""

_KEYS = {"seq", "previous_sha256", "receipt", "entry_sha256"}
_BLOCK = 64 * 1024
_FLAGS = (
    getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Entry(NamedTuple):
    """One recorded receipt. `seq` counts from 1; the hash is over the other three."""

    seq: int
    previous_sha256: str
    receipt: Mapping[str, Json]
    entry_sha256: str

    def as_json(self) -> dict[str, Json]:
        """Give the entry as it stands in the ledger."""
        return {**self.hashed(), "entry_sha256": self.entry_sha256}

    def hashed(self) -> dict[str, Json]:
        """Give the part of the entry that its hash is of."""
        return {
            "seq": self.seq,
            "previous_sha256": self.previous_sha256,
            "receipt": self.receipt,
        }


class Recorded(NamedTuple):
    """An entry just appended; `repaired` says that a torn last line was mended."""

    entry: Entry
    repaired: bool


class Break(NamedTuple):
    """A line at which the chain does not hold, and why."""

    line: int
    reason: str

    def as_json(self) -> dict[str, str | int]:
        """Give the break as a JSON object."""
        return {"line": self.line, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The entries of one project's ledger and what is wrong with its chain.

    `torn_bytes` counts what a crash left of a last line; it breaks nothing.
    """

    project_id: str
    entries: tuple[Entry, ...]
    breaks: tuple[Break, ...]
    torn_bytes: int

    @property
    def ok(self) -> bool:
        """Say whether the chain holds."""
        return not self.breaks

    def as_json(self) -> dict[str, object]:
        """Give the ledger as `context receipts` prints it."""
        return {
            "ok": self.ok,
            "project_id": self.project_id,
            "count": len(self.entries),
            "entries": [entry.as_json() for entry in self.entries],
            "breaks": [each.as_json() for each in self.breaks],
            "torn_bytes": self.torn_bytes,
            "proves": PROVES,
            "non_authoritative": True,
        }


def record(receipt: Mapping[str, Json], *, state: Path) -> Recorded:
    """Append a receipt to its project's ledger, safely on disk before it returns.

    `state` is the user's state folder. Raises `LedgerError`.
    """
    path = _path(str(receipt["project_id"]), state)
    try:
        _make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)  # noqa: TID251 - the user's own file
        with _locked(descriptor, alone=True):
            _require_private(descriptor)
            recorded = _append(descriptor, receipt)
        if recorded.entry.seq == 1:
            _sync_folder(path.parent)
    except OSError as problem:
        raise LedgerError(reason=_reason(problem)) from None
    return recorded


def read_ledger(project_id: str, *, state: Path) -> Ledger:
    """Read a project's ledger and verify its chain; none yet is an empty one.

    Raises `LedgerError` when it cannot be read at all.
    """
    try:
        descriptor = os.open(_path(project_id, state), os.O_RDONLY | _FLAGS)  # noqa: TID251 - the user's own file
    except FileNotFoundError:
        return Ledger(project_id=project_id, entries=(), breaks=(), torn_bytes=0)
    except OSError as problem:
        raise LedgerError(reason=_reason(problem)) from None
    try:
        with _locked(descriptor, alone=False):
            _require_private(descriptor)
            return _verified(descriptor, project_id)
    except OSError as problem:
        raise LedgerError(reason=_reason(problem)) from None


def _append(descriptor: int, receipt: Mapping[str, Json]) -> Recorded:
    size = os.fstat(descriptor).st_size
    last, kept, whole = _tail(descriptor, size)
    seq = last.seq + 1 if last else 1
    entry = _entry(seq, last.entry_sha256 if last else NO_ENTRY, receipt)
    line = canonical_json(entry.as_json()) + b"\n"
    if kept != size:
        os.ftruncate(descriptor, kept)
    try:
        _write(descriptor, line if whole else b"\n" + line, at=kept)
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, kept)
        raise
    return Recorded(entry, repaired=kept != size or not whole)


def _tail(descriptor: int, size: int) -> tuple[Entry | None, int, bool]:
    """Find the last entry, how many bytes to keep, and whether they end a line.

    A last line without its line break is kept only when it is a whole entry.
    """
    start, content = size, b""
    while start and content.count(b"\n") < 2:  # noqa: PLR2004 - one line between two
        if size - start > 2 * LONGEST_LINE:
            raise LedgerError(reason="its last line is too long")
        step = min(_BLOCK, start)
        start -= step
        os.lseek(descriptor, start, os.SEEK_SET)
        content = os.read(descriptor, step) + content
    ended, line_break, torn = content.rpartition(b"\n")
    if torn:
        entry = _parse(torn)
        if entry is not None:
            return entry, size, False
    kept = size - len(torn)
    if not line_break:
        return None, kept, True
    entry = _parse(ended.rpartition(b"\n")[2])
    if entry is None:
        raise LedgerError(reason="its last entry is damaged")
    return entry, kept, True


def _verified(descriptor: int, project_id: str) -> Ledger:
    entries: list[Entry] = []
    breaks: list[Break] = []
    torn = 0
    previous, seq = NO_ENTRY, 1
    with os.fdopen(os.dup(descriptor), "rb") as lines:
        number = 0
        while line := lines.readline(LONGEST_LINE + 1):
            number += 1
            entry = _parse(line.rstrip(b"\n")) if len(line) <= LONGEST_LINE else None
            if entry is None and not line.endswith(b"\n") and not lines.read(1):
                torn = len(line)
                break
            if entry is None:
                breaks.append(Break(number, "it is not an entry or was changed"))
                continue
            if entry.seq != seq or entry.previous_sha256 != previous:
                breaks.append(Break(number, "it does not follow the entry before"))
            if entry.receipt.get("project_id") != project_id:
                breaks.append(Break(number, "it belongs to another project"))
            entries.append(entry)
            previous, seq = entry.entry_sha256, entry.seq + 1
    return Ledger(
        project_id=project_id,
        entries=tuple(entries),
        breaks=tuple(breaks),
        torn_bytes=torn,
    )


def _entry(seq: int, previous: str, receipt: Mapping[str, Json]) -> Entry:
    entry = Entry(seq, previous, receipt, "")
    return entry._replace(entry_sha256=digest(entry.hashed()))


def _parse(line: bytes) -> Entry | None:
    """Read one line; None unless it is a whole entry with the right hash."""
    try:
        value = json.loads(line)
        if not isinstance(value, dict) or set(value) != _KEYS:
            return None
        entry = Entry(
            value["seq"],
            value["previous_sha256"],
            value["receipt"],
            value["entry_sha256"],
        )
        if canonical_json(entry.as_json()) != line:
            return None
        whole = type(entry.seq) is int and isinstance(entry.receipt, dict)
        return entry if whole and digest(entry.hashed()) == entry.entry_sha256 else None
    except (ValueError, RecursionError):
        return None


def _path(project_id: str, state: Path) -> Path:
    if not is_id(project_id):
        raise LedgerError(reason="the project has no valid id")
    return state / FOLDER / f"{project_id}.jsonl"


def _make_folder(folder: Path) -> None:
    """Create the folder and what is missing above it, for the user alone."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)
    status = folder.stat()
    if os.name != "nt" and status.st_uid != os.geteuid():
        raise LedgerError(reason="its folder belongs to another user")
    if os.name != "nt" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise LedgerError(reason="others can write its folder")


def _require_private(descriptor: int) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise LedgerError(reason="it is not a regular file")
    if os.name != "nt" and status.st_uid != os.geteuid():
        raise LedgerError(reason="it belongs to another user")
    if os.name != "nt" and status.st_mode & _OTHERS:
        raise LedgerError(reason="others can read or write it")


@contextmanager
def _locked(descriptor: int, *, alone: bool) -> Iterator[None]:
    """Hold the file's lock and close the file at the end, which lets the lock go."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - there only

            msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - not on Windows

            fcntl.flock(descriptor, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def _write(descriptor: int, content: bytes, *, at: int) -> None:
    os.lseek(descriptor, at, os.SEEK_SET)
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]


def _sync_folder(folder: Path) -> None:
    """Make a new file's name as lasting as its content, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY | _FLAGS)  # noqa: TID251 - the user's own
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _reason(problem: OSError) -> str:
    return os.strerror(problem.errno).lower() if problem.errno else "it is not usable"
