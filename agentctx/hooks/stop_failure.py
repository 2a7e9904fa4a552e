"""A turn has failed: what was said in it is read with the next one that ends (A4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.sessions import note_session
from agentctx.records.transcripts import hear

if TYPE_CHECKING:
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store


def answer(here: Here) -> str:
    """Note that the session said something; nobody is woken, nothing is said."""
    source = here.transcript()
    if source is None or here.in_subagent:
        return ""
    now = here.clock()

    def act(store: Store) -> None:
        with store.writing() as tx:
            note_session(tx, source.session_id, source.project_id, now=now)
            hear(tx, source, now=now)

    here.keep(act)
    return ""
