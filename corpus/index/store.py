"""Find, open and check the index file.

The file is read whole through the confined reader and checked before a row of it is
believed: layout, project, key, then the digest of all rows (P5.6).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from corpus.authority import INDEX_BYTES
from corpus.confined.reader import CHANGED, HARD_LINK, NOT_FOUND, TOO_LARGE, Unreadable
from corpus.errors import (
    IndexCorruptError,
    IndexKeyError,
    IndexMissingError,
    IndexPathError,
    IndexProjectError,
    IndexSchemaError,
)
from corpus.index.schema import (
    INDEX_SCHEMA_VERSION,
    content_digest,
    has_our_tables,
    holds_table,
    key_id,
    read_meta,
    read_tables,
    to_rows,
)
from corpus.protocol.layout import CACHE
from corpus.refs import RelPath, name_problem
from corpus.sqlite import DatabaseError, open_image

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.confined.reader import ConfinedRoot
    from corpus.index.schema import Rows
    from corpus.sqlite import Db

DEFAULT_INDEX = "context.sqlite3"
SUFFIX = ".sqlite3"
READ_ATTEMPTS = 20
"""How often the index is read again when a build replaces it under the reader."""


def index_name(root: Path, index: Path | str | None) -> str:
    """Check where the index may lie and give its file name (P5.1).

    `index` is relative to the working directory or absolute; links are allowed only in
    the parents of the project. Raises `IndexPathError`.
    """
    if index is None:
        return DEFAULT_INDEX
    given = os.fspath(index)
    if "\x00" in given:
        raise IndexPathError(
            path=given, reason="it has a character that is not portable"
        )
    folder, name = os.path.split(os.path.abspath(given))  # noqa: PTH100 - no links
    problem = name_problem(name)
    if problem is not None:
        raise IndexPathError(path=given, reason=problem)
    if not name.endswith(SUFFIX) or name == SUFFIX:
        raise IndexPathError(path=given, reason=f"its name does not end in `{SUFFIX}`")
    above, cache = os.path.split(folder)
    project, home = os.path.split(above)
    if f"{home}/{cache}" != CACHE or not _same_folder(project, root):
        raise IndexPathError(path=given, reason=f"it is not directly inside `{CACHE}/`")
    return name


def index_path(name: str) -> RelPath:
    """Give the path of the index of that name, relative to the root."""
    return RelPath(f"{CACHE}/{name}")


def read_index(
    root: ConfinedRoot, name: str, key: bytes | None, *, project_id: str
) -> Rows:
    """Read the index and prove that its rows are what the build wrote.

    `key` is None when this user has none for the project. Raises the Index*Error that
    says what is wrong and what to do.
    """
    path = index_path(name)
    content = _content(root, path)
    try:
        db = open_image(content)
    except DatabaseError as problem:
        raise IndexCorruptError(path=path, reason=str(problem)) from None
    try:
        return _checked_rows(db, path, key, project_id)
    except DatabaseError as problem:
        raise IndexCorruptError(path=path, reason=str(problem)) from None
    finally:
        db.close()


def _content(root: ConfinedRoot, path: RelPath) -> bytes:
    """Read the file; builds may replace it meanwhile, so try again if they do."""
    for _ in range(READ_ATTEMPTS):
        try:
            return root.read(path, limit=INDEX_BYTES).content
        except Unreadable as problem:
            if problem.reason == NOT_FOUND:
                raise IndexMissingError(path=path) from None
            if problem.reason in {TOO_LARGE, HARD_LINK}:
                raise IndexCorruptError(path=path, reason=problem.reason) from None
            if problem.reason != CHANGED:
                raise IndexPathError(path=path, reason=problem.reason) from None
    raise IndexPathError(path=path, reason=CHANGED)


def _checked_rows(db: Db, path: str, key: bytes | None, project_id: str) -> Rows:
    if not holds_table(db, "meta"):
        raise IndexSchemaError(found="none", known=INDEX_SCHEMA_VERSION)
    try:
        meta = read_meta(db)
    except (DatabaseError, ValueError, TypeError):
        raise IndexSchemaError(found="none", known=INDEX_SCHEMA_VERSION) from None
    schema = str(meta.get("schema", "none"))
    if schema != INDEX_SCHEMA_VERSION:
        raise IndexSchemaError(found=schema, known=INDEX_SCHEMA_VERSION)
    found = str(meta.get("project_id", "none"))
    if found != project_id:
        raise IndexProjectError(found=found, expected=project_id)
    if key is None or meta.get("key_id") != key_id(key):
        raise IndexKeyError
    if not has_our_tables(db):
        raise IndexCorruptError(
            path=path, reason="its tables are not those of an index"
        )
    tables = read_tables(db)
    if meta.get("digest") != content_digest(tables, key):
        raise IndexCorruptError(path=path, reason="its rows do not match their digest")
    return to_rows(tables, path)


def _same_folder(one: str, other: Path) -> bool:
    try:
        return other.samefile(one)
    except OSError:
        return False
