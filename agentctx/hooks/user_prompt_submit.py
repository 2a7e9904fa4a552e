"""A developer asks something: give the few records that are surely about it (A4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.briefing.budget import PROMPT_RECORDS
from agentctx.briefing.prompted import NOTHING, matches, told
from agentctx.briefing.state import read_state, session_state
from agentctx.records.sessions import Given
from agentctx.redact import redact

if TYPE_CHECKING:
    from agentctx.briefing.prompted import Told
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store

KEPT_PROMPT = 600
"""Characters of each end of a prompt that rank what a sub-agent is told."""


def answer(here: Here) -> str:
    """Give what is recorded about a prompt and was not given to the session yet."""
    prompt = here.text("prompt")
    if not prompt.strip():
        return ""
    try:
        with here.store(create=False) as store:
            found = _found(here, store, prompt)
            if found is not NOTHING:
                here.count(Given(here.event, found.tokens, found.records))
            return found.text
    except FileNotFoundError:  # nothing was ever recorded
        return ""


def _found(here: Here, store: Store, prompt: str) -> Told:
    """Choose what is new to the session, and note it as given, in one step."""
    given = set(read_state(here.home, here.session_id).given)
    project_id = here.project.project_id
    about = matches(store, project_id, prompt, given=given)
    with session_state(here.home, here.session_id) as state:
        known = set(state.given)
        new = [record for record in about.records if record.id not in known]
        found = told(new[:PROMPT_RECORDS], now=here.clock(), degraded=about.degraded)
        state.add(list(found.records))
        state.prompt = _kept(prompt)
    if found.degraded is not None:
        here.fails("SEARCH_DEGRADED", found.degraded)
    return found


def _kept(prompt: str) -> str:
    """Give both ends of a prompt without secrets."""
    text = prompt
    if len(prompt) > 2 * KEPT_PROMPT:
        text = f"{prompt[:KEPT_PROMPT]}\n{prompt[-KEPT_PROMPT:]}"
    return redact(text).text
