"""Whether two wordings state one fact: near-duplicates, in every script; pure (A6.5).

The measure is that of tombstones: shared terms, of the shorter and of the longer, and
numbers that do not differ. What one denies and the other affirms is no duplicate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.extraction.polarity import contradict, polarity
from agentctx.records.tombstones import ALIKE, ALIKE_OF_LONGER, FEWEST_TERMS
from corpus.lexical import terms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.model import Record


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
    return not contradict(polarity(one), polarity(other), shared)


def nearest(text: str, records: Iterable[Record]) -> Record | None:
    """Give the first record that states the same: by its title, or as a whole."""
    for record in records:
        if are_alike(text, record.title) or are_alike(
            text, f"{record.title}\n{record.body}"
        ):
            return record
    return None


def _numbers(found: frozenset[str]) -> set[str]:
    return {term for term in found if term[0].isdigit()}
