"""What is wrong with a store, and making right what can be (A1.7, A2.10).

Looking changes nothing: checks run on a copy in memory. Rebuilding makes everything
derived anew from the records. Repairing sets a file that cannot be used aside, whole
and unchanged, and starts anew with every row that can still be read.
"""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.heard import HEARD_TABLES
from agentctx.records.memories import MEMORIES_TABLES
from agentctx.records.model import ITEM_KEYS
from agentctx.records.schema import FULL_TEXT, LAYOUT
from agentctx.records.shared import SHARED_TABLES
from agentctx.records.staged import STAGED_TABLES
from agentctx.records.store import prepare_home, store_path
from agentctx.records.terms import rebuild as rebuild_terms
from agentctx.records.tombstones import key_problem
from agentctx.records.wreck import DAMAGE
from corpus.errors import CodedError, StoreForeignError, StoreTooNewError
from corpus.sqlite import (
    flush_log,
    has_module,
    loaded_copy,
    store_failures,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

REBUILD = "make it anew with `agentctx doctor --rebuild`"
REPAIR = "set the file aside and start anew with `agentctx doctor --repair`"
BY_HAND = "see what wrote to the store besides this program"

MOST_LAYOUTS = 1000
"""A store's file that claims a later layout is damaged, not newer."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MOST_TOLD = 5


class Check(NamedTuple):
    """One thing that was looked at; `problem` and `hint` are None where it is well.

    `cure` says what helps: `rebuild`, `repair`, or nothing of ours.
    """

    name: str
    problem: str | None = None
    hint: str | None = None
    cure: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it is well."""
        return self.problem is None

    def as_json(self) -> dict[str, object]:
        """Give the check as one JSON object."""
        return {
            "name": self.name,
            "ok": self.ok,
            "detail": self.problem,
            "hint": self.hint,
            "cure": self.cure,
        }


class Rebuilt(NamedTuple):
    """What was made anew: the records in both indexes, and loose links dropped."""

    records: int
    links: int


def examine_store(home: str) -> list[Check]:
    """Look at the folder, the file and all that it holds; nothing is changed."""
    checks = list(_folder_checks(home))
    path = store_path(home)
    if not os.path.lexists(path):
        return [*checks, Check("file")]
    checks += _file_checks(path)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise StoreForeignError(reason="it is not a plain file")
        with closing(loaded_copy(path, LAYOUT)) as db:
            return [*checks, Check("layout"), *_content_checks(db, home)]
    except CodedError as error:
        cure = "repair" if _is_beyond_use(error) else None
        return [*checks, Check("layout", f"{error.code}: {error}", error.hint, cure)]
    except OSError:
        problem = "the file cannot be read"
        return [*checks, Check("layout", problem, "let it be a file of yours")]


def _is_beyond_use(error: CodedError) -> bool:
    """Say whether only a repair helps; a layout of no program is a damaged number."""
    if isinstance(error, StoreTooNewError):
        return int(str(error.facts["found"])) > MOST_LAYOUTS
    return error.code in {"STORE_FOREIGN", "STORE_CORRUPT"}


def rebuild_store(store: Store) -> Rebuilt:
    """Make both indexes, the scores and the counts of use anew; drop loose links."""
    with store_failures(), store.writing() as tx:
        links = _drop_loose(tx)
        tx.execute("DROP TABLE IF EXISTS records_fts")
        if store.full_text:
            _make_full_text(tx)
        records = rebuild_terms(tx)
        tx.execute("UPDATE records SET score = 1.0, claudemd_drift_score = 0.0")
        tx.execute("UPDATE state SET value = value + 1 WHERE name = 'version'")
    flush_log(store.db)
    return Rebuilt(records, links)


def _make_full_text(tx: Tx) -> None:
    names = tx.execute(
        "SELECT name FROM sqlite_schema"
        " WHERE type = 'trigger' AND name LIKE 'records_fts_%'"
    ).fetchall()
    for row in names:
        tx.execute(f"DROP TRIGGER {row[0]}")
    for statement in FULL_TEXT:
        tx.execute(statement)
    tx.execute("INSERT INTO records_fts (records_fts) VALUES ('rebuild')")


_LOOSE = {
    "record_entities": """
        record_id NOT IN (SELECT id FROM records)
        OR entity_id NOT IN (SELECT id FROM nodes)""",
    "edges": """
        from_id NOT IN (SELECT id FROM records UNION SELECT id FROM nodes)
        OR to_id NOT IN (SELECT id FROM records UNION SELECT id FROM nodes)""",
    "nodes": """
        id NOT IN (SELECT entity_id FROM record_entities)
        AND id NOT IN (SELECT from_id FROM edges UNION SELECT to_id FROM edges)""",
}
"""Links that lead nowhere, in the order in which they can be dropped."""


def _drop_loose(tx: Tx) -> int:
    return sum(
        tx.execute(f"DELETE FROM {table} WHERE {where}").rowcount
        for table, where in _LOOSE.items()
    )


def _folder_checks(home: str) -> Iterator[Check]:
    try:
        prepare_home(home, create=False)
    except FileNotFoundError:
        yield Check("folder")
        return
    except CodedError as error:
        yield Check("folder", str(error), error.hint)
        return
    if os.name != "nt" and os.stat(home).st_mode & _OTHERS:  # noqa: PTH116 - text
        yield Check("folder", "others can look into it", _private(home))
        return
    yield Check("folder")


def _file_checks(path: str) -> Iterator[Check]:
    open_to = [
        name for name in (path, f"{path}-wal", f"{path}-shm") if _others_read(name)
    ]
    if open_to:
        named = ", ".join(os.path.basename(name) for name in open_to)  # noqa: PTH119
        yield Check("file", f"others can read {named}", _private(*open_to))
    else:
        yield Check("file")


def _private(*paths: str) -> str:
    return f"let nobody else read it: `chmod go-rwx {shlex.join(paths)}`"


def _others_read(path: str) -> bool:
    with suppress(OSError):
        return os.name != "nt" and bool(os.lstat(path).st_mode & _OTHERS)
    return False


def _content_checks(db: Db, home: str) -> Iterator[Check]:
    """Check a copy in memory; every check stands for itself."""
    whole = _integrity(db)
    yield whole
    if not whole.ok:
        return
    for name, look in (
        ("tables", _tables),
        ("references", _references),
        ("full text", _full_text),
        ("terms", _terms),
        ("links", _links),
        ("succession", _succession),
    ):
        try:
            problem, hint, cure = look(db)
        except DAMAGE as error:
            problem, hint, cure = type(error).__name__, REPAIR, "repair"
        yield Check(name) if not problem else Check(name, problem, hint, cure)
        if problem and name == "tables":
            return
    yield _forgotten(db, home)


def _forgotten(db: Db, home: str) -> Check:
    """See whether what was deleted can be recognized."""
    try:
        problem = key_problem(home, db)
    except DAMAGE as error:
        return Check("forgotten", type(error).__name__, REPAIR, "repair")
    if problem is None:
        return Check("forgotten")
    return Check("forgotten", f"{problem.code}: {problem}", problem.hint)


def _integrity(db: Db) -> Check:
    try:
        rows = db.execute(f"PRAGMA integrity_check({_MOST_TOLD})").fetchall()
    except DAMAGE as error:
        return Check("pages", type(error).__name__, REPAIR, "repair")
    found = [str(row[0]) for row in rows]
    if found == ["ok"]:
        return Check("pages")
    if all("records_fts" in one or "fts5" in one for one in found):
        return Check("pages", "the full-text index is damaged", REBUILD, "rebuild")
    return Check("pages", f"{len(found)} or more pages are damaged", REPAIR, "repair")


def _tables(db: Db) -> tuple[str | None, str, str]:
    names = {row[0] for row in db.execute("SELECT name FROM sqlite_schema")}
    layout = db.execute("PRAGMA user_version").fetchone()[0]
    since = [HEARD_TABLES, (*MEMORIES_TABLES, *SHARED_TABLES), STAGED_TABLES]
    since = since[: layout - 1]
    missing = sorted(TABLES.union(*since) - names)
    return (f"missing: {', '.join(missing)}" if missing else None), REPAIR, "repair"


def _references(db: Db) -> tuple[str | None, str, None]:
    count = len(db.execute("PRAGMA foreign_key_check").fetchall())
    return (f"{count} rows point to no record" if count else None), BY_HAND, None


def _full_text(db: Db) -> tuple[str | None, str, str]:
    if not has_module(db, "fts5"):
        return None, REBUILD, "rebuild"
    try:
        db.execute(
            "INSERT INTO records_fts (records_fts, rank) VALUES ('integrity-check', 1)"
        )
    except DAMAGE:
        return "it is not what the records say", REBUILD, "rebuild"
    return None, REBUILD, "rebuild"


def _terms(db: Db) -> tuple[str | None, str, str]:
    """Count records whose terms are missing, and terms of no record."""
    row = db.execute(
        """
        SELECT (SELECT count(*) FROM unindexed_records)
             + (SELECT count(*) FROM records
                 WHERE rowid NOT IN (SELECT record FROM indexed_records))
             + (SELECT count(*) FROM indexed_records
                 WHERE record NOT IN (SELECT rowid FROM records))
             + (SELECT count(DISTINCT record) FROM record_terms
                 WHERE record NOT IN (SELECT record FROM indexed_records))
             + (SELECT count(*) FROM indexed_records i
                 WHERE terms <> '' AND NOT EXISTS (
                   SELECT 1 FROM record_terms t WHERE t.record = i.record
                    AND t.namespace = i.namespace
                    AND t.term = substr(i.terms, 1,
                                        instr(i.terms || char(10), char(10)) - 1)))
        """
    ).fetchone()
    found = f"{row[0]} records are not indexed as they are" if row[0] else None
    return found, REBUILD, "rebuild"


def _links(db: Db) -> tuple[str | None, str, str]:
    count = sum(
        db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0]
        for table, where in _LOOSE.items()
    )
    return (f"{count} links lead nowhere" if count else None), REBUILD, "rebuild"


