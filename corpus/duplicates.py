"""Passages that stand in a corpus more than once, word for word (P11.2).

Case and spacing do not count. Metadata, headings and sections that say NONE repeat by
design and are no duplicates; neither is anything of at most 30 characters. Passages
that follow one another in all their places are one duplicate: one copy, one finding.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.index.postings import iter_pieces
from corpus.index.schema import members
from corpus.protocol.layout import NONE
from corpus.sources.facts import piece_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from corpus.index.schema import Rows
    from corpus.sources.facts import Piece

MIN_CHARACTERS = 30
"""A repeated text up to this long says nothing about copying."""

_METADATA = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{0,63}:(?:\s|\Z)")
_TITLE_DEPTH = 1
"""Metadata stands below no heading or the title, never below a section."""


class Place(NamedTuple):
    """Where a text stands: lines `first` to `last` of a source."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        span = (
            f"{self.first}-{self.last}" if self.last > self.first else f"{self.first}"
        )
        return f"{self.path}:{span}"


class Duplicate(NamedTuple):
    """One text and every place it stands in, in order; there are at least two."""

    places: tuple[Place, ...]
    passages: int


class _Spot(NamedTuple):
    """One passage: its source, its place in the source's order, its piece."""

    owner: int
    ordinal: int
    piece: Piece


class _Run(NamedTuple):
    """Neighbouring passages repeated together: the first ones and the last ones."""

    first: tuple[_Spot, ...]
    last: tuple[_Spot, ...]
    passages: int


def find_duplicates(
    rows: Rows, lines: Callable[[str], Sequence[str]]
) -> list[Duplicate]:
    """Give every duplicate, in the order of its first place.

    `lines` gives the lines of a source by path; it is asked only for sources that
    share a passage.
    """
    groups: dict[int, list[_Spot]] = {}
    for same, spot in _spots(rows):
        groups.setdefault(same, []).append(spot)
    repeated = [
        tuple(sorted(group))
        for group in groups.values()
        if len(group) > 1
        and _is_own_text(group[0].piece, lines(rows.facts[group[0].owner].path))
    ]
    return [_duplicate(run, rows) for run in _runs(sorted(repeated))]


def _spots(rows: Rows) -> Iterator[tuple[int, _Spot]]:
    """Give each passage that shares its fingerprint with another."""
    counts: dict[int, int] = {}
    for shard in rows.shards:
        for same in shard.same:
            counts[same] = counts.get(same, 0) + 1
    for shard, positions in zip(rows.shards, members(rows.facts), strict=True):
        if all(counts[same] == 1 for same in shard.same):
            continue
        first_of: dict[int, int] = {}
        pieces = list(iter_pieces(shard))
        for number, same in enumerate(shard.same):
            owner = shard.owners[number]
            start = first_of.setdefault(owner, number)
            if counts[same] > 1:
                yield same, _Spot(positions[owner], number - start, pieces[number])


def _is_own_text(piece: Piece, lines: Sequence[str]) -> bool:
    """Say whether a passage holds more than what repeats by design."""
    size = 0
    for line in piece_text(lines, piece).split("\n"):
        text = line.strip()
        if text == NONE or text.startswith("#"):
            continue
        if len(piece.headings) <= _TITLE_DEPTH and _METADATA.match(text):
            continue
        size += len(text)
        if size > MIN_CHARACTERS:
            return True
    return False


def _runs(repeated: Iterable[tuple[_Spot, ...]]) -> list[_Run]:
    """Join groups whose passages follow one another in every place."""
    runs: dict[tuple[tuple[int, int], ...], _Run] = {}
    for group in repeated:
        before = tuple((spot.owner, spot.ordinal - 1) for spot in group)
        run = runs.pop(before, None)
        here = tuple((spot.owner, spot.ordinal) for spot in group)
        first, passages = (run.first, run.passages) if run else (group, 0)
        runs[here] = _Run(first, group, passages + 1)
    return sorted(runs.values())


def _duplicate(run: _Run, rows: Rows) -> Duplicate:
    places = tuple(
        Place(rows.facts[first.owner].path, first.piece.first, last.piece.last)
        for first, last in zip(run.first, run.last, strict=True)
    )
    return Duplicate(places, run.passages)
