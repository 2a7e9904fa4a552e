"""Recall for one request: the Map, searches and reads, under one policy (M6, M7).

Nothing here writes. Every step gives the state of the request as it is after it; the
same state, store and question give the same answer.
"""

from __future__ import annotations

from contextlib import contextmanager

from agentctx.memory.mapping import (
    SOURCES,
    Detail,
    Hit,
    Map,
    build_map,
    detail_of,
    framed,
    hit_block,
    hit_of,
)
from agentctx.memory.model import PROJECT_KINDS, RecallPolicy, RecallQuery
from agentctx.memory.pools import (
    Read,
    RequestState,
    Searched,
    allowance,
    earlier_search,
    fitting,
    search_key,
    with_map,
    with_read,
    with_search,
)
from agentctx.memory.ranking import Match, ordered, place, request_paths, specificity
from agentctx.memory.recallindex import (
    candidates_for,
    counted,
    newest_sources,
    standing_items,
    visible_items,
)
from agentctx.memory.refusals import (
    RecallItemError,
    RecallMismatchError,
    RecallPoolError,
)
from agentctx.memory.terms import map_terms, search_terms
from corpus.sqlite import reading
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from agentctx.memory.budgets import Budgets
    from agentctx.memory.clipping import Tokens
    from agentctx.memory.model import Item, ItemId, Profile, ThreadId
    from agentctx.memory.recallindex import Counted
    from corpus.sqlite import Db

MOST_RELEVANT = 64
"""Items that the Map chooses from, besides those that always apply."""


class Answer(NamedTuple):
    """What a search gives; `text` is empty when nothing was found."""

    hits: tuple[Hit, ...]
    text: str


def policy_for(
    profile: Profile, thread_id: ThreadId, *, recall: int, mapped: int
) -> RecallPolicy:
    """Give what a profile may be told: a review only what holds for the project.

    `recall` and `mapped` are tokens: for all of a request, and for its Map.
    """
    ordinary = profile == "ordinary"
    return RecallPolicy(
        profile=profile,
        thread_id=thread_id,
        allowed_kinds=PROJECT_KINDS | ({"discussion_context"} if ordinary else set()),
        allow_recent_history=ordinary,
        allow_thread_checkpoint=ordinary,
        allow_discussion=ordinary,
        durable_token_budget=recall,
        map_token_budget=mapped,
    )


def policy_within(
    profile: Profile, thread_id: ThreadId, budgets: Budgets
) -> RecallPolicy:
    """Give a profile's policy with the pools of a model's context."""
    return policy_for(profile, thread_id, recall=budgets.recall, mapped=budgets.map)


