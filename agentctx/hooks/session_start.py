"""A session begins, goes on, or has forgotten: say what is known of the project (A4.2).

The digest was made beforehand; here it is only filtered against the store. After a
compaction or a clear nothing counts as given any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.briefing.digest import is_behind, read_digest
from agentctx.briefing.opening import Briefing, Place, session_briefing
from agentctx.briefing.state import session_state
from agentctx.records.namespaces import note_namespace
from agentctx.records.sessions import Given
from corpus.errors import CodedError

if TYPE_CHECKING:
    from agentctx.briefing.digest import Digest
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store

FORGOTTEN = frozenset({"clear", "compact"})
"""Sources after which the session knows nothing of what it was given."""


def answer(here: Here) -> str:
    """Give the briefing of a session's first moment; empty without one."""
    digest = read_digest(here.home, here.project.project_id)
    if here.text("source") in FORGOTTEN:
        with session_state(here.home, here.session_id) as state:
            state.clear()
    try:
        with here.store(create=False) as store:
            return _told(here, store, digest)
    except FileNotFoundError:  # nothing was ever recorded
        return ""
    except CodedError as error:
        here.fails(error.code)
        return _without_store(here, digest, error.code)


def _told(here: Here, store: Store, digest: Digest | None) -> str:
    """Show what still stands, count it, and have made anew what does not."""
    briefing = Briefing("", 0, (), (), stale=True)
    if digest is not None:
        degraded = None if store.full_text else "like-search"
        briefing = session_briefing(store.db, digest, _place(here), degraded=degraded)
    if briefing.text and here.session_id is not None:
        with session_state(here.home, here.session_id) as state:
            state.add(list(briefing.whole))
    here.count(store, Given(here.event, briefing.tokens, briefing.shown))
    _have_made(here, store, digest, stale=briefing.stale)
    return briefing.text


def _have_made(here: Here, store: Store, digest: Digest | None, *, stale: bool) -> None:
    """Wake the worker where the digest should be another, or something else waits."""
    project = here.project
    try:
        note_namespace(
            store, project.project_id, name=project.name, root=str(project.main_root)
        )
        behind = digest is None or is_behind(store, digest)
        if stale and not behind:
            store.touch(project.project_id)
    except CodedError as error:
        here.fails(error.code)
        return
    if behind or stale:
        here.wake()
    else:
        here.wake_if_wanted(store)


def _without_store(here: Here, digest: Digest | None, code: str) -> str:
    """Say what needs no store: the corpus, the tools, and that records are missing."""
    if digest is None:
        return ""
    return session_briefing(None, digest, _place(here), degraded=code).text


def _place(here: Here) -> Place:
    return Place(str(here.project.root), here.worktree)
