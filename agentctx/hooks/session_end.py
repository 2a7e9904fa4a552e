"""A session ends: stamp it and wake who reads and tidies up, at once (A4.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.records.sessions import end_session, note_session
from agentctx.records.transcripts import hear

if TYPE_CHECKING:
    from agentctx.hooks.here import Here


def answer(here: Here) -> str:
    """Note the end of a session; say nothing."""
    if here.session_id is None:
        return ""
    now = here.clock()
    source = here.transcript()
    with here.store() as store:
        with store.writing() as tx:
            note_session(tx, here.session_id, here.project.project_id, now=now)
            end_session(tx, here.session_id, now=now)
            if source is not None:
                hear(tx, source, now=now, ended=True)
        here.wake_if_wanted(store)
    return ""
