"""Say whether a project's memory is sound, absent or refused, changing no byte (M1).

A file whose first bytes and catalog, read as if nobody could write it, are ours is
sound. Anything else is judged on a private copy of it and of its log; the file itself
is then never opened by SQLite.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import contextmanager, suppress

from agentctx.memory.committed import SENTENCE, is_committed
from agentctx.memory.logpages import cells, committed_pages
from agentctx.memory.names import FILE, FOLDER
from agentctx.memory.schema import (
    APPLICATION_ID,
    VERSION,
    catalog,
    expected_catalog,
)
from corpus.errors import StoreForeignError
from corpus.heads import held_bytes, hold, let_go
from corpus.sqlite import HEADER, Db, read_only
from corpus.values import TYPE_CHECKING, Literal, NamedTuple
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from corpus.heads import Identity

DETAIL_CHARACTERS = 500

Problem = Literal[
    "not_a_folder",
    "not_a_file",
    "unreadable",
    "not_a_database",
    "foreign",
    "version",
    "unknown_object",
    "catalog",
    "meta",
    "active_thread",
    "damaged",
    "too_large",
    "committed",
]

_LARGEST_COPY = 1 << 30
_LARGEST_QUICK_COPY = 1 << 24
"""Bytes of file and log that are copied while a session waits."""

_COPIES = "agentctx-"
_LEFT_AFTER = 3600.0
"""Seconds after which the copy of a process that is gone is nobody's."""

_PID_DIGITS = 9
_CHUNK = 1 << 20
_MOST_COPIES = 3
_NAME_CHARACTERS = 100
_USER_VERSION, _APPLICATION_ID = slice(60, 64), slice(68, 72)
_COOKIE = slice(40, 44)
_ONE_ROW = ("memory_meta", "one_active_memory_thread")
"""What holds exactly one row while memory is legal."""

_UNKNOWN_IN: dict[int, Problem] = {0: "unknown_object", VERSION: "catalog"}

_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
_SUPPORTED = f"only layout {VERSION} of conversation memory is supported"


class Healthy(NamedTuple):
    """The database is ours, whole, and has its singleton and its active thread."""

    path: str


class Absent(NamedTuple):
    """There is no memory yet; `folder` says whether the project has a place for it."""

    path: str
    folder: bool


class Degraded(NamedTuple):
    """Memory cannot be used; the file stays as it is until it is cleared (M1.2)."""

    path: str
    problem: Problem
    detail: str


Verdict = Healthy | Absent | Degraded


def memory_path(root: str) -> str:
    """Say where the memory of a project lies."""
    return f"{root}/{FOLDER}/{FILE}"


def judge(root: str, *, fully: bool = False, quickly: bool = False) -> Verdict:
    """Look at a project's memory; nothing of it changes, whatever it is.

    `fully` also checks every page and reference, which takes a copy; `quickly` copies
    nothing large: what does not look sound is refused then.
    """
    path = memory_path(root)
    try:
        if not _is_folder(f"{root}/{FOLDER}"):
            return Absent(path, folder=False)
        refused = _wrong_kind(path)
        if refused is not None:
            return refused
        if not os.path.lexists(path) or not os.lstat(path).st_size:
            return Absent(path, folder=True)
        if is_committed(root):
            return _degraded(path, "committed", SENTENCE)
        return _looked_into(path, fully=fully, quickly=quickly)
    except NotADirectoryError:
        return _degraded(path, "not_a_folder", f"`{FOLDER}` is not a folder")
    except StoreForeignError:  # exchanged just now
        return _degraded(path, "not_a_file", f"`{FILE}` is not a plain file")
    except FileNotFoundError:  # taken away just now
        return Absent(path, folder=True)
    except OSError as error:
        return _degraded(path, "unreadable", f"`{FILE}`: {error.strerror}")


def _looked_into(path: str, *, fully: bool, quickly: bool) -> Verdict:
    if not fully and _looks_sound(path):
        return Healthy(path)
    if quickly and _size(path) > _LARGEST_QUICK_COPY:
        return _at_a_glance(path)
    return _settled(path)


