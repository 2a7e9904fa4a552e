"""The records that instructions are compared with, read in one statement (A7.1).

Current ones that a person stands for, and superseded ones with the head that holds
instead. What a file or a tool said is no reason to change a file of instructions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.model import GLOBAL

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from agentctx.records.store import Store

RULES = frozenset({"decision", "convention"})
_TRUSTED = frozenset({"developer", "model", "teammate"})
_SURE = frozenset({"explicit", "reinforced"})
_LONGEST_CHAIN = 10_000


class Fact(NamedTuple):
    """One record, as far as it matters here; `terms` is its index entry, if any."""

    id: str
    project_id: str
    type: str
    title: str
    body: str
    pinned: bool
    sure: bool
    by_person: bool
    trusted: bool
    recorded_at: str
    superseded: bool
    superseded_by: str | None
    terms: str | None

    @property
    def everywhere(self) -> bool:
        """Whether it is one of the user's own, for every project."""
        return self.project_id == GLOBAL


class Facts(NamedTuple):
    """What is to be stated, and each superseded record with its head."""

    wanted: tuple[Fact, ...]
    replaced: tuple[tuple[Fact, Fact], ...]
    by_id: Mapping[str, Fact]

    def head_of(self, record_id: str) -> Fact | None:
        """Give the current record that holds for an id, None where there is none."""
        return head_in(self.by_id, record_id)


def read_facts(store: Store, project_id: str) -> Facts:
    """Read what a project's instructions can agree with or contradict."""
    rows = store.db.execute(
        """
           SELECT r.id, r.project_id, r.type, r.title, r.body, r.pinned, r.confidence,
                  r.recorded_at, r.superseded_at, r.superseded_by,
                  COALESCE(p.trust, 'developer') AS trust,
                  COALESCE(p.confirmed, 0) AS confirmed, x.terms
             FROM records r
        LEFT JOIN provenance p ON p.record_id = r.id
        LEFT JOIN indexed_records x ON x.record = r.rowid AND NOT EXISTS
                  (SELECT 1 FROM unindexed_records u WHERE u.record = r.rowid)
            WHERE r.project_id IN (?, ?)
              AND r.type IN ('decision', 'convention', 'preference', 'discovery',
                             'profile')
        """,
        (project_id, GLOBAL),
    )
    known = {row["id"]: _fact(row) for row in rows}
    return Facts(
        wanted=tuple(
            sorted(
                (one for one in known.values() if _is_wanted(one)),
                key=lambda one: (one.pinned, one.recorded_at, one.id),
                reverse=True,
            )
        ),
        replaced=tuple(_replaced(known)),
        by_id=known,
    )


def head_in(known: Mapping[str, Fact], record_id: str) -> Fact | None:
    """Follow a record's successors to the current one."""
    seen: set[str] = set()
    here: str | None = record_id
    while here is not None and here not in seen and len(seen) < _LONGEST_CHAIN:
        seen.add(here)
        fact = known.get(here)
        if fact is None:
            return None
        if not fact.superseded:
            return fact
        here = fact.superseded_by
    return None


def _replaced(known: Mapping[str, Fact]) -> list[tuple[Fact, Fact]]:
    """Pair what was superseded with its head, the newest version first."""
    heads: dict[str, Fact | None] = {}
    found = []
    for one in sorted(known.values(), key=lambda one: one.recorded_at, reverse=True):
        if not one.superseded or one.superseded_by is None:
            continue
        if one.superseded_by in heads:
            head = heads[one.superseded_by]
        else:
            head = head_in(known, one.superseded_by)
        heads[one.id] = head
        if head is not None and head.sure and head.trusted and _same_place(one, head):
            found.append((one, head))
    return found


def _same_place(one: Fact, head: Fact) -> bool:
    return one.project_id == head.project_id


def _is_wanted(fact: Fact) -> bool:
    """Say whether instructions should state a record."""
    if fact.superseded or not (fact.sure and fact.by_person):
        return False
    return fact.type == "preference" if fact.everywhere else fact.type in RULES


def _fact(row: sqlite3.Row) -> Fact:
    confirmed = bool(row["confirmed"])
    return Fact(
        id=row["id"],
        project_id=row["project_id"],
        type=row["type"],
        title=row["title"],
        body=row["body"],
        pinned=bool(row["pinned"]),
        sure=row["confidence"] in _SURE,
        by_person=row["trust"] == "developer" or confirmed,
        trusted=row["trust"] in _TRUSTED or confirmed,
        recorded_at=row["recorded_at"],
        superseded=row["superseded_at"] is not None,
        superseded_by=row["superseded_by"],
        terms=row["terms"],
    )
