"""The open record store: one file of the user's, for every project (A2).

A file that is not ours, is newer than us, or is damaged is never changed by opening
it: opening says what is wrong, and whoever answers a session answers degraded.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from agentctx.config import require_place
from agentctx.errors import HomeError
from agentctx.ids import Ids
from agentctx.records.schema import FULL_TEXT, FULL_TEXT_TRIGGERS, LAYOUT
from corpus.errors import StoreForeignError
from corpus.sqlite import (
    PATIENCE,
    has_module,
    open_database,
    store_failures,
    transaction,
)
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from agentctx.clock import Clock
    from corpus.sqlite import Db, Tx

FILE = "agentctx.db"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Store:
    """An open store with the clock and the ids of whoever opened it.

    `full_text` says whether this SQLite has FTS5; without it searches are LIKE.
    `counted` is what was counted of the state that its keys name. `patience` is how
    long a write waits for others, in seconds.
    """

    def __init__(
        self, db: Db, *, home: str, clock: Clock, random: Callable[[int], bytes]
    ) -> None:
        self.db = db
        self.home = home
        self.clock = clock
        self.random = random
        self.ids = Ids(clock, random)
        self.full_text = has_module(db, "fts5")
        self.counted: dict[tuple[object, ...], int] = {}
        self.patience = PATIENCE

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; nothing can be asked any more."""
        self.db.close()

    def writing(self) -> AbstractContextManager[Tx]:
        """Open a write transaction; see `corpus.sqlite.transaction`."""
        return transaction(self.db, patience=self.patience)

    @property
    def version(self) -> int:
        """How often a record has changed; what was made of the store carries it."""
        query = "SELECT value FROM state WHERE name = 'version'"
        return int(self.db.execute(query).fetchone()[0])

    def changes(self, project_id: str) -> int:
        """Count the changes of a namespace's records; a digest carries the number."""
        query = "SELECT version FROM changes WHERE project_id = ?"
        row = self.db.execute(query, (project_id,)).fetchone()
        return 0 if row is None else int(row[0])

    def touch(self, project_id: str) -> None:
        """Let what was made of a namespace's records be made anew."""
        with self.writing() as tx:
            tx.execute(
                "INSERT INTO changes (project_id, version) VALUES (?, 1)"
                " ON CONFLICT (project_id) DO UPDATE SET version = version + 1",
                (project_id,),
            )


def open_store(
    home: str, *, clock: Clock, random: Callable[[int], bytes], create: bool = True
) -> Store:
    """Open the store in `home`, making both when missing and `create` is true.

    Raises `HomeError` when the folder is not the user's alone to write, and the errors
    of `corpus.sqlite.open_database`; FileNotFoundError without a store to open.
    """
    prepare_home(home, create=create)
    path = store_path(home)
    if _is_other_thing(path):
        raise StoreForeignError(reason="it is not a plain file")
    with store_failures():
        db = open_database(path, LAYOUT, create=create)
        try:
            store = Store(db, home=home, clock=clock, random=random)
            match_full_text(store)
        except BaseException:
            db.close()
            raise
    return store


def store_path(home: str) -> str:
    """Say where the store of a home lies."""
    return f"{home}/{FILE}"


def prepare_home(home: str, *, create: bool) -> None:
    """Make the user's folder, private, or refuse one that others can write."""
    require_place(home)
    try:
        if create:
            with suppress(FileExistsError):
                os.mkdir(home, mode=0o700)  # noqa: PTH102 - light
        status = os.stat(home)  # noqa: PTH116 - light
    except FileNotFoundError:
        raise
    except OSError:
        raise HomeError(reason="it cannot be made or read") from None
    if not stat.S_ISDIR(status.st_mode):
        raise HomeError(reason="it is not a folder")
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        raise HomeError(reason="it belongs to another user")
    if status.st_mode & _OTHERS_WRITE:
        raise HomeError(reason="others can write it")


def _is_other_thing(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def match_full_text(store: Store) -> None:
    """Let the full-text index be kept exactly where this SQLite can keep it.

    A store that came from a SQLite with FTS5 could not be written without it: its
    triggers fail. They are taken away there, and the index made anew where it is back.
    """
    query = "SELECT count(*) FROM sqlite_schema WHERE name = 'records_fts_insert'"
    kept = bool(store.db.execute(query).fetchone()[0])
    if kept == store.full_text:
        return
    with store.writing() as tx:
        if store.full_text:
            tx.execute("DROP TABLE IF EXISTS records_fts")
            for statement in FULL_TEXT:
                tx.execute(statement)
            tx.execute("INSERT INTO records_fts (records_fts) VALUES ('rebuild')")
        else:
            for name in FULL_TEXT_TRIGGERS:
                tx.execute(f"DROP TRIGGER IF EXISTS {name}")