def rows_missing(db: Db) -> Problem | None:
    """Name what of the legal first state an open database lacks (M1.0(c))."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM memory_meta WHERE id = 1),"
        " (SELECT count(*) FROM threads WHERE status = 'active')"
    ).fetchone()
    if row[0] != 1:
        return "meta"
    return "active_thread" if row[1] != 1 else None


def sentence_for(problem: Problem) -> str:
    """Say in words what of the first state is missing."""
    what = "singleton" if problem == "meta" else "active thread"
    return f"`{FILE}` has lost its {what}; {_SUPPORTED}"


def _is_folder(folder: str) -> bool:
    """Say whether the place is there; a link to somewhere else is none (C12)."""
    try:
        mode = os.lstat(folder).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(mode):
        raise NotADirectoryError(folder)
    return True


def _wrong_kind(path: str) -> Degraded | None:
    for one in (path, f"{path}-wal", f"{path}-shm"):
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(one).st_mode):
                name = os.path.basename(one)  # noqa: PTH119 - hooks load it
                return _degraded(path, "not_a_file", f"`{name}` is not a plain file")
    return None


def _looks_sound(path: str) -> bool:
    """Read the first bytes, the catalog and two rows; the log may say otherwise."""
    with _held(path) as identity:
        head = held_bytes(identity, 100, 0)
        if not _is_ours(head):
            return False
        try:
            with read_only(path, still=True) as looked:
                return _reads_sound(looked, path, head)
        except _DAMAGE:
            return False


def _reads_sound(looked: sqlite3.Connection, path: str, head: bytes) -> bool:
    db = Db(looked)
    if {one.name: one for one in catalog(db)} != expected_catalog():
        return False
    if rows_missing(db) is not None:
        return False
    query = f"SELECT rootpage FROM sqlite_schema WHERE name IN {_ONE_ROW!r}"
    single = {int(row[0]) for row in db.execute(query)}
    logged = committed_pages(f"{path}-wal", single | {1})
    first = logged.pop(1, head)
    if not _is_ours(first) or first[_COOKIE] != head[_COOKIE]:
        return False
    return all(cells(page) == 1 for page in logged.values())


def _is_ours(head: bytes) -> bool:
    return (
        head.startswith(HEADER)
        and int.from_bytes(head[_APPLICATION_ID], "big") == APPLICATION_ID
        and int.from_bytes(head[_USER_VERSION], "big") == VERSION
    )


def _at_a_glance(path: str) -> Verdict:
    """Look again, for somebody may just have written; then refuse by what is seen."""
    for _ in range(_MOST_COPIES):
        if _looks_sound(path):
            return Healthy(path)
    with _held(path) as identity:
        head = held_bytes(identity, 100, 0)
    if not head.startswith(HEADER):
        return _degraded(path, "not_a_database", f"`{FILE}` is no SQLite database")
    version = int.from_bytes(head[_USER_VERSION], "big")
    if version != VERSION:
        seen = f"`{FILE}` has layout {version}; {_SUPPORTED}"
        return _degraded(path, "version", seen)
    told = f"`{FILE}` does not look sound, and is too large to be copied meanwhile"
    return _degraded(path, "too_large", told)


def _settled(path: str) -> Verdict:
    """Judge a copy, and another one when somebody wrote while the first was made."""
    for _ in range(_MOST_COPIES):
        before = _signature(path)
        found = _judged_copy(path)
        if isinstance(found, Healthy) or before == _signature(path):
            break
    return found


def _size(path: str) -> int:
    return sum(size for _, size, _ in _signature(path))


def _signature(path: str) -> list[tuple[int, int, int]]:
    found = []
    for one in (path, f"{path}-wal"):
        with suppress(FileNotFoundError):
            status = os.lstat(one)
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found


@contextmanager
def private_copy(path: str) -> Iterator[str]:
    """Copy the file and its log to a place of our own, for as long as the block lasts.

    The file itself is read and nothing else. Raises OSError.
    """
    with _held(path) as identity, _copied(path, identity) as copy:
        yield copy


@contextmanager
def _copied(path: str, identity: Identity) -> Iterator[str]:
    import tempfile  # noqa: PLC0415 - only where something seems wrong

    _clear_left(tempfile.gettempdir())
    prefix = f"{_COPIES}{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        copy = f"{folder}/{FILE}"
        _copy_held(identity, copy)
        _copy_log(f"{path}-wal", f"{copy}-wal")
        yield copy


def _judged_copy(path: str) -> Verdict:
    """Judge a private copy of the file and of its log."""
    with _held(path) as identity:
        if held_bytes(identity, len(HEADER), 0) != HEADER:
            return _degraded(path, "not_a_database", f"`{FILE}` is no SQLite database")
        if os.lstat(path).st_size > _LARGEST_COPY:
            return _degraded(path, "too_large", f"`{FILE}` is too large to be ours")
        with _copied(path, identity) as copy:
            try:
                with read_only(copy, still=False) as looked:
                    return _judged(looked, path)
            except _DAMAGE:
                return _degraded(path, "damaged", f"`{FILE}` is damaged")


def _judged(looked: sqlite3.Connection, path: str) -> Verdict:
    db = Db(looked)
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    mark = int(db.execute("PRAGMA application_id").fetchone()[0])
    found, expected = catalog(db), expected_catalog()
    unknown = next((one for one in found if one.name not in expected), None)
    seen = f"`{FILE}` has layout {version}; {_SUPPORTED}"
    if unknown is not None:
        name = visible(unknown.name)[:_NAME_CHARACTERS]
        told = f"{seen}; the first unknown object is the {unknown.kind} `{name}`"
        return _degraded(path, _UNKNOWN_IN.get(version, "version"), told)
    if version != VERSION:
        return _degraded(path, "version", seen)
    if mark != APPLICATION_ID:
        return _degraded(path, "foreign", f"{seen}, and it carries another mark")
    have = {one.name: one for one in found}
    other = [name for name, one in expected.items() if have.get(name) != one]
    if other:
        how = "differs" if other[0] in have else "is missing"
        told = f"{seen}; the {expected[other[0]].kind} `{other[0]}` {how}"
        return _degraded(path, "catalog", told)
    missing = rows_missing(db)
    if missing is not None:
        return _degraded(path, missing, sentence_for(missing))
    if db.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        return _degraded(path, "damaged", f"pages of `{FILE}` are damaged")
    if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        return _degraded(path, "damaged", f"rows of `{FILE}` point to nothing")
    return Healthy(path)


def _degraded(path: str, problem: Problem, detail: str) -> Degraded:
    return Degraded(path, problem, detail[:DETAIL_CHARACTERS])


@contextmanager
def _held(path: str) -> Iterator[Identity]:
    identity = hold(path).identity
    try:
        yield identity
    finally:
        let_go(identity)


def _clear_left(folder: str) -> None:
    """Remove the copies of processes that were ended while they had one."""
    import shutil  # noqa: PLC0415 - only where something seems wrong

    with suppress(OSError), os.scandir(folder) as found:
        for one in found:
            if one.name.startswith(_COPIES) and _is_left(one):
                shutil.rmtree(one.path, ignore_errors=True)


def _is_left(one: os.DirEntry[str]) -> bool:
    """Say whether a folder is an old one of ours, of a process that is gone."""
    number = one.name.removeprefix(_COPIES).partition("-")[0]
    if os.name == "nt" or not number.isdecimal() or len(number) > _PID_DIGITS:
        return False
    try:
        status = one.stat(follow_symlinks=False)
        own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
        if not own or time.time() - status.st_mtime < _LEFT_AFTER:
            return False
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _private(path: str) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o600), "wb")  # noqa: TID251 - a copy of ours


def _copy_held(identity: Identity, target: str) -> None:
    """Copy a file through the descriptor that keeps our locks on it."""
    with _private(target) as copy:
        place = 0
        while chunk := held_bytes(identity, _CHUNK, place):
            copy.write(chunk)
            place += len(chunk)


def _copy_log(source: str, target: str) -> None:
    """Copy a log; SQLite keeps no locks on it."""
    with (
        suppress(FileNotFoundError),
        open(source, "rb") as log,  # noqa: PTH123 - hooks do not load pathlib
        _private(target) as copy,
    ):
        while chunk := log.read(_CHUNK):
            copy.write(chunk)
