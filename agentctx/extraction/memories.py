"""The background worker's part in conversation memory: visits to those that wait (M4).

A memory is visited where something may be due, for some batches at a time, so none is
kept waiting by another; what is wrong with one stops no other. What was said is taken
up when its debounce is over, within the worker's life. Nothing is written once another
process has become the worker (M3.4, H5).
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.branches import standing_at
from agentctx.clock import moment_of
from agentctx.errors import ContextProfileError
from agentctx.extraction.asking import (
    DAY_CAP,
    NOT_THIS_ONE,
    SESSION_CAP,
    UNTIL_MENDED,
    tomorrow,
)
from agentctx.extraction.following import keep_in_step
from agentctx.failures import note_failure
from agentctx.memory.opening import open_memory
from agentctx.memory.outlook import outlook
from agentctx.memory.refusals import (
    MemoryAbsentError,
    MemoryDegradedError,
    MemoryFencedError,
)
from agentctx.memory.running import Ran, Shift, run_pipeline
from agentctx.memory.store import RandomIds
from agentctx.memory.summary import mark_stale, write_summary
from agentctx.memory.switch import why_off
from agentctx.memory.turns import LONGEST_LEASE, recover
from agentctx.memory.verdict import Absent, Degraded, judge
from agentctx.project import resolve_project
from agentctx.records.leases import WORKER, is_held
from agentctx.records.memories import (
    NO_MODEL,
    forget_memory,
    put_memory_off,
    settle_memory,
    waiting_memories,
)
from agentctx.records.transcripts import is_put_off
from corpus.errors import StoreBusyError, StoreUnusableError
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from agentctx.extraction.worker import World
    from agentctx.memory.outlook import Outlook
    from agentctx.memory.pipeline import (
        ConsolidationAnswer,
        ConsolidationTask,
        ExtractionAnswer,
        ExtractionTask,
        Gate,
        Pipeline,
        Repair,
    )
    from agentctx.memory.store import MemoryStore
    from agentctx.memory.switch import Off
    from agentctx.records.memories import Remembered
    from agentctx.records.store import Store
    from corpus.sqlite import Tx

MOST_BATCHES = 8
"""Batches of one visit: then it is another memory's turn."""

FEW_MINUTES = timedelta(minutes=5)
BROKEN = timedelta(minutes=10)
"""How long a memory waits that is damaged."""

NO_KEY = timedelta(hours=1)
"""How long a memory waits for a worker with a key, unless a session has one before."""

LONGEST = timedelta(days=1)
SOON = timedelta(seconds=5)
PENDING, SWITCHED_OFF = "MEMORY_PENDING", "MEMORY_OFF"


