"""Open SQLite databases: the only caller of `sqlite3.connect`.

The context index is one closed image. It is made in memory, serialised whole, and
later opened from bytes that the confined reader read, so SQLite never opens a path
that somebody else could have swapped.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NewType

if TYPE_CHECKING:
    from collections.abc import Sequence

Db = NewType("Db", sqlite3.Connection)
"""A connection for reading."""

DatabaseError = sqlite3.DatabaseError
"""What reading a damaged image raises."""

HEADER = b"SQLite format 3\x00"
"""The first 16 bytes of every SQLite file (sqlite.org/fileformat2)."""


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
