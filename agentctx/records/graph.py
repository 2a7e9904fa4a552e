"""What records have to do with files, symbols, branches and each other (A2.8).

Nodes are unique in a project by kind and name; files are named by their path from the
project's root. Walks use UNION, so that a cycle ends, and a bound on their depth.
"""

from __future__ import annotations

from agentctx.records.model import COLUMNS, FROM, GLOBAL, record_of
from agentctx.records.staged import hidden_on
from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

KINDS = ("file", "symbol", "package", "module", "branch")
RELATIONS = ("supersedes", "applies_to", "observed_in", "derives_from", "scoped_to")

DEPTH, DEEPEST = 5, 10
LONGEST_NAME = 400
_DRIVE = pattern(r"[A-Za-z]:")
_NO_TEXT = pattern("[\ud800-\udfff]")
"""Bytes of a file's name that are no text; the store holds only text."""


def link_files(
    store: Store, tx: Tx, project_id: str, record_id: str, files: Iterable[str]
) -> None:
    """Link a record to the files it is about; a path that is none is left out."""
    for path in files:
        name = repo_path(path)
        if name is not None:
            link(store, tx, project_id, record_id, ("file", name), "applies_to")


def link(
    store: Store,
    tx: Tx,
    project_id: str,
    record_id: str,
    entity: tuple[str, str],
    relation: str,
) -> None:
    """Link a record to an entity, given as its kind and its name."""
    kind, name = entity
    node_id = _node(store, tx, project_id, kind, name[:LONGEST_NAME])
    _edge(store, tx, record_id, node_id, relation)
    tx.execute(
        "INSERT OR IGNORE INTO record_entities (record_id, entity_id) VALUES (?, ?)",
        (record_id, node_id),
    )


def link_supersession(store: Store, tx: Tx, new_id: str, old_id: str) -> None:
    """Note that one record took the place of another.

    The new one is about whatever the old one was about.
    """
    _edge(store, tx, new_id, old_id, "supersedes")
    tx.execute(
        """
        INSERT OR IGNORE INTO record_entities (record_id, entity_id)
        SELECT ?, entity_id FROM record_entities WHERE record_id = ?
        """,
        (new_id, old_id),
    )


def unlink(tx: Tx, record_id: str) -> None:
    """Forget every link of a record that is deleted."""
    tx.execute("DELETE FROM record_entities WHERE record_id = ?", (record_id,))
    tx.execute(
        "DELETE FROM edges WHERE from_id = ? OR to_id = ?", (record_id, record_id)
    )
    tx.execute(
        """
        DELETE FROM nodes
         WHERE id NOT IN (SELECT entity_id FROM record_entities)
           AND id NOT IN (SELECT to_id FROM edges)
           AND id NOT IN (SELECT from_id FROM edges)
        """
    )


def records_of_file(
    db: Db, project_id: str, path: str, *, staging: str | None = None
) -> list[Record]:
    """List the current records about a file, the newest first.

    With the namespace of a branch as it is there.
    """
    name = repo_path(path)
    if name is None:
        return []
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
            JOIN record_entities e ON e.record_id = r.id
            JOIN nodes n ON n.id = e.entity_id
           WHERE n.project_id = ? AND n.kind = 'file' AND n.name = ?
             AND r.superseded_at IS NULL AND r.project_id IN (?, ?, ?)
        ORDER BY r.recorded_at DESC, r.id DESC
        """,
        (project_id, name, project_id, GLOBAL, staging or project_id),
    )
    hidden = set[str]() if staging is None else hidden_on(db, staging)
    return [record_of(row) for row in rows if row["id"] not in hidden]


def files_of(db: Db, record_id: str) -> list[str]:
    """List the files a record is about, sorted."""
    rows = db.execute(
        """
          SELECT n.name FROM record_entities e JOIN nodes n ON n.id = e.entity_id
           WHERE e.record_id = ? AND n.kind = 'file' ORDER BY n.name
        """,
        (record_id,),
    )
    return [row[0] for row in rows]


def reachable(db: Db, start: str, *, depth: int = DEPTH) -> list[tuple[str, int]]:
    """Give what is linked to a record or a node, and in how many steps, nearest first.

    Edges are followed both ways; `depth` is at most `DEEPEST`.
    """
    rows = db.execute(
        """
        WITH RECURSIVE walk(id, steps) AS (
          SELECT ?, 0
           UNION
          SELECT CASE WHEN e.from_id = w.id THEN e.to_id ELSE e.from_id END,
                 w.steps + 1
            FROM walk w JOIN edges e ON e.from_id = w.id OR e.to_id = w.id
           WHERE w.steps < ?
        )
          SELECT id, MIN(steps) AS steps FROM walk
           WHERE id <> ?
        GROUP BY id ORDER BY steps, id
        """,
        (start, max(1, min(depth, DEEPEST)), start),
    )
    return [(row["id"], row["steps"]) for row in rows]


def node_id(db: Db, project_id: str, kind: str, name: str) -> str:
    """Give the id of a node that exists."""
    row = db.execute(
        "SELECT id FROM nodes WHERE project_id = ? AND kind = ? AND name = ?",
        (project_id, kind, name),
    ).fetchone()
    return str(row["id"])


def repo_path(path: str) -> str | None:
    """Give a path as the graph names it, or None when it leads out of the project."""
    text = path.strip().replace("\\", "/")
    if not text or "\x00" in text or text.startswith("/") or _DRIVE.match(text):
        return None
    if not text.isascii() and _NO_TEXT.search(text):
        return None
    parts: list[str] = []
    for part in text.split("/"):
        if part in {"", "."}:
            continue
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    name = "/".join(parts)
    return name if 0 < len(name) <= LONGEST_NAME else None


def _node(store: Store, tx: Tx, project_id: str, kind: str, name: str) -> str:
    tx.execute(
        "INSERT OR IGNORE INTO nodes (id, project_id, kind, name) VALUES (?, ?, ?, ?)",
        (store.ids.new(), project_id, kind, name),
    )
    return node_id(tx, project_id, kind, name)


def _edge(store: Store, tx: Tx, start: str, end: str, relation: str) -> None:
    tx.execute(
        "INSERT OR IGNORE INTO edges (id, from_id, to_id, rel_type)"
        " VALUES (?, ?, ?, ?)",
        (store.ids.new(), start, end, relation),
    )
