"""What a request has left: searches, reads, and tokens that all of them share (M6.5).

The state of a request is a value: every step takes one and gives the next, and whoever
keeps it keeps it whole (H2).
"""

from __future__ import annotations

import json

from agentctx.memory.model import ItemId, RecallPolicy, RecallQuery
from agentctx.memory.refusals import RecallPoolError, RecallQuotaError, RecallTextError
from agentctx.memory.terms import LONGEST, normal_form
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.memory.mapping import Map
    from agentctx.memory.ranking import MatchType


class Searched(NamedTuple):
    """A search that was answered: what it was, and what it found, in order."""

    key: str
    hits: tuple[tuple[ItemId, MatchType], ...]


class Read(NamedTuple):
    """An item that was read, and the tokens there were for it."""

    item_id: ItemId
    allowance: int


class RequestState(NamedTuple):
    """Everything that binds one request: what it may see and what it has used."""

    query: RecallQuery
    policy: RecallPolicy
    map_tokens: int = 0
    spent_tokens: int = 0
    searches: tuple[Searched, ...] = ()
    reads: tuple[Read, ...] = ()
    readable: tuple[ItemId, ...] = ()

    @property
    def left(self) -> int:
        """Tokens left for searches and reads."""
        pool = self.policy.durable_token_budget
        return max(0, pool - self.map_tokens - self.spent_tokens)

    @property
    def map_budget(self) -> int:
        """Tokens that the Map may cost as things stand."""
        pool = self.policy.durable_token_budget - self.spent_tokens
        return max(0, min(self.policy.map_token_budget, pool))


def search_key(text: str) -> str:
    """Give what makes two searches the same one; text without a word is refused."""
    key = normal_form(text)
    if not any(map(str.isalnum, key)):
        raise RecallTextError
    if len(key) <= LONGEST:
        return key
    import hashlib  # noqa: PLC0415 - hardly any search is so long

    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def with_map(state: RequestState, found: Map) -> RequestState:
    """Take in a Map: it replaces the last one, and what it shows stays readable."""
    return state._replace(
        map_tokens=found.tokens, readable=_joined(state.readable, found.exposed)
    )


def earlier_search(state: RequestState, key: str) -> Searched | None:
    """Give the answer to a search that was asked before; a new one needs quota."""
    for one in state.searches:
        if one.key == key:
            return one
    if len(state.searches) >= state.policy.max_search_calls:
        raise RecallQuotaError(limit=state.policy.max_search_calls, what="searches")
    return None


def fitting(
    state: RequestState, costs: Iterable[tuple[ItemId, int]]
) -> tuple[frozenset[ItemId], int]:
    """Say which hits the pool holds, in order, and what they cost together."""
    spent = 0
    kept = set()
    for item_id, cost in costs:
        if spent + cost <= state.left:
            spent += cost
            kept.add(item_id)
    return frozenset(kept), spent


def with_search(state: RequestState, searched: Searched, cost: int) -> RequestState:
    """Charge a search that was not asked before; what it found becomes readable."""
    return state._replace(
        spent_tokens=state.spent_tokens + cost,
        searches=(*state.searches, searched),
        readable=_joined(state.readable, (item_id for item_id, _ in searched.hits)),
    )


def allowance(state: RequestState, item_id: ItemId) -> int:
    """Give the tokens there are, or were, to read an item; a new one needs quota."""
    for one in state.reads:
        if one.item_id == item_id:
            return one.allowance
    if len(state.reads) >= state.policy.max_read_ids:
        raise RecallQuotaError(limit=state.policy.max_read_ids, what="reads")
    if not state.left:
        raise RecallPoolError(left=0)
    return state.left


def with_read(state: RequestState, read: Read, cost: int) -> RequestState:
    """Charge an item that was not read before."""
    if any(one.item_id == read.item_id for one in state.reads):
        return state
    return state._replace(
        spent_tokens=state.spent_tokens + cost, reads=(*state.reads, read)
    )


def state_text(state: RequestState) -> str:
    """Write a state as JSON; `parse_state` reads it back."""
    policy = state.policy._asdict()
    policy["allowed_kinds"] = sorted(state.policy.allowed_kinds)
    whole = {**state._asdict(), "query": state.query._asdict(), "policy": policy}
    return json.dumps(whole, separators=(",", ":"))


def parse_state(text: str) -> RequestState:
    """Read what `state_text` wrote."""
    whole = json.loads(text)
    query = {**whole["query"], "paths": tuple(whole["query"]["paths"])}
    kinds = frozenset(whole["policy"]["allowed_kinds"])
    return RequestState(
        RecallQuery(**query),
        RecallPolicy(**{**whole["policy"], "allowed_kinds": kinds}),
        whole["map_tokens"],
        whole["spent_tokens"],
        tuple(
            Searched(key, tuple((ItemId(item_id), why) for item_id, why in hits))
            for key, hits in whole["searches"]
        ),
        tuple(Read(*one) for one in whole["reads"]),
        tuple(whole["readable"]),
    )


def _joined(known: Sequence[ItemId], more: Iterable[ItemId]) -> tuple[ItemId, ...]:
    return tuple(dict.fromkeys([*known, *more]))
