"""Open SQLite databases: the only caller of `sqlite3.connect`.

The context index is one closed image, made in memory and opened from bytes that the
confined reader read: SQLite opens no path that somebody else could have swapped.

A store is a file of the user's own. A file that is not ours is refused before a byte
of it can change; one that is ours is brought up to date under the write lock.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, nullcontext, suppress

from corpus.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreForeignError,
    StoreTooNewError,
    StoreUnusableError,
)
from corpus.heads import HEAD_BYTES, Identity, hold, let_go
from corpus.turns import leave, take_turn
from corpus.values import TYPE_CHECKING, NamedTuple, NewType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

Db = NewType("Db", sqlite3.Connection)
"""A connection for reading."""

Tx = NewType("Tx", Db)
"""Proof that a write transaction is open. Only `transaction` makes one."""

DatabaseError = sqlite3.DatabaseError
"""What reading a damaged image raises."""

HEADER = b"SQLite format 3\x00"
"""The first 16 bytes of every SQLite file (sqlite.org/fileformat2)."""

PATIENCE = 5.0
"""Seconds that a writer waits for the others."""

QUEUE = "-queue"
"""What is added to a store's name to name the empty file its writers queue at."""

_BUSY_TIMEOUT = round(1000 * PATIENCE)
"""Milliseconds that a reader waits where one opens or ends the log."""

_TIDY_EVERY = 16
"""Commits of a connection after which it moves the log into the file."""

_LONGEST_LOG = 4000
"""Pages of the log at which a commit does that by itself."""

_WAITING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_USER_VERSION = slice(60, 64)
_APPLICATION_ID = slice(68, 72)
_SHORTEST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.004
_BUSY = ("locked", "busy")
_OUTSIDE = tuple(
    f"SQLITE_{name}"
    for name in ("FULL", "READONLY", "CANTOPEN", "IOERR", "PERM", "NOMEM", "AUTH")
)
"""What the system refused; the file itself may be sound."""

_FLAGS = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)


class _Connection(sqlite3.Connection):
    """A connection to a store that knows the file in which its writers queue."""

    queue = ""
    commits = 0
    identity: Identity | None = None

    def close(self) -> None:
        """Let the file go, too."""
        super().close()
        if self.identity is not None:
            let_go(self.identity)
            self.identity = None


class Layout(NamedTuple):
    """What makes a database one of ours: its application id and its migrations.

    The number of migrations is the version of the layout.
    """

    application_id: int
    migrations: tuple[Callable[[Tx], None], ...]


def new_image(schema: Sequence[str]) -> Db:
    """Make an empty database in memory and create its tables."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA page_size = 4096")
    connection.execute("PRAGMA journal_mode = OFF")
    for statement in schema:
        connection.execute(statement)
    return Db(connection)


def image_bytes(db: Db) -> bytes:
    """Give the whole database as the bytes of a SQLite file."""
    return db.serialize()


def open_image(content: bytes) -> Db:
    """Open a database from the bytes of a file, for reading only.

    Raises `DatabaseError` when the bytes are no database; a damaged page may show
    only when it is read.
    """
    if not content.startswith(HEADER):
        message = "file is not a database"
        raise sqlite3.DatabaseError(message)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(content)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return Db(connection)


def open_database(path: str, layout: Layout, *, create: bool = True) -> Db:
    """Open a store, creating it or bringing its layout up to date first.

    The folder must exist. Header and layout are read before any statement that could
    write. Only the step that creates a file switches it to WAL, under a lock of its
    own: that switch ignores the patience of writers. Raises `FileNotFoundError` when
    there is none and `create` is false, `StoreForeignError`, `StoreTooNewError`,
    `StoreCorruptError`, `StoreBusyError`, and OSError from the system.
    """
    if _is_new(path):
        if not create:
            raise FileNotFoundError(path)
        with _creation_lock(path):
            if _is_new(path):
                _create(path, layout)
    with _held_as_ours(path, layout), store_failures():
        db = _connect(path)
        assert isinstance(db, _Connection)
        db.queue = f"{path}{QUEUE}"
        db.identity = hold(path).identity
        try:
            _update(db, layout)
        except BaseException:
            db.close()
            raise
    return db


@contextmanager
def transaction(db: Db, *, patience: float = PATIENCE) -> Iterator[Tx]:
    """Commit on success, roll back on any exception.

    The write lock is taken at once, so a transaction never fails half-way because
    another process wrote first. `StoreBusyError` after `patience` seconds.
    """
    place = _begin(db, patience)
    try:
        yield Tx(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a RAISE(ROLLBACK) trigger has already ended it
            db.execute("ROLLBACK")
        raise
    finally:
        leave(place)
    _tidy(db)


@contextmanager
def reading(db: Db) -> Iterator[None]:
    """Let every statement of the block see the same moment of the database."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        if db.in_transaction:
            db.execute("COMMIT")


