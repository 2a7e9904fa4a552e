"""Tell repetition from contradiction between passages that read alike.

Two passages that differ in nothing but spacing and case are duplicates. Two that are
nearly alike are duplicates only when they agree in every number, negation and name;
otherwise each is evidence against the other, and both are kept (P7.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.lexical import names, negation_count, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

NEAR = 0.9
"""Passages that share this part of their terms are nearly alike (Jaccard)."""

ALIKE_IN_CONFLICT = 0.75
"""Where numbers, negations or names differ, this much in common is a conflict."""

Likeness = Literal["different", "duplicate", "conflict"]


class Profile(NamedTuple):
    """What a passage is compared by."""

    terms: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    negations: int


def profile(text: str, terms: Sequence[str]) -> Profile:
    """Reduce a passage to what decides whether it repeats another."""
    return Profile(frozenset(terms), numbers(text), names(text), negation_count(text))


def likeness(one: Profile, other: Profile) -> Likeness:
    """Compare two passages."""
    small, large = sorted((len(one.terms), len(other.terms)))
    if not small or small < ALIKE_IN_CONFLICT * large:
        return "different"
    common = len(one.terms & other.terms)
    shared = common / (len(one.terms) + len(other.terms) - common)
    if shared < ALIKE_IN_CONFLICT:
        return "different"
    agree = (
        one.numbers == other.numbers
        and one.names == other.names
        and one.negations == other.negations
    )
    if agree:
        return "duplicate" if shared >= NEAR else "different"
    return "conflict"
