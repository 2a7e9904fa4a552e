"""What was learned on a branch that has not joined the main line: staged there (A8.6).

Staged records lie in a namespace of the branch's own, so nothing that asks for a
project's records meets them by accident. What takes the place of a record of the main
line leaves that one current until the branch joins; on the branch it is hidden. A row
of `staged` stays when a record has joined or was dropped: it is the note of it.
"""

from __future__ import annotations

from agentctx.clock import stamp
from corpus.checksum import sha256
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from agentctx.records.store import Store
    from corpus.sqlite import Db, Tx

STAGED = (
    """
CREATE TABLE branches (
  staging_id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL,
  name_sha256 TEXT NOT NULL,
  name TEXT NOT NULL,
  tip TEXT,
  ahead_tip TEXT,
  seen TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'gone', 'unknown')),
  checked_at TEXT,
  UNIQUE (project_id, name_sha256)
) STRICT
""",
    """
CREATE TABLE staged (
  record_id TEXT PRIMARY KEY NOT NULL REFERENCES records(id) ON DELETE CASCADE,
  staging_id TEXT NOT NULL,
  replaces TEXT,
  staged_at TEXT NOT NULL,
  ahead INTEGER NOT NULL DEFAULT 0 CHECK (ahead IN (0, 1)),
  outcome TEXT CHECK (outcome IN ('joined', 'dropped')),
  ended_at TEXT
) STRICT
""",
    "CREATE INDEX staged_by_branch ON staged(staging_id, outcome)",
)
"""What a store's fourth layout adds."""

STAGED_TABLES = ("branches", "staged")

BRANCH_COLUMNS = (
    "staging_id",
    "project_id",
    "name_sha256",
    "name",
    "tip",
    "ahead_tip",
    "seen",
    "state",
    "checked_at",
)
STAGED_COLUMNS = (
    "record_id",
    "staging_id",
    "replaces",
    "staged_at",
    "ahead",
    "outcome",
    "ended_at",
)

PENDING = """
s.outcome IS NULL AND EXISTS (SELECT 1 FROM records x
                               WHERE x.id = s.record_id AND x.superseded_at IS NULL)
"""
"""What of `staged s` still waits, and is no earlier version."""


class Branch(NamedTuple):
    """A branch that something was staged on, as it was when it was last looked at.

    `tip` is the commit it was at, `ahead_tip` the last one that the main line did not
    have, `seen` what was looked at: while that is the same nothing is news. `gone` says
    that there is no such branch any more and nobody can tell whether it joined,
    `unknown` that nothing could be seen.
    """

    staging_id: str
    project_id: str
    name: str
    tip: str | None
    ahead_tip: str | None
    seen: str
    state: str
    checked_at: str | None


class Note(NamedTuple):
    """That a record was learned on a branch, and what became of it."""

    record_id: str
    branch: str
    replaces: str | None
    staged_at: str
    outcome: str | None
    ended_at: str | None


def staging_of(db: Db, project_id: str, branch: str | None) -> str | None:
    """Give the namespace of a branch, None where nothing was ever staged on it."""
    if branch is None:
        return None
    row = db.execute(
        "SELECT staging_id FROM branches WHERE project_id = ? AND name_sha256 = ?",
        (project_id, _hash(branch)),
    ).fetchone()
    return None if row is None else str(row[0])


def stagings_of(db: Db, project_id: str) -> tuple[str, ...]:
    """Give the namespaces of every branch of a project."""
    rows = db.execute(
        "SELECT staging_id FROM branches WHERE project_id = ? ORDER BY name",
        (project_id,),
    )
    return tuple(str(row[0]) for row in rows)


def project_of(db: Db, namespace: str) -> str:
    """Give the project that a namespace belongs to: itself, unless it is a branch's."""
    row = db.execute(
        "SELECT project_id FROM branches WHERE staging_id = ?", (namespace,)
    ).fetchone()
    return namespace if row is None else str(row[0])


def branches_of(db: Db, project_id: str) -> list[Branch]:
    """List the branches of a project on which something waits, by name."""
    columns = ", ".join(f"b.{name}" for name in Branch._fields)
    rows = db.execute(
        f"""
          SELECT {columns} FROM branches b
           WHERE b.project_id = ?
             AND EXISTS (SELECT 1 FROM staged s
                          WHERE s.staging_id = b.staging_id AND {PENDING})
        ORDER BY b.name
        """,
        (project_id,),
    )
    return [Branch(*row) for row in rows]


