"""Which active items a candidate may be about: shown to whoever decides (M5.10).

The list is bounded; that nothing is believed twice does not rest on it (M5.13).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from agentctx.memory.model import RELATED_TARGETS, Item, Meaning, ThreadId
from agentctx.memory.rawtext import dumped, raw
from agentctx.memory.recallindex import item_of
from agentctx.memory.terms import item_terms, normal_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus.sqlite import Db

EXACT, PREFIX, SUBSTRING = 40, 30, 20
_FIELD = {"subject": 3, "alias": 2, "keyword": 1}
_MOST_NEEDLES = 32
_MOST_OF_A_LIST = 100
"""Entries of the index read for one term; what so many share tells little."""

_MOST_SHARING, _MOST_SCORED = 1_000, 50
_SHORTEST_PART = 3
"""Characters of what counts inside another term; shorter ones stand in everything."""

_LAST = "\U0010ffff"


def related_targets(
    db: Db, meaning: Meaning, thread_id: ThreadId | None
) -> tuple[Item, ...]:
    """Give the best active items of the same scope that share terms, best first.

    Each of the candidate's terms counts once with an item: 40 when it equals one of
    the item's, 30 when it begins one, 20 inside one, and 3, 2 or 1 for where it stands.
    """
    needles = _needles(meaning)
    sharing = _sharing(db, needles)
    found = _of_the_scope(db, list(sharing)[:_MOST_SHARING], meaning, thread_id)
    found.sort(key=lambda item_id: (-sharing[item_id], item_id))
    held = _held(db, found[:_MOST_SCORED])
    scores = {item_id: _score(needles, terms) for item_id, terms in held.items()}
    ordered = sorted(_loaded(db, scores), key=lambda item: item.id)
    ordered.sort(key=lambda item: item.updated_at, reverse=True)
    ordered.sort(key=lambda item: scores[item.id], reverse=True)
    return tuple(ordered[:RELATED_TARGETS])


def _needles(meaning: Meaning) -> tuple[str, ...]:
    """Give the terms a candidate is recalled by, its whole forms first."""
    names = (meaning.subject, *meaning.aliases, *meaning.keywords)
    whole = [normal_form(name) for name in names]
    terms = [term for kind, term in item_terms(meaning) if kind in _FIELD]
    return tuple(one for one in dict.fromkeys([*whole, *terms]) if one)[:_MOST_NEEDLES]


def _sharing(db: Db, needles: Iterable[str]) -> dict[str, int]:
    """Find items that share a term or have one that begins so, and how well."""
    found: dict[str, int] = {}
    for needle in needles:
        best: dict[str, int] = {}
        for kind, field in _FIELD.items():
            rows = db.execute(
                "SELECT item_id, term FROM memory_terms WHERE term_type = ?"
                " AND term >= ? AND term < ? ORDER BY term LIMIT ?",
                (kind, needle, needle + _LAST, _MOST_OF_A_LIST),
            )
            for item_id, term in rows:
                score = field + (EXACT if term == needle else PREFIX)
                best[item_id] = max(best.get(item_id, 0), score)
        for item_id, score in best.items():
            found[item_id] = found.get(item_id, 0) + score
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _of_the_scope(
    db: Db, ids: Iterable[str], meaning: Meaning, thread_id: ThreadId | None
) -> list[str]:
    rows = db.execute(
        "SELECT i.id FROM json_each(:ids) n CROSS JOIN memory_items i ON i.id = n.value"
        " WHERE i.status = 'active' AND i.thread_id IS :thread"
        " AND i.applies_to_paths_json = :paths",
        {
            "thread": thread_id,
            "paths": dumped(sorted(set(map(raw, meaning.applies_to_paths)))),
            "ids": json.dumps(list(ids)),
        },
    )
    return [str(row["id"]) for row in rows]


def _held(db: Db, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """Give the terms of items by field, each between line feeds."""
    rows = db.execute(
        "SELECT t.item_id, t.term, t.term_type"
        " FROM json_each(?) n CROSS JOIN memory_terms t ON t.item_id = n.value"
        " WHERE +t.term_type IN ('subject', 'alias', 'keyword')",
        (json.dumps(list(ids)),),
    )
    held: dict[str, dict[str, str]] = {}
    for item_id, term, kind in rows:
        fields = held.setdefault(item_id, {})
        fields[kind] = f"{fields.get(kind, chr(10))}{term}\n"
    return held


def _score(needles: Iterable[str], fields: dict[str, str]) -> int:
    return sum(
        max((_best(needle, fields[kind], _FIELD[kind]) for kind in fields), default=0)
        for needle in needles
    )


def _best(needle: str, terms: str, field: int) -> int:
    if needle not in terms:
        return 0
    if f"\n{needle}\n" in terms:
        return EXACT + field
    if f"\n{needle}" in terms:
        return PREFIX + field
    return SUBSTRING + field if len(needle) >= _SHORTEST_PART else 0


def _loaded(db: Db, ids: Iterable[str]) -> list[Item]:
    rows = db.execute(
        "SELECT * FROM memory_items WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return [item_of(row) for row in rows]
