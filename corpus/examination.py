"""Examine a project as it lies on disk: sources, index, stages, and files handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.confined.reader import open_root
from corpus.doctor import diagnose
from corpus.index.store import index_name
from corpus.soundness import check_index, orphan_stages
from corpus.view import open_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from corpus.doctor import Report
    from corpus.userdirs import UserDirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is to be examined: a project, its index, and files made from it.

    `bundle` may lie anywhere the user can read; `candidate` lies inside the project.
    """

    root: Path
    index: Path | str | None = None
    bundle: str | None = None
    candidate: str | None = None


def examine(
    what: Examined,
    *,
    dirs: UserDirs,
    random: Callable[[int], bytes],
    now: datetime,
) -> Report:
    """Diagnose a project and the files named; `now` is UTC.

    Raises what keeps every `context` command from working: the errors of the policy,
    the state files and the limits, and those of an input that is no JSON file.
    """
    name = index_name(what.root, what.index)
    project = open_project(what.root, dirs=dirs)
    with open_root(what.root) as opened:
        state = check_index(opened, project, name, dirs=dirs, random=random)
        known = [*state.findings, *orphan_stages(opened, now=now.timestamp())]
    return diagnose(project, state.rows, known)
