"""Whether two wordings state one fact: near-duplicates, in every script; pure (A6.5).

The measure is that of tombstones: shared terms, of the shorter and of the longer, and
numbers that do not differ. What one denies and the other affirms is no duplicate, nor
is what names something else in the place of something: `use npm` and `use pnpm`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from agentctx.extraction.polarity import contradict, polarity
from agentctx.extraction.support import rare_terms
from agentctx.records.tombstones import ALIKE, ALIKE_OF_LONGER, FEWEST_TERMS
from corpus.lexical import terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.model import Record

_PAIR = 2
_COUNTS = (
    "one two three four five six seven eight nine ten twelve twenty thirty sixty"
    " hundred half twice три два один четыре пять zwei drei vier fünf"
)


def are_alike(one: str, other: str) -> bool:
    """Say whether two texts state the same."""
    if " ".join(one.casefold().split()) == " ".join(other.casefold().split()):
        return True
    ours, theirs = frozenset(terms(one)), frozenset(terms(other))
    shorter, longer = sorted((len(ours), len(theirs)))
    shared = ours & theirs
    if len(shared) < max(FEWEST_TERMS, ALIKE * shorter, ALIKE_OF_LONGER * longer):
        return False
    our_numbers, their_numbers = _numbers(ours), _numbers(theirs)
    if not (our_numbers <= their_numbers or their_numbers <= our_numbers):
        return False
    if _names_more(one, theirs, other) and _names_more(other, ours, one):
        return False
    return not contradict(polarity(one), polarity(other), shared)


def nearest(text: str, records: Iterable[Record]) -> Record | None:
    """Give the first record that states the same: by its title, or as a whole."""
    for record in records:
        if are_alike(text, record.title) or are_alike(
            text, f"{record.title}\n{record.body}"
        ):
            return record
    return None


def _names_more(text: str, theirs: frozenset[str], other: str) -> bool:
    """Say whether a text names something that the other one does not.

    Pairs of characters of unspaced scripts differ wherever words meet; they name more
    only with a character that the other text does not have.
    """
    named = rare_terms(text) | (_count_words() & set(terms(text)))
    for term in named - theirs:
        if term.isascii() or len(term) > _PAIR or set(term) - set(other):
            return True
    return False


@functools.cache
def _count_words() -> frozenset[str]:
    """Give words that count, which are too common to name anything elsewhere."""
    return frozenset(terms(_COUNTS))


def _numbers(found: frozenset[str]) -> set[str]:
    return {term for term in found if term[0].isdigit()}
