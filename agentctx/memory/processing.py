"""Work through jobs within a bound, beside the program that waits (M3.1, M10).

Each pass has a thread and a connection of its own; one at a time works. Who waits goes
on at the deadline, and the pass ends by itself, or when memory is closed.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.jobs import Watermark, unfinished
from agentctx.memory.notices import STORE_FAILURES
from agentctx.memory.running import Ran, Shift, run_pipeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.memory.notices import Notices
    from agentctx.memory.pipeline import Pipeline
    from agentctx.memory.store import MemoryStore

PAUSE = 0.1
"""Seconds between two looks at jobs that somebody else holds or that wait."""

IDLE = 1.0
"""Seconds between two looks for new work."""


class Means(NamedTuple):
    """What a pass works with; `open_store` gives it a connection of its own."""

    open_store: Callable[[], MemoryStore]
    pipeline: Pipeline
    notices: Notices
    refresh: Callable[[MemoryStore], object]
    damaged: Callable[[], None]


class Processing:
    """The passes over jobs of one open memory."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._working = threading.RLock()
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self.waiting: str | None = None

    def within(self, watermark: Watermark, seconds: float, *, wait: bool) -> bool:
        """Work through a watermark; say whether the pass was over in time.

        With `wait` a job that another holds or that waits for its retry is waited for,
        until the deadline (M3.3); else each has one chance (M10.0), and only what
        another holds is waited for.
        """
        over = threading.Event()
        until = time.monotonic() + seconds

        def work() -> None:
            try:
                self._pass(watermark, until, wait=wait)
            finally:
                over.set()

        thread = threading.Thread(target=work, name="memory-pass", daemon=True)
        self._threads = [one for one in self._threads if one.is_alive()]
        self._threads.append(thread)
        thread.start()
        return over.wait(max(0.0, seconds))

    def due(self, *, watch: bool, stops: Callable[[], bool]) -> Ran:
        """Work here on what is due, once, or until `stops` or no model can be asked."""
        with self._means.open_store() as store:
            while True:
                ran = self._due_once(store, drain=not watch, stops=stops)
                ended = ran.waiting is not None or ran.damaged
                if not watch or ended or stops() or self._closing.wait(IDLE):
                    return ran

    def close(self, *, wait: float | None = None) -> None:
        """Let no further step begin, and wait for every pass to be over (M3.4).

        With `wait` for so many seconds at most, all passes together.
        """
        self._closing.set()
        until = None if wait is None else time.monotonic() + wait
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(_left(until))
        self._threads = []
        # a worker in a thread of the program's own
        left = _left(until)
        if self._working.acquire(timeout=-1 if left is None else left):
            self._working.release()

    def _pass(self, watermark: Watermark, until: float, *, wait: bool) -> None:
        with self._means.notices.instead_of(*STORE_FAILURES):
            while not self._working.acquire(timeout=PAUSE):
                if self._closing.is_set() or time.monotonic() >= until:
                    return
            try:
                with self._means.open_store() as store:
                    if wait:
                        self._until_done(store, watermark, until)
                    else:
                        self._one_chance(store, watermark, until)
            finally:
                self._working.release()

    def _until_done(
        self, store: MemoryStore, watermark: Watermark, until: float
    ) -> None:
        """Wait for what is not due yet; after the deadline only work what is due."""
        late = threading.Event()

        def pause(_: float) -> None:
            left = until - time.monotonic()
            if left <= 0:
                late.set()
            else:
                self._closing.wait(min(PAUSE, left))

        shift = Shift(
            waits=True,
            among=watermark,
            stops=lambda: late.is_set() or self._closing.is_set(),
            pause=pause,
            damaged=self._means.damaged,
        )
        self._run(store, shift)

    def _one_chance(
        self, store: MemoryStore, watermark: Watermark, until: float
    ) -> None:
        left = watermark
        while left.job_ids and not self._closing.is_set():
            shift = Shift(
                among=left, stops=self._closing.is_set, damaged=self._means.damaged
            )
            ran = self._run(store, shift)
            with store.looking() as db:
                held = db.execute(
                    "SELECT id, status FROM memory_jobs WHERE status = 'leased'"
                    " OR (status = 'pending' AND claim_count = 0)"
                ).fetchall()
                rest = unfinished(db, left)
            states = {row["id"]: row["status"] for row in held}
            left = Watermark(tuple(one for one in rest if one in states))
            if not any(states[one] == "leased" for one in left.job_ids):
                return  # nobody else is at work that these would wait for
            if ran.waiting or ran.damaged or time.monotonic() >= until:
                return
            if left.job_ids:
                self._closing.wait(PAUSE)

    def _due_once(
        self, store: MemoryStore, *, drain: bool, stops: Callable[[], bool]
    ) -> Ran:
        paused = threading.Event()

        def enough() -> bool:
            return paused.is_set() or self._closing.is_set() or stops()

        with self._working:
            shift = Shift(
                waits=not drain,
                stops=enough,
                pause=lambda _: paused.set(),
                damaged=self._means.damaged,
            )
            return self._run(store, shift)

    def _run(self, store: MemoryStore, shift: Shift) -> Ran:
        ran = run_pipeline(store, self._means.pipeline, shift)
        self.waiting = ran.waiting
        if ran.succeeded or ran.empty:
            self._means.refresh(store)
        return ran


def _left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())
