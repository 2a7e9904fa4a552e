"""The open store behind a program's memory: found again when its file is another (C3).

A refused memory is judged anew only once its files have changed.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.opening import open_memory
from agentctx.memory.refusals import MemoryDegradedError, MemoryRuleError
from agentctx.memory.verdict import memory_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.clock import Clock
    from agentctx.memory.store import Ids, MemoryStore

    Signature = tuple[tuple[int, int, int] | None, ...]


class Place(NamedTuple):
    """Where memory lies, and what it is opened with."""

    root: str
    clock: Clock
    ids: Ids
    owner: str

    def opened(self) -> MemoryStore:
        """Open a store of one's own; it is not made where it is gone."""
        return self._open(create=False)

    def made(self) -> MemoryStore:
        """Open the store, made at its first opening (M1.1)."""
        return self._open(create=True)

    def _open(self, *, create: bool) -> MemoryStore:
        return open_memory(
            self.root,
            clock=self.clock,
            ids=self.ids,
            owner=self.owner,
            create=create,
        )


class Access:
    """Gives the store to one thread at a time; raises what keeps it from being used.

    Without `create` it is made nowhere that has no place for it.
    """

    def __init__(self, place: Place, *, create: bool = True) -> None:
        self.place = place
        self._open = place.made if create else place.opened
        self.closed = False
        self._lock = threading.RLock()
        self._store: MemoryStore | None = None
        self._refused: tuple[MemoryDegradedError, Signature] | None = None

    @contextmanager
    def __call__(self) -> Iterator[MemoryStore]:
        """Lend the store; `MemoryDegradedError` and others where there is none."""
        with self._lock:
            try:
                yield self._current()
            except MemoryDegradedError as error:
                self._drop()
                self._refused = (error, self._signature())
                raise

    def refuse(self, error: MemoryDegradedError) -> None:
        """Take memory as degraded until its files change (M4.10)."""
        with self._lock:
            self._drop()
            self._refused = (error, self._signature())

    def forget(self) -> None:
        """Let the store go; the next use opens it anew."""
        with self._lock:
            self._drop()
            self._refused = None

    def close(self) -> None:
        """Let the store go for good."""
        with self._lock:
            self._drop()
            self.closed = True

    def _current(self) -> MemoryStore:
        if self.closed:
            raise MemoryRuleError(reason="it was closed", rule="closed")
        if self._store is not None and self._store.is_current():
            return self._store
        self._drop()
        if self._refused is not None:
            error, seen = self._refused
            if seen == self._signature():
                detail, problem = str(error.facts["detail"]), error.facts["problem"]
                raise MemoryDegradedError(detail=detail, problem=problem)
        self._store = self._open()
        self._refused = None
        return self._store

    def _drop(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _signature(self) -> Signature:
        path = memory_path(self.place.root)
        return tuple(map(_mark, (path, f"{path}-wal")))


def _mark(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
