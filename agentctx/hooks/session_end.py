"""A session ends: stamp it and wake who reads and tidies up, at once (A4.5)."""

from __future__ import annotations

from agentctx.hooks.remembering import leave
from agentctx.records.sessions import end_session, note_session
from agentctx.records.transcripts import hear
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store


def answer(here: Here) -> str:
    """Note the end of a session; say nothing."""
    session_id = here.session_id
    if session_id is None:
        return ""
    leave(here)
    now = here.clock()
    source = here.transcript()

    def act(store: Store) -> None:
        with store.writing() as tx:
            note_session(tx, session_id, here.project.project_id, now=now)
            end_session(tx, session_id, now=now)
            if source is not None:
                hear(tx, source, now=now, ended=True)
        here.wake_if_wanted(store)

    here.keep(act)
    return ""
