"""Measures of a ranking against what was judged relevant; pure.

All take the distinct sources of a ranking, best first, and the set of relevant ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


def recall(found: Collection[str], relevant: Collection[str]) -> float:
    """Give the share of the relevant that was found, 0 to 1."""
    return sum(1 for each in relevant if each in found) / len(relevant)


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Give 1 / rank of the first relevant source, 0 without one (Voorhees 1999)."""
    for rank, each in enumerate(ranking, start=1):
        if each in relevant:
            return 1 / rank
    return 0.0


def ndcg(ranking: Sequence[str], relevant: Collection[str], depth: int = 10) -> float:
    """Give the normalised discounted cumulative gain at `depth`, 0 to 1.

    Each relevant source gains 1, divided by log2(rank + 1); the sum is divided by the
    best one possible (Järvelin and Kekäläinen 2002, with binary judgements).
    """
    gained = _discounted(
        rank for rank, each in enumerate(ranking[:depth], start=1) if each in relevant
    )
    return gained / _discounted(range(1, min(len(relevant), depth) + 1))


def mean(values: Iterable[float | None]) -> float | None:
    """Average what was measured, to six places; None when nothing was."""
    measured = [value for value in values if value is not None]
    return round(sum(measured) / len(measured), 6) if measured else None


def _discounted(ranks: Iterable[int]) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)
