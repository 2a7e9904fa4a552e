"""Tell repetition from contradiction between passages that read alike.

Two passages that differ in nothing but spacing and case are duplicates. Two that are
nearly alike are duplicates only when they agree in every number, negation and name;
otherwise each is evidence against the other, and both are kept (P7.6).
"""

from __future__ import annotations

import re
import zlib
from functools import cached_property
from heapq import nsmallest
from typing import Literal

from corpus.lexical import names, negation_count, numbers, terms
from corpus.stems import stem
from corpus.wordlists import NUMBER_WORDS

NEAR = 0.9
"""Passages that share this part of their terms are nearly alike (Jaccard)."""

ALIKE_IN_CONFLICT = 0.75
"""Where numbers, negations or names differ, this much in common is a conflict."""

_ORDINAL = re.compile(r"^[ \t>]*[0-9]{1,9}[.)](?=\s)", re.MULTILINE)
"""The number of a list item, which is its place and not what it says."""

FEWEST = 1
"""Of fewer terms than these, numbers aside, nothing can be said to be the same."""

NUMBER_STEMS = frozenset(map(stem, NUMBER_WORDS))

LARGE = 64
SKETCH, SKETCH_COMMON = 16, 4
"""Passages of more terms than LARGE are compared whole only when enough of their
SKETCH first terms agree: of passages in conflict, three quarters do."""

Likeness = Literal["different", "duplicate", "conflict"]


class Profile:
    """What a passage is compared by: its terms but for numbers, then its details."""

    def __init__(self, text: str) -> None:
        self._text = _ORDINAL.sub("", text)
        self.terms = frozenset(
            term for term in terms(self._text) if not term[0].isdecimal()
        ).difference(NUMBER_STEMS)

    @cached_property
    def sketch(self) -> frozenset[str]:
        """Give a few terms that two passages much alike mostly share.

        The least by a hash that has nothing to do with what the terms say (a bottom-k
        sketch, Broder 1997): of two sets, they agree as far as the sets do.
        """
        return frozenset(nsmallest(SKETCH, self.terms, key=_scattered))

    @cached_property
    def details(self) -> tuple[frozenset[str], frozenset[str], int]:
        """Give the numbers, the names and how often something is negated."""
        return numbers(self._text), names(self._text), negation_count(self._text)


def likeness(one: Profile, other: Profile) -> Likeness:
    """Compare two passages."""
    small, large = sorted((len(one.terms), len(other.terms)))
    if small < FEWEST or small < ALIKE_IN_CONFLICT * large:
        return "different"
    if small > LARGE and len(one.sketch & other.sketch) < SKETCH_COMMON:
        return "different"
    common = len(one.terms & other.terms)
    shared = common / (small + large - common)
    if shared < ALIKE_IN_CONFLICT:
        return "different"
    if one.details != other.details:
        return "conflict"
    return "duplicate" if shared >= NEAR else "different"


def _scattered(term: str) -> tuple[int, str]:
    return zlib.crc32(term.encode("utf-8", "surrogatepass")), term
