"""How branches stand by git's own files: what has moved since they were looked at.

Nothing here starts git: a session that begins looks, too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from agentctx.branches import main_of
from agentctx.config import read_config
from agentctx.records.staged import branches_of
from agentctx.references import is_readable, tips_of
from agentctx.repository import Repository, find_repository, repository_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.project import Project
    from agentctx.records.staged import Branch
    from agentctx.records.store import Store


class Look(NamedTuple):
    """Where the branches of a project are looked at; no repository, nothing to see."""

    repository: Repository | None = None
    main: str | None = None
    mains: tuple[str, ...] = ()


def look_at(root: str, *, home: str, environ: Mapping[str, str]) -> Look:
    """Find the repository of a project, and the commits of its main line."""
    found = find_repository(os.path.realpath(root))
    if not isinstance(found, Repository):
        return Look()
    if not is_readable(repository_settings(found)):
        return Look()
    main = main_of(found, read_config(home), environ)
    mains = () if main is None else tips_of(found, main)
    return Look(found, main, mains)


def have_moved(store: Store, project: Project, environ: Mapping[str, str]) -> bool:
    """Say whether something is news since branches were looked at."""
    look = look_at(str(project.main_root), home=store.home, environ=environ)
    return any(
        seen_now(branch, look)[2] not in {branch.seen, ""}
        for branch in branches_of(store.db, project.project_id)
    )


def seen_now(branch: Branch, look: Look) -> tuple[str, tuple[str, ...], str]:
    """Give what a branch is called now, the commits it is at, and what was looked at.

    No reference by that name, and none that it was renamed to: it is gone.
    """
    repository, name = look.repository, branch.name
    if repository is None or not look.mains:
        return name, (), ""
    tips = tips_of(repository, name)
    later = None
    if not tips:
        from agentctx.team.reflogs import renamed_to  # noqa: PLC0415 - seldom gone

        later = renamed_to(repository, name)
    if later is not None:
        moved = tips_of(repository, later)
        name, tips = (later, moved) if moved else (name, ())
    return name, tips, " ".join((name, *tips, "of", *look.mains))
