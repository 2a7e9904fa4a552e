"""Some namespaces at a glance: counts, the newest of each type, files, what ended.

Every list is bounded and comes with how many there are in all (A12).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.model import COLUMNS, FROM, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentctx.records.model import Record
    from corpus.sqlite import Db

_MOST_MARKS = 500
"""Ids in one statement."""


class Standing(NamedTuple):
    """How many current records are alike in what they are and who they are from."""

    type: str
    confidence: str
    trust: str
    source: str
    pinned: bool
    number: int


class Ended(NamedTuple):
    """A version that ended, and what took its place, if anything did."""

    id: str
    superseded_at: str
    superseded_by: str | None


def standings(db: Db, project_ids: Sequence[str]) -> list[Standing]:
    """Count current records by everything that says how far to rely on them."""
    rows = db.execute(
        f"""
          SELECT r.type, r.confidence, COALESCE(p.trust, 'developer') AS trust,
                 r.source, r.pinned, count(*) AS number
            FROM {FROM}
           WHERE r.project_id IN ({_marks(project_ids)}) AND r.superseded_at IS NULL
        GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
        """,
        tuple(project_ids),
    )
    found = [Standing(*row) for row in rows]
    return [one._replace(pinned=bool(one.pinned)) for one in found]


def newest_records(
    db: Db, project_ids: Sequence[str], record_type: str, *, most: int
) -> list[Record]:
    """List the current records of a type: pinned ones first, then the newest."""
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id IN ({_marks(project_ids)})
             AND r.superseded_at IS NULL AND r.type = ?
        ORDER BY r.pinned DESC, r.recorded_at DESC, r.id DESC LIMIT ?
        """,
        (*project_ids, record_type, most),
    )
    return [record_of(row) for row in rows]


def ended_versions(db: Db, project_ids: Sequence[str]) -> list[Ended]:
    """List every version that ended, the latest to end first; their words are not."""
    rows = db.execute(
        f"""
          SELECT id, superseded_at, superseded_by FROM records
           WHERE project_id IN ({_marks(project_ids)}) AND superseded_at IS NOT NULL
        ORDER BY superseded_at DESC, id DESC
        """,
        tuple(project_ids),
    )
    return [Ended(*row) for row in rows]


def files_of_each(db: Db, record_ids: Sequence[str]) -> dict[str, list[str]]:
    """Give the files of many records, sorted, by the record's id."""
    found: dict[str, list[str]] = {}
    for some in _portions(record_ids):
        rows = db.execute(
            f"""
              SELECT e.record_id, n.name
                FROM record_entities e JOIN nodes n ON n.id = e.entity_id
               WHERE n.kind = 'file' AND e.record_id IN ({_marks(some)})
            ORDER BY e.record_id, n.name
            """,
            tuple(some),
        )
        for row in rows:
            found.setdefault(row["record_id"], []).append(row["name"])
    return found


def busiest_files(db: Db, project_ids: Sequence[str]) -> list[tuple[str, int]]:
    """List the files that current records are about, those of most records first."""
    rows = db.execute(
        f"""
          SELECT n.name, count(*) AS number
            FROM records r JOIN record_entities e ON e.record_id = r.id
            JOIN nodes n ON n.id = e.entity_id AND n.kind = 'file'
           WHERE r.project_id IN ({_marks(project_ids)}) AND r.superseded_at IS NULL
        GROUP BY n.name ORDER BY number DESC, n.name
        """,
        tuple(project_ids),
    )
    return [(row[0], row[1]) for row in rows]


def records_of_sessions(db: Db, project_ids: Sequence[str]) -> dict[str, int]:
    """Count the current records of each session that left any."""
    rows = db.execute(
        f"""
          SELECT session_id, count(*) FROM records
           WHERE project_id IN ({_marks(project_ids)}) AND superseded_at IS NULL
             AND session_id IS NOT NULL
        GROUP BY session_id
        """,
        tuple(project_ids),
    )
    return {row[0]: row[1] for row in rows}


def whole_records(db: Db, record_ids: Sequence[str]) -> dict[str, Record]:
    """Give many records by their ids; an id that there is not is left out."""
    found: dict[str, Record] = {}
    for some in _portions(record_ids):
        rows = db.execute(
            f"SELECT {COLUMNS} FROM {FROM} WHERE r.id IN ({_marks(some)})", tuple(some)
        )
        found.update((row["id"], record_of(row)) for row in rows)
    return found


def _marks(values: Iterable[str]) -> str:
    return ", ".join("?" for _ in values)


def _portions(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _MOST_MARKS):
        yield values[start : start + _MOST_MARKS]
