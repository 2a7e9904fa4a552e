"""Finding records by id, by namespace and by time; a project sees its own (A2.5, A2.7).

Reads see a project's namespace and `_global`, nothing else.
"""

from __future__ import annotations

from agentctx.errors import IdAmbiguousError, IdError, RecordNotFoundError
from agentctx.ids import ID_LENGTH, id_part
from agentctx.records.model import COLUMNS, FROM, GLOBAL, record_of
from corpus.values import TYPE_CHECKING, NamedTuple
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.ids import RecordId
    from agentctx.records.model import Record
    from corpus.sqlite import Db

_MOST_NAMED, _TITLE = 5, 60
_LONGEST_CHAIN = 10_000


class Moment(NamedTuple):
    """What a question is about in time; both None is the present.

    `as_of` is when it was believed (recorded time), `valid_at` when it was true.
    """

    as_of: str | None = None
    valid_at: str | None = None

    @property
    def is_present(self) -> bool:
        """Whether only what is current now is meant."""
        return self.as_of is None and self.valid_at is None


PRESENT = Moment()


def find_record(db: Db, project_id: str, text: str, *, field: str = "id") -> Record:
    """Find one record by its id, or by the beginning or the end of it.

    Raises `IdError`, `IdAmbiguousError`, and `RecordNotFoundError` for an id of
    another project as for one that there is not.
    """
    part = id_part(text)
    if part is None:
        raise IdError(field=field, found=text[:40])
    whole = "r.id = :part"
    abbreviated = (
        "(r.id BETWEEN :part AND :part || '~' OR substr(r.id, :start) = :part)"
    )
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE {whole if len(part) == ID_LENGTH else abbreviated}
             AND (r.project_id IN (:project_id, :everywhere)
                  OR r.project_id IN (SELECT staging_id FROM branches
                                       WHERE project_id = :project_id))
        ORDER BY r.id
        """,
        {
            "part": part,
            "start": -len(part),
            "project_id": project_id,
            "everywhere": GLOBAL,
        },
    )
    found = [record_of(row) for row in rows]
    if not found:
        raise RecordNotFoundError(record_id=part)
    if len(found) > 1:
        raise _ambiguous(part, found)
    return found[0]


def _ambiguous(part: str, found: Sequence[Record]) -> IdAmbiguousError:
    """Name what was found with its titles, so that one can be chosen."""
    shown = found[-_MOST_NAMED:]
    named = [f"{one.id} ({visible(one.title[:_TITLE])})" for one in reversed(shown)]
    more = ["…"] if len(found) > len(shown) else []
    return IdAmbiguousError(
        found=part,
        count=len(found),
        records=", ".join([*named, *more]),
        ids=tuple(one.id for one in reversed(shown)),
    )


def records_by_id(db: Db, project_id: str, ids: Sequence[str]) -> dict[str, Record]:
    """Give the records with these whole ids that the project may see, on any branch."""
    marks = ", ".join("?" * len(ids))
    rows = db.execute(
        f"""
        SELECT {COLUMNS} FROM {FROM}
         WHERE r.id IN ({marks})
           AND (r.project_id IN (?, ?)
                OR r.project_id IN (SELECT staging_id FROM branches
                                     WHERE project_id = ?))
        """,
        (*ids, project_id, GLOBAL, project_id),
    )
    return {row["id"]: record_of(row) for row in rows}


def current_records(
    db: Db, project_id: str, *, record_type: str | None = None
) -> list[Record]:
    """List a namespace's current records, the newest last."""
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id = ? AND r.superseded_at IS NULL
             AND (? IS NULL OR r.type = ?)
        ORDER BY r.recorded_at, r.id
        """,
        (project_id, record_type, record_type),
    )
    return [record_of(row) for row in rows]


def all_records(db: Db, project_ids: Iterable[str]) -> list[Record]:
    """List every record of some namespaces, past and present, the oldest first."""
    wanted = tuple(project_ids)
    marks = ", ".join("?" * len(wanted))
    rows = db.execute(
        f"""
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.project_id IN ({marks})
        ORDER BY r.recorded_at, r.id
        """,
        wanted,
    )
    return [record_of(row) for row in rows]


def head_of(db: Db, record: Record) -> Record:
    """Follow a record's successors to the one that is current, or to the last.

    A row that points into another project's namespace is the last.
    """
    seen, visible_in = {record.id}, {record.project_id, GLOBAL}
    while record.superseded_by is not None and record.superseded_by not in seen:
        seen.add(record.superseded_by)
        found = by_id(db, record.superseded_by)
        if found is None or found.project_id not in visible_in:
            break
        record = found
    return record


def history_of(db: Db, record: Record) -> list[Record]:
    """Give every version of a fact, the oldest first, whichever version is given."""
    rows = db.execute(
        f"""
        WITH RECURSIVE chain(id) AS (
          SELECT ?
           UNION
          SELECT r.id FROM records r JOIN chain c ON r.superseded_by = c.id
           WHERE r.project_id IN (?, ?)
        )
          SELECT {COLUMNS} FROM {FROM}
           WHERE r.id IN (SELECT id FROM chain)
        ORDER BY r.recorded_at, r.id
           LIMIT {_LONGEST_CHAIN}
        """,
        (head_of(db, record).id, record.project_id, GLOBAL),
    )
    return [record_of(row) for row in rows]


def by_id(db: Db, record_id: str) -> Record | None:
    """Give the record with a whole id, of whatever namespace, or None."""
    query = f"SELECT {COLUMNS} FROM {FROM} WHERE r.id = ?"
    row = db.execute(query, (record_id,)).fetchone()
    return None if row is None else record_of(row)


def holds_at(db: Db, records: Iterable[Record], moment: Moment) -> list[Record]:
    """Keep the records that answer for a moment, in the order given.

    As of a date: recorded by then, and not superseded until after it. Valid at a date:
    true by then, with no successor that was true by then; with both, only what was
    recorded by the first counts as a successor.
    """
    if moment.is_present:
        return [record for record in records if record.current]
    return [record for record in records if _holds(db, record, moment)]


def _holds(db: Db, record: Record, moment: Moment) -> bool:
    as_of, valid_at = moment
    if as_of is not None and record.recorded_at > as_of:
        return False
    if valid_at is None:
        assert as_of is not None
        return record.superseded_at is None or record.superseded_at > as_of
    if record.valid_from > valid_at or _retired(record, moment):
        return False
    return not any(
        later.valid_from <= valid_at for later in _successors(db, record, as_of)
    )


def _retired(record: Record, moment: Moment) -> bool:
    """Say whether a fact had ended by then without another taking its place."""
    as_of, valid_at = moment
    ended = record.superseded_at
    if ended is None or record.superseded_by is not None or valid_at is None:
        return False
    return ended <= valid_at and (as_of is None or ended <= as_of)


def _successors(db: Db, record: Record, as_of: str | None) -> list[Record]:
    """Give what replaced a record, one after another, as far as was known then."""
    found: list[Record] = []
    seen = {record.id}
    here: RecordId | None = record.superseded_by
    while here is not None and here not in seen:
        seen.add(here)
        later = by_id(db, here)
        if later is None or (as_of is not None and later.recorded_at > as_of):
            break
        found.append(later)
        here = later.superseded_by
    return found
