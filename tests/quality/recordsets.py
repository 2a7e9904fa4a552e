"""Judged sets of records, put into stores; and what two plain rankers say of them."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from agentctx.clock import stamp
from agentctx.records.model import GLOBAL
from agentctx.records.search import search_records
from agentctx.records.store import open_store
from agentctx.records.terms import index_record
from tests.quality.baselines import Bm25, Fts5
from tests.quality.judged import SHARED
from tests.recorded import Counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from agentctx.records.ranking import Floor
    from agentctx.records.store import Store

DATA = SHARED / "data"
TITLE, BODY = 120, 2_000
PEPS_AT = datetime(2026, 8, 1, tzinfo=UTC)
PARAGRAPH = 120
"""Shorter paragraphs of a PEP say too little to be a record."""


class Row(NamedTuple):
    """One record to be stored; `key` is its id in the set."""

    key: str
    project: str
    title: str
    body: str
    at: datetime
    type: str = "discovery"
    pinned: bool = False
    confidence: str = "explicit"
    superseded_at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class Filled:
    """A store with a set in it, and the plain rankers beside it."""

    store: Store
    rows: dict[str, Row]
    keys: dict[str, str] = field(default_factory=dict)
    rankers: dict[tuple[str, str], Fts5 | Bm25] = field(default_factory=dict)

    def ours(self, project: str, query: str, *, limit: int, floor: Floor) -> list[str]:
        """Give the keys we find, the best first."""
        answer = search_records(self.store, project, query, limit=limit, floor=floor)
        return [self.keys[found.record.id] for found in answer.results]

    def plain(self, name: str, project: str, query: str, *, limit: int) -> list[str]:
        """Give the keys that `fts5` or `bm25` finds among the current records."""
        ranker = self.rankers.get((name, project))
        if ranker is None:
            texts = {
                row.key: f"{row.title}\n{row.body}"
                for row in self.rows.values()
                if row.project in {project, GLOBAL} and row.superseded_at is None
            }
            ranker = Fts5(texts) if name == "fts5" else Bm25(texts)
            self.rankers[name, project] = ranker
        return ranker.rank(query)[:limit]


def fill(home: Path, rows: Iterable[Row], *, now: datetime) -> Filled:
    """Put records into a new store, in one transaction."""
    store = open_store(str(home), clock=lambda: now, random=Counted())
    filled = Filled(store=store, rows={row.key: row for row in rows})
    with store.writing() as tx:
        for row in filled.rows.values():
            record_id = store.ids.new()
            filled.keys[record_id] = row.key
            ended = row.superseded_at and stamp(row.superseded_at)
            made = tx.execute(
                """
                INSERT INTO records (id, project_id, type, title, body, scope, pinned,
                                     confidence, valid_from, recorded_at,
                                     superseded_at, source)
                     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'cli')
                  RETURNING rowid
                """,
                (
                    record_id,
                    row.project,
                    row.type,
                    row.title,
                    row.body,
                    "global" if row.project == GLOBAL else "project",
                    int(row.pinned),
                    row.confidence,
                    stamp(row.at),
                    stamp(row.at),
                    ended,
                ),
            ).fetchone()
            index_record(tx, made["rowid"], row.project, row.title, row.body)
    return filled


class Case(NamedTuple):
    """A question to a project: `relevant` answer it, of `allowed` nothing is wrong."""

    name: str
    project: str
    query: str
    relevant: frozenset[str]


class Belief(NamedTuple):
    """What PrecisionMemBench says of a record that decides where it is shown."""

    pinned: bool
    kind: str
    scope: str


def precision_set() -> tuple[list[Row], dict[str, Belief], list[Case]]:
    """Read PrecisionMemBench.

    A scope is a project, the universal one is `_global`, another user another project;
    a resolved question is a record that has ended. Of what is found the benchmark
    judges neither what its own tiers show anyway (pinned, universal) nor open
    questions, which have a place of their own; so `relevant` is among the rest.
    """
    rows, beliefs = [], {}
    for one in _lines("precisionmembench/records.jsonl"):
        project = _project(one["scope"][0])
        names = ", ".join([one["name"].replace("_", " "), *one["aliases"]])
        ended = one["resolved_at"] or (
            one["updated_at"] if one["status"] == "superseded" else None
        )
        rows.append(
            Row(
                one["id"],
                project if one["user"] == "test-user" else one["user"],
                names[:TITLE],
                f"{one['content']}\n{one['why']}",
                _moment(one["created_at"]),
                {"preference": "preference", "decision": "decision"}.get(
                    one["type"], "discovery"
                ),
                one["pinned"],
                "inferred" if one["status"] == "inferred" else "explicit",
                ended and _moment(ended),
            )
        )
        beliefs[one["id"]] = Belief(one["pinned"], one["type"], project)
    cases = []
    for one in _lines("precisionmembench/cases.jsonl"):
        if one.get("only") is not None and not one.get("config"):
            for scope in one["scope"]:
                only = frozenset(one["only"])
                cases.append(Case(one["qid"], _project(scope), one["query"], only))
    return rows, beliefs, cases


def is_judged(belief: Belief) -> bool:
    """Say whether the benchmark judges that a record was found."""
    universal = belief.scope == GLOBAL
    return not (belief.pinned or universal or belief.kind == "open_question")


def dialogue_set(language: str) -> tuple[list[Row], list[Case]]:
    """Read MemoryBank: every exchange is a record, every user a project."""
    rows = []
    for one in _lines(f"memorybank/turns_{language}.jsonl"):
        said = " ".join(one["user_text"].split()) or "-"
        body = f"{one['user_text']}\n{one['assistant_text']}".strip()[:BODY]
        at = datetime.fromisoformat(f"{one['date']}T12:00:00+00:00")
        rows.append(Row(one["id"], one["user"].strip(), said[:TITLE], body, at))
    cases = [
        Case(one["qid"], one["user"].strip(), one["query"], frozenset(one["relevant"]))
        for one in _lines(f"memorybank/queries_{language}.jsonl")
        if one["relevant"]
    ]
    return rows, cases


def paragraph_set(size: int) -> tuple[list[Row], list[Case]]:
    """Make records of the paragraphs of PEPs; judged are the PEPs they come from."""
    rows = []
    chance = random.Random(5)  # noqa: S311 - a fixed order, no secret
    kinds = ("decision", "convention", "discovery", "bugfix", "preference")
    for one in json.loads((DATA / "peps" / "docs.json").read_text("utf-8")):
        text = (DATA / "peps" / one["path"]).read_text("utf-8")
        title = one["title"]
        for number, block in enumerate(re.split(r"\n\s*\n", text)):
            said = " ".join(block.split())
            if said.startswith("#"):
                title = f"{one['title']}: {said.strip('# ')}"
            elif len(said) >= PARAGRAPH:
                key = f"{one['id']}/{number}"
                kind = chance.choice(kinds)
                rows.append(
                    Row(key, "peps", title[:TITLE], said[:1_200], PEPS_AT, kind)
                )
    chance.shuffle(rows)
    cases = [
        Case(one["qid"], "peps", one["query"], frozenset(one["relevant"]))
        for one in _lines("peps/queries_natural.jsonl")
    ]
    return rows[:size], cases


@cache
def strangers() -> tuple[str, ...]:
    """Give questions about other things than Python's development."""
    return tuple(
        case.query for language in ("en", "zh") for case in dialogue_set(language)[1]
    )


def recall_by_project(
    filled: Filled, cases: Iterable[Case], name: str, *, limit: int
) -> dict[str, list[float]]:
    """Give each case's recall among the first `limit`, by project."""
    found: dict[str, list[float]] = defaultdict(list)
    for case in cases:
        if name == "this":
            keys = filled.ours(case.project, case.query, limit=limit, floor="search")
        else:
            keys = filled.plain(name, case.project, case.query, limit=limit)
        hits = len(case.relevant.intersection(keys))
        found[case.project].append(hits / len(case.relevant))
    return found


def _lines(path: str) -> Iterator[dict[str, Any]]:
    for line in (DATA / path).read_text("utf-8").splitlines():
        yield json.loads(line)


def _project(scope: str) -> str:
    return GLOBAL if scope == "user:universal" else scope.split(":")[1]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