def branch_named(db: Db, project_id: str, name: str) -> Branch | None:
    """Give a branch on which something was ever staged."""
    columns = ", ".join(Branch._fields)
    row = db.execute(
        f"SELECT {columns} FROM branches WHERE project_id = ? AND name_sha256 = ?",
        (project_id, _hash(name)),
    ).fetchone()
    return None if row is None else Branch(*row)


def branch_at(db: Db, staging_id: str) -> Branch | None:
    """Give the branch that a namespace belongs to, None where it is no branch's."""
    columns = ", ".join(Branch._fields)
    row = db.execute(
        f"SELECT {columns} FROM branches WHERE staging_id = ?", (staging_id,)
    ).fetchone()
    return None if row is None else Branch(*row)


def projects_staging(db: Db) -> list[str]:
    """List the projects that have a branch on which something waits."""
    rows = db.execute(
        f"""
          SELECT DISTINCT b.project_id
            FROM branches b JOIN staged s ON s.staging_id = b.staging_id
           WHERE {PENDING}
        ORDER BY 1
        """
    )
    return [str(row[0]) for row in rows]


def hidden_on(db: Db, staging_id: str) -> set[str]:
    """Give the records of the main line that a branch has others in place of."""
    return set(replacements_on(db, staging_id))


def replacements_on(db: Db, staging_id: str) -> dict[str, str]:
    """Give what a branch has in place of records of the main line, by their ids."""
    rows = db.execute(
        "SELECT s.replaces, s.record_id FROM staged s"
        f" WHERE s.staging_id = ? AND s.replaces IS NOT NULL AND {PENDING}",
        (staging_id,),
    )
    return {str(row[0]): str(row[1]) for row in rows}


def waiting_on(db: Db, staging_id: str) -> set[str]:
    """Give the records that wait on a branch."""
    rows = db.execute(
        f"SELECT s.record_id FROM staged s WHERE s.staging_id = ? AND {PENDING}",
        (staging_id,),
    )
    return {str(row[0]) for row in rows}


def replacement_on(db: Db, staging_id: str, record_id: str) -> str | None:
    """Give what a branch has in place of a record of the main line."""
    row = db.execute(
        f"SELECT s.record_id FROM staged s WHERE s.staging_id = ? AND s.replaces = ?"
        f" AND {PENDING}",
        (staging_id, record_id),
    ).fetchone()
    return None if row is None else str(row[0])


def note_of(db: Db, record_id: str) -> Note | None:
    """Give what is noted of a record that was learned on a branch."""
    row = db.execute(
        """
        SELECT s.record_id, b.name, s.replaces, s.staged_at, s.outcome, s.ended_at
          FROM staged s JOIN branches b ON b.staging_id = s.staging_id
         WHERE s.record_id = ?
        """,
        (record_id,),
    ).fetchone()
    return None if row is None else Note(*row)


def open_branch(
    store: Store, tx: Tx, project_id: str, branch: str, *, tip: str | None
) -> str:
    """Give the namespace of a branch, made where nothing was staged on it before."""
    from agentctx.records.namespaces import noted  # noqa: PLC0415 - above this one
    from agentctx.records.terms import namespace_number  # noqa: PLC0415 - to write

    known = staging_of(tx, project_id, branch)
    if known is None:
        seed = f"branch\0{project_id}\0{branch}\0{store.ids.new()}"
        known = sha256(_bytes(seed)).hexdigest()
        tx.execute(
            "INSERT INTO branches (staging_id, project_id, name_sha256, name, tip)"
            " VALUES (?, ?, ?, ?, ?)",
            (known, project_id, _hash(branch), noted(branch), tip),
        )
        namespace_number(tx, known)
    elif tip is not None:
        tx.execute("UPDATE branches SET tip = ? WHERE staging_id = ?", (tip, known))
    tx.execute(
        "UPDATE branches SET state = 'open', seen = '' WHERE staging_id = ?", (known,)
    )
    return known


