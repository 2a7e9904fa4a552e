"""What every tool call begins with: the project as it is now, and the open store.

The connection is kept between calls and given up as soon as the file is another one,
was written by others or fails. So a store that is damaged, locked, foreign or gone is
noticed at the next call, and so is its recovery (A5.3).
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.errors import HomeError
from agentctx.mcp.whereabouts import (
    SESSION_VARIABLE,
    Whereabouts,
    can_be_session,
    signature,
)
from agentctx.project import resolve_project
from agentctx.records.graph import repo_path
from agentctx.records.namespaces import note_namespace
from agentctx.records.preferences import refresh_preferences
from agentctx.records.store import open_store, prepare_home, store_path
from corpus.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreForeignError,
    StoreTooNewError,
    StoreUnusableError,
)
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.mcp.whereabouts import Place
    from agentctx.project import Project
    from agentctx.records.store import Store

STORE_ERRORS = (
    HomeError,
    StoreForeignError,
    StoreTooNewError,
    StoreCorruptError,
    StoreBusyError,
    StoreUnusableError,
)
"""What can be wrong with the store itself; answers are degraded then."""


class Desk(Whereabouts):
    """Where tools are called, one at a time."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self._store: Store | None = None
        self._seen: tuple[int, ...] = ()

    @property
    def session_id(self) -> str | None:
        """The session that the client names, where it can be kept."""
        named = self.place.environ.get(SESSION_VARIABLE, "")
        return named if can_be_session(named) else None

    def file_of(self, project: Project, path: str) -> str | None:
        """Give a path as the project names it; None when it is not inside.

        A path that is not absolute begins at the project's root. An absolute one may
        lie in any working tree of the project.
        """
        if "\x00" in path or not os.path.isabs(path):  # noqa: PTH117 - any text
            return repo_path(path)
        own = resolve_project(_nearest_folder(path), environ=self.place.environ)
        root = own.root if own.project_id == project.project_id else project.root
        below = os.path.relpath(os.path.realpath(path), root)
        return repo_path(below)

    @contextmanager
    def reading(self) -> Iterator[Store | None]:
        """Give the store to be read; None where there is none, and none is made.

        Raises the errors in `STORE_ERRORS`.
        """
        try:
            store = self._warm(create=False)
        except FileNotFoundError:
            store = None
        try:
            with store_failures():
                yield store
        except STORE_ERRORS:
            self.forget()
            raise

    @contextmanager
    def writing(self, project: Project) -> Iterator[Store]:
        """Give the store to be changed, made where there is none.

        After a change the namespace is noted and the page of preferences made anew.
        Raises the errors in `STORE_ERRORS`.
        """
        try:
            store = self._warm(create=True)
        except FileNotFoundError:
            raise HomeError(reason="it disappeared while the store was made") from None
        try:
            with store_failures():
                before = store.version
                yield store
                changed = store.version != before
        except STORE_ERRORS:
            self.forget()
            raise
        if changed:
            with suppress(*STORE_ERRORS), store_failures():  # the change itself stands
                note_namespace(
                    store,
                    project.project_id,
                    name=project.name,
                    root=str(project.main_root),
                )
                refresh_preferences(store)
                _refresh_digest(store, project)

    def forget(self) -> None:
        """Let the connection go; the next call opens the store anew."""
        store, self._store = self._store, None
        if store is not None:
            with suppress(*STORE_ERRORS), store_failures():
                store.close()

    def _warm(self, *, create: bool) -> Store:
        """Give the open store, which is the file that lies there now."""
        place = self.place
        try:
            prepare_home(place.home, create=create)
            path = store_path(place.home)
            if self._store is not None and signature(path) == self._seen:
                return self._store
            self.forget()  # its end may write, so the file is looked at after it
            seen = signature(path)
            self._store = open_store(
                place.home, clock=place.clock, random=place.random, create=create
            )
            self._seen = seen or signature(path)
        except STORE_ERRORS:
            self.forget()
            raise
        except FileNotFoundError:
            self.forget()
            raise
        except OSError:
            self.forget()
            reason = "the system does not let us open the store"
            raise HomeError(reason=reason) from None
        return self._store


def _refresh_digest(store: Store, project: Project) -> None:
    """Let the next session begin with what was changed just now."""
    from agentctx.briefing.making import (  # noqa: PLC0415 - after the start
        Facts,
        refresh_digest,
    )

    refresh_digest(store, Facts(project))


def _nearest_folder(path: str) -> Path:
    """Give the folder of a file, or the nearest above it that there is."""
    folder = os.path.dirname(path)  # noqa: PTH120 - these answer for any text
    while not os.path.isdir(folder):  # noqa: PTH112
        folder = os.path.dirname(folder)  # noqa: PTH120
    return Path(folder)
