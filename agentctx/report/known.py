"""The records of a project, as a report shows them: what holds and how it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import GLOBAL, TYPES
from agentctx.records.overview import (
    busiest_files,
    ended_versions,
    files_of_each,
    newest_records,
    standings,
    whole_records,
)
from agentctx.report.values import Change, Known, Some

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.records.model import Record
    from agentctx.records.overview import Ended
    from corpus.sqlite import Db

MOST_VERSIONS = 20
"""Versions of one fact that are shown."""

_LONGEST_CHAIN = 10_000


def known(db: Db, project_ids: Sequence[str], *, most: int) -> Known:
    """Gather the records of some namespaces, at most `most` of each kind."""
    counts = standings(db, project_ids)
    by_type = {
        name: Some(
            tuple(newest_records(db, project_ids, name, most=most)),
            sum(one.number for one in counts if one.type == name),
        )
        for name in TYPES
    }
    shown = [record.id for some in by_type.values() for record in some.shown]
    files = busiest_files(db, project_ids)
    other = () if GLOBAL in project_ids else standings(db, (GLOBAL,))
    return Known(
        standings=tuple(counts),
        by_type={name: some for name, some in by_type.items() if some.total},
        files_of={one: tuple(some) for one, some in files_of_each(db, shown).items()},
        files=Some(tuple(files[:most]), len(files)),
        changes=_changes(db, project_ids, most=most),
        elsewhere=sum(one.number for one in other),
    )


def _changes(db: Db, project_ids: Sequence[str], *, most: int) -> Some[Change]:
    """Group what ended by what came of it, the latest change first."""
    ended = ended_versions(db, project_ids)
    groups: dict[str, list[str]] = {}
    heads = _heads(ended)
    for one in ended:
        groups.setdefault(heads[one.id], []).append(one.id)
    chosen = list(groups.items())[:most]
    wanted = [
        record_id
        for head, past in chosen
        for record_id in dict.fromkeys((head, *past[:MOST_VERSIONS]))
    ]
    records = whole_records(db, wanted)
    own = set(project_ids)
    changes = []
    for head, past in chosen:
        ids = dict.fromkeys((head, *past))
        found = [records[one] for one in ids if one in records]
        versions = _newest_first(one for one in found if one.project_id in own)
        total = len(ids) - (len(found) - len(versions))
        shown = versions[:MOST_VERSIONS]
        is_over = not any(one.current for one in versions)
        changes.append(Change(Some(shown, total), ended=is_over))
    return Some(tuple(changes), len(groups))


def _heads(ended: Sequence[Ended]) -> dict[str, str]:
    """Give for each version that ended the last of those that followed it."""
    after = {one.id: one.superseded_by for one in ended}
    heads: dict[str, str] = {}
    for one in ended:
        path: list[str] = []
        here, seen = one.id, {one.id}
        while here not in heads and len(path) < _LONGEST_CHAIN:
            path.append(here)
            later = after.get(here)
            if later is None or later in seen:  # the last, or a ring that SQL made
                break
            seen.add(later)
            here = later
        head = heads.get(here, here)
        heads.update(dict.fromkeys(path, head))
    return heads


def _newest_first(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(
        sorted(records, key=lambda one: (one.recorded_at, one.id), reverse=True)
    )
