"""Run memory's jobs through a pipeline until nothing is due (M4.0, M10).

A batch is claimed, asked about, judged and committed or ended, one after the other;
extraction and consolidation take turns. No transaction is open while a model is asked.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.heartbeat import BEAT, Heartbeat
from agentctx.memory.jobs import LEASE, Watermark, capture, claim, unfinished
from agentctx.memory.refusals import MemoryDegradedError, MemoryFencedError
from agentctx.memory.steps import step_for
from agentctx.memory.turns import renew_owned
from corpus.errors import StoreBusyError, StoreUnusableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.memory.jobs import Batch, JobKind
    from agentctx.memory.model import JobId
    from agentctx.memory.pipeline import Pipeline
    from agentctx.memory.steps import Ended
    from agentctx.memory.store import MemoryStore

_PAUSE = 1.0
_KINDS: tuple[JobKind, ...] = ("consolidation", "extraction")


def _never() -> bool:
    return False


def _nothing() -> None:
    pass


class Shift(NamedTuple):
    """How long to work, and on what.

    Without `waits` everything is due now and nothing is waited for: each job gets one
    chance (M10.0). With it, jobs are waited for until `stops`; where a watermark is
    given, until all of it is done (M3.3). `damaged` is called once, from whichever
    thread finds memory damaged (M4.10).
    """

    waits: bool = False
    among: Watermark | None = None
    stops: Callable[[], bool] = _never
    pause: Callable[[float], None] = time.sleep
    beat: float = BEAT
    damaged: Callable[[], None] = _nothing


DRAIN = Shift()
"""One pass over everything that is pending."""


class Ran(NamedTuple):
    """How many batches ended how, and why the run ended early, if it did.

    `lost` were another's by the time they were done. `refused` counts candidates that
    were dropped, by rule. `waiting` is the code of what kept us from asking, about all
    that is left or about some of it.
    """

    succeeded: int = 0
    empty: int = 0
    left_out: int = 0
    retrying: int = 0
    failed: int = 0
    lost: int = 0
    refused: tuple[tuple[str, int], ...] = ()
    waiting: str | None = None
    damaged: bool = False

    def as_json(self) -> dict[str, object]:
        """Give the counts as one JSON object."""
        return {**self._asdict(), "refused": dict(self.refused)}


def run_pipeline(store: MemoryStore, pipeline: Pipeline, shift: Shift = DRAIN) -> Ran:
    """Claim, ask, judge and commit until nothing is due.

    What goes wrong with a job ends or postpones that job alone. A damaged memory, or
    one whose file was replaced, ends the run.
    """
    return _Run(store, pipeline, shift).run()


class _Run:
    def __init__(self, store: MemoryStore, pipeline: Pipeline, shift: Shift) -> None:
        self.store = store
        self.pipeline = pipeline
        self.shift = shift
        self.ended: Counter[Ended] = Counter()
        self.refused: Counter[str] = Counter()
        self.skipped: set[JobId] = set()
        self.waiting: str | None = None
        self.capped: str | None = None
        self.damage = False

    def run(self) -> Ran:
        try:
            while self.waiting is None and not self.shift.stops():
                if self._one():
                    continue
                if not (self.shift.waits and self._may_come()):
                    break
                self.shift.pause(_PAUSE)
        except MemoryDegradedError:
            self._damaged()
        except (MemoryFencedError, StoreBusyError, StoreUnusableError) as error:
            self.waiting = error.code
        return Ran(
            self.ended["succeeded"],
            self.ended["succeeded_no_output"],
            self.ended["left_out"],
            self.ended["retry_wait"],
            self.ended["failed"],
            self.ended["lost"],
            tuple(sorted(self.refused.items())),
            self.waiting or self.capped,
            self.damage,
        )

    def _one(self) -> bool:
        """Work on the next batch that is due; False when there is none."""
        for kind in _KINDS:
            batch = self._claimed(kind)
            if batch is not None:
                self._work(batch)
                return True
        return False

    def _claimed(self, kind: JobKind) -> Batch | None:
        ids = self._wanted()
        if not ids:
            return None  # and nothing is written
        with self.store.writing() as writing:
            batch = claim(
                writing,
                kind,
                drain=self.shift.among is not None or not self.shift.waits,
                among=Watermark(ids),
            )
            if batch is not None:
                renew_owned(writing, lease=LEASE)
        return batch

    def _wanted(self) -> tuple[JobId, ...]:
        """Name the unfinished jobs that we may take."""
        with self.store.looking() as db:
            among = self.shift.among
            ids = capture(db).job_ids if among is None else unfinished(db, among)
        return tuple(one for one in ids if one not in self.skipped)

    def _may_come(self) -> bool:
        return self.shift.among is None or bool(self._wanted())

    def _work(self, batch: Batch) -> None:
        every = self.shift.beat
        with Heartbeat(
            self.store, batch, every=every, damaged=self._damaged
        ) as heartbeat:
            step = step_for(self.store, self.pipeline, batch, heartbeat.check)
            try:
                ended = step.work()
            except MemoryFencedError:
                self.ended["lost"] += 1
                if not self.store.is_current():
                    raise
                return
        self.ended[ended] += 1
        self.refused.update(step.refused)
        if step.only_session:
            self.capped = step.ends
        else:
            self.waiting = step.ends
        if step.only_session or (ended == "retry_wait" and not self.shift.waits):
            self.skipped.update(job.id for job in batch.jobs)

    def _damaged(self) -> None:
        if not self.damage:
            self.damage = True
            self.shift.damaged()
