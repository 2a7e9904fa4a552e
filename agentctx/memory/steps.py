"""One claimed batch: asked about, judged, repaired once, committed or ended (M4.6).

Every judgement is memory's own, whatever pipeline answers: provenance, admission, the
rules of consolidation and, at commit, those that only the store can tell.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Literal

from agentctx.memory.admission import Refused, admit
from agentctx.memory.candidates import (
    Proposed,
    commit_extraction,
    leave_out,
    note_refused,
)
from agentctx.memory.decided import check_operations
from agentctx.memory.items import commit_consolidation
from agentctx.memory.jobs import Failure, count_call, fail, give_back, uncount_call
from agentctx.memory.letting import checkpoint_without_forgotten
from agentctx.memory.pipeline import (
    ConsolidationReply,
    ExtractionReply,
    Failed,
    LeftOut,
    Misshapen,
    Objection,
    Repair,
    Waiting,
)
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.tasks import consolidation_task, extraction_task
from agentctx.memory.window import check_envelope
from corpus.errors import StoreBusyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentctx.memory.jobs import Batch, FailureCall, FailurePhase
    from agentctx.memory.model import TurnId
    from agentctx.memory.pipeline import (
        ConsolidationAnswer,
        ExtractionAnswer,
        Pipeline,
        Silence,
    )
    from agentctx.memory.store import MemoryStore

    Reply = ExtractionReply | ConsolidationReply | Misshapen

Ended = Literal[
    "succeeded",
    "succeeded_no_output",
    "left_out",
    "retry_wait",
    "failed",
    "waiting",
    "lost",
]

_RETRYABLE = frozenset({"provider_transient", "provider_timeout", "sqlite_locked"})
_NO_RULE = "[^a-z0-9_.]"
_RULE_CHARACTERS = 64


class Step(ABC):
    """The work on one batch. `check` raises where the batch is no longer ours.

    `ends` is the code of what keeps every other job from being asked about, too;
    `only_session` says that it keeps those of one session only.
    """

    def __init__(
        self,
        store: MemoryStore,
        pipeline: Pipeline,
        batch: Batch,
        check: Callable[[], None],
    ) -> None:
        self.store = store
        self.pipeline = pipeline
        self.batch = batch
        self.check = check
        self.refused: Counter[str] = Counter()
        self.phase: FailurePhase = "prepare"
        self.call: FailureCall = "primary"
        self.output = False
        self.ends: str | None = None
        self.only_session = False

    def work(self) -> Ended:
        """Do all of it. Raises `MemoryFencedError` and `MemoryDegradedError`."""
        try:
            answer = self._answer(None)
            objections = self._objections(answer)
            if objections and self._may_repair():
                value = getattr(answer, "value", None)
                self.call = "repair"
                answer = self._answer(Repair(objections, value))
                objections = self._objections(answer)
            if objections:
                return self._broken(answer, objections)
            return self._ended(answer)
        except StoreBusyError:
            return self._fail(Failure("sqlite_locked", self.phase, self.call))

    @abstractmethod
    def ask(self, repair: Repair | None) -> ExtractionAnswer | ConsolidationAnswer:
        """Give the pipeline its task."""

    @abstractmethod
    def accept(self, reply: Reply) -> tuple[Objection, ...]:
        """Commit a sound reply, or say what it breaks, nothing being kept."""

    def gate(self) -> None:
        """Count a call that is about to be made, if it may be (Fence)."""
        self.check()
        with self.store.writing() as writing:
            count_call(writing, self.batch)
        self.phase = "call"

    def _may_repair(self) -> bool:
        """Say whether no claim before this one used the one repair of a job.

        Each of them made one primary call at most.
        """
        first = self.batch.jobs[0]
        return first.provider_calls < first.claim_count

    def _answer(self, repair: Repair | None) -> ExtractionAnswer | ConsolidationAnswer:
        self.phase = "prepare"
        try:
            return self.ask(repair)
        except MemoryRuleError as error:  # of the gate: three calls were made
            return Failed("internal", str(error.facts["rule"]))

    def _objections(
        self, answer: ExtractionAnswer | ConsolidationAnswer
    ) -> tuple[Objection, ...]:
        if isinstance(answer, Misshapen):
            self.check()
            self.phase = "parse"
            return answer.objections
        if not isinstance(answer, ExtractionReply | ConsolidationReply):
            return ()
        self.check()
        self.phase = "validate"
        try:
            return self.accept(answer)
        except MemoryRuleError as error:
            return (Objection("", str(error.facts["rule"])),)

    def _broken(
        self,
        answer: ExtractionAnswer | ConsolidationAnswer,
        objections: tuple[Objection, ...],
    ) -> Ended:
        structural = isinstance(answer, Misshapen)
        return self._fail(
            Failure(
                "contract_structure" if structural else "contract_semantic",
                self.phase,
                self.call,
                _rule(objections[0].rule),
            )
        )

    def _ended(self, answer: ExtractionAnswer | ConsolidationAnswer) -> Ended:
        if isinstance(answer, LeftOut | Failed | Waiting):
            return self._silent(answer)
        return "succeeded" if self.output else "succeeded_no_output"

    def _silent(self, answer: Silence) -> Ended:
        self.check()
        if isinstance(answer, LeftOut):
            with self.store.writing() as writing:
                leave_out(writing, self.batch, _rule(answer.rule) or "capacity")
            return "left_out"
        if isinstance(answer, Waiting):
            self.ends, self.only_session = answer.reason, answer.session
            with self.store.writing() as writing:
                if answer.unreached:
                    uncount_call(writing, self.batch)
                give_back(writing, self.batch)
            return "waiting"
        self.ends = answer.ends
        return self._fail(
            Failure(answer.failure_class, "call", self.call, _rule(answer.rule))
        )

    def _fail(self, failure: Failure) -> Ended:
        """End the job, or let it wait for its retry; a repair has none (M4.7)."""
        again = failure.failure_class in _RETRYABLE and self.call == "primary"
        with self.store.writing() as writing:
            status = fail(writing, self.batch, failure, retryable=again)
        return "retry_wait" if status == "retry_wait" else "failed"


class _Extraction(Step):
    def ask(self, repair: Repair | None) -> ExtractionAnswer:
        with self.store.looking() as db:
            task = extraction_task(db, self.batch)
        return self.pipeline.extract(task, repair, self.gate)

    def accept(self, reply: Reply) -> tuple[Objection, ...]:
        assert isinstance(reply, ExtractionReply)
        forged = tuple(
            Objection(f"candidates[{place}]", violation)
            for place, one in enumerate(reply.candidates)
            if (violation := check_envelope(one, reply.window)) is not None
        )
        if forged:
            return forged
        proposed, self.refused = [], Counter()
        rules: dict[TurnId, str] = {}
        for one in reply.candidates:
            verdict = admit(one, reply.window)
            if isinstance(verdict, Refused):
                self.refused[verdict.rule.value] += 1
                rules |= {said.turn_id: verdict.rule.value for said in one.sources}
            else:
                kept = verdict.candidate
                proposed.append(Proposed(kept.meaning, kept.sources))
        self.phase = "commit"
        with self.store.writing() as writing:
            turns = [one.id for one in self.batch.turns]
            rest = checkpoint_without_forgotten(writing.tx, turns, reply.checkpoint)
            done = commit_extraction(writing, self.batch, rest, proposed)
            note_refused(writing, self.batch, rules)
        self.output = bool(done.kept)
        return ()


class _Consolidation(Step):
    def ask(self, repair: Repair | None) -> ConsolidationAnswer:
        with self.store.looking() as db:
            self.task = consolidation_task(db, self.batch)
        if not self.task.candidates:
            return ConsolidationReply((), None)  # all of them were let go meanwhile
        return self.pipeline.consolidate(self.task, repair, self.gate)

    def accept(self, reply: Reply) -> tuple[Objection, ...]:
        assert isinstance(reply, ConsolidationReply)
        task = self.task
        broken = check_operations(reply.operations, task.candidates, task.targets)
        if broken:
            return tuple(
                Objection(
                    "" if one.place is None else f"operations[{one.place}]",
                    one.breach.value,
                )
                for one in broken
            )
        self.phase = "commit"
        with self.store.writing() as writing:
            made = commit_consolidation(
                writing,
                self.batch,
                reply.operations,
                targets=[one.id for one in task.targets],
            )
        self.output = bool(made)
        return ()


def step_for(
    store: MemoryStore, pipeline: Pipeline, batch: Batch, check: Callable[[], None]
) -> Step:
    """Give the work on a batch of its kind."""
    kind = _Extraction if batch.kind == "extraction" else _Consolidation
    return kind(store, pipeline, batch, check)


def _rule(text: str) -> str | None:
    """Give the id of a rule as a diagnosis takes it; no text gets in (M8.1)."""
    return re.sub(_NO_RULE, "_", text.lower())[:_RULE_CHARACTERS] or None
