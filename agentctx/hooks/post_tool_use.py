"""A tool was used: keep what can be seen of it, without a model (A4.7).

Files that were changed, how tests ended, commits and branches; and of what failed a
stub, once, linked to the file of the failing line.
"""

from __future__ import annotations

from agentctx.observing.observe import observe_failure, observe_use, worth_a_look
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.hooks.here import Here
    from agentctx.observing.model import Observed

FAILED = "post-tool-use-failure"


def answer(here: Here) -> str:
    """Look at one use of a tool; say nothing."""
    seen = _seen(here)
    if seen is None or here.session_id is None or not any(seen):
        return ""
    from agentctx.hooks.noting import note_seen  # noqa: PLC0415 - seldom needed

    note_seen(here, here.session_id, seen)
    return ""


def _seen(here: Here) -> Observed | None:
    """Observe the call; None where it can tell nothing."""
    tool, used = here.text("tool_name"), here.payload.get("tool_input")
    if here.event == FAILED:
        interrupted = here.payload.get("is_interrupt") is True
        error = here.payload.get("error")
        return observe_failure(tool, used, error, interrupted=interrupted)
    response = here.payload.get("tool_response")
    if not worth_a_look(tool, used, response):
        return None
    return observe_use(tool, used, response)
