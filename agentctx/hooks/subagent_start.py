"""A sub-agent begins: tell it of the project, and of the rules it touches (A4.8).

No task is supplied, so the session's last prompt ranks them. A sub-agent has not seen
what its session was given, and what it is given does not count as given to that.
"""

from __future__ import annotations

from agentctx.briefing.branched import on_branch
from agentctx.briefing.digest import digest_of, standing_blocks
from agentctx.briefing.opening import Place, project_lines
from agentctx.briefing.prompted import Matches, rules, told
from agentctx.briefing.state import read_state
from agentctx.records.sessions import Given
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.briefing.digest import Digest
    from agentctx.briefing.prompted import Told
    from agentctx.hooks.here import Here
    from agentctx.records.store import Store


def answer(here: Here) -> str:
    """Give a sub-agent the profile and up to three decisions and conventions."""
    try:
        with here.store(create=False) as store:
            found = _found(here, store)
            if found.text:
                here.count(Given(here.event, found.tokens, found.records))
            return found.text
    except FileNotFoundError:  # nothing was ever recorded
        return ""


def _found(here: Here, store: Store) -> Told:
    """Rank by the last prompt; what is left of three comes from the digest."""
    project_id = here.project.project_id
    prompt = read_state(here.home, here.session_id).prompt
    branch = here.project.branch
    about = rules(store, project_id, prompt, branch=branch) if prompt else Matches()
    digest = on_branch(store, digest_of(here.home, here.project), branch)
    before: list[str] = []
    after: list[tuple[str, str]] = []
    if digest is not None:
        place = Place(here.project.folder, here.worktree)
        text = project_lines(store.db, digest, place)
        before = [text] if text else []
        after = _standing(store, digest, {record.id for record in about.records})
    return told(
        about.records,
        now=here.clock(),
        degraded=about.degraded,
        before=before,
        after=after,
    )


def _standing(store: Store, digest: Digest, known: set[str]) -> list[tuple[str, str]]:
    standing = standing_blocks(store.db, digest.project_id, digest.decisions)
    return [
        (block.record_id, block.text)
        for block in digest.decisions
        if block.record_id in standing and block.record_id not in known
    ]
