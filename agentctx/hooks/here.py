"""What a hook stands on: its payload, the project it is about, the user's store.

Everything in a payload is somebody's text of any shape. What cannot be used is not
there: a hook answers as well as it can without it. Modules are loaded when they are
needed, for most uses of a tool need none.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager

from agentctx.errors import HomeError
from agentctx.failures import note_failure
from corpus.errors import CodedError, StoreBusyError
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import NoReturn

    from agentctx.clock import Clock
    from agentctx.hooks.line import Place
    from agentctx.memory.store import MemoryStore
    from agentctx.project import Project
    from agentctx.records.sessions import Given
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Source

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
KEY_VARIABLE = "ANTHROPIC_API_KEY"
LONGEST_ID, LONGEST_PATH = 200, 4096
PATIENCE = 2.0
"""Seconds that a hook waits for other writers."""

ODD_SESSION = "SESSION_ID_UNUSABLE"

_ENDINGS = frozenset({"user-prompt-submit", "stop", "stop-failure", "session-end"})
"""Events that begin or end a turn, which needs no holding then."""

_MOST_OPEN = 256
_LEAST, _LONG_PATIENCE = 0.05, 60.0


class Outside(NamedTuple):
    """The user's folder, the environment, the world; `wake` starts the worker."""

    home: str
    environ: Mapping[str, str]
    clock: Clock
    random: Callable[[int], bytes]
    wake: Callable[[Mapping[str, str]], bool] | None = None


