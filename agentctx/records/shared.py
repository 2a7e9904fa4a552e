"""Which records a project shares, and what its team's file held when it was last read.

A block of that file keeps its id for ever; the record that says it now is another one
whenever the text was changed. What is noted here can be lost: the file is read anew.
"""

from __future__ import annotations

from agentctx.clock import stamp
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from corpus.sqlite import Db, Tx

SHARED = (
    """
CREATE TABLE shared (
  project_id TEXT NOT NULL,
  block TEXT NOT NULL,
  record_id TEXT,
  origin TEXT NOT NULL CHECK (origin IN ('promoted', 'imported', 'withdrawn')),
  held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
  sha256 TEXT,
  PRIMARY KEY (project_id, block)
) STRICT
""",
    """
CREATE TABLE arrivals (
  project_id TEXT PRIMARY KEY NOT NULL,
  sha256 TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT
""",
)
"""What the third layout adds for teams."""

SHARED_TABLES = ("shared", "arrivals")


class Shared(NamedTuple):
    """One block that is known. `sha256` is of its text as the file last held it.

    It is None until the block has been in the file. `held` says that this text waits
    for a person: `record_id`, where there is one, says something else. A `withdrawn`
    block leaves the file with the next export.
    """

    block: str
    record_id: str | None
    origin: str
    held: bool = False
    sha256: str | None = None


def list_shared(db: Db, project_id: str) -> dict[str, Shared]:
    """Give every block that is known of a project, by its id."""
    rows = db.execute(
        "SELECT block, record_id, origin, held, sha256 FROM shared"
        " WHERE project_id = ? ORDER BY block",
        (project_id,),
    )
    return {row["block"]: Shared(*row)._replace(held=bool(row["held"])) for row in rows}


def put_shared(tx: Tx, project_id: str, one: Shared) -> None:
    """Know a block, or know it as it is now."""
    tx.execute(
        "INSERT OR REPLACE INTO shared"
        " (project_id, block, record_id, origin, held, sha256)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            project_id,
            one.block,
            one.record_id,
            one.origin,
            int(one.held),
            one.sha256,
        ),
    )


def drop_shared(tx: Tx, project_id: str, block: str) -> None:
    """Know no more of a block."""
    tx.execute(
        "DELETE FROM shared WHERE project_id = ? AND block = ?", (project_id, block)
    )


def move_shared(tx: Tx, old: str, new: str) -> None:
    """Let another namespace share what this one did; its own knowledge stands."""
    for table in SHARED_TABLES:
        tx.execute(
            f"UPDATE OR IGNORE {table} SET project_id = ? WHERE project_id = ?",
            (new, old),
        )
        tx.execute(f"DELETE FROM {table} WHERE project_id = ?", (old,))


def note_arrival(tx: Tx, project_id: str, sha256: str, *, now: datetime) -> None:
    """Note which bytes of the team's file were read, or written by us."""
    tx.execute(
        "INSERT OR REPLACE INTO arrivals (project_id, sha256, at) VALUES (?, ?, ?)",
        (project_id, sha256, stamp(now)),
    )


def last_arrival(db: Db, project_id: str) -> str | None:
    """Give the hash of the team's file as it was read last, None if it never was."""
    query = "SELECT sha256 FROM arrivals WHERE project_id = ?"
    row = db.execute(query, (project_id,)).fetchone()
    return None if row is None else str(row[0])
