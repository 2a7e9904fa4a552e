"""The namespaces a store holds, with the name and place each was last seen at."""

from __future__ import annotations

from agentctx.project import path_id
from agentctx.records.model import GLOBAL
from corpus.sqlite import store_failures
from corpus.values import TYPE_CHECKING, NamedTuple
from corpus.visible import visible

if TYPE_CHECKING:
    from datetime import datetime

    from agentctx.project import Project
    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx


_ADOPTED = "adopted:"


class Namespace(NamedTuple):
    """One project's records; name and root are empty where nobody noted them."""

    project_id: str
    name: str
    root: str
    records: int


def note_namespace(store: Store, project_id: str, *, name: str, root: str) -> None:
    """Note what a project is called and where it lies, if that is news."""
    with store_failures():
        row = store.db.execute(
            "SELECT name, root FROM namespaces WHERE project_id = ?", (project_id,)
        ).fetchone()
        if row is not None and tuple(row) == (name, root):
            return
        news = (noted(name), noted(root))
        if row is not None and tuple(row) == news:
            return
        from agentctx.records.terms import (  # noqa: PLC0415 - seldom news
            namespace_number,
        )

        with store.writing() as tx:
            namespace_number(tx, project_id)
            tx.execute(
                "UPDATE namespaces SET name = ?, root = ? WHERE project_id = ?",
                (*news, project_id),
            )


def list_namespaces(db: Db) -> list[Namespace]:
    """List the namespaces that hold anything, but for `_global`, by id."""
    with store_failures():
        rows = db.execute(
            """
            SELECT o.project_id, COALESCE(n.name, '') AS name,
                   COALESCE(n.root, '') AS root, count(*) AS records
              FROM (SELECT COALESCE(b.project_id, r.project_id) AS project_id
                      FROM records r
                      LEFT JOIN branches b ON b.staging_id = r.project_id) o
              LEFT JOIN namespaces n ON n.project_id = o.project_id
             WHERE o.project_id <> ?
          GROUP BY o.project_id
          ORDER BY o.project_id
            """,
            (GLOBAL,),
        ).fetchall()
    return [
        Namespace(row[0], noted(row[1]), noted(row[2]), row["records"]) for row in rows
    ]


def known_places(db: Db) -> dict[str, str]:
    """Give where each namespace was last seen, whether it holds anything or not."""
    with store_failures():
        rows = db.execute(
            "SELECT project_id, root FROM namespaces WHERE root <> '' ORDER BY number"
        ).fetchall()
    return {row[0]: row[1] for row in rows}


class Likely(NamedTuple):
    """Other namespaces whose records may be meant here.

    `earlier` are those that the project seems to have had before: that of its place,
    where it has a remote now, and those last seen at the same place. `above` is, for a
    folder in no repository, the nearest folder above that has records.
    """

    earlier: tuple[Namespace, ...] = ()
    above: Namespace | None = None


NOTHING_LIKELY = Likely()


def likely_earlier(db: Db, project: Project) -> Likely:
    """Give the namespaces whose records somebody may miss in this project."""
    found = [one for one in list_namespaces(db) if one.project_id != project.project_id]
    place, root = path_id(project.main_folder), noted(project.main_folder)
    earlier = tuple(one for one in found if one.project_id == place or one.root == root)
    if project.branch is not None or project.remote is not None:
        return Likely(earlier)
    for folder in project.main_root.parents:
        place, root = path_id(folder), noted(str(folder))
        for one in found:
            if one.project_id == place or one.root == root:
                return Likely(earlier, one)
    return Likely(earlier)


def noted(text: str) -> str:
    """Give a name or a place as it is stored and shown: no secret, nothing hidden."""
    from agentctx.redact import redact  # noqa: PLC0415 - reading alone needs no rules

    return visible(redact(text.encode("utf-8", "backslashreplace").decode()).text)


def note_adoption(store: Store, tx: Tx, old: str, new: str) -> None:
    """Note that one namespace took over another's past, and when."""
    tx.execute(
        "INSERT OR REPLACE INTO state (name, value) VALUES (?, ?)",
        (f"{_ADOPTED}{old}:{new}", _milliseconds(store.clock())),
    )


def adopter_of(db: Db, project_id: str, when: datetime) -> str:
    """Give the namespace that has by now what this one had at a moment."""
    rows = db.execute(
        "SELECT name, value FROM state WHERE name LIKE ? ORDER BY value",
        (f"{_ADOPTED}%",),
    ).fetchall()
    for row in rows:
        old, new = row["name"].removeprefix(_ADOPTED).split(":")
        if old == project_id and row["value"] >= _milliseconds(when):
            project_id = new
    return project_id


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
