"""Answers that are paid for out of the one account there is (Spend)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.errors import ModelError, SpendDayError, SpendSessionError
from agentctx.extraction.asking import DAY_CAP, lost
from agentctx.llm.talk import TalkStoppedError
from agentctx.memory.pipeline import Waiting
from agentctx.records.spending import Cost

if TYPE_CHECKING:
    from agentctx.extraction.asking import Caps
    from agentctx.extraction.memory.purse import Purse
    from agentctx.llm.talk import Hear, Said, Talk, Talker

INTERRUPTED = "INTERRUPTED"
_AGAIN = (
    "say it once more; if it goes on, look at the connection and ANTHROPIC_BASE_URL"
)


class Payer(NamedTuple):
    """Asks a model in a session, and keeps account of it."""

    session: str
    talker: Talker
    purse: Purse
    caps: Caps

    def answer(self, talk: Talk, hear: Hear) -> Said:
        """Answer; what it may cost at most is reserved first.

        Raises as a `Talker` does, and `SpendSessionError` or `SpendDayError` where the
        answer might pass a cap: nothing is asked then.
        """
        call_id = self.purse.reserve(self.session, talk, self.talker)
        if isinstance(call_id, Waiting):
            if call_id.reason == DAY_CAP:
                raise SpendDayError(cap=f"{self.caps.day:g}")
            raise SpendSessionError(cap=f"{self.caps.session:g}")
        try:
            said = self.talker.answer(talk, hear)
        except ModelError as error:
            if error.retryable:
                error.hint = _AGAIN
            self.purse.settle(call_id, lost(error))
            raise
        except TalkStoppedError as stopped:
            self.purse.settle(call_id, Cost(0, 0, stopped.cost_usd, INTERRUPTED))
            raise
        counted = said.usage
        cost = Cost(
            counted.prompt_tokens, counted.output_tokens, said.cost_usd, "answered"
        )
        self.purse.settle(call_id, cost)
        return said
