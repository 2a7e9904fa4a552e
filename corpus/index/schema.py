"""The index file: its tables, and the digest that proves none of its rows changed.

The file holds paths, hashes, numbers and closed vocabularies. It holds no word of any
source: terms, `Supersedes` names and text fingerprints are keyed hashes, and the key
lies outside the project (P5.2).
"""

from __future__ import annotations

import hashlib
import json
import marshal
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from corpus.index.postings import (
    SHARDS,
    Shard,
    from_blobs,
    pack,
    shard_number,
    to_blobs,
)
from corpus.sources.facts import Facts, Reference, Relation, Standing
from corpus.sources.scan import Skipped
from corpus.sqlite import image_bytes, new_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from corpus.sqlite import Db

INDEX_SCHEMA_VERSION = "2"
PROVIDER = "markdown"
MARSHAL_VERSION = 2

TABLES = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE source (
      id INTEGER PRIMARY KEY, provider TEXT NOT NULL, path TEXT NOT NULL,
      type TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
      lines INTEGER NOT NULL, timestamp TEXT, task_status TEXT,
      declared_past INTEGER NOT NULL, supersedes TEXT NOT NULL,
      authority TEXT NOT NULL, temporal TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE relation (
      source TEXT NOT NULL, line INTEGER NOT NULL, target TEXT NOT NULL,
      verdict TEXT NOT NULL
    ) STRICT
    """,
    "CREATE TABLE skipped (path TEXT NOT NULL, reason TEXT NOT NULL) STRICT",
    """
    CREATE TABLE shard (
      id INTEGER PRIMARY KEY, owners BLOB NOT NULL, firsts BLOB NOT NULL,
      lasts BLOB NOT NULL, begins BLOB NOT NULL, ends BLOB NOT NULL,
      depths BLOB NOT NULL, headings BLOB NOT NULL, same BLOB NOT NULL,
      lengths BLOB NOT NULL, terms BLOB NOT NULL, starts BLOB NOT NULL,
      entries BLOB NOT NULL, weights BLOB NOT NULL
    ) STRICT
    """,
)

_READS = (
    "SELECT key, value FROM meta WHERE key <> 'digest' ORDER BY key",
    "SELECT * FROM source ORDER BY id",
    "SELECT * FROM relation ORDER BY rowid",
    "SELECT * FROM skipped ORDER BY rowid",
    "SELECT * FROM shard ORDER BY id",
)


class Rows(NamedTuple):
    """Everything an index holds, as values. Sources are sorted by path.

    `shards[n]` belongs to the sources whose path falls into shard n, in path order.
    """

    project_id: str
    key_id: str
    facts: tuple[Facts, ...]
    standings: tuple[Standing, ...]
    relations: tuple[Relation, ...]
    skipped: tuple[Skipped, ...]
    shards: tuple[Shard, ...]

    def snapshot(self) -> dict[str, str]:
        """Map each source's path to its SHA-256."""
        return {facts.path: facts.sha256 for facts in self.facts}


def key_id(key: bytes) -> str:
    """Name a key without telling it."""
    return _keyed(key, b"", b"key id", 8).hexdigest()


def term_hash(key: bytes) -> Callable[[str], int]:
    """Give the function from a term to its 64-bit keyed hash."""
    seed = hashlib.blake2b(key=key, digest_size=8)

    def hashed(term: str) -> int:
        copy = seed.copy()
        copy.update(term.encode("utf-8", "surrogatepass"))
        return int.from_bytes(copy.digest(), "little")

    return hashed


def to_image(rows: Rows, key: bytes) -> bytes:
    """Write the rows as a SQLite file; the same rows and key give the same bytes."""
    db = new_image(TABLES)
    try:
        _insert(db, rows)
        db.execute(
            "INSERT INTO meta VALUES ('digest', :digest)",
            {"digest": content_digest(read_tables(db), key)},
        )
        return image_bytes(db)
    finally:
        db.close()


class Tables(NamedTuple):
    """The rows of every table, in order; meta without the digest itself."""

    meta: list[tuple[str, str]]
    source: list[tuple[Any, ...]]
    relation: list[tuple[Any, ...]]
    skipped: list[tuple[Any, ...]]
    shard: list[tuple[Any, ...]]


def read_tables(db: Db) -> Tables:
    """Read an index whole."""
    return Tables(*(db.execute(statement).fetchall() for statement in _READS))


def content_digest(tables: Tables, key: bytes) -> str:
    """Hash all rows in order, under the key.

    The rows are plain texts, numbers and bytes, serialised in marshal's second version,
    which no later Python writes differently.
    """
    content = marshal.dumps(tuple(tables), MARSHAL_VERSION)
    return _keyed(key, content, b"rows", 32).hexdigest()


def holds_table(db: Db, name: str) -> bool:
    """Say whether there is a plain table of that name, whose rows are only read.

    What somebody else wrote may be a view, and reading it would run what it says.
    """
    found = db.execute(
        "SELECT type, sql FROM sqlite_schema WHERE name = :name", {"name": name}
    ).fetchall()
    return [kind for kind, _ in found] == ["table"] and _is_plain(found[0][1])


def has_our_tables(db: Db) -> bool:
    """Say whether the file holds exactly the tables of an index."""
    fresh = new_image(TABLES)
    try:
        return _schema(db) == _schema(fresh)
    finally:
        fresh.close()


def _schema(db: Db) -> list[tuple[str, str, str | None]]:
    return sorted(db.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_schema"))


def _is_plain(sql: str) -> bool:
    words = re.findall(r"\w+", sql.upper())
    return words[:2] == ["CREATE", "TABLE"] and "AS" not in words


def read_meta(db: Db) -> dict[str, str]:
    """Read the meta table."""
    return dict(db.execute("SELECT key, value FROM meta"))


def to_rows(tables: Tables, where: str) -> Rows:
    """Read the tables as values; call it only after the digest was checked."""
    meta = dict(tables.meta)
    facts: list[Facts] = []
    standings: list[Standing] = []
    same: dict[Standing, Standing] = {}
    for _, _, *own, names, authority, temporal in tables.source:
        facts.append(Facts._make((*own, _references(names) if names else ())))
        standing = Standing(authority, temporal)
        standings.append(same.setdefault(standing, standing))
    stored = {row[0]: from_blobs(row[1:], where) for row in tables.shard}
    empty = pack(())
    return Rows(
        project_id=meta["project_id"],
        key_id=meta["key_id"],
        facts=tuple(facts),
        standings=tuple(standings),
        relations=tuple(Relation(*row) for row in tables.relation),
        skipped=tuple(Skipped(*row) for row in tables.skipped),
        shards=tuple(stored.get(number, empty) for number in range(SHARDS)),
    )


def members(facts: Sequence[Facts]) -> list[list[int]]:
    """Give, for each shard, the positions of its sources in path order."""
    found: list[list[int]] = [[] for _ in range(SHARDS)]
    for position, source in enumerate(facts):
        found[shard_number(source.path)].append(position)
    return found


def _insert(db: Db, rows: Rows) -> None:
    meta = {
        "schema": INDEX_SCHEMA_VERSION,
        "project_id": rows.project_id,
        "key_id": rows.key_id,
    }
    db.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
    db.executemany(
        "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _source_rows(rows),
    )
    db.executemany("INSERT INTO relation VALUES (?, ?, ?, ?)", rows.relations)
    db.executemany("INSERT INTO skipped VALUES (?, ?)", rows.skipped)
    db.executemany(
        "INSERT INTO shard VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (number, *to_blobs(shard))
            for number, shard in enumerate(rows.shards)
            if shard.owners
        ),
    )


def _source_rows(rows: Rows) -> Iterator[tuple[object, ...]]:
    pairs = zip(rows.facts, rows.standings, strict=True)
    for number, (facts, standing) in enumerate(pairs):
        yield (
            number,
            PROVIDER,
            *facts[:-1],
            json.dumps(facts.supersedes) if facts.supersedes else "",
            *standing,
        )


def _references(text: str) -> tuple[Reference, ...]:
    return tuple(Reference(line, tuple(names)) for line, names in json.loads(text))


def _keyed(key: bytes, content: bytes, purpose: bytes, size: int) -> hashlib.blake2b:
    return hashlib.blake2b(content, key=key, person=purpose, digest_size=size)
