"""The records of a project as sources of its corpus, `agentctx:records/<ULID>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.providers.stores import records_of, shown
from agentctx.records.model import GLOBAL
from agentctx.records.read import records_by_id
from agentctx.records.search import Filters, search_records, superseded_records
from agentctx.records.staged import staging_of
from agentctx.records.twins import twin_of
from corpus.canonical import digest
from corpus.sources.provided import RECORDS, Provided

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.records.model import Record
    from corpus.canonical import Json
    from corpus.sources.provided import Place, Question

PREFIX = "agentctx:records/"


class RecordProvider:
    """Gives current records, and superseded ones to a question about the past."""

    capability = RECORDS
    prefix = PREFIX

    def find(self, question: Question) -> Iterable[Provided]:
        """Give what may answer a question, the best first."""
        place, query, history, limit = question
        filters = Filters(scope=None if place.everywhere else "own")
        with records_of(place.root) as opened:
            if opened is None:
                return []
            store, project = opened
            project_id = project.project_id
            staging = staging_of(store.db, project_id, project.branch)
            if staging is not None:
                filters = filters._replace(staging=(staging,))
            answer = search_records(
                store, project_id, query, filters=filters, limit=limit
            )
            found = [one.record for one in answer.results]
            if history:
                past = superseded_records(store, project_id, query, filters=filters)
                found = [*found[: limit // 2], *past[: limit // 2]]
        return [source_of(record) for record in found]

    def named(self, place: Place, paths: Sequence[str]) -> Iterable[Provided]:
        """Give those of some records that the project has, superseded or not."""
        ids = [path.removeprefix(PREFIX) for path in paths]
        with records_of(place.root) as opened:
            if opened is None:
                return []
            store, project = opened
            project_id = project.project_id
            staging = staging_of(store.db, project_id, project.branch)
            found = records_by_id(store.db, project_id, ids).values()
        own = {project_id, staging, *((GLOBAL,) if place.everywhere else ())}
        return [source_of(one) for one in found if one.project_id in own]


PROVIDER = RecordProvider()
"""What the package registers."""


def source_of(record: Record) -> Provided:
    """Give a record as a source; its hash stands for the fields of the contract."""
    successor = record.superseded_by
    twin = twin_of(record)
    return Provided(
        path=f"{PREFIX}{record.id}",
        kind="record",
        sha256=digest(hashed_fields(record)),
        title=_titled(record),
        text=shown(record.body),
        confidence=record.confidence,
        valid_from=record.valid_from,
        recorded_at=record.recorded_at,
        superseded=not record.current,
        superseded_by=None if successor is None else f"{PREFIX}{successor}",
        everywhere=record.project_id == GLOBAL,
        fact="" if twin is None else twin.logical_id,
    )


def _titled(record: Record) -> str:
    """Give the title; what waits on a branch says so."""
    title = shown(record.title)
    return title if record.branch is None else f"{title} (on branch {record.branch})"


def hashed_fields(record: Record) -> dict[str, Json]:
    """Give what the hash of a record is taken of (P16.1)."""
    return {
        "id": record.id,
        "type": record.type,
        "title": record.title,
        "body": record.body,
        "scope": record.scope,
        "confidence": record.confidence,
        "pinned": record.pinned,
        "valid_from": record.valid_from,
        "recorded_at": record.recorded_at,
        "superseded_at": record.superseded_at,
        "superseded_by": record.superseded_by,
        "source": record.source,
    }
