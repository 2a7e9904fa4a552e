"""A damaged, foreign or tampered index is refused, and rebuilt the same (P5.6)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from corpus.authority import INDEX_BYTES
from corpus.errors import (
    CodedError,
    IndexCorruptError,
    IndexKeyError,
    IndexProjectError,
    IndexSchemaError,
)
from corpus.index.schema import read_meta
from corpus.sqlite import open_image
from corpus.view import build_index, open_view
from tests.corpora import HOME, NOW, dirs_of, fixed_bytes, write_corpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus.index.build import BuildReport

INDEX = f"{HOME}/cache/context.sqlite3"


def build(root: Path) -> BuildReport:
    return build_index(root, dirs=dirs_of(root), random=fixed_bytes, now=NOW)


def digest_of(root: Path) -> str:
    with closing(open_image((root / INDEX).read_bytes())) as db:
        return read_meta(db)["digest"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "one")


def no_bytes(path: Path) -> None:
    path.write_bytes(b"")


def half(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 64)


def sql(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db, db:
            for statement in statements:
                db.execute(statement)

    return change


def foreign(path: Path) -> None:
    path.unlink()
    sql("CREATE TABLE t (a)")(path)


DAMAGE = [
    pytest.param(no_bytes, IndexCorruptError, id="empty"),
    pytest.param(half, IndexCorruptError, id="truncated"),
    pytest.param(noise, IndexCorruptError, id="noise"),
    pytest.param(foreign, IndexSchemaError, id="foreign"),
    pytest.param(
        sql("UPDATE meta SET value = '99' WHERE key = 'schema'"),
        IndexSchemaError,
        id="newer",
    ),
    pytest.param(
        sql("UPDATE meta SET value = 'other-one' WHERE key = 'project_id'"),
        IndexProjectError,
        id="other project",
    ),
    pytest.param(
        sql("UPDATE meta SET value = 'ff' WHERE key = 'key_id'"),
        IndexKeyError,
        id="other key",
    ),
    pytest.param(
        sql("UPDATE source SET temporal = 'current'"), IndexCorruptError, id="tampered"
    ),
    pytest.param(
        sql("DELETE FROM shard WHERE id = (SELECT max(id) FROM shard)"),
        IndexCorruptError,
        id="missing rows",
    ),
    pytest.param(
        sql(
            "ALTER TABLE meta RENAME TO m",
            "CREATE VIEW meta (key, value) AS WITH RECURSIVE c (x) AS"
            " (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'k', x FROM c",
        ),
        IndexSchemaError,
        id="a view that never ends",
    ),
    pytest.param(
        sql(
            "ALTER TABLE source RENAME TO s",
            "CREATE VIEW source AS WITH RECURSIVE c (x) AS"
            " (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        ),
        IndexCorruptError,
        id="a view in place of the sources",
    ),
    pytest.param(sql("DROP TABLE relation"), IndexCorruptError, id="missing table"),
    pytest.param(
        sql("DELETE FROM meta WHERE key = 'digest'"), IndexCorruptError, id="no digest"
    ),
]


@pytest.mark.requirement("P5.6")
@pytest.mark.parametrize(("damage", "error"), DAMAGE)
def test_a_damaged_index_is_refused_and_rebuilt(
    root: Path, damage: Callable[[Path], None], error: type[CodedError]
) -> None:
    build(root)
    digest = digest_of(root)
    damage(root / INDEX)
    with pytest.raises(error):
        open_view(root, dirs=dirs_of(root))
    assert build(root).written
    assert digest_of(root) == digest
    open_view(root, dirs=dirs_of(root))


@pytest.mark.requirement("P5.6")
def test_any_flipped_byte_is_refused_or_harmless(root: Path) -> None:
    build(root)
    content = (root / INDEX).read_bytes()
    dirs = dirs_of(root)
    good = open_view(root, dirs=dirs).rows
    codes = set()
    for at in range(0, len(content), 211):
        damaged = bytearray(content)
        damaged[at] ^= 0x5A
        (root / INDEX).write_bytes(damaged)
        try:
            found = open_view(root, dirs=dirs).rows
        except CodedError as refused:
            codes.add(refused.code.partition("_")[0])
        else:
            assert found == good
    assert codes == {"INDEX"}


@pytest.mark.requirement("P5.6")
def test_an_index_of_another_users_key_asks_for_a_build(root: Path) -> None:
    build(root)
    key = dirs_of(root).state / "keys" / "demo-one.key"
    key.unlink()
    with pytest.raises(IndexKeyError):
        open_view(root, dirs=dirs_of(root))


@pytest.mark.requirement("P5.6")
def test_an_index_with_a_second_link_is_replaced_by_a_build(root: Path) -> None:
    build(root)
    (root / HOME / "cache/other.sqlite3").hardlink_to(root / INDEX)
    with pytest.raises(IndexCorruptError):
        open_view(root, dirs=dirs_of(root))
    assert build(root).written
    open_view(root, dirs=dirs_of(root))


@pytest.mark.requirement("P5.6")
def test_a_file_too_large_for_an_index_is_replaced_by_a_build(root: Path) -> None:
    build(root)
    with (root / INDEX).open("r+b") as stream:
        stream.truncate(INDEX_BYTES + 1)
    with pytest.raises(IndexCorruptError):
        open_view(root, dirs=dirs_of(root))
    assert build(root).written
