"""A turn has failed: what the developer said in it stays, and is read (A4.4)."""

from __future__ import annotations

from agentctx.hooks.remembering import fail
from agentctx.records.sessions import note_session
from agentctx.records.transcripts import hear
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store


def answer(here: Here) -> str:
    """Note that the session said something; nothing is said."""
    if here.in_subagent:
        return ""
    fail(here)
    source = here.transcript()
    if source is None:
        return ""
    now = here.clock()

    def act(store: Store) -> None:
        with store.writing() as tx:
            note_session(tx, source.session_id, source.project_id, now=now)
            hear(tx, source, now=now)

    here.keep(act)
    return ""
