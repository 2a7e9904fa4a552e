"""A prompt's turn and what memory has about it: one connection, one transaction (H6).

An item and the record that was made from it are never both given (A6.4). A record that
a person stands for goes before its item; one that only follows comes where that cannot;
one whose item says something else by now is not given.
"""

from __future__ import annotations

from contextlib import suppress

from agentctx.briefing.budget import (
    PROMPT_CHECKPOINT,
    PROMPT_MAP,
    PROMPT_TOKENS,
)
from agentctx.briefing.prompted import told
from agentctx.briefing.state import NO_TURN
from agentctx.clients.claude_records import storable
from agentctx.clients.claude_words import own_words
from agentctx.failures import told as told_of
from agentctx.hooks.ends import ends_of
from agentctx.hooks.line import is_busy
from agentctx.hooks.remembering import LONG, give_up, lease_of, memory_on, session_of
from agentctx.hooks.scope import named_paths
from agentctx.memory.mapping import HINT, framed_checkpoint
from agentctx.records.twins import twin_of
from corpus.errors import CodedError, StoreBusyError
from corpus.tokens import injection_tokens
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.briefing.state import SessionState
    from agentctx.hooks.here import Here
    from agentctx.memory.hosted import Begun, Live, Prompt
    from agentctx.memory.store import MemoryStore
    from agentctx.records.model import Record
    from agentctx.records.twins import Twin

INTENT = "prompt"
PATIENCE = 0.5
"""Seconds that a prompt waits for a memory that somebody else writes."""

ENDS = 64 * 1024
"""Characters of each end of a long prompt that its Map is made from."""

_JOINTS = 4
"""Tokens that the line ends between the parts may cost."""


class Said(NamedTuple):
    """A prompt, the records about it, best first, and what the session has had.

    `twins` are the items whose records it was given; `touched` are files that it
    changed since it was last asked.
    """

    prompt: str
    records: tuple[Record, ...]
    twins: tuple[Twin, ...] = ()
    touched: tuple[str, ...] = ()


class Recalled(NamedTuple):
    """What memory adds to a prompt, what that costs, and the records it leaves."""

    records: tuple[Record, ...]
    before: str = ""
    map: str = ""
    tokens: int = 0


def recall(here: Here, state: SessionState, said: Said) -> Recalled:
    """Keep the turn, and give what memory has about it; nothing where it is off.

    A turn that cannot be kept at once is kept behind the answer, without a Map.
    """
    session_id = session_of(here)
    root = None if session_id is None else memory_on(here)
    words = own_words_of(said.prompt) if root is not None else ""
    if session_id is not None and root is None:
        state.turn = NO_TURN
    if session_id is None or root is None or not words:
        return Recalled(said.records)
    if state.root and state.root != root:
        give_up(here, state.root, session_id)
    state.root, state.turn = root, NO_TURN
    try:
        asked = _prompt(here, session_id, words, said.touched)
        state.turn = asked.turn_id
        return _kept(here, state, said, asked, words)
    except CodedError as error:
        state.turn = NO_TURN
        cause = str(error.facts.get("problem", ""))
        if state.is_news(f"{error.code} {cause}"):
            here.fails(error.code, cause)
    except Exception as error:  # noqa: BLE001 - it costs nothing but memory (C3)
        state.turn = NO_TURN
        here.fails("BUG", told_of(error))
    return Recalled(said.records)


def _kept(
    here: Here, state: SessionState, said: Said, asked: Prompt, words: str
) -> Recalled:
    """Begin a turn, at once if that can be; all of a long one is kept behind it.

    It waits where a turn of before is still written: they begin in their order.
    """
    found = None
    if not is_busy(here.home, state.line):
        with suppress(StoreBusyError), here.memory(state.root) as memory:
            memory.patience = PATIENCE
            found = _recalled(here, memory, state, said, asked)
    if found is None:
        here.remember(state.root, lambda memory: _begin_later(here, memory, asked))
    if len(words) > LONG:
        here.remember(
            state.root, lambda memory: _fill(memory, asked, words), apart=True
        )
    return found or Recalled(said.records)


def own_words_of(prompt: str) -> str:
    """Give what a developer said; as it is, unless a program put something there."""
    words = own_words(prompt)
    return prompt if words == storable(prompt).strip() else words


