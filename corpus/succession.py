"""What stands today in the place of each superseded source."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from corpus.sources.facts import Relation

MOST_SUCCESSORS = 8
"""A source that more than these succeed is shown with the first of them by path."""


def final_successors(relations: Iterable[Relation]) -> Mapping[str, tuple[str, ...]]:
    """Map each superseded source to the ends of its chains, sorted, at most eight.

    Valid relations hold no cycle. Every source is settled once, after all that
    supersede it, so the time is linear in the relations.
    """
    direct: dict[str, list[str]] = {}
    for relation in relations:
        if relation.verdict == "VALID":
            direct.setdefault(relation.target, []).append(relation.source)
    final: dict[str, tuple[str, ...]] = {}
    for start in direct:
        waiting = [start]
        while waiting:
            path = waiting[-1]
            open_ends = [s for s in direct[path] if s in direct and s not in final]
            if path in final or not open_ends:
                waiting.pop()
                ends = {end for s in direct[path] for end in final.get(s, (s,))}
                final[path] = tuple(sorted(ends)[:MOST_SUCCESSORS])
            else:
                waiting += open_ends
    return final
