"""How commands find the project they are in and open the user's store.

Only a command that writes makes a store: where there is none, one that reads is given
an empty one in memory. After a change the page of preferences is made anew.
"""

from __future__ import annotations

import os.path
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.briefing.digest import read_digest
from agentctx.briefing.making import Facts, refresh_digest
from agentctx.config import Problem, environment, home
from agentctx.errors import FileOutsideError, HomeError
from agentctx.project import resolve_project
from agentctx.records.graph import repo_path
from agentctx.records.namespaces import note_namespace
from agentctx.records.preferences import refresh_preferences
from agentctx.records.schema import LAYOUT
from agentctx.records.store import Store, open_store
from corpus.cli.render import visible
from corpus.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreForeignError,
    StoreTooNewError,
    StoreUnusableError,
    UsageError,
)
from corpus.sqlite import new_image, store_failures, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.project import Project
    from corpus.cli.call import Call
    from corpus.errors import CodedError

STORE_ERRORS = (
    HomeError,
    StoreForeignError,
    StoreTooNewError,
    StoreCorruptError,
    StoreBusyError,
    StoreUnusableError,
)
"""What can be wrong with the store itself; a command that lists answers degraded."""


_LONGEST_SHOWN = 80


class Opened(NamedTuple):
    """The open store and the project that a command runs in."""

    store: Store
    project: Project

    @property
    def project_id(self) -> str:
        """Give the namespace of the project's records."""
        return self.project.project_id


def this_project() -> Project:
    """Give the project of the working directory."""
    try:
        here = Path.cwd()
    except OSError:
        raise UsageError(problem="the working directory is gone") from None
    return resolve_project(here, environ=environment())


def project_at(folder: str | None) -> Project:
    """Give the project of a folder that a person names, else of the working directory.

    UsageError where there is no such folder.
    """
    if folder is None:
        return this_project()
    try:
        is_there = Path(folder).is_dir()
    except ValueError:  # a NUL in the path
        is_there = False
    if not folder or not is_there:
        raise UsageError(problem=f"`--project` names no folder: `{_shown(folder)}`")
    return resolve_project(Path(folder).absolute(), environ=environment())


@contextmanager
def open_for_writing(call: Call, *, create: bool = False) -> Iterator[Opened]:
    """Open the store to change it; only with `create` is one made.

    Without, and where there is none, it holds no record that could be changed. With
    it, a project that no session could be told of yet gets its digest at once.
    """
    project = this_project()
    with _store(call, create=create) as store:
        before = store.version
        yield Opened(store, project)
        if store.version != before:  # never in memory: it had nothing to change
            note_namespace(
                store,
                project.project_id,
                name=project.name,
                root=str(project.main_root),
            )
            refresh_preferences(store)  # `status` tells where it could not
        is_new = create and read_digest(store.home, project.project_id) is None
        if is_new or store.version != before:
            refresh_digest(store, Facts(project))


@contextmanager
def open_for_reading(call: Call, project: Project | None = None) -> Iterator[Opened]:
    """Open the store to read it, here or for a project that is named.

    Nothing is made where there is none.
    """
    if project is None:
        project = this_project()
    with _store(call, create=False) as store, store_failures():
        yield Opened(store, project)


def problem_of(error: CodedError) -> Problem:
    """Give an error as something that a degraded answer tells."""
    return Problem(error.code, str(error), error.hint)


def project_files(project: Project, paths: list[str] | None) -> tuple[str, ...]:
    """Give the paths a person named as the project names them.

    Raises `FileOutsideError` for a path outside the project.
    """
    return tuple(_project_file(project, path) for path in paths or ())


def _project_file(project: Project, path: str) -> str:
    name = None
    if "\x00" not in path:
        whole = os.path.join(os.path.realpath("."), path)  # noqa: PTH118 - any text
        below = os.path.relpath(os.path.normpath(whole), project.root)
        name = repo_path(below)
    if name is None:
        raise FileOutsideError(found=f"`{_shown(path)}`", size=len(path))
    return name


def missing_files(project: Project, names: Iterable[str]) -> tuple[str, ...]:
    """Give those of a project's files that are not in its working tree."""
    return tuple(
        name
        for name in names
        if not os.path.lexists(os.path.join(project.root, name))  # noqa: PTH118 - any text
    )


def _shown(path: str) -> str:
    """Show a path that was refused: what can be seen of it, and not too much."""
    text = visible(path)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _store(call: Call, *, create: bool) -> Store:
    try:
        return open_store(home(), clock=call.clock, random=call.random, create=create)
    except FileNotFoundError:
        if not create:
            return _empty(call)
        raise HomeError(reason="it disappeared while the store was made") from None
    except OSError:
        raise HomeError(reason="the system does not let us open the store") from None


def _empty(call: Call) -> Store:
    db = new_image(())
    db.row_factory = sqlite3.Row
    with transaction(db) as tx:
        for migration in LAYOUT.migrations:
            migration(tx)
    return Store(db, home=home(), clock=call.clock, random=call.random)
