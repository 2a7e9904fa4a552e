"""Score pieces against a query from postings alone; pure and linear.

The score is BM25 (Robertson and Zaragoza 2009, k1 and b below) over pieces, plus a
share of the same formula over whole sources, so that a passage of a document that is
about the query beats a lucky mention elsewhere. A heading counts as one more
occurrence in the piece, a title as several in the source.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from corpus.index.postings import COUNT_MASK, IN_HEADING, IN_TITLE, piece_at
from corpus.index.schema import members

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Mapping, Sequence

    from corpus.index.postings import Shard
    from corpus.index.schema import Rows
    from corpus.lexical import QueryTerm
    from corpus.sources.facts import Piece

PIECE_K1, PIECE_B = 1.2, 0.75
SOURCE_K1, SOURCE_B = 2.0, 0.75
SOURCE_SHARE = 0.9
"""How much the source's own score adds to each of its pieces."""

HEADING_COUNT = 0.5
TITLE_COUNT = 3.0

MAX_POSTINGS = 250_000
"""Postings read for one query; the commonest terms are left out beyond it, so the
cost of a query is bounded whatever the corpus and the query say (P7.9)."""


class WeighedTerm(NamedTuple):
    """A query term with its rarity in this corpus."""

    term: QueryTerm
    idf: float
    ranges: tuple[tuple[int, int, int], ...]

    @property
    def weight(self) -> float:
        """What matching the term is worth."""
        return self.idf * self.term.weight / 100


class Scores(NamedTuple):
    """The scores of every piece, by global number: shards in order, then pieces."""

    terms: tuple[WeighedTerm, ...]
    pieces: list[float]
    coverage: list[float]
    sources: list[float]
    total_weight: float


class Contents(NamedTuple):
    """The terms of a text that is in no index: how often, which in its title."""

    counts: Mapping[str, int]
    title: frozenset[str]
    length: int


class TextScore(NamedTuple):
    """What a text scores as a piece, what of the query it covers, and as a source."""

    piece: float
    coverage: float
    source: float


class Layout:
    """How pieces and sources are numbered across the shards of an index."""

    def __init__(self, rows: Rows) -> None:
        self.shards: tuple[Shard, ...] = rows.shards
        self.bases: list[int] = []
        self.owners: list[int] = []
        self.lengths: list[int] = []
        self.same: list[int] = []
        for shard, positions in zip(rows.shards, members(rows.facts), strict=True):
            self.bases.append(len(self.owners))
            self.owners.extend([positions[owner] for owner in shard.owners])
            self.lengths.extend(shard.lengths)
            self.same.extend(shard.same)
        self.twins = _twins(self.same)
        self.source_lengths = [0] * len(rows.facts)
        for owner, length in zip(self.owners, self.lengths, strict=True):
            self.source_lengths[owner] += length
        self.mean_length = _mean(self.lengths)
        self.mean_source_length = _mean(self.source_lengths)
        self.first_pieces = [-1] * len(rows.facts)
        for number in range(len(self.owners) - 1, -1, -1):
            self.first_pieces[self.owners[number]] = number

    def piece(self, number: int) -> Piece:
        """Give a piece by its global number."""
        at = bisect_right(self.bases, number) - 1
        return piece_at(self.shards[at], number - self.bases[at])


def _twins(same: Sequence[int]) -> dict[int, list[int]]:
    """Give the pieces of each text that stands in the corpus more than once."""
    repeated = {value for value, count in Counter(same).items() if count > 1}
    twins: dict[int, list[int]] = {}
    if repeated:
        for number, value in enumerate(same):
            if value in repeated:
                twins.setdefault(value, []).append(number)
    return twins


def weigh(
    layout: Layout, terms: Sequence[QueryTerm], hashed: Callable[[str], int]
) -> tuple[WeighedTerm, ...]:
    """Look the terms up; the rarest first."""
    total = len(layout.owners)
    found = []
    for term in terms:
        ranges, df = [], 0
        value = hashed(term.text)
        for number, shard in enumerate(layout.shards):
            at = bisect_left(shard.terms, value)
            if at < len(shard.terms) and shard.terms[at] == value:
                begin, end = shard.starts[at], shard.starts[at + 1]
                ranges.append((number, begin, end))
                df += end - begin
        idf = math.log(1 + (total - df + 0.5) / (df + 0.5))
        found.append(WeighedTerm(term, idf, tuple(ranges)))
    return tuple(sorted(found, key=lambda w: (-w.idf, w.term.token, w.term.text)))