class MemoryWork(NamedTuple):
    """What was done for memories: how many were looked at, how their batches ended.

    `empty` made no item; `lost` were another's by the time they were done. `left`
    memories have something to do still, and `waiting` says why, as codes. `refused`
    counts what a model proposed and the words did not bear, by rule.
    """

    projects: int = 0
    succeeded: int = 0
    empty: int = 0
    retrying: int = 0
    failed: int = 0
    lost: int = 0
    left: int = 0
    waiting: tuple[str, ...] = ()
    refused: tuple[tuple[str, int], ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        told = {"waiting": list(self.waiting), "refused": dict(self.refused)}
        return {**self._asdict(), **told}


class _Planned(NamedTuple):
    """When a memory is to be visited again, unless it is noted anew before."""

    noted_at: str
    at: datetime


class Memories:
    """Visits memories for one worker, as long as `stops` says nothing else."""

    def __init__(
        self, world: World, store: Store, owner: str, stops: Callable[[], bool]
    ) -> None:
        self._world = world
        self._store = store
        self._owner = owner
        self._stops = stops
        self._planned: dict[str, _Planned] = {}
        self._visited: set[str] = set()
        self._codes: dict[str, str] = {}
        self._ended: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._pipeline: tuple[Pipeline | None, str] | None = None

    def sorted(
        self, found: Iterable[Remembered], *, hurry: bool, seconds: float
    ) -> tuple[list[Remembered], bool]:
        """Give the memories that are due, and say whether one will be in that time.

        Only jobs are waited for: a turn that is open may stay so for long, and what
        was put off is for another worker.
        """
        now = self._world.clock()
        due: list[Remembered] = []
        soon = False
        for one in found:
            at = now if hurry else self._due_at(one, now)
            if at <= now:
                due.append(one)
            elif one.root in self._planned:
                soon = soon or (at - now).total_seconds() < seconds
        return due, soon

    def visit(self, one: Remembered, *, drain: bool) -> None:
        """Do what is due in one memory, and note when it is to be visited again.

        `drain` takes up what was only just said. Raises nothing of the memory's own.
        """
        if self._holds():
            self._visit(one, drain=drain)
        if not self._holds():  # what is due is another's
            self._plan(one, self._world.clock() + LONGEST)

    def put_off(self, one: Remembered, code: str, detail: str = "") -> None:
        """Note what keeps us from a memory; the log is told of it once."""
        now = self._world.clock()
        self._codes[one.root] = code
        if code not in {one.problem, NO_MODEL, SWITCHED_OFF}:
            note_failure(self._world.home, "memory", code, detail, now=now)
        until = _until(code, now)
        self._keep(
            lambda tx: put_memory_off(tx, one.root, until=until, problem=code),
        )

    def worked(self) -> MemoryWork:
        """Say what was done by all visits."""
        ended = self._ended
        found = waiting_memories(self._store.db)
        left = [one for one in found if one.problem or not one.is_settled]
        waiting = {one.root: one.problem for one in left if one.problem} | self._codes
        return MemoryWork(
            projects=len(self._visited),
            succeeded=ended["succeeded"],
            empty=ended["empty"],
            retrying=ended["retrying"],
            failed=ended["failed"],
            lost=ended["lost"],
            left=len(left),
            waiting=tuple(dict.fromkeys(waiting.values())),
            refused=tuple(sorted(self._refused.items())),
        )

    def _visit(self, one: Remembered, *, drain: bool) -> None:
        self._visited.add(one.root)
        self._planned.pop(one.root, None)
        self._codes.pop(one.root, None)
        world = self._world
        off = why_off(one.root, home=world.home, environ=world.environ)
        if off is not None:
            self._pass_by(one, off)
            return
        try:
            if not _is_there(one):
                self._forget(one)
                return
            with self._opened(one.root) as memory:
                self._work_in(memory, one, drain=drain)
        except MemoryAbsentError:  # taken away just now
            self._forget(one)
        except MemoryDegradedError as error:
            mark_stale(one.root)
            self.put_off(one, error.code, str(error.facts["problem"]))
        except MemoryFencedError:
            self._plan(one, world.clock() + SOON)
        except (StoreBusyError, StoreUnusableError) as error:
            self.put_off(one, error.code)

    def _due_at(self, one: Remembered, now: datetime) -> datetime:
        planned = self._planned.get(one.root)
        if planned is not None and planned.noted_at == one.noted_at:
            return planned.at
        self._planned.pop(one.root, None)
        if one.retry_at is None or not is_put_off(one.retry_at, now=now):
            return now
        if one.problem == NO_MODEL and one.asks and self._opened_pipeline()[0]:
            return now
        return moment_of(one.retry_at)

    def _pass_by(self, one: Remembered, off: Off) -> None:
        """Leave a memory that is off; our own environment speaks for us alone."""
        if off == "no_folder":
            self._forget(one)
        elif off == "environment":
            self.put_off(one, SWITCHED_OFF)
        else:
            self._keep(lambda tx: settle_memory(tx, one))

    def _work_in(self, memory: MemoryStore, one: Remembered, *, drain: bool) -> None:
        left = self._recovered(memory)
        self._let_records_follow(memory, one)
        pipeline, lacking = self._pipeline_for(one) if left.jobs else (None, "")
        if lacking:
            self.put_off(one, lacking)
            return
        ran, share = Ran(), _Share(self._is_over)
        if pipeline is not None:
            shift = Shift(
                waits=not drain,
                stops=share,
                pause=share.pause,
                damaged=lambda: self._mark(one.root),
            )
            ran = run_pipeline(memory, _Ours(pipeline, self._holds), shift)
            self._count(ran)
        if ran.damaged:
            self.put_off(one, MemoryDegradedError.code, "damaged")
        elif self._holds():
            if ran.succeeded or ran.empty:
                self._refresh(memory)
            if ran.succeeded:
                self._let_records_follow(memory, one)
            with memory.looking() as db:
                left = outlook(db, now=self._world.clock())
            self._note(one, left, ran.waiting, cut=share.cut)

    def _recovered(self, memory: MemoryStore) -> Outlook:
        """Take up the turns that were given up (M2.3(b)); this needs no model."""
        now = self._world.clock()
        with memory.looking() as db:
            found = outlook(db, now=now)
        at = found.turn_at
        if at is None or now < at <= now + LONGEST_LEASE:
            return found
        with memory.writing() as writing:
            recover(writing)
            return outlook(writing.tx, now=now)

    def _let_records_follow(self, memory: MemoryStore, one: Remembered) -> None:
        """Let the records of the project say what its items say now (A6.4)."""
        home, environ = self._store.home, self._world.environ
        project = resolve_project(Path(one.root), environ=environ)
        where = standing_at(one.root, home=home, environ=environ)
        while self._holds():
            done = keep_in_step(memory, self._store, project.project_id, where=where)
            if not done.left:
                return

    def _note(
        self, one: Remembered, left: Outlook, code: str | None, *, cut: bool
    ) -> None:
        """Note how a visit left a memory."""
        now = self._world.clock()
        if code is not None:
            self._codes[one.root] = code
        if code == MemoryFencedError.code:
            self._plan(one, now + SOON)
        elif code not in {None, SESSION_CAP}:
            self.put_off(one, str(code))
        elif cut:
            self._plan(one, now)
        elif left.job_at is not None:
            self._plan(one, left.job_at)
        elif left.jobs and code is None:
            self.put_off(one, PENDING)
        else:
            moments = [] if code is None else [tomorrow(now)]
            if left.turn_at is not None:
                moments.append(min(max(left.turn_at, now + SOON), now + LONGEST))
            until = min(moments, default=None)
            self._keep(lambda tx: settle_memory(tx, one, until=until, problem=code))

    def _plan(self, one: Remembered, at: datetime) -> None:
        self._planned[one.root] = _Planned(one.noted_at, at)

    def _forget(self, one: Remembered) -> None:
        self._keep(lambda tx: forget_memory(tx, one.root))

    def _keep(self, act: Callable[[Tx], None]) -> None:
        """Write to the store of records, if the worker is still we."""
        with store_failures(), self._store.writing() as tx:
            if is_held(tx, WORKER, self._owner):
                act(tx)

    def _holds(self) -> bool:
        return is_held(self._store.db, WORKER, self._owner)

    def _is_over(self) -> bool:
        return self._stops() or not self._holds()

    def _opened(self, root: str) -> MemoryStore:
        world = self._world
        return open_memory(
            root, clock=world.clock, ids=RandomIds(world.random), owner=self._owner
        )

    def _pipeline_for(self, one: Remembered) -> tuple[Pipeline | None, str]:
        """Give the pipeline, or the code of why none may be asked about a memory."""
        return self._opened_pipeline() if one.asks else (None, NO_MODEL)

    def _opened_pipeline(self) -> tuple[Pipeline | None, str]:
        if self._pipeline is None:
            self._pipeline = _open_pipeline(self._world)
        return self._pipeline

    def _count(self, ran: Ran) -> None:
        self._ended.update(
            succeeded=ran.succeeded,
            empty=ran.empty + ran.left_out,
            retrying=ran.retrying,
            failed=ran.failed,
            lost=ran.lost,
        )
        self._refused.update(dict(ran.refused))

    def _refresh(self, memory: MemoryStore) -> None:
        written = write_summary(memory.root, memory)
        if written.error:
            self._tell("MEMORY_SUMMARY", written.error)

    def _mark(self, root: str) -> None:
        """Make the summary stale to everybody, from whichever thread found damage."""
        marked = mark_stale(root)
        if marked.error:
            self._tell("MEMORY_SUMMARY", marked.error)

    def _tell(self, code: str, detail: str) -> None:
        world = self._world
        note_failure(world.home, "memory", code, detail, now=world.clock())


class _Share:
    """Says when a visit is over; `cut` that it was so before all was done."""

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self._is_over = is_over
        self._begun = 0
        self._paused = False
        self.cut = False

    def __call__(self) -> bool:
        if self._paused:
            return True
        self.cut = self._begun >= MOST_BATCHES or self._is_over()
        self._begun += 1
        return self.cut

    def pause(self, _: float) -> None:
        """End the visit: nothing is due now, and the worker waits for all memories."""
        self._paused = True


class _Ours:
    """A pipeline whose answers count only while its worker is the worker (M3.4)."""

    def __init__(self, pipeline: Pipeline, holds: Callable[[], bool]) -> None:
        self._pipeline = pipeline
        self._holds = holds

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        """Ask what the turns hold that is to be kept."""
        found = self._pipeline.extract(task, repair, self._gate(gate))
        self._require()
        return found

    def consolidate(
        self, task: ConsolidationTask, repair: Repair | None, gate: Gate
    ) -> ConsolidationAnswer:
        """Ask what becomes of the candidates."""
        found = self._pipeline.consolidate(task, repair, self._gate(gate))
        self._require()
        return found

    def _gate(self, gate: Gate) -> Gate:
        def ours() -> None:
            self._require()
            gate()

        return ours

    def _require(self) -> None:
        if not self._holds():
            raise MemoryFencedError(reason="another process has become the worker")


def _is_there(one: Remembered) -> bool:
    """Say whether there is a database; where damage showed once, all of it is read."""
    found = judge(one.root, fully=one.problem == MemoryDegradedError.code)
    if isinstance(found, Degraded):
        raise MemoryDegradedError(detail=found.detail, problem=found.problem)
    return not isinstance(found, Absent)


def _open_pipeline(world: World) -> tuple[Pipeline | None, str]:
    from agentctx.extraction.memory.opening import (  # noqa: PLC0415 - seldom needed
        open_pipeline,
    )

    try:
        found = open_pipeline(
            world.home, world.environ, clock=world.clock, random=world.random
        )
    except ContextProfileError as error:
        return None, error.code
    return found, "" if found is not None else NO_MODEL


def _until(code: str, now: datetime) -> datetime:
    """Say until when a memory is put off, by what keeps us from it."""
    if code in {DAY_CAP, SESSION_CAP}:
        return tomorrow(now)
    if code in NOT_THIS_ONE:
        return now + UNTIL_MENDED
    if code in {NO_MODEL, ContextProfileError.code}:
        return now + NO_KEY
    if code in {MemoryDegradedError.code, SWITCHED_OFF, "BUG"}:
        return now + BROKEN
    return now + FEW_MINUTES
