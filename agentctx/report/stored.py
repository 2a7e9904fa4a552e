"""Everything that the store of records says of one project, for its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.model import GLOBAL
from agentctx.records.tombstones import count_forgotten
from agentctx.report.contradictions import differences
from agentctx.report.known import known
from agentctx.report.usage import usage
from agentctx.report.values import Stored
from corpus.sqlite import reading

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from agentctx.project import Project
    from agentctx.records.store import Store


def stored(
    store: Store,
    project: Project,
    environ: Mapping[str, str],
    *,
    everywhere: bool,
    most: int,
    now: datetime,
) -> Stored:
    """Gather it, with at most `most` of each kind; all of it is of one moment.

    `everywhere` adds the records that hold for every project of the user.
    """
    own = project.project_id
    project_ids = (own, GLOBAL) if everywhere else (own,)
    db = store.db
    with reading(db):
        return Stored(
            known=known(db, project_ids, most=most),
            usage=usage(db, own, project_ids, most=most, now=now),
            differences=differences(
                store, project, environ, project_ids=project_ids, most=most
            ),
            forgotten=count_forgotten(db, project_ids),
        )