def _prompt(
    here: Here, session_id: str, words: str, touched: tuple[str, ...]
) -> Prompt:
    """Say what is asked: of a long prompt its ends, until all of it is kept."""
    from agentctx.memory.hosted import Prompt  # noqa: PLC0415 - where memory is on
    from agentctx.memory.rawtext import Clean, raw  # noqa: PLC0415 - as above
    from agentctx.memory.store import RandomIds  # noqa: PLC0415 - as above

    root = here.project.folder
    paths = named_paths(words, cwd=here.cwd, root=root)
    return Prompt(
        session_id,
        Clean(ends_of(words, ENDS)) if len(words) > LONG else raw(words),
        INTENT,
        tuple(dict.fromkeys((*paths, *touched))),
        tokens=injection_tokens,
        turn_id=RandomIds(here.random).new("turn"),
    )


def _recalled(
    here: Here, memory: MemoryStore, state: SessionState, said: Said, asked: Prompt
) -> Recalled:
    """Begin the turn, with as much of a Map as surely fitting records leave."""
    from agentctx.memory.hosted import begin, live_items  # noqa: PLC0415 - as above

    lease, now = lease_of(here), here.clock()
    due = 0 if state.checkpoint else PROMPT_CHECKPOINT
    apart = due + _JOINTS + (0 if state.items else injection_tokens(HINT))
    mine = {
        str(one.id): twin for one in said.records if (twin := twin_of(one)) is not None
    }
    twins = [*said.twins, *mine.values()]
    with memory.writing() as writing:
        live = live_items(writing.tx, {one.logical_id for one in twins})
        items = {one: _item(twin, live) for one, twin in mine.items()}
        seen = {*state.items, *(_item(one, live) for one in said.twins)} - {""}
        past = {one for one, twin in mine.items() if _is_past(twin, items[one], live)}
        records = tuple(
            one
            for one in said.records
            if one.id not in past and items.get(one.id) not in seen
        )
        firm = [one for one in records if not (items.get(one.id) and _follows(one))]
        sure = told(firm, now=now, tokens=PROMPT_TOKENS - PROMPT_MAP - apart)
        told_of_items = {items.get(one, "") for one in sure.records} - {""}
        asked = asked._replace(
            seen=frozenset(seen | told_of_items),
            map_tokens=PROMPT_TOKENS - sure.tokens - apart,
            checkpoint_tokens=due,
        )
        begun = begin(writing, asked, lease=lease)
    shown = {entry.id for entry in begun.map.entries}
    left = tuple(one for one in records if items.get(one.id) not in shown)
    before = _before(begun, is_first=not state.items)
    state.checkpoint = True
    state.add_items(sorted(shown))
    tokens = injection_tokens(before) + begun.map.tokens + _JOINTS
    return Recalled(left, before, begun.map.text, tokens)


def _item(twin: Twin, live: Mapping[str, Live]) -> str:
    """Give the revision that a record was made from, if it is the present one.

    An item that was revised since says something else than its record.
    """
    one = live.get(twin.logical_id)
    return "" if one is None or one.created_at > twin.recorded_at else one.id


def _is_past(twin: Twin, item_id: str, live: Mapping[str, Live]) -> bool:
    """Say whether an item was revised since a record was made of it."""
    return not item_id and twin.logical_id in live


def _follows(record: Record) -> bool:
    """Say whether a record only says what its item says, and nobody confirmed it."""
    return record.confidence == "inferred" and not record.confirmed


def _before(begun: Begun, *, is_first: bool) -> str:
    """Give the checkpoint, quoted, and at first how to find more."""
    text = framed_checkpoint(begun.checkpoint, PROMPT_CHECKPOINT, injection_tokens)
    hint = HINT if is_first and (text or begun.map.text) else ""
    return "\n".join(part for part in (text, hint) if part)


def _begin_later(here: Here, memory: MemoryStore, asked: Prompt) -> None:
    from agentctx.memory.hosted import begin  # noqa: PLC0415 - as above

    with memory.writing() as writing:
        begin(writing, asked, lease=lease_of(here))


def _fill(memory: MemoryStore, asked: Prompt, words: str) -> None:
    from agentctx.memory.model import TurnId  # noqa: PLC0415 - as above
    from agentctx.memory.turns import fill_turn  # noqa: PLC0415 - as above

    fill_turn(memory, TurnId(asked.turn_id), words)
