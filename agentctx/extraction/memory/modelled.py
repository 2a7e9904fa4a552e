"""The pipeline of memory that asks a model (M4.6, Spend).

Each task is one question, its answer is read strictly, and what went wrong becomes one
of memory's closed words. What was asked and answered is kept nowhere.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agentctx.errors import ModelError, ModelTimeoutError, ModelTruncatedError
from agentctx.extraction.asking import NOT_THIS_ONE, lost, paid
from agentctx.extraction.memory.payload import consolidation_payload, pack_extraction
from agentctx.extraction.memory.prompts import (
    CONSOLIDATE,
    CONSOLIDATE_AGAIN,
    CONSOLIDATION,
    EXTRACT,
    EXTRACT_AGAIN,
    EXTRACTION,
    REPAIR,
)
from agentctx.extraction.memory.replies import read_consolidation, read_extraction
from agentctx.extraction.memory.schemas import CONSOLIDATION_SCHEMA, EXTRACTION_SCHEMA
from agentctx.llm.model import Ask
from agentctx.memory.clipping import api_tokens
from agentctx.memory.pipeline import Failed, LeftOut, Misshapen, Objection, Waiting
from agentctx.memory.projection import A_MESSAGE
from agentctx.records.spending import Cost
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.extraction.memory.purse import Purse
    from agentctx.llm.model import Model
    from agentctx.memory.pipeline import (
        ConsolidationAnswer,
        ConsolidationTask,
        ExtractionAnswer,
        ExtractionTask,
        Gate,
        Repair,
    )

MOST_REPLY = 8_192
SECONDS = 60.0
"""How long a question may take; whoever opens the model sets it so."""

NOT_ASKED = "not_asked"
_LONGEST_REJECTED = 64 * 1024
"""Characters of a rejected answer that are shown again."""

EXTRACTION_FORM = Ask(EXTRACTION, "", EXTRACTION_SCHEMA, MOST_REPLY, EXTRACT)
CONSOLIDATION_FORM = Ask(
    CONSOLIDATION, "", CONSOLIDATION_SCHEMA, MOST_REPLY, CONSOLIDATE
)
_AGAIN = {EXTRACT: EXTRACT_AGAIN, CONSOLIDATE: CONSOLIDATE_AGAIN}


class ModelPipeline:
    """See `agentctx.memory.pipeline.Pipeline`; `capacity` is in tokens of input."""

    def __init__(self, model: Model, purse: Purse, capacity: int) -> None:
        self._model = model
        self._purse = purse
        self._capacity = capacity

    def extract(
        self, task: ExtractionTask, repair: Repair | None, gate: Gate
    ) -> ExtractionAnswer:
        """Ask what the turns hold that is to be kept."""
        form = _form(EXTRACTION_FORM, repair)
        packed = pack_extraction(
            task, lambda payload: self._fits(_asked(form, payload, repair))
        )
        if packed is None:
            return LeftOut("extraction_payload")
        ask = _asked(form, packed.payload, repair)
        value = self._value(task.session_id, ask, gate)
        if isinstance(value, _OTHERWISE):
            return value
        return read_extraction(value, packed.window)

    def consolidate(
        self, task: ConsolidationTask, repair: Repair | None, gate: Gate
    ) -> ConsolidationAnswer:
        """Ask what becomes of the candidates."""
        form = _form(CONSOLIDATION_FORM, repair)
        ask = _asked(form, consolidation_payload(task), repair)
        if not self._fits(ask):
            return LeftOut("consolidation_payload")
        value = self._value(task.session_id, ask, gate)
        if isinstance(value, _OTHERWISE):
            return value
        return read_consolidation(value, task.candidates)

    def _fits(self, ask: Ask) -> bool:
        """Say whether a question has room, by our estimate."""
        schema = api_tokens(json.dumps(ask.schema))
        messages = api_tokens(ask.system) + api_tokens(ask.text) + 2 * A_MESSAGE
        return schema + messages <= self._capacity

    def _value(self, session_id: str, ask: Ask, gate: Gate) -> object:
        """Ask; give the JSON of the answer, or why there is none."""
        call_id = self._purse.reserve(session_id, ask, self._model)
        if isinstance(call_id, Waiting):
            return call_id
        try:
            gate()
        except CodedError:
            self._purse.settle(call_id, Cost(0, 0, 0.0, NOT_ASKED))
            raise
        try:
            reply = self._model.complete(ask)
        except ModelError as error:
            self._purse.settle(call_id, lost(error))
            return _without(error)
        self._purse.settle(call_id, paid(reply))
        return reply.value


_OTHERWISE = (Misshapen, Failed, Waiting)


def _form(form: Ask, repair: Repair | None) -> Ask:
    if repair is None:
        return form
    return form._replace(
        system=form.system + REPAIR, purpose=_AGAIN.get(form.purpose, form.purpose)
    )


def _asked(form: Ask, payload: Mapping[str, object], repair: Repair | None) -> Ask:
    whole: Mapping[str, object] = payload
    if repair is not None:
        rejected = json.dumps(repair.value, ensure_ascii=False)
        whole = {
            "input": payload,
            "violations": [one._asdict() for one in repair.objections],
            "rejected_reply": (
                repair.value if len(rejected) <= _LONGEST_REJECTED else None
            ),
        }
    return form._replace(
        text=json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    )


def _without(error: ModelError) -> Misshapen | Failed | Waiting:
    """Tell what a failure means for the job, in memory's words (Spend)."""
    rule = error.code.lower()
    if error.reached == "nobody" and not error.cost_usd:
        return Waiting(error.code, unreached=True)
    if error.reached == "model" or isinstance(error, ModelTruncatedError):
        return Misshapen((Objection("", rule),))
    if isinstance(error, ModelTimeoutError):
        return Failed("provider_timeout", rule)
    if error.retryable:
        return Failed("provider_transient", rule)
    ends = error.code if error.code in NOT_THIS_ONE else None
    return Failed("provider_permanent", rule, ends)
