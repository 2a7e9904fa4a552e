"""Report how well items of memory are found, and how rarely a stranger's question is.

    python tests/quality/memory.py

In five languages: of related questions, the share whose item is among the first 8; of
unrelated ones, and of small talk, the share that finds anything, by a search and by the
Map. MemoryBank: recall@8 where each exchange is an item, beside BM25 over words, and
over words and pairs of characters, in the same run.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentctx.memory.clipping import api_tokens
from agentctx.memory.model import MOST_ALIASES, MOST_KEYWORDS
from agentctx.memory.recall import open_recall, policy_for, search
from agentctx.memory.refusals import RecallTextError
from tests.agentctx.memory.recalled import THREAD, asking, item, memory_of
from tests.quality.baselines import Bm25
from tests.quality.pairs import with_pairs
from tests.quality.recordsets import DATA, dialogue_set
from tests.quality.smalltalk import HELD_OUT, SMALL_TALK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus.sqlite import Db

QUERIES = Path(__file__).parent / "memory_queries"
LANGUAGES = ("en", "zh", "ja", "ru", "ko")
WORD = re.compile(r"\w{2,}")
AMPLE = 1_000_000
FIRST = 8
MOST_NAMES = MOST_ALIASES + MOST_KEYWORDS


class Asked(NamedTuple):
    """A question and the item that answers it."""

    query: str
    item: str


class QuerySet(NamedTuple):
    """One language's items, and the questions to them."""

    items: tuple[Mapping[str, object], ...]
    related: tuple[Asked, ...]
    unrelated: tuple[str, ...]


class Measured(NamedTuple):
    """Shares of questions: related ones answered rightly, unrelated ones at all."""

    hit: float
    mapped: float
    unrelated: float
    unrelated_mapped: float


def query_set(language: str) -> QuerySet:
    """Read the judged questions of one language."""
    whole = json.loads((QUERIES / f"{language}.json").read_text("utf-8"))
    related = tuple(Asked(**one) for one in whole["related"])
    return QuerySet(tuple(whole["items"]), related, tuple(whole["unrelated"]))


def found_by_search(db: Db, query: str) -> list[str]:
    """Give the subjects' keys that a search finds, the best first."""
    policy = policy_for("ordinary", THREAD, recall=AMPLE, mapped=0)
    state, _ = open_recall(db, asking(), policy, api_tokens)
    try:
        _, answer = search(db, state, query, api_tokens)
    except RecallTextError:
        return []
    return [hit.id for hit in answer.hits]


def found_by_map(db: Db, query: str) -> list[str]:
    """Give the items that the Map of a prompt shows, in order."""
    policy = policy_for("ordinary", THREAD, recall=AMPLE, mapped=AMPLE)
    _, shown = open_recall(db, asking(query), policy, api_tokens)
    return [entry.id for entry in shown.entries]


@contextmanager
def filled(folder: Path) -> Iterator[tuple[Db, dict[str, str]]]:
    """Open one memory that holds the items of every language, and give their ids."""
    keys: dict[str, str] = {}
    items = []
    for number, one in enumerate(
        one for language in LANGUAGES for one in query_set(language).items
    ):
        made = item(
            number,
            str(one["subject"]),
            str(one["statement"]),
            str(one["content"]),
            aliases=one["aliases"],
            keywords=one["keywords"],
        )
        keys[made.id] = str(one["id"])
        items.append(made)
    with memory_of(folder, items) as db:
        yield db, keys


def measure(folder: Path, languages: Sequence[str]) -> dict[str, Measured]:
    """Ask every language's questions of one memory that holds the items of all."""
    measured = {}
    with filled(folder) as (db, keys):
        for language in languages:
            some = query_set(language)
            measured[language] = Measured(
                fmean(
                    one.item in [keys[i] for i in found_by_search(db, one.query)]
                    for one in some.related
                ),
                fmean(
                    one.item in [keys[i] for i in found_by_map(db, one.query)[:FIRST]]
                    for one in some.related
                ),
                answered(db, some.unrelated).by_search,
                answered(db, some.unrelated).by_map,
            )
    return measured


