"""Holds a job while a model is waited for, over a connection of its own (M4.8)."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from agentctx.memory.jobs import renew
from agentctx.memory.opening import open_again
from agentctx.memory.refusals import MemoryDegradedError, MemoryFencedError
from corpus.errors import StoreBusyError, StoreUnusableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.memory.jobs import Batch
    from agentctx.memory.store import MemoryStore

BEAT = 30.0
"""Seconds between two renewals; a lease is four times as long."""


class Heartbeat:
    """Renews a batch and its owner's open turns as long as the context lasts.

    It opens memory anew for each beat, so damage is seen as well as a fence; at once
    `damaged` is called for the one (M4.10), and nothing more may be asked after either.
    """

    def __init__(
        self,
        store: MemoryStore,
        batch: Batch,
        *,
        every: float = BEAT,
        damaged: Callable[[], None],
    ) -> None:
        self._store = store
        self._batch = batch
        self._every = every
        self._damaged = damaged
        self._problem: MemoryFencedError | MemoryDegradedError | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what a beat found, `MemoryFencedError` or `MemoryDegradedError`."""
        if self._problem is not None:
            raise self._problem

    def _beat(self) -> None:
        while self._problem is None and not self._over.wait(self._every):
            with suppress(StoreBusyError, StoreUnusableError, OSError):
                self._renew()  # where that fails the next may be in time

    def _renew(self) -> None:
        try:
            with open_again(self._store) as own, own.writing() as writing:
                renew(writing, self._batch)
        except MemoryFencedError as error:
            self._problem = error
        except MemoryDegradedError as error:
            self._problem = error
            self._damaged()
