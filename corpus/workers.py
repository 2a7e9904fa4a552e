"""Workers on this machine: an executor in which a death costs the one call it met.

The standard pool of processes is broken as a whole when one of its processes is killed,
and cannot say which call it was. Here each worker has a line of its own, so it is known
what a dead one was doing: that call fails with `BrokenExecutor`, another worker takes
the place, and every other call is answered.

Workers are *spawned*, begun as new interpreters. `fork` is not safe beside threads, and
each line is served by one: a lock that another thread holds at that moment stays locked
in the child for good. `forkserver` keeps a process that outlives us, with the
environment it once began in, and is not on every system. What spawning costs is the
loading of our modules, a fraction of a second for each worker in parallel and once for
all the corpora it does; and a worker begins with nothing of ours in its memory.

A worker ends when its line does: with us, however we end.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from types import TracebackType

    P = ParamSpec("P")
T = TypeVar("T")

COLLECT_AFTER = 100_000
"""Allocations between two collections in a worker, as in a command."""

_SPAWNED = multiprocessing.get_context("spawn")
_GONE = (EOFError, OSError)
"""What reading or writing a line raises when its other end is gone."""


class Workers(Executor):
    """At most `count` processes, begun when they are needed.

    A call and its answer cross by pickling. A call that raises ends its worker, as
    being killed does: calls are to give a value. Leaving the `with` block by an
    exception, such as an interrupt, kills the workers.
    """

    def __init__(self, count: int) -> None:
        if hasattr(signal, "pthread_sigmask"):  # it lets Ctrl-C through as it begins
            resource_tracker.ensure_running()
        self._threads = ThreadPoolExecutor(count, initializer=_leave_ctrl_c)
        self._own = threading.local()
        self._lock = threading.Lock()
        self._all: set[_Worker] = set()
        self._ended = False

    def submit(
        self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Let a worker call `fn`, which must be a function of a module."""
        return self._threads.submit(self._ask, partial(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as the base class says
        """End the workers when their calls are done; without `wait` they end later."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            with self._lock:
                self._ended = True
            for worker in self._all:
                worker.end()
            self._all.clear()

    def kill(self) -> None:
        """End the workers at once, whatever they are doing."""
        with self._lock:
            self._ended = True
            for worker in self._all:
                worker.kill()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.kill()
        self.shutdown(wait=True, cancel_futures=kind is not None)

    def _ask(self, call: Callable[[], T]) -> T:
        """Let this thread's worker do a call, or say that it died of it."""
        worker = self._worker()
        try:
            worker.tell(call)
        except _GONE:  # it died before: the call is not what killed it
            self._forget(worker)
            worker = self._worker()
            worker.tell(call)
        try:
            answer: T = worker.answer()
        except _GONE:
            self._forget(worker)
            message = "the worker died"
            raise BrokenExecutor(message) from None
        return answer

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._ended:
                    message = "the workers were ended"
                    raise BrokenExecutor(message)
                worker = self._own.worker = _Worker()
                self._all.add(worker)
        return worker

    def _forget(self, worker: _Worker) -> None:
        self._own.worker = None
        with self._lock:
            self._all.discard(worker)
        worker.end()


class _Worker:
    """One process and our end of the line to it."""

    def __init__(self) -> None:
        self._line, theirs = _SPAWNED.Pipe()
        self._process = _SPAWNED.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self.tell = self._line.send
        self.answer = self._line.recv

    def end(self) -> None:
        """Let go of the process, which then ends by itself, and wait for that."""
        self._line.close()
        self._process.join()

    def kill(self) -> None:
        """End the process now."""
        self._process.kill()


def _leave_ctrl_c() -> None:
    """Keep Ctrl-C from this thread, and so from the processes that it begins.

    The whole group of a terminal gets the signal; a child that has not loaded yet
    would die of it with a traceback. The thread that waits for all is interrupted.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _serve(line: Connection) -> None:
    """Be a worker: do one call after the other until the line ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(COLLECT_AFTER, 50, 50)
    with suppress(EOFError, ConnectionError):
        while True:
            call = line.recv()
            line.send(call())