class _Deed(NamedTuple):
    """Something to be written: into the user's store, or a project's memory."""

    act: Callable[[Store], object] | None
    recall: Callable[[MemoryStore], object] | None = None
    root: str = ""
    is_so: Callable[[], bool] = lambda: True
    apart: bool = False


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
        self._store: Store | None = None
        self._memories: dict[str, MemoryStore] = {}
        self._deeds: list[_Deed] = []
        self._woken = False
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
            from agentctx.project import resolve_project  # noqa: PLC0415 - see above

            self._project = resolve_project(self.cwd, environ=self.environ)
        return self._project

    @property
    def worktree(self) -> str:
        """The linked working tree's name as records keep it; empty in the main one."""
        name = self.project.worktree or ""
        return clean_key(name) if name else ""

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
        project_id = self.project.project_id
        return Source(self.session_id, project_id, self.cwd, path, self.asks())

    @contextmanager
    def store(self, *, create: bool = True) -> Iterator[Store]:
        """Open the store, or go on with it; FileNotFoundError where none is made.

        Raises the errors of `open_store`, and those of `corpus.sqlite`.
        """
        from corpus.sqlite import store_failures  # noqa: PLC0415 - see above

        store = self._store or self._opened(create=create)
        self._store = store
        with store_failures():
            yield store

    @contextmanager
    def memory(self, root: str) -> Iterator[MemoryStore]:
        """Open the memory of the project at `root`, or go on with it.

        Raises the errors of `open_memory`, and those of what is done with it.
        """
        memory = self._memories.get(root)
        if memory is None:
            from agentctx.memory.hosted import OWNER  # noqa: PLC0415 - see above
            from agentctx.memory.opening import open_memory  # noqa: PLC0415 - see above
            from agentctx.memory.store import RandomIds  # noqa: PLC0415 - see above

            ids = RandomIds(self.random)
            memory = open_memory(
                root, clock=self.clock, ids=ids, owner=OWNER, quickly=True
            )
            self._memories[root] = memory
        yield memory

    def keep(self, act: Callable[[Store], object]) -> None:
        """Have something written once the answer is out, in the order of asking."""
        self._deeds.append(_Deed(act))

    def remember(
        self, root: str, act: Callable[[MemoryStore], object], *, apart: bool = False
    ) -> None:
        """Have something written into a project's memory, in the same order.

        What takes long is done `apart`: by a process of its own.
        """
        self._deeds.append(_Deed(None, act, root, apart=apart))

    def keep_if(
        self, is_so: Callable[[], bool], act: Callable[[Store], object]
    ) -> None:
        """Have something written only if something is so by then."""
        self._deeds.append(_Deed(act, is_so=is_so))

    def finish(self, patience: float = PATIENCE) -> None:
        """Write what is to be kept, within so many seconds for all of it.

        What has to wait longer for other writers is left to a process of its own: a
        session waits for none, and nothing is lost. So is what comes while another one
        of the session still writes there: turns begin and end in their order.
        """
        self._keep_alive()
        self._note_odd_session()
        ends = time.monotonic() + patience
        deeds, self._deeds = self._deeds, []
        behind = self.event in _ENDINGS and self._is_behind(deeds)
        try:
            for number, deed in enumerate(deeds):
                apart = deed.recall is not None and (behind or deed.apart)
                if apart and self._leave(deeds[number:]):
                    break
                try:
                    self._do(deed, max(_LEAST, ends - time.monotonic()))
                except StoreBusyError as error:
                    if self._leave(deeds[number:]):
                        break
                    self.fails(error.code)
        finally:
            self.close()

    def _keep_alive(self) -> None:
        if self.event not in _ENDINGS:
            from agentctx.hooks.remembering import keep_alive  # noqa: PLC0415 - below

            keep_alive(self)

    def close(self) -> None:
        """Let the store and the memories go."""
        store, self._store = self._store, None
        memories, self._memories = self._memories, {}
        for one in (store, *memories.values()):
            if one is not None:
                one.close()

    def _opened(self, *, create: bool) -> Store:
        from agentctx.records.store import open_store  # noqa: PLC0415 - see above

        try:
            return open_store(
                self.home, clock=self.clock, random=self.random, create=create
            )
        except FileNotFoundError:
            if not create:
                raise
            raise HomeError(reason="it disappeared while the store was made") from None
        except OSError:
            reason = "the system does not let us open the store"
            raise HomeError(reason=reason) from None

    def _do(self, deed: _Deed, patience: float) -> None:
        """Write one thing; what goes wrong with it, but for waiting, is noted."""
        try:
            if deed.act is not None and deed.is_so():
                with self.store() as store:
                    store.patience = patience
                    deed.act(store)
            if deed.recall is not None:
                with self.memory(deed.root) as memory:
                    memory.patience = patience
                    deed.recall(memory)
        except StoreBusyError:
            raise
        except CodedError as error:
            self.fails_once(error)

    def _is_behind(self, deeds: Sequence[_Deed]) -> bool:
        """Say whether somebody still writes a turn of before."""
        if all(deed.recall is None for deed in deeds):
            return False
        from agentctx.briefing.state import read_state  # noqa: PLC0415 - see above
        from agentctx.hooks.line import is_busy  # noqa: PLC0415 - see above

        return is_busy(self.home, read_state(self.home, self.session_id).line)

    def _note_odd_session(self) -> None:
        """Note once that a session is called what cannot be kept: it has no turns."""
        named = self.text("session_id")
        if not named or self.session_id is not None:
            return
        from agentctx.briefing.state import session_state  # noqa: PLC0415 - see above

        with session_state(self.home, named) as state:
            news = state.is_news(ODD_SESSION)
        if news:
            self.fails(ODD_SESSION)

    def _leave(self, deeds: Sequence[_Deed]) -> bool:
        """Let a process of its own write; False where there can be none.

        It opens everything anew. A connection that is open at a fork claims locks in
        both processes, of which the child has none: what it writes is then thrown away
        by whoever takes itself for the last. So nothing is open when it is made.
        """
        if not hasattr(os, "fork"):
            return False
        self.close()
        place = self._place_for(deeds)
        try:
            child = os.fork()
        except OSError:
            if place is not None:
                place.free()
            return False
        if not child:
            self._write_alone(deeds, place)
        if place is not None:
            place.close()
        return True

    def _place_for(self, deeds: Sequence[_Deed]) -> Place | None:
        """Take a place among those who write turns of the session."""
        if self.event not in _ENDINGS or all(deed.recall is None for deed in deeds):
            return None
        from agentctx.hooks.line import Place  # noqa: PLC0415 - see above

        return Place.take(self.home, self.session_id)

    def _write_alone(self, deeds: Sequence[_Deed], place: Place | None) -> NoReturn:
        """Be the process that writes, when those before it have; it ends here."""
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)  # noqa: TID251 - no file
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            kept = 2 if place is None else place.descriptor
            os.closerange(3, kept)  # a place in another queue is not ours
            os.closerange(kept + 1, _MOST_OPEN)
            if place is not None:
                place.wait()
            for deed in deeds:
                try:
                    self._do(deed, _LONG_PATIENCE)
                except StoreBusyError as error:
                    self.fails(error.code)
        except Exception as error:  # noqa: BLE001 - nobody else would tell
            self.fails("BUG", type(error).__name__)
        finally:
            if place is not None:
                place.free()
            os._exit(0)

    def count(self, given: Given) -> None:
        """Have counted what is said."""
        if self.session_id is None:
            return
        session_id, project_id = self.session_id, self.project.project_id

        def act(store: Store) -> None:
            from agentctx.records.sessions import account  # noqa: PLC0415 - see above

            store.db.execute("PRAGMA synchronous = NORMAL")  # it may be lost
            account(store, session_id, project_id, given)
            store.db.execute("PRAGMA synchronous = FULL")

        self.keep(act)

    def file_of(self, path: str) -> str | None:
        """Give a path of this session as the project names it; None if outside."""
        if not path or "\x00" in path:
            return None
        from agentctx.records.graph import repo_path  # noqa: PLC0415 - see above

        whole = os.path.realpath(os.path.join(self.cwd, path))  # noqa: PTH118 - text
        return repo_path(os.path.relpath(whole, self.project.folder))

    def asks(self) -> bool:
        """Say whether a model may read this session: a key is set, and it is wanted."""
        if not self.environ.get(KEY_VARIABLE, "").strip():
            return False
        from agentctx.config import read_config  # noqa: PLC0415 - see above

        return read_config(self.home).flag("llm")

    def wake_if_wanted(self, store: Store) -> None:
        """Start the worker where something waits and nobody is at work."""
        from agentctx.extraction.waking import is_wanted  # noqa: PLC0415 - see above

        if is_wanted(store.db, now=self.clock()):
            self.wake()

    def wake(self) -> None:
        """Start the worker, once; it ends by itself where there is nothing to do."""
        if self._woken:
            return
        self._woken = True
        from agentctx.extraction.waking import wake  # noqa: PLC0415 - see above

        start = wake if self._start_worker is None else self._start_worker
        if not start(self.environ):
            self.fails("WORKER_NOT_STARTED")

    def fails_once(self, error: CodedError) -> None:
        """Keep in the log that something did not work, once a session and cause."""
        from agentctx.briefing.state import session_state  # noqa: PLC0415 - see above

        cause = str(error.facts.get("problem", ""))
        with session_state(self.home, self.session_id) as state:
            news = state.is_news(f"{error.code} {cause}")
        if news:
            self.fails(error.code, cause)

    def fails(self, code: str, detail: str = "") -> None:
        """Keep in the log that something did not work."""
        note_failure(self.home, self.event, code, detail, now=self.clock())


def clean_key(name: str) -> str:
    """Give a name as it is stored: without secrets."""
    from agentctx.redact import redact  # noqa: PLC0415 - only in a working tree

    return redact(name).text


def is_path(text: str) -> bool:
    """Say whether a text is an absolute path that a system could know."""
    return (
        0 < len(text) <= LONGEST_PATH and "\x00" not in text and os.path.isabs(text)  # noqa: PTH117 - text
    )