def _succession(db: Db) -> tuple[str | None, str, None]:
    """Find what the rules of superseding exclude."""
    row = db.execute(
        """
        SELECT (SELECT count(*) FROM records
                 WHERE superseded_by IS NOT NULL AND superseded_at IS NULL)
             + (SELECT count(*) FROM records a
                  JOIN records b ON a.superseded_by = b.id
                 WHERE a.project_id <> b.project_id)
             + (SELECT count(*) FROM (
                  SELECT 1 FROM records r LEFT JOIN provenance p ON p.record_id = r.id
                   WHERE r.superseded_at IS NULL
                     AND (r.type IN ('handover', 'profile') OR p.key GLOB :items)
                GROUP BY r.project_id, COALESCE(p.key, ''),
                         CASE WHEN p.key GLOB :items THEN '' ELSE r.type END
                  HAVING count(*) > 1))
        """,
        {"items": ITEM_KEYS},
    ).fetchone()
    found = f"{row[0]} records break the rules of superseding" if row[0] else None
    return found, BY_HAND, None


TABLES = frozenset(
    {
        "records",
        "nodes",
        "edges",
        "record_entities",
        "sessions",
        "provenance",
        "namespaces",
        "reinforcements",
        "tombstones",
        "state",
        "record_terms",
        "indexed_records",
        "unindexed_records",
    }
)
"""The tables every store has; the full-text index is derived."""