@contextmanager
def store_failures() -> Iterator[None]:
    """Turn what SQLite reports of a bad or busy file into errors with a code."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise StoreBusyError(seconds=round(PATIENCE)) from None
        if _reason(error).startswith(_OUTSIDE):
            raise StoreUnusableError(reason=_reason(error)) from None
        raise StoreCorruptError(reason=_reason(error)) from None
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise
        raise StoreCorruptError(reason=_reason(error)) from None
    except UnicodeDecodeError:  # SQLite's own message, quoting a damaged name
        raise StoreCorruptError(reason="SQLITE_CORRUPT") from None


def has_module(db: Db, name: str) -> bool:
    """Say whether this SQLite knows a kind of virtual table, such as `fts5`."""
    query = "SELECT 1 FROM pragma_module_list WHERE name = ?"
    return db.execute(query, (name,)).fetchone() is not None


def copy_database(db: Db, path: str) -> None:
    """Write a consistent copy of a store to a new file, private to the user.

    The copy is one file, without a log beside it. FileExistsError when there is one.
    Made in a write transaction, it holds what was committed before.
    """
    descriptor = os.open(path, _FLAGS | os.O_EXCL, 0o600)
    os.close(descriptor)
    target = sqlite3.connect(path, isolation_level=None)
    try:
        with store_failures(), _committed(db) as source:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
    finally:
        target.close()


def _committed(db: Db) -> AbstractContextManager[sqlite3.Connection]:
    """Give a connection that can be copied from: another one while ours is writing."""
    if not db.in_transaction:
        return nullcontext(db)
    return read_only(db.execute("PRAGMA database_list").fetchone()[2], still=False)


def fill_database(
    db: Db, path: str, layout: Layout, *, first: Callable[[], object]
) -> None:
    """Put what a copy holds in place of everything in an open store.

    `first` is done when no other writer can come in between. One transaction: whoever
    has the store open sees the old content or the new, and no log of the old one is
    read into the new one. `StoreBusyError` after `PATIENCE` seconds.
    """
    deadline = time.monotonic() + PATIENCE

    def waited(status: int, _remaining: int, _total: int) -> None:
        if status in _WAITING and time.monotonic() >= deadline:
            raise StoreBusyError(seconds=round(PATIENCE))

    place = _queue(db, deadline)
    try:
        first()
        deadline = time.monotonic() + PATIENCE
        with (
            _held_as_ours(path, layout),
            store_failures(),
            read_only(path, still=True) as source,
            _not_waiting(db),
        ):
            source.backup(db, progress=waited, sleep=_LONGEST_PAUSE)
    finally:
        leave(place)
    with store_failures():
        _update(db, layout)


def loaded_copy(path: str, layout: Layout, *, still: bool = False) -> Db:
    """Load a store into memory to look at it; nothing of the file can change.

    `still` promises that nobody writes the file, and that no log lies beside it.
    Damage inside the pages is copied as it is. Raises the errors of `open_database`.
    """
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    copy.row_factory = sqlite3.Row
    try:
        with (
            _held_as_ours(path, layout),
            store_failures(),
            read_only(path, still=still) as source,
        ):
            source.backup(copy)
    except BaseException:
        copy.close()
        raise
    return Db(copy)


def flush_log(db: Db, *, patience: float = 0.5) -> bool:
    """Move the write-ahead log into the file and empty it; say whether it is empty.

    A reader or a writer of another process can keep it from that.
    """
    deadline = time.monotonic() + patience
    while True:
        with store_failures(), _not_waiting(db):
            row = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not row[0]:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LONGEST_PAUSE)


@contextmanager
def read_only(path: str, *, still: bool) -> Iterator[sqlite3.Connection]:
    """Open a file that is not to be changed, not even by what a log holds."""
    named = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    how = "immutable=1" if still else "mode=ro"
    source = sqlite3.connect(f"file:{named}?{how}", uri=True, isolation_level=None)
    try:
        source.execute("PRAGMA trusted_schema = OFF")
        yield source
    finally:
        source.close()


def _update(db: Db, layout: Layout) -> None:
    if _version(db) != len(layout.migrations):  # the usual case takes no lock
        with transaction(db) as tx:
            _migrate(tx, layout)


def _is_new(path: str) -> bool:
    return not os.path.lexists(path)


def _create(path: str, layout: Layout) -> None:
    """Make the file beside its place, whole, and then give it its name.

    Whoever looks sees no store or a complete one. What a killed creator left is
    made anew: the lock is ours.
    """
    made = f"{path}.new"
    for rest in (made, f"{made}-wal", f"{made}-shm"):
        with suppress(FileNotFoundError):
            os.unlink(rest)  # noqa: PTH108 - hooks do not load pathlib
    descriptor = os.open(made, _FLAGS | os.O_EXCL, 0o600)
    os.close(descriptor)
    with store_failures():
        db = _connect(made)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            with transaction(db) as tx:
                tx.execute(f"PRAGMA application_id = {layout.application_id}")
                _migrate(tx, layout)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            db.close()
    os.replace(made, path)  # noqa: PTH105 - hooks do not load pathlib


def _connect(path: str) -> Db:
    connection = sqlite3.connect(
        path,
        isolation_level=None,
        timeout=0,
        check_same_thread=False,
        factory=_Connection,
    )
    connection.row_factory = sqlite3.Row
    for pragma in (
        f"busy_timeout = {_BUSY_TIMEOUT}",
        "foreign_keys = ON",
        "secure_delete = ON",
        "synchronous = FULL",
    ):
        connection.execute(f"PRAGMA {pragma}")
    return Db(connection)


@contextmanager
def _held_as_ours(path: str, layout: Layout) -> Iterator[Identity]:
    """Refuse a file by its first bytes alone; SQLite has not seen it yet."""
    identity, head = hold(path)
    try:
        if not head.startswith(HEADER) or len(head) < HEAD_BYTES:
            raise StoreForeignError(reason="it is no SQLite database")
        if int.from_bytes(head[_APPLICATION_ID], "big") != layout.application_id:
            raise StoreForeignError(reason="it carries another application's mark")
        found = int.from_bytes(head[_USER_VERSION], "big")
        if found > len(layout.migrations):
            raise StoreTooNewError(found=found, known=len(layout.migrations))
        yield identity
    finally:
        let_go(identity)


def _migrate(tx: Tx, layout: Layout) -> None:
    found = _version(tx)  # again, under the lock: another process may have been first
    if found > len(layout.migrations):
        raise StoreTooNewError(found=found, known=len(layout.migrations))
    for migration in layout.migrations[found:]:
        migration(tx)
    tx.execute(f"PRAGMA user_version = {len(layout.migrations)}")


def _version(db: Db) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    assert isinstance(version, int)
    return version


def _begin(db: Db, patience: float) -> int | None:
    """Take the write lock; give what `leave` needs to let the next one in.

    Our own writers come in the order in which they asked, so none waits for many
    others and none asks again and again. Whoever does not queue, or cannot, is met by
    asking at short random intervals.
    """
    deadline = time.monotonic() + patience
    place = _queue(db, deadline)
    try:
        _take(db, deadline, patience)
    except BaseException:
        leave(place)
        raise
    return place


def _take(db: Db, deadline: float, patience: float) -> None:
    pause = _SHORTEST_PAUSE
    while True:
        try:
            with _not_waiting(db):
                db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not _is_busy(error):
                raise
            if time.monotonic() >= deadline:
                raise StoreBusyError(seconds=round(patience)) from None
        else:
            return
        time.sleep(pause * (0.5 + os.urandom(1)[0] / 256))
        pause = min(2 * pause, _LONGEST_PAUSE)


@contextmanager
def _not_waiting(db: Db) -> Iterator[None]:
    """Let what is locked fail at once; SQLite's own pauses grow to 100 ms."""
    db.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        db.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT}")


def _tidy(db: Db) -> None:
    """Move the log into the file now and then, while others may write already.

    SQLite would do it inside a commit, and every writer would wait for that.
    """
    if isinstance(db, _Connection) and db.queue:
        db.commits += 1
        if not db.commits % _TIDY_EVERY:
            with suppress(sqlite3.OperationalError):  # somebody else is at it
                db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def _queue(db: Db, deadline: float) -> int | None:
    path = db.queue if isinstance(db, _Connection) else ""
    return take_turn(path, deadline=deadline) if path else None


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return any(word in str(error) for word in _BUSY)


def _reason(error: sqlite3.DatabaseError) -> str:
    """Give SQLite's name for the failure; its sentences may quote what is stored."""
    name: str = getattr(error, "sqlite_errorname", "") or "SQLITE_ERROR"
    return name


@contextmanager
def _creation_lock(path: str) -> Iterator[None]:
    """Let one process at a time create stores in this folder."""
    folder = os.path.dirname(path) or "."  # noqa: PTH120 - hooks do not load pathlib
    try:
        import fcntl  # noqa: PLC0415 - absent on Windows
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks: the write lock is left
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