def stage(
    tx: Tx, record_id: str, staging_id: str, *, replaces: str | None, at: str
) -> None:
    """Note that a record waits on a branch, and what it will take the place of.

    `at` is when it was learned, as a stamp: when it was said.
    """
    tx.execute(
        "INSERT INTO staged (record_id, staging_id, replaces, staged_at)"
        " VALUES (?, ?, ?, ?)",
        (record_id, staging_id, replaces, at),
    )
    tx.execute(  # the digest of the project is made anew, and the branch's with it
        "INSERT INTO changes (project_id, version)"
        " SELECT project_id, 1 FROM branches WHERE staging_id = ?"
        " ON CONFLICT (project_id) DO UPDATE SET version = version + 1",
        (staging_id,),
    )


def inherit(store: Store, tx: Tx, new_id: str, old_id: str) -> None:
    """Let what takes the place of a staged record wait in its stead."""
    row = tx.execute(
        "SELECT staging_id, replaces FROM staged"
        " WHERE record_id = ? AND outcome IS NULL",
        (old_id,),
    ).fetchone()
    if row is not None:
        at, staging_id = stamp(store.clock()), str(row["staging_id"])
        stage(tx, new_id, staging_id, replaces=row["replaces"], at=at)


def move_branches(tx: Tx, old: str, new: str) -> None:
    """Let the branches of a project be those of the one that adopts it.

    One that both have keeps the namespace of the adopting project.
    """
    both = tx.execute(
        """
        SELECT o.staging_id AS old, n.staging_id AS new
          FROM branches o JOIN branches n ON n.name_sha256 = o.name_sha256
         WHERE o.project_id = ? AND n.project_id = ?
        """,
        (old, new),
    ).fetchall()
    for row in both:
        _take_in(tx, row["old"], row["new"])
    tx.execute("UPDATE branches SET project_id = ? WHERE project_id = ?", (new, old))


def note_checked(tx: Tx, branch: Branch, *, now: datetime) -> None:
    """Keep how a branch stood when it was looked at."""
    tx.execute(
        """
        UPDATE branches SET tip = :tip, ahead_tip = :ahead, seen = :seen,
                            state = :state, checked_at = :at
         WHERE staging_id = :id
        """,
        {
            "tip": branch.tip,
            "ahead": branch.ahead_tip,
            "seen": branch.seen,
            "state": branch.state,
            "at": stamp(now),
            "id": branch.staging_id,
        },
    )


def note_ahead(tx: Tx, staging_id: str) -> None:
    """Note that the branch is at a commit that the main line does not have.

    What was learned by now joins when the main line has that commit.
    """
    tx.execute(
        "UPDATE staged SET ahead = 1 WHERE staging_id = ? AND outcome IS NULL",
        (staging_id,),
    )


def note_renamed(tx: Tx, branch: Branch, name: str) -> None:
    """Let a branch have another name; one that has it already takes in its records."""
    from agentctx.records.namespaces import noted  # noqa: PLC0415 - above this one

    known = staging_of(tx, branch.project_id, name)
    if known is not None:
        _take_in(tx, branch.staging_id, known)
        return
    tx.execute(
        "UPDATE branches SET name = ?, name_sha256 = ? WHERE staging_id = ?",
        (noted(name), _hash(name), branch.staging_id),
    )


def counts_on(db: Db, staging_ids: Collection[str]) -> dict[str, int]:
    """Count what waits on some branches, by their namespaces."""
    marks = ", ".join("?" * len(staging_ids))
    rows = db.execute(
        f"""
          SELECT s.staging_id, count(*) FROM staged s
           WHERE s.staging_id IN ({marks}) AND {PENDING} GROUP BY 1
        """,
        tuple(staging_ids),
    )
    return {str(row[0]): int(row[1]) for row in rows}


def _take_in(tx: Tx, old: str, new: str) -> None:
    pair = (new, old)
    tx.execute("UPDATE records SET project_id = ? WHERE project_id = ?", pair)
    tx.execute("UPDATE staged SET staging_id = ? WHERE staging_id = ?", pair)
    tx.execute("DELETE FROM branches WHERE staging_id = ?", (old,))
    tx.execute("UPDATE branches SET seen = '' WHERE staging_id = ?", (new,))


def _hash(branch: str) -> str:
    return sha256(_bytes(branch)).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
