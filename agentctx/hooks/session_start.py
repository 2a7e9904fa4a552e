"""A session begins, goes on, or has forgotten: say what is known of the project (A4.2).

The digest was made beforehand; here it is only filtered against the store. After a
compaction or a clear nothing counts as given any more.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from agentctx.briefing.branched import on_branch
from agentctx.briefing.budget import SESSION_TOKENS, SHARES
from agentctx.briefing.digest import digest_of, is_behind
from agentctx.briefing.opening import Briefing, Place, session_briefing
from agentctx.briefing.state import session_state
from agentctx.clock import moment_of
from agentctx.hooks.remembering import look_here
from agentctx.records.namespaces import note_namespace
from agentctx.records.sessions import Given
from agentctx.records.staged import branches_of
from agentctx.records.transcripts import Source, hear, note_source, unended
from agentctx.team.arriving import first_blocks, has_news, knows_nothing
from corpus.errors import CodedError
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.briefing.digest import Digest
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store
    from agentctx.records.transcripts import Heard

FORGOTTEN = frozenset({"clear", "compact"})
"""Sources after which the session knows nothing of what it was given."""

ANEW = frozenset({"startup", "clear"})
"""Sources after which it knows nothing of what came before it, either."""

CARRIED_ON = frozenset({"resume", "fork"})
"""Sources after which it has all that was said before it."""

SILENT = timedelta(minutes=30)
"""How long nothing was written for a session that must have ended without a word."""

LOOKED_BACK, MOST_LOOKED_AT = timedelta(days=30), 32
"""Sessions that are looked at: no older (clients keep no more), and no more."""


def answer(here: Here) -> str:
    """Give the briefing of a session's first moment; empty without one."""
    digest = digest_of(here.home, here.project)
    _note_source(here)
    look_here(here)
    try:
        with here.store(create=False) as store:
            return _told(here, store, digest)
    except FileNotFoundError:  # nothing was ever recorded
        return _from_the_team(here, None)
    except CodedError as error:
        here.fails(error.code)
        return _without_store(here, digest, error.code)


def _note_source(here: Here) -> None:
    """Note what the session still knows, by how it comes to begin."""
    source = here.text("source")
    with session_state(here.home, here.session_id) as state:
        if source in FORGOTTEN:
            state.clear()
        if source in ANEW:
            state.checkpoint = False
        elif source in CARRIED_ON:
            state.checkpoint = True


def _told(here: Here, store: Store, digest: Digest | None) -> str:
    """Show what still stands, count it, and have made anew what does not."""
    briefing = Briefing("", 0, (), (), stale=True)
    digest = on_branch(store, digest, here.project.branch)
    if digest is not None:
        degraded = None if store.full_text else "like-search"
        briefing = session_briefing(store.db, digest, _place(here), degraded=degraded)
    if briefing.text and here.session_id is not None:
        with session_state(here.home, here.session_id) as state:
            state.add(list(briefing.whole))
    if knows_nothing(store, here.project.project_id):
        briefing = _with_team(here, store, briefing)
    here.count(Given(here.event, briefing.tokens, briefing.shown))
    here.keep(lambda kept: _have_made(here, kept, digest, stale=briefing.stale))
    return briefing.text


def _with_team(here: Here, store: Store, briefing: Briefing) -> Briefing:
    """Add what teammates committed, of which nothing was taken in yet (A8.2)."""
    told = _from_the_team(here, store, left=SESSION_TOKENS - briefing.tokens - 1)
    text = "\n".join(filter(None, (briefing.text, told)))
    return briefing._replace(text=text, tokens=injection_tokens(text) if text else 0)


def _from_the_team(
    here: Here, store: Store | None, *, left: int = SESSION_TOKENS
) -> str:
    """Give what teammates committed, where nothing was made of it here yet (A8.2)."""
    project = here.project
    share = min(SHARES["decisions"], left)
    return first_blocks(store, project.project_id, project.main_folder, share)


def _note_sessions(here: Here, store: Store) -> None:
    """Know of this session from its start; have those read that crashed."""
    source = here.transcript()
    crashed = list(_crashed(here, store))
    with store.writing() as tx:
        if source is not None:
            note_source(tx, source, now=here.clock())
        for one, ended_at in crashed:
            past = Source(one.session_id, one.project_id, one.cwd, one.path)
            hear(tx, past, now=ended_at, ended=True)


def _crashed(here: Here, store: Store) -> Iterator[tuple[Heard, datetime]]:
    """Find sessions that went on after they were last heard of, and fell silent."""
    now = here.clock()
    for one in unended(store.db, since=now - LOOKED_BACK, limit=MOST_LOOKED_AT):
        try:
            written = os.stat(one.path).st_mtime  # noqa: PTH116 - text
            written_at = datetime.fromtimestamp(written, UTC)
        except (OSError, ValueError, OverflowError):
            continue
        is_ours = one.session_id == here.session_id
        if not is_ours and moment_of(one.heard_at) < written_at < now - SILENT:
            yield one, written_at


def _have_made(here: Here, store: Store, digest: Digest | None, *, stale: bool) -> None:
    """Wake the worker where the digest should be another, or something else waits."""
    project = here.project
    note_namespace(
        store, project.project_id, name=project.name, root=project.main_folder
    )
    behind = (
        digest is None
        or digest.project_id != project.project_id
        or is_behind(store, digest)
    )
    if stale and not behind:
        store.touch(project.project_id)
    _note_sessions(here, store)
    root = project.main_folder
    news = has_news(store, root, project.project_id) or _has_moved(here, store)
    if behind or stale or news:
        here.wake()
    else:
        here.wake_if_wanted(store)


def _has_moved(here: Here, store: Store) -> bool:
    """Say whether a branch on which something waits, or the main line, has moved."""
    if not branches_of(store.db, here.project.project_id):
        return False
    from agentctx.team.looking import have_moved  # noqa: PLC0415 - seldom needed

    return have_moved(store, here.project, here.environ)


def _without_store(here: Here, digest: Digest | None, code: str) -> str:
    """Say what needs no store: the corpus, the tools, and that records are missing."""
    if digest is None:
        return ""
    return session_briefing(None, digest, _place(here), degraded=code).text


def _place(here: Here) -> Place:
    return Place(here.project.folder, here.worktree)
