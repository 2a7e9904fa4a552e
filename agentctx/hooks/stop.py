"""A turn has ended: keep what was answered, and wake who reads it (A4.4).

Nothing is printed: what is said here would make the session go on.
"""

from __future__ import annotations

from agentctx.hooks.remembering import complete
from agentctx.records.sessions import note_session
from agentctx.records.transcripts import hear
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store


def answer(here: Here) -> str:
    """Note the end of a turn; say nothing."""
    if here.in_subagent:
        return ""
    complete(here)
    source = here.transcript()
    if source is None:
        return ""
    now = here.clock()

    def act(store: Store) -> None:
        with store.writing() as tx:
            note_session(tx, source.session_id, source.project_id, now=now)
            hear(tx, source, now=now)
        if source.asks:
            here.wake_if_wanted(store)  # without a model the session's end does

    here.keep(act)
    return ""
