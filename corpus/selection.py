"""Which passages go into a bundle, in which order, and cut to what.

Passages are taken in rank order while they fit; one that is too large is cut to its
best lines or sentences. The past is left out unless it was asked for or nothing
current answers (P8.6).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.excerpt import excerpt
from corpus.lexical import query_terms
from corpus.ranker import MAX_LIMIT, Options
from corpus.ranking import weigh
from corpus.search import search
from corpus.substance import HOLLOW, substance
from corpus.summaries import read_primaries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from corpus.hits import Hit
    from corpus.search import QueryResult
    from corpus.summaries import Primary, Summary
    from corpus.view import View

ANSWERS = 0.6
"""The share of a query's rarity-weighted terms a passage must hold to answer it."""

FULL_ENOUGH = 0.9
"""From here on nothing is cut to fill the budget."""

LEAST_EXCERPT = 32
"""UTF-8 bytes below which an excerpt says too little to be worth its place."""

PLENTY = 8
"""Characters of passages for each token of a budget that are more than it can hold."""

CUT = "cut_to_fit"
"""The selection reason of an item whose text is not all of its passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Everything a bundle for one query can be made of.

    `hits` are in rank order; `weights` say what each search term is worth here.
    """

    view: View
    query: str
    primaries: tuple[Primary, ...]
    hits: tuple[Hit, ...]
    weights: Mapping[str, float]


@dataclass(slots=True)
class Room:
    """The bytes there are for passages; a passage takes whole steps of `step`.

    `whole` is the whole budget, by which the room counts as full or not.
    """

    whole: int
    left: int
    step: int = 1

    def take(self, size: int) -> None:
        """Take the room of a passage of `size` bytes."""
        self.left -= -(-size // self.step) * self.step

    @property
    def full_enough(self) -> bool:
        """Say whether the budget counts as used."""
        return self.whole - self.left >= FULL_ENOUGH * self.whole


def survey(
    view: View, query: str, *, max_tokens: int, answer: QueryResult | None = None
) -> Ground:
    """Read the primary sources and rank the passages for a query.

    `max_tokens` says how much is wanted. `answer` is the query's longest answer, where
    the caller has it already. Raises `QueryEmptyError`.
    """
    if answer is None:
        answer = search(view, query, Options(limit=MAX_LIMIT))
    hits = answer.hits
    if not answer.history_asked and _answered(hits):
        hits = _current(view, query, hits, enough=PLENTY * max_tokens)
    weighed = weigh(view.layout, query_terms(query), view.hashed)
    return Ground(
        view=view,
        query=query,
        primaries=read_primaries(view),
        hits=hits,
        weights={term.term.text: term.weight for term in weighed},
    )


def unshown(hits: Sequence[Hit], summaries: Sequence[Summary]) -> Iterator[Hit]:
    """Give the hits that say something the summaries do not hold already."""
    shown = {summary.primary.path: summary.shown for summary in summaries}
    for hit in hits:
        if substance(hit.text) == HOLLOW:
            continue
        lines = shown.get(hit.facts.path)
        if lines is None or not _held(hit, lines):
            yield hit


def fill(
    ground: Ground,
    hits: Iterator[Hit],
    room: Room,
    *,
    text_of: Callable[[Hit], str],
    frame: Callable[[Hit], int],
) -> Iterator[Hit]:
    """Give the hits that go in, each with the text and the lines that are shown.

    `text_of` gives the text as it will be shown, `frame` the bytes needed around it.
    """
    for hit in hits:
        text = text_of(hit)
        left = room.left - frame(hit)
        size = len(text.encode())
        if size > left and (room.full_enough or left < LEAST_EXCERPT):
            if room.full_enough:
                return
            continue
        kept = excerpt(text, ground.weights, room=left)
        if kept is None:
            continue
        room.take(frame(hit) + len(kept.text.encode()))
        yield _cut(hit, kept.text, kept.first, kept.last, whole=size <= left)


def _answered(hits: Sequence[Hit]) -> bool:
    """Say whether a file answers now; what a provider gives lets no file go."""
    return any(
        hit.coverage >= ANSWERS and not hit.past and hit.provided is None
        for hit in hits
    )


def _current(
    view: View, query: str, hits: Sequence[Hit], *, enough: int
) -> tuple[Hit, ...]:
    """Leave the past out, and let in what it had kept out.

    The past keeps something out when it stands for a duplicate, or when it takes so
    many places that fewer than `enough` characters are left.
    """
    found = {hit.number: hit for hit in hits if not hit.past}
    crowded = len(hits) == MAX_LIMIT and len(found) < MAX_LIMIT
    scarce = crowded and sum(len(hit.text) for hit in found.values()) < enough
    if scarce or any(hit.past and hit.duplicates for hit in hits):
        options = Options(limit=MAX_LIMIT, temporal="current")
        for hit in search(view, query, options).hits:
            found.setdefault(hit.number, hit)
    ranked = sorted(
        found.values(), key=lambda hit: (-hit.score, hit.facts.path, hit.piece.first)
    )
    return tuple(ranked[:MAX_LIMIT])


def _cut(hit: Hit, text: str, first: int, last: int, *, whole: bool) -> Hit:
    if whole:
        return hit._replace(text=text)
    start = hit.piece.first
    piece = hit.piece._replace(first=start + first, last=start + last)
    return hit._replace(text=text, piece=piece, reasons=(*hit.reasons, CUT))


def _held(hit: Hit, shown: frozenset[int]) -> bool:
    """Say whether every line of a hit that has text is shown."""
    if hit.piece.end:
        return hit.piece.first in shown
    rows = enumerate(hit.text.split("\n"), start=hit.piece.first)
    return all(number in shown for number, row in rows if row.strip())
