"""What a hook stands on: its payload, the project it is about, the user's store.

Everything in a payload is somebody's text of any shape. What cannot be used is not
there: a hook answers as well as it can without it. Modules are loaded when they are
needed, for most uses of a tool need none.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import HomeError
from agentctx.failures import note_failure
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from agentctx.clock import Clock
    from agentctx.project import Project
    from agentctx.records.sessions import Given
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Source

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
LONGEST_ID, LONGEST_PATH = 200, 4096
PATIENCE = 2.0
"""Seconds that a hook waits for other writers."""


class Outside(NamedTuple):
    """The user's folder, the environment, the world; `wake` starts the worker."""

    home: str
    environ: Mapping[str, str]
    clock: Clock
    random: Callable[[int], bytes]
    wake: Callable[[Mapping[str, str]], bool] | None = None


class Here:
    """One call of a hook. `event` is the name on the command line."""

    def __init__(
        self, event: str, payload: Mapping[str, object], outside: Outside
    ) -> None:
        self.event = event
        self.payload = payload
        self.home = outside.home
        self.environ = outside.environ
        self.clock = outside.clock
        self.random = outside.random
        self._start_worker = outside.wake
        self._project: Project | None = None

    @property
    def session_id(self) -> str | None:
        """The session, where the client names one that can be kept."""
        named = self.text("session_id")
        fits = 0 < len(named) <= LONGEST_ID and named.isprintable()
        return named if fits else None

    @property
    def cwd(self) -> str:
        """The folder the session is in: the payload's, the client's, our own."""
        for named in (self.text("cwd"), self.environ.get(PROJECT_VARIABLE, "")):
            if is_path(named):
                return named
        try:
            return os.getcwd()  # noqa: PTH109 - text
        except OSError:
            return "/"

    @property
    def project(self) -> Project:
        """The project of that folder."""
        if self._project is None:
            from pathlib import Path  # noqa: PLC0415 - see above

            from agentctx.project import resolve_project  # noqa: PLC0415 - see above

            self._project = resolve_project(Path(self.cwd), environ=self.environ)
        return self._project

    @property
    def worktree(self) -> str:
        """The name of the linked working tree, empty in the main one."""
        return self.project.worktree or ""

    @property
    def in_subagent(self) -> bool:
        """Whether a sub-agent is what the event is about, not the developer."""
        return bool(self.text("agent_id"))

    def text(self, name: str) -> str:
        """Give a field that is a text; empty for anything else."""
        found = self.payload.get(name)
        if not isinstance(found, str):
            return ""
        return found.encode("utf-8", "replace").decode()  # no lone surrogates

    def transcript(self) -> Source | None:
        """Say where the session's transcript is, if it can be known."""
        from agentctx.records.transcripts import Source  # noqa: PLC0415 - see above

        path = self.text("transcript_path")
        if self.session_id is None or not is_path(path):
            return None
        return Source(self.session_id, self.project.project_id, self.cwd, path)

    @contextmanager
    def store(self, *, create: bool = True) -> Iterator[Store]:
        """Open the store for a short while; FileNotFoundError where none is made.

        Raises the errors of `open_store`, and those of `corpus.sqlite`.
        """
        from agentctx.records.store import open_store  # noqa: PLC0415 - see above
        from corpus.sqlite import store_failures  # noqa: PLC0415 - see above

        try:
            store = open_store(
                self.home, clock=self.clock, random=self.random, create=create
            )
        except FileNotFoundError:
            if not create:
                raise
            raise HomeError(reason="it disappeared while the store was made") from None
        except OSError:
            reason = "the system does not let us open the store"
            raise HomeError(reason=reason) from None
        with store, store_failures():
            store.patience = PATIENCE
            yield store

    def count(self, store: Store, given: Given) -> None:
        """Count what is said; one that cannot be counted is said all the same."""
        if self.session_id is None:
            return
        from agentctx.records.sessions import account  # noqa: PLC0415 - see above

        store.db.execute("PRAGMA synchronous = NORMAL")  # a count that may be lost
        try:
            account(store, self.session_id, self.project.project_id, given)
        except CodedError as error:
            self.fails(error.code)

    def file_of(self, path: str) -> str | None:
        """Give a path of this session as the project names it; None if outside."""
        if not path or "\x00" in path:
            return None
        from agentctx.records.graph import repo_path  # noqa: PLC0415 - see above

        whole = os.path.realpath(os.path.join(self.cwd, path))  # noqa: PTH118 - text
        return repo_path(os.path.relpath(whole, self.project.root))

    def has_key(self) -> bool:
        """Say whether a model can be asked, as far as the environment goes."""
        return bool(self.environ.get(KEY_VARIABLE, "").strip())

    def wake_if_wanted(self, store: Store) -> None:
        """Start the worker where something waits and nobody is at work."""
        from agentctx.extraction.waking import is_wanted  # noqa: PLC0415 - see above

        if is_wanted(store.db, now=self.clock()):
            self.wake()

    def wake(self) -> None:
        """Start the worker; it ends by itself where there is nothing to do."""
        from agentctx.extraction.waking import wake  # noqa: PLC0415 - see above

        start = wake if self._start_worker is None else self._start_worker
        if not start(self.environ):
            self.fails("WORKER_NOT_STARTED")

    def fails(self, code: str, detail: str = "") -> None:
        """Keep in the log that something did not work."""
        note_failure(self.home, self.event, code, detail, now=self.clock())


def is_path(text: str) -> bool:
    """Say whether a text is an absolute path that a system could know."""
    return (
        0 < len(text) <= LONGEST_PATH and "\x00" not in text and os.path.isabs(text)  # noqa: PTH117 - text
    )
