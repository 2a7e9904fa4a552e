"""Open a project's memory, make it where there is a place for it, or begin it anew.

Only a first opening and an explicit clear make a memory (M1.1, M1.2, M8.3, M8.4). A
refused file is not changed, not migrated and not deleted by opening it.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress

from agentctx.clock import stamp
from agentctx.memory.names import FILE, FOLDER
from agentctx.memory.refusals import (
    MemoryAbsentError,
    MemoryBackupError,
    MemoryDegradedError,
    MemoryFencedError,
)
from agentctx.memory.schema import Bootstrap, layout
from agentctx.memory.store import MemoryStore, memory_failures
from agentctx.memory.threads import start_anew
from agentctx.memory.verdict import (
    Absent,
    Degraded,
    Healthy,
    judge,
    memory_path,
    rows_missing,
    sentence_for,
)
from agentctx.privatefile import folder_lock, make_private_folder
from corpus.errors import StoreUnusableError
from corpus.sqlite import copy_database, flush_log, open_database
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.clock import Clock
    from agentctx.memory.store import Ids
    from corpus.sqlite import Db

BACKUPS = "backups"
IGNORE_FILE, IGNORED = ".gitignore", b"*\n!context.md\n"
_PARTS = ("", "-wal", "-shm")
_MOST_NAMES = 1000
_CHUNK = 1 << 20
_PRIVATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def open_memory(
    root: str,
    *,
    clock: Clock,
    ids: Ids,
    owner: str,
    create: bool = False,
    quickly: bool = False,
) -> MemoryStore:
    """Open the memory of the project at `root`.

    Where the project has its folder, a missing database is made; `create` makes the
    folder too; `quickly` refuses what takes long to judge. Raises
    `MemoryAbsentError`, `MemoryDegradedError`, `StoreBusyError`
    and `StoreUnusableError`.
    """
    found = judge(root, quickly=quickly)
    if isinstance(found, Degraded):
        raise MemoryDegradedError(detail=found.detail, problem=found.problem)
    with _system_failures():
        if isinstance(found, Absent):
            if not (found.folder or create):
                raise MemoryAbsentError
            make_private_folder(f"{root}/{FOLDER}")
            _clear_the_place(found.path)
        _keep_from_git(f"{root}/{FOLDER}")
        return _opened(root, clock=clock, ids=ids, owner=owner)


def open_again(store: MemoryStore) -> MemoryStore:
    """Open the file of an open memory anew, for a thread of its own; none is made.

    Raises `MemoryFencedError` when it is gone or another, and as `open_memory` does.
    """
    found = judge(store.root)
    if isinstance(found, Degraded):
        raise MemoryDegradedError(detail=found.detail, problem=found.problem)
    never = Bootstrap("", "", "")
    try:
        with memory_failures():
            db = open_database(store.path, layout(never), create=False)
    except FileNotFoundError:
        raise MemoryFencedError(reason="its file is gone") from None
    again = MemoryStore(
        db, root=store.root, path=store.path, clock=store.clock, ids=store.ids
    )
    again.owner = store.owner
    if not store.is_current():
        again.close()
        raise MemoryFencedError(reason="its file was replaced")
    return again


def clear_memory(
    root: str, *, clock: Clock, ids: Ids, owner: str, backup: bool = True
) -> str | None:
    """Begin memory anew, whatever its file holds; give the path of the copy made first.

    A sound memory is emptied in one transaction that fences every worker of before;
    any other file is deleted with its log, and a new memory is made (M8.3, M8.4).
    """
    found = judge(root, fully=True)
    if isinstance(found, Degraded) and found.problem == "not_a_folder":
        raise MemoryDegradedError(detail=found.detail, problem=found.problem)
    saved = None
    if isinstance(found, Healthy):
        with suppress(MemoryDegradedError, StoreUnusableError):  # just now
            return _emptied(root, clock=clock, ids=ids, owner=owner, backup=backup)
    if not isinstance(found, Absent):
        saved = _save_files(root, clock) if backup else None
        with _system_failures():
            _delete_files(memory_path(root))
    open_memory(root, clock=clock, ids=ids, owner=owner, create=True).close()
    return saved


def _emptied(
    root: str, *, clock: Clock, ids: Ids, owner: str, backup: bool
) -> str | None:
    with (
        memory_failures(),
        open_memory(root, clock=clock, ids=ids, owner=owner) as store,
    ):
        with store.writing() as writing:
            saved = _backup_of(store) if backup else None
            start_anew(writing)
        flush_log(store.db)  # what was deleted is not left in the log
    return saved


def _opened(root: str, *, clock: Clock, ids: Ids, owner: str) -> MemoryStore:
    path = memory_path(root)
    uuid = ids.new("memory").rpartition("_")[2]
    first = Bootstrap(ids.new("thread"), uuid, stamp(clock()))
    with memory_failures():
        db = open_database(path, layout(first))
        try:
            _require_rows(db)
            store = MemoryStore(db, root=root, path=path, clock=clock, ids=ids)
        except BaseException:
            db.close()
            raise
    store.owner = owner
    return store


@contextmanager
def _system_failures() -> Iterator[None]:
    """Tell what the system refused as the errors of a store."""
    try:
        yield
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "EIO")
        raise StoreUnusableError(reason=name) from None


def _require_rows(db: Db) -> None:
    missing = rows_missing(db)
    if missing is not None:
        raise MemoryDegradedError(detail=sentence_for(missing), problem=missing)


def _keep_from_git(folder: str) -> None:
    """Let nothing of the folder be committed but the shared context.

    A file of that name that somebody else made is theirs, and stays as it is.
    """
    if os.path.lexists(f"{folder}/{IGNORE_FILE}"):
        return
    with suppress(FileExistsError):
        descriptor = os.open(  # noqa: TID251 - a file of our own folder
            f"{folder}/{IGNORE_FILE}", _PRIVATE, 0o644
        )
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(IGNORED)


def _clear_the_place(path: str) -> None:
    """Remove an empty file, and a log without its database, before one is made.

    SQLite would read such a log into the new file.
    """
    with folder_lock(os.path.dirname(path)):  # noqa: PTH120 - hooks load it
        try:
            empty = not os.lstat(path).st_size
        except FileNotFoundError:
            empty = True
        if empty:
            _unlink_all(path)


def _delete_files(path: str) -> None:
    """Delete a refused database with its log, or set aside what is no file."""
    folder = os.path.dirname(path)  # noqa: PTH120 - clear is no hook's work
    with folder_lock(folder):
        for part in _PARTS:
            with suppress(FileNotFoundError):
                if stat.S_ISDIR(os.lstat(f"{path}{part}").st_mode):
                    target = _free_name(folder, f"{FILE}{part}-")
                    os.rename(f"{path}{part}", target)  # noqa: PTH104 - as above
        _unlink_all(path)


def _unlink_all(path: str) -> None:
    for part in _PARTS:  # the database first: a log alone is removed at the next start
        with suppress(FileNotFoundError):
            os.unlink(f"{path}{part}")  # noqa: PTH108 - hooks load it


def _backup_of(store: MemoryStore) -> str:
    with _copying():
        folder = _backup_folder(store.root)
        target = _free_name(folder, _prefix(store.clock), ".db")
        copy_database(store.db, target)
    return target


def _save_files(root: str, clock: Clock) -> str | None:
    """Copy the bytes of a refused database and of its log; None where there are none.

    A directory is set aside whole when it is deleted; a link or a queue has no bytes.
    """
    path, saved = memory_path(root), None
    with _copying():
        target = _free_name(_backup_folder(root), _prefix(clock), ".db")
        for part in _PARTS[:2]:
            with suppress(FileNotFoundError):
                if stat.S_ISREG(os.lstat(f"{path}{part}").st_mode):
                    _copy_bytes(f"{path}{part}", f"{target}{part}")
                    saved = target
    return saved


def _copy_bytes(source: str, target: str) -> None:
    descriptor = os.open(target, _PRIVATE, 0o600)  # noqa: TID251 - a copy of our own
    with os.fdopen(descriptor, "wb") as copy, open(source, "rb") as file:  # noqa: PTH123 - light
        while chunk := file.read(_CHUNK):
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())


@contextmanager
def _copying() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MemoryBackupError(reason=error.strerror or "it failed") from None


def _backup_folder(root: str) -> str:
    folder = f"{root}/{FOLDER}/{BACKUPS}"
    make_private_folder(folder)
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        raise MemoryBackupError(reason=f"`{FOLDER}/{BACKUPS}` is not a folder")
    return folder


def _prefix(clock: Clock) -> str:
    digits = stamp(clock()).replace("-", "").replace(":", "").partition(".")[0]
    return f"memory-{digits}Z-"


def _free_name(folder: str, prefix: str, suffix: str = "") -> str:
    for number in range(1, _MOST_NAMES):
        path = f"{folder}/{prefix}{number}{suffix}"
        if not os.path.lexists(path):
            return path
    raise MemoryBackupError(reason="too many copies were made in this second")
