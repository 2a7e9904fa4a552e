"""How closely the words of a query stand together in a passage; pure and linear."""

from __future__ import annotations

from itertools import pairwise

from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REACH = 8
"""Words further apart than this are not near each other."""


class QueryPairs:
    """The neighbouring terms of a query, and what each pair is worth."""

    def __init__(self, terms: Sequence[str], weights: Mapping[str, float]) -> None:
        self.wanted = frozenset(terms)
        self.before: dict[str, list[str]] = {}
        self.worth: dict[tuple[str, str], float] = {}
        for first, second in pairwise(terms):
            pair = (first, second)
            if first != second and pair not in self.worth:
                self.before.setdefault(second, []).append(first)
                self.worth[pair] = min(weights.get(first, 0), weights.get(second, 0))

    def nearness(self, passage: Sequence[str]) -> tuple[float, bool]:
        """Sum the worth of pairs found near each other, in order, in a passage.

        An adjacent pair counts whole, one at distance d counts 1/d. The flag says
        that every pair of the query stands adjacent: the phrase is there.
        """
        last: dict[str, int] = {}
        best: dict[tuple[str, str], int] = {}
        wanted, before = self.wanted, self.before
        for position, term in enumerate(passage):
            if term in wanted:
                for first in before.get(term, ()):
                    if first in last:
                        distance = position - last[first]
                        pair = (first, term)
                        if distance < best.get(pair, REACH + 1):
                            best[pair] = distance
                last[term] = position
        near = sum(self.worth[pair] / distance for pair, distance in best.items())
        whole = bool(self.worth) and len(best) == len(self.worth)
        return near, whole and all(distance == 1 for distance in best.values())
