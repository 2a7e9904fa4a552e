"""The inverted index of items, and what one request may read of it; SQL alone.

A question reads a bounded part: the rarest terms first, and of the items that hold
them the best few. What is found is active and within the policy: that is read from
the rows, whatever the index says (M6.0, M7.2, M11.2).
"""

from __future__ import annotations

import json
from collections import defaultdict

from agentctx.memory.model import Item, Meaning
from agentctx.memory.ranking import (
    MOST_COUNTED,
    SEVERAL,
    Known,
    Terms,
    know,
    specificity,
    terms_of,
)
from agentctx.memory.terms import item_terms
from corpus.values import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from agentctx.memory.model import ItemId, RecallPolicy, TermType
    from agentctx.memory.terms import Asked
    from corpus.sqlite import Db, Tx

MOST_POSTINGS = 6_000
"""Entries of the index read for one question; the commonest terms go without."""

MOST_HEADS = 800
"""Items of which is looked up whether they apply here."""

MOST_EXACT = 96
"""Items whose text is compared with the question."""

MOST_ADDED = 6
"""Terms too common to be looked up that order what the others find."""

MOST_STANDING, MOST_STANDING_READ = 400, 5_000
"""Items that always apply here, and of how many of them that is looked up: more than
any budget shows."""

_LOOKED_UP: tuple[TermType, ...] = ("subject", "alias", "keyword", "content")
_COLUMNS = """
    i.id, i.logical_id, i.revision, i.thread_id, i.kind, i.subject, i.statement,
    i.content, i.strength, i.origin, i.recall_mode, i.applies_to_paths_json,
    i.aliases_json, i.keywords_json, i.status, i.replaced_by_id, i.pinned, i.created_at,
    i.updated_at
"""


_Sizes = dict[tuple[str, str], int]


class Counted(NamedTuple):
    """A question's terms with what each tells, and how many items hold it, by field."""

    known: Mapping[str, Known]
    sizes: _Sizes


class Candidate(NamedTuple):
    """An item that may answer, the terms it holds, and how specific it is here."""

    item: Item
    held: tuple[Known, ...]
    specificity: int


class Candidates(NamedTuple):
    """What a question found in the index, and what it asks."""

    terms: Terms
    found: tuple[Candidate, ...]


class Quoted(NamedTuple):
    """The words that an item stands on, and the turn they were said in."""

    role: str
    quote: str
    said_at: str


def index_item(tx: Tx, item: Item) -> None:
    """Put an item into the index, in place of what it had there."""
    unindex_item(tx, item.id)
    tx.executemany(
        "INSERT OR IGNORE INTO memory_terms (item_id, term, term_type)"
        " VALUES (?, ?, ?)",
        ((item.id, term, kind) for kind, term in item_terms(item.meaning)),
    )


def unindex_item(tx: Tx, item_id: ItemId) -> None:
    """Take an item out of the index, as when it is no longer active."""
    tx.execute("DELETE FROM memory_terms WHERE item_id = ?", (item_id,))


def counted(db: Db, asked: Sequence[Asked]) -> Counted:
    """Count, up to a bound, the items that hold each term, by the field."""
    if not asked:
        return Counted({}, {})
    total = db.execute(
        "SELECT count(*) FROM memory_items WHERE status = 'active'"
    ).fetchone()[0]
    rows = db.execute(
        """
        SELECT a.value, k.value,
               (SELECT count(*) FROM (
                  SELECT 1 FROM memory_terms t
                   WHERE t.term_type = k.value AND t.term = a.value LIMIT ?))
          FROM json_each(?) a, json_each(?) k
        """,
        (
            MOST_COUNTED,
            json.dumps([one.text for one in asked]),
            json.dumps(_LOOKED_UP),
        ),
    )
    sizes = {(term, kind): count for term, kind, count in rows if count}
    df: dict[str, int] = defaultdict(int)
    for (term, _), count in sizes.items():
        df[term] = max(df[term], count)
    known = {one.text: know(one, df[one.text], total) for one in asked}
    return Counted(known, sizes)


