"""A session is about to be compacted: keep where its work stands (A4.6).

Nothing is said; what was given counts as forgotten from now on. The session begins anew
in a moment, so the digest has to know the handover by then.
"""

from __future__ import annotations

from agentctx.briefing.handover import Author, keep_handover, snapshot
from agentctx.briefing.making import renew_digest
from agentctx.briefing.state import session_state
from agentctx.clients.claude_transcript import read_last_turns
from agentctx.errors import TranscriptError
from agentctx.records.sessions import note_session
from agentctx.records.transcripts import hear
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.clients.claude_transcript import Turn
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store

READ = 4 * 1024 * 1024
"""Bytes at the end of a transcript that are looked at."""


def answer(here: Here) -> str:
    """Keep a handover from the live state, unless there is a richer one."""
    source = here.transcript()
    if here.in_subagent or source is None:
        return ""
    with session_state(here.home, here.session_id) as state:
        state.clear()
    turns = _turns(here, source.path)
    author = Author(source.session_id, source.project_id, here.worktree)
    now = here.clock()

    def act(store: Store) -> None:
        with store.writing() as tx:
            note_session(tx, source.session_id, source.project_id, now=now)
            hear(tx, source, now=now)
        made = snapshot(store.db, source.session_id, turns)
        if keep_handover(store, author, made) is not None:
            renew_digest(store, source.project_id)

    here.keep(act)  # a handover that a person deleted is noted as a failure
    return ""


def _turns(here: Here, path: str) -> list[Turn]:
    try:
        return read_last_turns(path, limit_bytes=READ)
    except TranscriptError as error:
        here.fails(error.code)
        return []
