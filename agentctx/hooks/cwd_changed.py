"""A session goes to another folder: from now on it is about that project (A4.8)."""

from __future__ import annotations

from agentctx.hooks.here import is_path
from agentctx.records.sessions import note_session
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store


def answer(here: Here) -> str:
    """Let the session belong to the project of its new folder; say nothing."""
    if here.session_id is None or here.in_subagent:
        return ""
    new = here.text("new_cwd")
    if is_path(new):
        here.payload = {**here.payload, "cwd": new}
    session_id, now = here.session_id, here.clock()

    def act(store: Store) -> None:
        with store.writing() as tx:
            note_session(tx, session_id, here.project.project_id, now=now)

    here.keep(act)
    return ""