def candidates_for(
    db: Db,
    asked: Counted,
    policy: RecallPolicy,
    paths: Sequence[str],
    *,
    broad: bool = False,
) -> Candidates:
    """Read the items that may answer a question, within the policy and the bounds.

    `broad` looks common words up as well, where there is room.
    """
    known, sizes = asked
    read, skipped = _lists(known, sizes, broad=broad)
    rows = _postings(db, read)
    hopeful = _hopeful(rows, known)
    applying = _applying(db, hopeful, policy, paths)
    chosen = sorted(
        applying,
        key=lambda one: (applying[one], *_named(rows[one], known), one),
        reverse=True,
    )[:MOST_EXACT]
    items = visible_items(db, chosen, policy)
    for item_id, term, kind in _added(db, items, skipped[:MOST_ADDED]):
        rows[item_id].append((term, kind))
    found = []
    for item_id, item in items.items():
        held = {term for term, _ in rows[item_id]}
        in_order = tuple(one for term, one in known.items() if term in held)
        found.append(Candidate(item, in_order, applying[item_id]))
    return Candidates(terms_of(known), tuple(found))


def visible_items(
    db: Db, item_ids: Iterable[str], policy: RecallPolicy
) -> dict[str, Item]:
    """Load those of some items that are active and that the policy lets be shown."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM json_each(?) asked"
        " CROSS JOIN memory_items i ON i.id = asked.value WHERE i.status = 'active'",
        (json.dumps(list(item_ids)),),
    )
    items = map(item_of, rows)
    return {item.id: item for item in items if is_allowed(item, policy)}


def standing_items(
    db: Db, policy: RecallPolicy, paths: Sequence[str]
) -> list[tuple[Item, int]]:
    """Load the items that always apply here, with how specific they are (M6.1).

    Of very many the most specific ones, and of these the newest.
    """
    rows = db.execute(
        """
          SELECT id, kind, thread_id, applies_to_paths_json FROM memory_items
           WHERE status = 'active' AND recall_mode = 'always'
        ORDER BY updated_at DESC, id
           LIMIT ?
        """,
        (MOST_STANDING_READ,),
    )
    applying = _specific(rows, policy, paths)
    chosen = sorted(applying, key=lambda one: -applying[one])[:MOST_STANDING]
    items = visible_items(db, chosen, policy)
    return [(items[one], applying[one]) for one in chosen if one in items]


def newest_sources(db: Db, item_id: ItemId, limit: int) -> tuple[Quoted, ...]:
    """Give the words an item stands on, those of the newest turn first (M6.5)."""
    rows = db.execute(
        """
          SELECT s.role, s.quote, t.created_at
            FROM memory_item_candidates i
            JOIN candidate_sources s ON s.candidate_id = i.candidate_id
            JOIN turns t ON t.id = s.turn_id
           WHERE i.item_id = ?
        GROUP BY s.turn_id, s.role, s.quote
        ORDER BY t.created_at DESC, t.sequence DESC, s.role DESC, s.quote
           LIMIT ?
        """,
        (item_id, limit),
    )
    return tuple(Quoted(*row) for row in rows)


def is_allowed(item: Item, policy: RecallPolicy) -> bool:
    """Say whether a policy lets an item be shown, wherever it applies."""
    return _kind_allowed(item.meaning.kind, item.thread_id, policy)


def item_of(row: sqlite3.Row) -> Item:
    """Make an item of its row."""
    meaning = Meaning(
        row["kind"],
        row["subject"],
        row["statement"],
        row["content"],
        row["strength"],
        row["origin"],
        row["recall_mode"],
        *(
            _texts(row[f"{name}_json"])
            for name in ("applies_to_paths", "aliases", "keywords")
        ),
    )
    return Item(
        row["id"],
        row["logical_id"],
        row["revision"],
        row["thread_id"],
        meaning,
        row["status"],
        row["replaced_by_id"],
        bool(row["pinned"]),
        row["created_at"],
        row["updated_at"],
    )


_Rows = dict[str, list[tuple[str, str]]]


def _lists(
    known: Mapping[str, Known], sizes: _Sizes, *, broad: bool
) -> tuple[list[tuple[str, str]], list[str]]:
    """Choose the lists to read, the shortest first, and terms that go without.

    The shortest is read however long it is, up to the bound, of names before that of
    what items say. A common word is about nothing: it orders what the others find,
    unless the look is a `broad` one.
    """
    telling = {one for one in sizes if not known[one[0]].asked.common}
    wanted = set(sizes) if broad or not telling else telling
    read: list[tuple[str, str]] = []
    budget = MOST_POSTINGS
    for one in sorted(wanted, key=lambda one: (sizes[one], one[1] == "content", one)):
        if read and (sizes[one] > budget or sizes[one] >= MOST_COUNTED):
            break
        budget -= sizes[one]
        read.append(one)
    left = {term for term, _ in sizes.keys() - set(read)}
    skipped = sorted(left, key=lambda term: (-known[term].worth, term))
    return read, skipped


def _postings(db: Db, lists: Sequence[tuple[str, str]]) -> _Rows:
    rows: _Rows = defaultdict(list)
    budget = MOST_POSTINGS
    for term, kind in lists:
        found = db.execute(
            "SELECT item_id FROM memory_terms WHERE term_type = ? AND term = ?"
            " ORDER BY item_id LIMIT ?",
            (kind, term, budget),
        ).fetchall()
        budget -= len(found)
        for (item_id,) in found:
            rows[item_id].append((term, kind))
    return rows


def _hopeful(rows: _Rows, known: Mapping[str, Known]) -> list[str]:
    """Give the items that can pass the gate, the best first."""
    found = []
    for item_id, held in rows.items():
        distinct = {term for term, _ in held}
        named = any(kind != "content" for _, kind in held)
        if named or len(distinct) >= SEVERAL:
            found.append((sum(known[term].worth for term in distinct), item_id))
    found.sort(key=lambda one: (-one[0], one[1]))
    return [item_id for _, item_id in found[:MOST_HEADS]]


def _named(
    held: Iterable[tuple[str, str]], known: Mapping[str, Known]
) -> tuple[float, ...]:
    """Say how much of an item's subject, of its other names, and of it all is held."""
    worth: dict[str, float] = defaultdict(float)
    for term, kind in held:
        worth[kind] += known[term].worth
    return (worth["subject"], worth["alias"] + worth["keyword"], worth["content"])


