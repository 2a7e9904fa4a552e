"""Put the records in order after they changed: nothing here asks a model (A6.7).

Scores and drift are made anew, near-duplicates and what nobody used are proposed to a
person, what was only observed long ago goes into the past, and the digests of changed
projects are made. A project in which nothing changed costs next to nothing.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.briefing.budget import shortened
from agentctx.briefing.digest import FOLDER, is_behind, read_digest
from agentctx.briefing.making import Facts, refresh_digest
from agentctx.briefing.state import FOLDER as STATES
from agentctx.extraction.likeness import nearest
from agentctx.failures import note_failure
from agentctx.project import resolve_project
from agentctx.records.model import GLOBAL
from agentctx.records.namespaces import known_places, note_namespace
from agentctx.records.preferences import refresh_preferences
from agentctx.records.proposals import MERGE, PRUNE, propose
from agentctx.records.search import Filters, search_records
from agentctx.records.terms import index_missing
from agentctx.records.tidying import (
    changed_since,
    known_projects,
    mark_tidied,
    rescore,
    retire_unused,
    tidied_until,
    unused_guesses,
)
from agentctx.team.arriving import has_news, take_news
from agentctx.team.settling import settle_branches
from corpus.errors import CodedError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.store import Store

ARCHIVED_AFTER = timedelta(days=90)
PRUNED_AFTER = timedelta(days=180)
STATES_KEPT = timedelta(days=30)

MOST_COMPARED = 500
"""Changed records that one run compares with others; the rest waits for the next."""

_MOST_ALIKE = 4
_QUERY = 400


class Consolidated(NamedTuple):
    """What was done: projects looked at, proposals made, records put into the past.

    `joined` are the records that came to the main line with their branches.
    """

    projects: tuple[str, ...] = ()
    merges: int = 0
    prunes: int = 0
    archived: int = 0
    rescored: int = 0
    digests: int = 0
    joined: int = 0

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {**self._asdict(), "projects": list(self.projects)}


def consolidate(
    store: Store, folders: Iterable[str] = (), *, environ: Mapping[str, str]
) -> Consolidated:
    """Put every changed project in order, and those of some folders in any case."""
    _take_arrivals(store, environ)
    joined = settle_branches(store, environ).joined
    with store_failures(), store.writing() as tx:
        index_missing(tx)
        rescored = rescore(tx)
    merges = _propose_merges(store)
    archived, prunes = _age(store)
    projects = _due(store, folders, environ)
    digests = 0
    for project in projects:
        digests += _renew(store, project, environ)
    refresh_preferences(store)
    _sweep(store)
    names = tuple(project.name for project in projects)
    return Consolidated(names, merges, prunes, archived, rescored, digests, joined)


def remake_derived(store: Store, *, environ: Mapping[str, str]) -> int:
    """Make scores, drift and every digest anew; give how many digests were made.

    No record is added or ended. A project whose folder is gone has no session to begin.
    """
    with store_failures(), store.writing() as tx:
        rescore(tx)
    made = 0
    for project_id, root in known_places(store.db).items():
        project = _project_at(project_id, root, environ)
        if project is not None:
            made += _made_digest(store, project, environ)
    refresh_preferences(store)
    return made


def _take_arrivals(store: Store, environ: Mapping[str, str]) -> None:
    """Take in what teammates committed, as far as that needs no person (A8.2).

    A file that cannot be used is told, and stops nothing.
    """
    for project_id, root in known_places(store.db).items():
        if not has_news(store, root, project_id):
            continue
        project = _project_at(project_id, root, environ)
        if project is None:
            continue
        try:
            take_news(store, project)
        except CodedError as error:
            note_failure(store.home, "team", error.code, now=store.clock())


def _propose_merges(store: Store) -> int:
    """Propose to merge what changed with what states the same."""
    since = tidied_until(store.db)
    changed = changed_since(store.db, since, limit=MOST_COMPARED)
    made = 0
    for record in changed:
        other = _alike(store, record)
        if other is not None:
            with store_failures(), store.writing() as tx:
                pair = (record.id, other.id)
                made += propose(store, tx, record.project_id, MERGE, pair)
    if changed:
        with store_failures(), store.writing() as tx:
            mark_tidied(tx, changed[-1].rowid)
    return made


def _alike(store: Store, record: Record) -> Record | None:
    if record.type in {"handover", "profile"}:
        return None
    answer = search_records(
        store,
        record.project_id,
        shortened(f"{record.title}\n{record.body}", characters=_QUERY),
        filters=Filters(type=record.type),
        limit=_MOST_ALIKE,
    )
    others = [
        one.record
        for one in answer.results
        if one.record.id != record.id and one.record.project_id == record.project_id
    ]
    return nearest(record.title, others) or nearest(
        f"{record.title}\n{record.body}", others
    )


def _age(store: Store) -> tuple[int, int]:
    """Put what was only observed, long ago, into the past; propose other guesses."""
    now = store.clock()
    with store_failures(), store.writing() as tx:
        archived = retire_unused(tx, before=now - ARCHIVED_AFTER, now=now)
        made = 0
        for project_id, record_id in unused_guesses(tx, before=now - PRUNED_AFTER):
            made += propose(store, tx, project_id, PRUNE, (record_id, None))
    return archived, made


def _due(
    store: Store, folders: Iterable[str], environ: Mapping[str, str]
) -> list[Project]:
    """Give the projects of some folders, and those whose digest is behind."""
    found: dict[str, Project] = {}
    for folder in folders:
        if os.path.isdir(folder):  # noqa: PTH112 - any text
            project = resolve_project(Path(folder), environ=environ)
            found.setdefault(project.project_id, project)
    for project_id, root in known_places(store.db).items():
        if project_id in found:
            continue
        digest = read_digest(store.home, project_id)
        if digest is None or is_behind(store, digest):
            known = _project_at(project_id, root, environ)
            if known is not None:
                found[project_id] = known
    return list(found.values())


def _project_at(
    project_id: str, root: str, environ: Mapping[str, str]
) -> Project | None:
    """Give the project at a place, if there is still that one."""
    if not os.path.isdir(root):  # noqa: PTH112 - any text
        return None
    project = resolve_project(Path(root), environ=environ)
    return project if project.project_id == project_id else None


def _renew(store: Store, project: Project, environ: Mapping[str, str]) -> int:
    """Let profile, drift and digest of a project follow its files and records."""
    from agentctx.profile.detect import (  # noqa: PLC0415 - where something changed
        detect_profile,
    )
    from agentctx.records.profile import refresh_profile  # noqa: PLC0415 - the same

    profile = detect_profile(project.root)
    refresh_profile(
        store, project.project_id, profile.facts, complete=not profile.problems
    )
    note_namespace(
        store, project.project_id, name=project.name, root=str(project.main_root)
    )
    return int(_made_digest(store, project, environ))


def _made_digest(store: Store, project: Project, environ: Mapping[str, str]) -> bool:
    """Compare a project with its instructions, and make its digest."""
    from agentctx.drift.report import scan  # noqa: PLC0415 - where something changed
    from agentctx.drift.scores import note_drift  # noqa: PLC0415 - the same

    main = resolve_project(project.main_root, environ=environ)
    one = main if main.project_id == project.project_id else project
    report = scan(store, one, environ)  # every working tree is told the same
    drift = note_drift(store, project.project_id, report)
    read = [file for file in report.loaded.files if file.family != "agents"]
    if not read:  # whoever keeps no instructions misses none
        drift = 0
    return refresh_digest(store, Facts(project, drift=drift))


def _sweep(store: Store) -> None:
    """Remove what was kept of sessions that are long over, and digests of nobody."""
    oldest = (store.clock() - STATES_KEPT).timestamp()
    for entry in _entries(f"{store.home}/{STATES}"):
        _remove(entry, oldest)
    known = known_projects(store.db)
    for entry in _entries(f"{store.home}/{FOLDER}"):
        name, ending = os.path.splitext(entry.name)  # noqa: PTH122 - any text
        if ending != ".json":  # what a process left that died while it wrote
            _remove(entry, oldest)
        elif name not in known and name != GLOBAL:
            _remove(entry, math.inf)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _remove(entry: os.DirEntry[str], oldest: float) -> None:
    with suppress(OSError):
        if entry.stat(follow_symlinks=False).st_mtime < oldest:
            os.unlink(entry.path)  # noqa: PTH108 - any text
