"""What hooks observed in sessions: files, tests, commits, failures; no sentence (A4.7).

A file is named from the project's root. A failure is only the key by which it is
known again; what it was is a record.
"""

from __future__ import annotations

from agentctx.clock import stamp
from agentctx.redact import redact
from corpus.values import TYPE_CHECKING, NamedTuple
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from corpus.sqlite import Db, Tx

KINDS = ("file", "tests", "failure", "commit", "branch", "merge", "pr", "push")
MOST_READ = 400
_LONGEST = 400


class Observation(NamedTuple):
    """One thing that was seen: what kind, its name, and a few words about it."""

    kind: str
    name: str
    detail: str = ""


def note_observations(
    tx: Tx,
    session_id: str,
    project_id: str,
    seen: Iterable[Observation],
    *,
    now: datetime,
) -> None:
    """Keep what was seen; secrets and what cannot be seen are taken out first.

    A file that the session has changed before is moved to the end.
    """
    seen = tuple(seen)
    tx.executemany(
        "DELETE FROM observations WHERE session_id = ? AND kind = 'file' AND name = ?",
        ((session_id, _clean(one.name)) for one in seen if one.kind == "file"),
    )
    tx.executemany(
        "INSERT INTO observations (session_id, project_id, kind, name, detail, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            (session_id, project_id, one.kind, _clean(one.name), _clean(one.detail), at)
            for at in (stamp(now),)
            for one in seen
        ),
    )


def observed(db: Db, session_id: str, kind: str) -> list[Observation]:
    """Give what was seen of a kind in a session, the newest last."""
    rows = db.execute(
        """
          SELECT kind, name, detail FROM (
            SELECT id, kind, name, detail FROM observations
             WHERE session_id = ? AND kind = ? ORDER BY id DESC LIMIT ?)
        ORDER BY id
        """,
        (session_id, kind, MOST_READ),
    )
    return [Observation(*row) for row in rows]


def touched_since(db: Db, session_id: str, at: str, *, limit: int) -> tuple[str, ...]:
    """Give the files that a session changed from a moment on, the newest first."""
    rows = db.execute(
        "SELECT name FROM observations WHERE session_id = ? AND kind = 'file'"
        " AND at >= ? ORDER BY id DESC LIMIT ?",
        (session_id, at, limit),
    )
    return tuple(str(row[0]) for row in rows)


def seen_before(db: Db, project_id: str, kind: str, name: str) -> list[Observation]:
    """Give what was seen of a kind under a name in a project, the newest first."""
    rows = db.execute(
        """
          SELECT kind, name, detail FROM observations
           WHERE project_id = ? AND kind = ? AND name = ? ORDER BY id DESC LIMIT ?
        """,
        (project_id, kind, name, MOST_READ),
    )
    return [Observation(*row) for row in rows]


def _clean(text: str) -> str:
    line = " ".join(visible(text).split())
    return redact(line).text[:_LONGEST]