def _applying(
    db: Db, item_ids: Sequence[str], policy: RecallPolicy, paths: Sequence[str]
) -> dict[str, int]:
    """Give those of some items that apply here, and how specifically."""
    rows = db.execute(
        "SELECT i.id, i.kind, i.thread_id, i.applies_to_paths_json"
        " FROM json_each(?) asked CROSS JOIN memory_items i ON i.id = asked.value"
        " WHERE i.status = 'active'",
        (json.dumps(item_ids),),
    )
    return _specific(rows, policy, paths)


def _specific(
    rows: Iterable[tuple[str, str, str | None, str]],
    policy: RecallPolicy,
    paths: Sequence[str],
) -> dict[str, int]:
    """Give, in order, those of some rows that the policy allows and that apply."""
    found = {}
    for item_id, kind, thread_id, listed in rows:
        if not paths and listed.startswith('["'):
            continue  # it applies to some paths alone, and none is asked about
        if _kind_allowed(kind, thread_id, policy):
            special = specificity(_texts(listed), paths)
            if special is not None:
                found[item_id] = special
    return found


def _added(
    db: Db, items: Mapping[str, Item], terms: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Look up commoner terms in the items that the rarer ones found."""
    if not terms or not items:
        return
    rows = db.execute(
        """
        SELECT t.item_id, t.term, t.term_type
          FROM json_each(?) i CROSS JOIN json_each(?) a CROSS JOIN memory_terms t
            ON t.item_id = i.value AND t.term = a.value
         WHERE t.term_type <> 'path'
        """,
        (json.dumps(list(items)), json.dumps(terms)),
    )
    yield from map(tuple, rows)


def _kind_allowed(kind: str, thread_id: str | None, policy: RecallPolicy) -> bool:
    if kind not in policy.allowed_kinds:
        return False
    if kind != "discussion_context":
        return True
    return policy.allow_discussion and thread_id == policy.thread_id


def _texts(listed: str) -> tuple[str, ...]:
    return () if listed == "[]" else tuple(cast("list[str]", json.loads(listed)))
