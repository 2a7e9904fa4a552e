"""Copies of the whole store: made, checked, put back; and a project's clean start.

A copy is one file, verified before it has its name. Putting one back is one
transaction of the open store, after the present state was copied too: another process
sees the old records or the new ones, and no log of the old is read into the new.
"""

from __future__ import annotations

import os
import stat
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import BackupError, BackupTargetError, ForgetKeyError
from agentctx.privatefile import write_private
from agentctx.records.remove import copies_folder, forget_words
from agentctx.records.schema import LAYOUT
from agentctx.records.store import match_full_text, store_path
from agentctx.records.terms import index_missing
from agentctx.records.tombstones import KEY_FILE, key_in, saved_key
from corpus.errors import CodedError, StoreTooNewError
from corpus.sqlite import (
    copy_database,
    fill_database,
    flush_log,
    loaded_copy,
    store_failures,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.records.store import Store
    from corpus.sqlite import Db

_PREFIX, _SUFFIX, _KEY = "agentctx-", ".db", ".key"
_MOST_A_SECOND = 100


class Backup(NamedTuple):
    """A copy that was made: where it lies, how large it is, how much it holds."""

    path: str
    size: int
    records: int

    def as_json(self) -> dict[str, object]:
        """Give the copy as one JSON object."""
        return {"path": self.path, "bytes": self.size, "records": self.records}


class Restored(NamedTuple):
    """A copy that was put back, and the copy of what was there before."""

    records: int
    saved: Backup


class Cleared(NamedTuple):
    """How many records of a project were deleted, and the copy that holds them."""

    records: int
    saved: Backup | None


def make_backup(store: Store, out: str | None = None) -> Backup:
    """Copy the store to a new file, by default beside it, and check the copy.

    Raises `BackupTargetError` when there is a file of that name or it cannot be
    written, `BackupError` when there is nothing to copy or the copy is not sound.
    """
    if not os.path.lexists(store_path(store.home)):
        reason = "there is no store to copy yet"
        raise BackupError(path=store_path(store.home), reason=reason)
    path = _usual_place(store) if out is None else os.path.abspath(out)  # noqa: PTH100 - without following links
    folder, name = os.path.split(path)
    stage = f"{folder}/.{name}.{os.getpid()}.stage"
    if os.path.lexists(path):
        raise BackupTargetError(path=path, reason="there is a file of that name")
    if os.path.lexists(path + _KEY):
        raise BackupTargetError(path=path, reason=f"there is a {name}{_KEY} already")
    if not os.path.isdir(folder):  # noqa: PTH112 - any text
        raise BackupTargetError(path=path, reason=f"there is no folder {folder}")
    try:
        _drop(stage)
        copy_database(store.db, stage)
        records = check_backup(stage)
        _sync(stage)
        _name(stage, path)
        _copy_key(store.home, path)
        return Backup(path, Path(path).stat().st_size, records)
    except FileExistsError:
        reason = "there is a file of that name"
        raise BackupTargetError(path=path, reason=reason) from None
    except (OSError, ValueError):
        raise BackupTargetError(path=path, reason="it cannot be written") from None
    finally:
        _drop(stage)


def _copy_key(home: str, path: str) -> None:
    """Lay the key of what was forgotten beside a copy; a damaged one helps nobody."""
    with suppress(ForgetKeyError):
        key = saved_key(home)
        if key is not None:
            write_private(path + _KEY, key)


def _bring_key(home: str, path: str) -> None:
    """Take over the key beside a copy, where the home has none."""
    with suppress(ForgetKeyError):
        key = None if saved_key(home) else key_in(Path(path + _KEY))
        if key is not None:
            write_private(f"{home}/{KEY_FILE}", key)


def check_backup(path: str) -> int:
    """Give how many records a copy holds; `BackupError` when it cannot be used.

    Nothing is written beside it, and the file stays as it is.
    """
    with _as_backup_error(path):
        status = os.stat(path)  # noqa: PTH116 - text
        if not stat.S_ISREG(status.st_mode):
            raise BackupError(path=path, reason="it is not a regular file")
        if _has_log(path):
            reason = "a log with changes lies beside it; it is a store in use"
            raise BackupError(path=path, reason=reason)
        with closing(loaded_copy(path, LAYOUT, still=True)) as db, store_failures():
            if not _is_whole(db):
                raise BackupError(path=path, reason="it is damaged")
            return _count(db)


def restore_backup(store: Store, path: str) -> Restored:
    """Put a copy in place of everything in the store; the present state is copied.

    Raises `BackupError`; the store is then as it was.
    """
    whole = os.path.abspath(path)  # noqa: PTH100 - without following links
    if os.path.realpath(whole) == os.path.realpath(store_path(store.home)):
        raise BackupError(path=path, reason="it is the store itself")
    records = check_backup(whole)
    saved: list[Backup] = []
    version = store.version
    fill_database(
        store.db, whole, LAYOUT, first=lambda: saved.append(make_backup(store))
    )
    _bring_key(store.home, whole)
    match_full_text(store)
    with store_failures(), store.writing() as tx:
        # what was made of the store carries its version, which never comes back
        tx.execute(
            "UPDATE state SET value = MAX(value, ?) + 1 WHERE name = 'version'",
            (version,),
        )
        tx.execute("UPDATE changes SET version = version + ?", (version + 1,))
        index_missing(tx, limit=None)
    return Restored(records, saved[0])


_OWN = """
SELECT :project UNION SELECT staging_id FROM branches WHERE project_id = :project
"""
"""The namespaces of a project: its own, and those of its branches."""


def reset_project(store: Store, project_id: str) -> Cleared:
    """Delete every record of one project, after the whole store was copied.

    What was forgotten stays forgotten; what sessions cost stays counted.
    """
    with store_failures(), store.writing() as tx:
        saved = make_backup(store)  # nobody can add what the copy would lack
        count = tx.execute(
            f"SELECT count(*) FROM records WHERE project_id IN ({_OWN})",
            {"project": project_id},
        ).fetchone()[0]
        of_project = f"SELECT id FROM records WHERE project_id IN ({_OWN})"
        of_graph = "SELECT id FROM nodes WHERE project_id = :project"
        across = (
            "UPDATE records SET superseded_by = NULL"
            f" WHERE project_id NOT IN ({_OWN}) AND superseded_by IN ({of_project})"
        )
        for statement in (
            across,
            f"DELETE FROM record_entities WHERE record_id IN ({of_project})",
            f"DELETE FROM record_entities WHERE entity_id IN ({of_graph})",
            f"DELETE FROM edges WHERE from_id IN ({of_project} UNION {of_graph})",
            f"DELETE FROM edges WHERE to_id IN ({of_project} UNION {of_graph})",
            "DELETE FROM nodes WHERE project_id = :project",
            "DELETE FROM observations WHERE project_id = :project",
            f"DELETE FROM records WHERE project_id IN ({_OWN})",
            "DELETE FROM branches WHERE project_id = :project",
            "DELETE FROM shared WHERE project_id = :project",
            "DELETE FROM arrivals WHERE project_id = :project",
        ):
            tx.execute(statement, {"project": project_id})
        index_missing(tx, limit=None)
        forget_words(store, tx)
    flush_log(store.db)
    return Cleared(count, saved)


def backups_in(home: str) -> tuple[str, ...]:
    """List the copies that were made beside the store, the oldest first."""
    try:
        names = sorted(path.name for path in copies_folder(home).iterdir())
    except OSError:
        return ()
    return tuple(
        f"{copies_folder(home)}/{name}"
        for name in names
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX)
    )


