"""Taking over another namespace: a project that gained a remote keeps its past (A2.4).

The store is copied first. Records, nodes, tombstones and sessions move in one
transaction. Of two current records with one key the newest stays current and supersedes
the others.
What was deleted in the other namespace can be taken back in the one that adopted it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp
from agentctx.errors import NamespaceError
from agentctx.records.backup import make_backup
from agentctx.records.graph import link_supersession
from agentctx.records.model import GLOBAL, ITEM_KEYS
from agentctx.records.namespaces import list_namespaces, note_adoption
from agentctx.records.shared import move_shared
from agentctx.records.staged import move_branches
from agentctx.records.terms import index_missing, namespace_number
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from agentctx.records.backup import Backup
    from agentctx.records.namespaces import Namespace
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

SHORTEST_PREFIX = 6
_PREFIX = re.compile(r"[0-9a-f]{6,64}")


class Adopted(NamedTuple):
    """What came over; `superseded` counts heads that made way for a newer one.

    `saved` is the copy of the store as it was before.
    """

    namespace: Namespace
    project_id: str
    superseded: int
    saved: Backup

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            "adopted": self.namespace.project_id,
            "project_id": self.project_id,
            "records": self.namespace.records,
            "superseded": self.superseded,
            "saved": self.saved.as_json(),
        }


def find_namespace(db: Db, text: str, *, own: str) -> Namespace:
    """Find a namespace to adopt by its id or the beginning of it.

    Raises `NamespaceError` for what is none, for more than one, for the project's own
    and for `_global`.
    """
    wanted = text.strip().lower()
    if wanted == GLOBAL:
        raise NamespaceError(found=GLOBAL, reason="belongs to every project")
    if not _PREFIX.fullmatch(wanted):
        reason = f"is no namespace's id, or {SHORTEST_PREFIX} digits or more of one"
        raise NamespaceError(found=text[:64], reason=reason)
    if own.startswith(wanted):
        raise NamespaceError(found=wanted, reason="is this project's own namespace")
    found = [one for one in list_namespaces(db) if one.project_id.startswith(wanted)]
    if not found:
        raise NamespaceError(found=wanted, reason="holds no records in this store")
    if len(found) > 1:
        raise NamespaceError(found=wanted, reason=f"begins {len(found)} namespaces")
    return found[0]


_FOLLOWING = tuple(
    f"UPDATE {table} SET project_id = ? WHERE project_id = ?"
    for table in (
        "sessions",
        "injections",
        "injected_records",
        "observations",
        "transcripts",
        "spans",
        "proposals",
    )
)
"""What sessions left goes where the records go."""


def adopt_namespace(store: Store, old_id: str, project_id: str) -> Adopted:
    """Copy the store, then move all of a namespace into another, or nothing of it.

    Raises `NamespaceError`, and what `make_backup` raises.
    """
    find_namespace(store.db, old_id, own=project_id)
    saved = make_backup(store)
    with store_failures(), store.writing() as tx:
        namespace = find_namespace(tx, old_id, own=project_id)
        old = namespace.project_id
        namespace_number(tx, project_id)
        tx.execute(
            "UPDATE records SET project_id = ? WHERE project_id = ?", (project_id, old)
        )
        tx.execute(
            "UPDATE tombstones SET project_id = ? WHERE project_id = ?",
            (project_id, old),
        )
        for statement in _FOLLOWING:
            tx.execute(statement, (project_id, old))
        move_shared(tx, old, project_id)
        move_branches(tx, old, project_id)
        _move_nodes(tx, old, project_id)
        superseded = _merge_heads(store, tx, project_id)
        index_missing(tx, limit=None)
        note_adoption(store, tx, old, project_id)
        tx.execute("DELETE FROM namespaces WHERE project_id = ?", (old,))
    return Adopted(namespace, project_id, superseded, saved)


def _move_nodes(tx: Tx, old: str, new: str) -> None:
    """Move the nodes; one that the project knows already takes the other's links."""
    known = tx.execute(
        """
        SELECT o.id AS old, n.id AS new
          FROM nodes o JOIN nodes n ON n.kind = o.kind AND n.name = o.name
         WHERE o.project_id = ? AND n.project_id = ?
        """,
        (old, new),
    ).fetchall()
    pairs = [(row["new"], row["old"]) for row in known]
    for change in (
        "UPDATE OR IGNORE edges SET from_id = ? WHERE from_id = ?",
        "UPDATE OR IGNORE edges SET to_id = ? WHERE to_id = ?",
        "UPDATE OR IGNORE record_entities SET entity_id = ? WHERE entity_id = ?",
    ):
        tx.executemany(change, pairs)
    gone = [(row["old"],) for row in known]
    for removal in (
        "DELETE FROM edges WHERE from_id = ?",  # what both had
        "DELETE FROM edges WHERE to_id = ?",
        "DELETE FROM record_entities WHERE entity_id = ?",
        "DELETE FROM nodes WHERE id = ?",
    ):
        tx.executemany(removal, gone)
    tx.execute("UPDATE nodes SET project_id = ? WHERE project_id = ?", (new, old))


def _merge_heads(store: Store, tx: Tx, project_id: str) -> int:
    """Let the newest of each key stay current; give how many made way.

    Of what was made of one memory item, what a person stands for comes first.
    """
    rows = tx.execute(
        """
          SELECT r.id, CASE WHEN p.key GLOB :items THEN '' ELSE r.type END AS type,
                 COALESCE(p.key, '') AS key, r.recorded_at
            FROM records r LEFT JOIN provenance p ON p.record_id = r.id
           WHERE r.project_id = :project AND r.superseded_at IS NULL
             AND (r.type IN ('handover', 'profile') OR p.key GLOB :items)
        ORDER BY (p.key GLOB :items AND (r.source = 'cli' OR p.confirmed)) DESC,
                 r.recorded_at DESC, r.id DESC
        """,
        {"project": project_id, "items": ITEM_KEYS},
    ).fetchall()
    now = stamp(store.clock())
    heads: dict[tuple[str, str], str] = {}
    count = 0
    for row in rows:
        head = heads.setdefault((row["type"], row["key"]), row["id"])
        if head == row["id"]:
            continue
        tx.execute(
            "UPDATE records SET superseded_at = ?, superseded_by = ?, pinned = 0"
            " WHERE id = ?",
            (max(now, row["recorded_at"]), head, row["id"]),
        )
        link_supersession(store, tx, head, row["id"])
        count += 1
    return count