def with_half_map(policy: RecallPolicy) -> RecallPolicy:
    """Give the policy to open a request with again after the context overflowed."""
    return policy._replace(map_token_budget=policy.map_token_budget // 2)


def open_recall(
    db: Db,
    query: RecallQuery,
    policy: RecallPolicy,
    tokens: Tokens,
    *,
    seen: AbstractSet[str] = frozenset(),
    standing: bool = True,
) -> tuple[RequestState, Map]:
    """Begin a request: its Map, and the state that its searches and reads spend from.

    The query and the policy must be of one profile and one thread. What the session
    has `seen` is readable and not repeated. Without `standing` what always applies
    waits for a prompt that is about something.
    """
    asked, allowed = (
        (query.profile, query.thread_id),
        (policy.profile, policy.thread_id),
    )
    if asked != allowed:
        raise RecallMismatchError(asked=" ".join(asked), allowed=" ".join(allowed))
    state = RequestState(query, policy)
    return refresh(db, state, tokens, seen=seen, standing=standing)


def refresh(
    db: Db,
    state: RequestState,
    tokens: Tokens,
    *,
    seen: AbstractSet[str] = frozenset(),
    standing: bool = True,
) -> tuple[RequestState, Map]:
    """Make the Map anew for the next step, within what is not spent yet (C9)."""
    with _one_moment(db):
        first = _standing(db, state) if standing else []
        relevant = _matches(db, state, counted(db, map_terms(state.query)))
    always = {one.item.id for one in first}
    rest = [one for one in relevant if one.item.id not in always]
    found = build_map(
        [*first, *rest[:MOST_RELEVANT]], state.map_budget, tokens, seen=seen
    )
    return with_map(state, found), found


def search(
    db: Db, state: RequestState, text: str, tokens: Tokens
) -> tuple[RequestState, Answer]:
    """Find the items that answer a text, best first (M6.4).

    The same search again costs nothing. What always applies is found only by its
    words. What the pool does not hold is left out. Whether anything answers is the
    narrow gate's to say; what only may answer stands behind what does, where places
    are left, for who searches reads on.
    """
    key = search_key(text)
    known = earlier_search(state, key)
    if known is not None:
        return state, _again(db, state, known)
    with _one_moment(db):
        asked = counted(db, search_terms(text, state.query))
        matches = _matches(db, state, asked)
        if 0 < len(matches) < state.policy.max_search_results:
            matches += _further(db, state, asked, matches)
    hits = [
        hit_of(one.item, one.match_type)
        for one in matches[: state.policy.max_search_results]
    ]
    blocks = {hit.id: hit_block(hit) for hit in hits}
    kept, cost = fitting(state, ((one, tokens(text)) for one, text in blocks.items()))
    hits = [hit for hit in hits if hit.id in kept]
    searched = Searched(key, tuple((hit.id, hit.match_type) for hit in hits))
    shown = framed([blocks[hit.id] for hit in hits])
    return with_search(state, searched, cost), Answer(tuple(hits), shown)


def matching_items(db: Db, policy: RecallPolicy, text: str) -> tuple[Item, ...]:
    """Find the items that answer a text outside of any request, best first.

    Nothing is spent, and no path is asked about: what applies to some alone is none.
    """
    query = RecallQuery(policy.profile, policy.thread_id)
    with _one_moment(db):
        asked = counted(db, search_terms(text, query))
        matches = _matches(db, RequestState(query, policy), asked)
    return tuple(match.item for match in matches)


def read(
    db: Db, state: RequestState, item_id: ItemId, tokens: Tokens
) -> tuple[RequestState, Detail]:
    """Give an item that this request was shown, and the words it stands on (M6.5).

    Whatever is not to be had is refused in the same words, whatever the reason (C8).
    """
    if item_id not in state.readable:
        raise RecallItemError
    with _one_moment(db):
        item = visible_items(db, [item_id], state.policy).get(item_id)
        sources = newest_sources(db, item_id, SOURCES)
    if item is None:
        raise RecallItemError
    paths = request_paths(state.query)
    if specificity(item.meaning.applies_to_paths, paths) is None:
        raise RecallItemError
    most = allowance(state, item_id)
    detail = detail_of(item, sources, most, tokens)
    if detail is None:
        raise RecallPoolError(left=most)
    return with_read(state, Read(item_id, most), detail.tokens), detail


def _standing(db: Db, state: RequestState) -> list[Match]:
    found = standing_items(db, state.policy, request_paths(state.query))
    return ordered(
        Match(item, "standing", place(item.meaning, special, (False, False), 0))
        for item, special in found
    )


def _matches(db: Db, state: RequestState, asked: Counted) -> list[Match]:
    paths = request_paths(state.query)
    terms, candidates = candidates_for(db, asked, state.policy, paths)
    found = (terms.match(one.item, one.held, one.specificity) for one in candidates)
    return ordered(match for match in found if match is not None)


def _further(
    db: Db, state: RequestState, asked: Counted, known: Sequence[Match]
) -> list[Match]:
    """Find what may answer too: two words of the request, or one that names an item."""
    paths = request_paths(state.query)
    terms, candidates = candidates_for(db, asked, state.policy, paths, broad=True)
    there = {match.item.id for match in known}
    found = (
        terms.match(one.item, one.held, one.specificity, broad=True)
        for one in candidates
        if one.item.id not in there
    )
    return ordered(match for match in found if match is not None)


def _again(db: Db, state: RequestState, known: Searched) -> Answer:
    """Give what a search found, but for what has gone since."""
    items = visible_items(db, [item_id for item_id, _ in known.hits], state.policy)
    hits = [
        hit_of(items[item_id], why) for item_id, why in known.hits if item_id in items
    ]
    return Answer(tuple(hits), framed([hit_block(hit) for hit in hits]))


@contextmanager
def _one_moment(db: Db) -> Iterator[None]:
    """See one state of the store throughout, also inside somebody's transaction."""
    if db.in_transaction:
        yield
    else:
        with reading(db):
            yield
