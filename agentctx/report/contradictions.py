"""What contradicts a project's records, as a report shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from agentctx.drift.report import scan
from agentctx.records.overview import whole_records
from agentctx.records.proposals import open_proposals
from agentctx.report.values import Differences, Some

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentctx.project import Project
    from agentctx.records.store import Store

    One = TypeVar("One")


def differences(
    store: Store,
    project: Project,
    environ: Mapping[str, str],
    *,
    project_ids: Sequence[str],
    most: int,
) -> Differences:
    """Compare the records of some namespaces with what the clients here load.

    What is about a record of another namespace, or about instructions of the user's
    own where only the project is asked for, is left out.
    """
    report = scan(store, project, environ, directory=project.root)
    proposals = open_proposals(store.db, project.project_id)
    named = [
        *(one.record_id for one in report.contradicted),
        *(one.superseded_id for one in report.contradicted),
        *(one.record_id for one in report.missing),
        *(one.record_id for one in proposals),
        *(one.other_id for one in proposals if one.other_id),
    ]
    records = whole_records(store.db, tuple(dict.fromkeys(named)))
    own = {one for one, record in records.items() if record.project_id in project_ids}
    files = {
        one.shown
        for one in report.loaded.files
        if len(project_ids) > 1 or one.owner != "user"
    }
    loaded = {one.shown for one in report.loaded.files}

    def is_shown(file: str) -> bool:
        return file in files or file not in loaded

    return Differences(
        files=len(files),
        contradicted=_some(
            (
                one
                for one in report.contradicted
                if {one.record_id, one.superseded_id} <= own and is_shown(one.file)
            ),
            most,
        ),
        missing=_some((one for one in report.missing if one.record_id in own), most),
        findings=_some((one for one in report.findings if is_shown(one.path)), most),
        proposals=_some(
            (
                one
                for one in proposals
                if {one.record_id, one.other_id or one.record_id} <= own
            ),
            most,
        ),
    )


def _some(values: Iterable[One], most: int) -> Some[One]:
    found = tuple(values)
    return Some(found[:most], len(found))
