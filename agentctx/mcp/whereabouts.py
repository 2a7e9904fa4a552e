"""Where a server stands, and which project its tools are about at a call (A5.3)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import ProjectGoneError
from agentctx.project import resolve_project
from corpus.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentctx.branches import Standing
    from agentctx.clock import Clock
    from agentctx.project import Project

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
LONGEST_SESSION = 200


class Place(NamedTuple):
    """Where a server stands: the user's folder, its environment, the world outside."""

    home: str
    environ: Mapping[str, str]
    clock: Clock
    random: Callable[[int], bytes]


class Whereabouts:
    """A server's place, and the folder that its client has open."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.client_root: Path | None = None

    @property
    def named_root(self) -> Path | None:
        """The folder that the environment names as the project, if it names one."""
        named = self.place.environ.get(PROJECT_VARIABLE, "")
        return Path(named) if named else None

    def project(self) -> Project:
        """Resolve the project: the environment's, the client's, the folder we are in.

        Where the first two name the main working tree and we are in a linked one, that
        is the one meant. A folder that was named and is gone is `ProjectGoneError`: no
        other project answers for it. Raises `UsageError` without any folder at all.
        """
        named = self.named_root or self.client_root
        if named is not None and not os.path.isdir(named):  # noqa: PTH112 - any text
            raise ProjectGoneError
        try:
            here = Path.cwd()
        except OSError:
            if named is None:
                raise UsageError(problem="the working directory is gone") from None
            here = named
        project = resolve_project(named or here, environ=self.place.environ)
        if named in {None, here}:
            return project
        own = resolve_project(here, environ=self.place.environ)
        return own if own.project_id == project.project_id else project

    def standing(self, project: Project) -> Standing:
        """Say on which branch what an agent says now is staged, if on any."""
        from agentctx.branches import standing_at  # noqa: PLC0415 - where one writes

        place = self.place
        return standing_at(project.folder, home=place.home, environ=place.environ)


def can_be_session(named: str) -> bool:
    """Say whether a text can be the id of a session."""
    return 0 < len(named) <= LONGEST_SESSION and named.isprintable()


def signature(path: str) -> tuple[int, ...]:
    """Give what tells a file from another, and from itself once it is rewritten."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
