"""The sessions a project has had: when, and what they were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.sqlite import Db


def last_session_at(db: Db, project_id: str) -> str | None:
    """Give when a session of a project was last seen, or None before the first."""
    row = db.execute(
        "SELECT max(COALESCE(ended_at, started_at)) FROM sessions WHERE project_id = ?",
        (project_id,),
    ).fetchone()
    return None if row[0] is None else str(row[0])
