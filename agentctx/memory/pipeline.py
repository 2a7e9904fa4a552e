"""What turns words into items: a pipeline is given a task and answers it (M4.0).

Memory knows no model. Whoever runs its jobs gives tasks to a `Pipeline`; each of its
methods asks a model once, at most. What it answers is judged here, not there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from agentctx.memory.items import Operation
    from agentctx.memory.jobs import FailureClass
    from agentctx.memory.model import Candidate, Item, ThreadId, Turn
    from agentctx.memory.window import ProposedCandidate, Window

Gate = Callable[[], None]
"""To be called right before a model is: counts the call, and raises where there may be
none, because the job is another's or memory is damaged (M4.9, M4.10)."""


class ExtractionTask(NamedTuple):
    """The turns of a batch, and what was said before them; evidence oldest first."""

    thread_id: ThreadId
    session_id: str
    previous_compaction: str
    adjacent: Turn | None
    turns: tuple[Turn, ...]
    evidence: tuple[Turn, ...]


class ConsolidationTask(NamedTuple):
    """Candidates to decide on, and the active items that they may be about."""

    session_id: str
    candidates: tuple[Candidate, ...]
    targets: tuple[Item, ...]


class Objection(NamedTuple):
    """What an answer breaks: where in it, and the id of the rule."""

    place: str
    rule: str


class Repair(NamedTuple):
    """What was wrong with the first answer to a task, and that answer as JSON."""

    objections: tuple[Objection, ...]
    value: object


class ExtractionReply(NamedTuple):
    """What a model made of the turns it was shown."""

    checkpoint: str
    candidates: tuple[ProposedCandidate, ...]
    window: Window
    value: object


class ConsolidationReply(NamedTuple):
    """What a model decided."""

    operations: tuple[Operation, ...]
    value: object


class Misshapen(NamedTuple):
    """An answer that is not of the form that was asked for."""

    objections: tuple[Objection, ...]
    value: object = None


class LeftOut(NamedTuple):
    """Nothing was asked: what has to be sent does not fit (M4.3, M4.4)."""

    rule: str


class Failed(NamedTuple):
    """No answer came; `ends` is the code of what would let no other come either."""

    failure_class: FailureClass
    rule: str
    ends: str | None = None


class Waiting(NamedTuple):
    """Nothing was asked, and nothing may be now: the job stays as it was (Spend).

    `session` says that it is so for this session alone, `unreached` that the gate was
    passed and then nobody could be reached.
    """

    reason: str
    session: bool = False
    unreached: bool = False


Silence = LeftOut | Failed | Waiting
ExtractionAnswer = ExtractionReply | Misshapen | Silence
ConsolidationAnswer = ConsolidationReply | Misshapen | Silence


class Pipeline(Protocol):
    """Answers tasks; a repair is the second and last question about one (M4.6)."""

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        """Say what the turns hold that is to be kept."""

    def consolidate(
        self, task: ConsolidationTask, repair: Repair | None, gate: Gate
    ) -> ConsolidationAnswer:
        """Say what becomes of the candidates."""