def newest_usable(home: str) -> str | None:
    """Give the newest of those copies that could be put back, if there is one."""
    for path in reversed(backups_in(home)):
        with suppress(BackupError):
            check_backup(path)
            return path
    return None


def compact_stamp(store: Store) -> str:
    """Give the present moment as part of a file's name."""
    return store.clock().strftime("%Y%m%dT%H%M%SZ")


def _usual_place(store: Store) -> str:
    folder = copies_folder(store.home)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
    except OSError:
        reason = "its folder cannot be made"
        raise BackupTargetError(path=str(folder), reason=reason) from None
    moment = compact_stamp(store)
    for number in range(_MOST_A_SECOND):
        path = f"{folder}/{_PREFIX}{moment}{f'-{number}' if number else ''}{_SUFFIX}"
        if not os.path.lexists(path) and not os.path.lexists(path + _KEY):
            return path
    reason = "it holds too many of this second"
    raise BackupTargetError(path=str(folder), reason=reason)


@contextmanager
def _as_backup_error(path: str) -> Iterator[None]:
    try:
        yield
    except BackupError:
        raise
    except StoreTooNewError as error:
        raise BackupError(path=path, reason=str(error)) from None
    except CodedError as error:
        raise BackupError(path=path, reason=f"{error.code}, {error}") from None
    except FileNotFoundError:
        raise BackupError(path=path, reason="it does not exist") from None
    except (OSError, ValueError):
        raise BackupError(path=path, reason="it cannot be read") from None


def _is_whole(db: Db) -> bool:
    rows = db.execute("PRAGMA integrity_check(1)").fetchall()
    names = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    return rows[0][0] == "ok" and {"records", "provenance", "tombstones"} <= names


def _count(db: Db) -> int:
    return int(db.execute("SELECT count(*) FROM records").fetchone()[0])


def _has_log(path: str) -> bool:
    with suppress(OSError):
        return os.stat(f"{path}-wal").st_size > 0  # noqa: PTH116 - text
    return False


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)  # noqa: TID251 - a file of the user's own
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _name(stage: str, path: str) -> None:
    """Give a file its name, never taking one that is in use."""
    try:
        os.link(stage, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        os.rename(stage, path)  # noqa: PTH104 - text


def _drop(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)  # noqa: PTH108 - text