def score(layout: Layout, terms: Sequence[WeighedTerm]) -> Scores:
    """Score every piece and source for the terms."""
    terms = _affordable(terms)
    scores = Scores(
        terms=terms,
        pieces=[0.0] * len(layout.owners),
        coverage=[0.0] * len(layout.owners),
        sources=[0.0] * len(layout.source_lengths),
        total_weight=sum(term.weight for term in terms),
    )
    lengths = _norms(layout.lengths, layout.mean_length, PIECE_K1, PIECE_B)
    source_lengths = _norms(
        layout.source_lengths, layout.mean_source_length, SOURCE_K1, SOURCE_B
    )
    for term in scores.terms:
        counts = _add_pieces(layout, term, scores, lengths)
        _add_sources(counts, scores, source_lengths, term.weight)
    return scores


def score_text(
    layout: Layout, terms: Sequence[WeighedTerm], contents: Contents
) -> TextScore:
    """Score one text that is in no index as if it were a source of one piece in it.

    Rarity and mean lengths stay those of the index.
    """
    norm = _norm(contents.length, layout.mean_length, PIECE_K1, PIECE_B)
    source_norm = _norm(contents.length, layout.mean_source_length, SOURCE_K1, SOURCE_B)
    piece = coverage = source = 0.0
    for term in terms:
        text = term.term.text
        titled = text in contents.title
        count = contents.counts.get(text, 0) + (HEADING_COUNT if titled else 0.0)
        if count:
            piece += term.weight * _gain(count, norm, PIECE_K1)
            coverage += term.weight
            count += TITLE_COUNT if titled else 0.0
            source += term.weight * _gain(count, source_norm, SOURCE_K1)
    return TextScore(piece, coverage, source)


def _affordable(terms: Sequence[WeighedTerm]) -> tuple[WeighedTerm, ...]:
    """Leave out the commonest terms where there are too many postings to read."""
    kept: list[WeighedTerm] = []
    budget = MAX_POSTINGS
    for term in terms:
        size = sum(end - begin for _, begin, end in term.ranges)
        if size > budget and kept:
            break
        budget -= size
        kept.append(term)
    return tuple(kept)


def _add_pieces(
    layout: Layout, term: WeighedTerm, scores: Scores, norms: Sequence[float]
) -> dict[int, float]:
    """Add one term to the pieces; give how often it stands in each source."""
    weight, owners = term.weight, layout.owners
    pieces, coverage = scores.pieces, scores.coverage
    counts: dict[int, float] = {}
    for number, begin, end in term.ranges:
        base = layout.bases[number]
        shard = layout.shards[number]
        entries: array[int] = shard.entries[begin:end]
        for entry, flags in zip(entries, shard.weights[begin:end], strict=True):
            at = base + entry
            count = COUNTS[flags]
            owner = owners[at]
            title = TITLE_COUNT if flags & IN_TITLE else 0.0
            counts[owner] = counts.get(owner, 0.0) + count + title
            if count:
                pieces[at] += weight * count * (PIECE_K1 + 1) / (count + norms[at])
                if flags & STANDS_THERE:
                    coverage[at] += weight
    return counts


def _add_sources(
    counts: dict[int, float], scores: Scores, norms: Sequence[float], weight: float
) -> None:
    for owner, count in counts.items():
        scores.sources[owner] += weight * _gain(count, norms[owner], SOURCE_K1)


def _gain(count: float, norm: float, k1: float) -> float:
    return count * (k1 + 1) / (count + norm)


def _mean(lengths: Sequence[int]) -> float:
    return (sum(lengths) / len(lengths) if lengths else 0) or 1


def _norm(length: int, mean: float, k1: float, b: float) -> float:
    """Give BM25's length term."""
    return k1 * (1 - b + b * length / mean)


def _norms(lengths: Sequence[int], mean: float, k1: float, b: float) -> list[float]:
    """Give `_norm` of each length; spelled out, for there are very many."""
    return [k1 * (1 - b + b * length / mean) for length in lengths]


STANDS_THERE = COUNT_MASK | IN_HEADING
"""The bits that say a term is in a piece or above it, not only in a title."""

COUNTS = tuple(
    (flags & COUNT_MASK) + (HEADING_COUNT if flags & (IN_HEADING | IN_TITLE) else 0.0)
    for flags in range(128)
)
"""The occurrences a weight byte stands for in its piece."""