class Answered(NamedTuple):
    """Shares of questions that find anything at all."""

    by_search: float
    by_map: float


def answered(db: Db, queries: Sequence[str]) -> Answered:
    """Say how often questions that nothing answers are answered."""
    return Answered(
        fmean(bool(found_by_search(db, query)) for query in queries),
        fmean(bool(found_by_map(db, query)) for query in queries),
    )


def recall(folder: Path, language: str) -> dict[str, float]:
    """Measure MemoryBank: each user's exchanges are the items of a memory.

    An extractor names an item by up to 24 keywords and 12 aliases. Here they are the
    words of the exchange with the greatest tf-idf among those of its user.
    """
    rows, cases = dialogue_set(language)
    found: dict[str, list[float]] = {"this": [], "bm25": [], "bm25 with pairs": []}
    for number, project in enumerate(sorted({case.project for case in cases})):
        mine = [row for row in rows if row.project == project]
        named = names([f"{row.title}\n{row.body}" for row in mine])
        items = [
            item(
                at,
                row.title,
                row.title,
                row.body,
                keywords=words[:MOST_KEYWORDS],
                aliases=words[MOST_KEYWORDS:],
            )
            for at, (row, words) in enumerate(zip(mine, named, strict=True))
        ]
        keys: dict[str, str] = {
            one.id: row.key for one, row in zip(items, mine, strict=True)
        }
        texts = {row.key: f"{row.title}\n{row.body}" for row in mine}
        plain = Bm25(texts)
        pairs = Bm25({key: with_pairs(text) for key, text in texts.items()})
        with memory_of(folder / str(number), items) as db:
            for case in cases:
                if case.project != project:
                    continue
                for name, got in (
                    ("this", [keys[one] for one in found_by_search(db, case.query)]),
                    ("bm25", plain.rank(case.query)[:FIRST]),
                    ("bm25 with pairs", pairs.rank(with_pairs(case.query))[:FIRST]),
                ):
                    hits = len(case.relevant.intersection(got))
                    found[name].append(hits / len(case.relevant))
    return {name: fmean(shares) for name, shares in found.items()}


def small_talk() -> tuple[str, ...]:
    """Give what people say to go on, in eight languages."""
    return tuple(said for some in SMALL_TALK.values() for said in some)


def names(texts: Sequence[str]) -> list[list[str]]:
    """Give the words, or pairs of characters, that tell each text from the others."""
    counts = [Counter(WORD.findall(with_pairs(text).lower())) for text in texts]
    df = Counter(word for some in counts for word in some)

    def weight(word: str, count: int) -> float:
        return -count * math.log(len(texts) / df[word])

    return [
        sorted(some, key=lambda word: (weight(word, some[word]), word))[:MOST_NAMES]
        for some in counts
    ]


def main() -> int:
    """Print every table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("memory       hit@8   map@8   unrelated   unrelated map")
        for language, found in measure(folder / "queries", LANGUAGES).items():
            shown = "   ".join(f"{figure:.3f}" for figure in found)
            print(f"  {language}         {shown}", flush=True)
        with filled(folder / "talk") as (db, _):
            for title, queries in (
                ("small talk", small_talk()),
                ("held out", HELD_OUT),
            ):
                shown = "   ".join(f"{share:.3f}" for share in answered(db, queries))
                print(f"  {title:<28}{shown}", flush=True)
        if not DATA.is_dir():
            print("the judged sets are not here; MemoryBank was not measured")
            return 0
        print("MemoryBank               recall@8")
        for language in ("en", "zh"):
            for ranker, mean in recall(folder / language, language).items():
                print(f"  {language} {ranker:<20} {mean:.3f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
