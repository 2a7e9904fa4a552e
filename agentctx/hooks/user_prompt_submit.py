"""A developer asks something: keep it, and give what is surely about it (A4.3).

The turn is kept before anything is answered (M2.0(a)). Records and what memory has
share one budget, and a failure of either costs the other nothing.
"""

from __future__ import annotations

from agentctx.briefing.budget import PROMPT_RECORDS, PROMPT_TOKENS
from agentctx.briefing.prompted import Matches, matches, told
from agentctx.briefing.state import read_state, session_state
from agentctx.clock import stamp
from agentctx.hooks.ends import ends_of
from agentctx.hooks.remembering import memory_on
from agentctx.memory.model import MAX_SCOPE_PATHS
from agentctx.records.observed import touched_since
from agentctx.records.sessions import Given
from agentctx.records.twins import twins_of
from corpus.errors import CodedError
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agentctx.briefing.state import SessionState
    from agentctx.hooks.here import Here
    from agentctx.hooks.recalling import Recalled
    from agentctx.records.model import Record
    from agentctx.records.twins import Twin

KEPT_PROMPT = 600
"""Characters of each end of a prompt that rank what a sub-agent is told."""


class _Known(NamedTuple):
    """What the user's store knows of a prompt.

    Records about it, the items that records given before were made from, and the files
    that the session changed since it was last asked.
    """

    about: Matches = Matches()
    twins: tuple[Twin, ...] = ()
    touched: tuple[str, ...] = ()


def answer(here: Here) -> str:
    """Give what is known about a prompt and was not given to the session yet."""
    prompt = here.text("prompt")
    if not prompt.strip():
        return ""
    known = _known(here, prompt)
    with session_state(here.home, here.session_id) as state:
        given = _chosen(here, state, prompt, known)
    if given.text:
        here.count(Given(here.event, given.tokens, given.records))
    return given.text


class _Chosen(NamedTuple):
    text: str
    tokens: int
    records: tuple[str, ...]


def _known(here: Here, prompt: str) -> _Known:
    """Search the user's store; what is wrong with it is noted."""
    state = read_state(here.home, here.session_id)
    try:
        with here.store(create=False) as store:
            project = here.project
            about = matches(
                store,
                project.project_id,
                prompt,
                given=set(state.given),
                branch=project.branch,
            )
            touched: tuple[str, ...] = ()
            if here.session_id is not None:
                touched = touched_since(
                    store.db, here.session_id, state.asked_at, limit=MAX_SCOPE_PATHS
                )
            return _Known(about, twins_of(store.db, state.given), touched)
    except FileNotFoundError:  # nothing was ever recorded
        return _Known()
    except CodedError as error:
        here.fails_once(error)
        return _Known()


def _chosen(here: Here, state: SessionState, prompt: str, known: _Known) -> _Chosen:
    """Choose what is new to the session, and note it as given, in one step."""
    had = set(state.given)
    new = tuple(one for one in known.about.records if one.id not in had)
    from_memory = _recalled(here, state, prompt, known._replace(about=Matches(new)))
    found = told(
        from_memory.records[:PROMPT_RECORDS],
        now=here.clock(),
        degraded=known.about.degraded,
        tokens=PROMPT_TOKENS - from_memory.tokens,
    )
    state.add(list(found.records))
    state.prompt = ends_of(prompt, KEPT_PROMPT)
    state.asked_at = stamp(here.clock())
    if found.degraded is not None:
        here.fails("SEARCH_DEGRADED", found.degraded)
    parts = (from_memory.before, found.text, from_memory.map)
    text = "\n".join(part for part in parts if part)
    tokens = injection_tokens(text) if text else 0
    return _Chosen(text, tokens, found.records)


class _Remembered(NamedTuple):
    """What a prompt is told where nothing is remembered: the records alone."""

    records: tuple[Record, ...]
    before: str = ""
    map: str = ""
    tokens: int = 0


def _recalled(
    here: Here, state: SessionState, prompt: str, known: _Known
) -> Recalled | _Remembered:
    """Keep the turn and ask memory, where it is on or had the session's last turn."""
    records = known.about.records
    if memory_on(here) is None and not state.root:
        return _Remembered(records)
    from agentctx.hooks.recalling import Said, recall  # noqa: PLC0415 - see above

    return recall(here, state, Said(prompt, records, known.twins, known.touched))
