"""Report how well records are found, beside FTS5 and BM25 in the same run.

    python tests/quality/records.py

PrecisionMemBench: of what is found, the share that is allowed (over all cases and the
mean of cases that find something), the share of must-be-empty cases that are empty, and
the share of what is wanted that is found. MemoryBank: recall@10, each user's exchanges
being a project; "without one" is the least mean when any one user is left out. Small
talk and strangers' questions are put to records made of PEPs, where they must find
nothing; related questions must find a paragraph of the right PEP among the first 8.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.quality.recordsets import (
    DATA,
    Case,
    Filled,
    dialogue_set,
    fill,
    is_judged,
    paragraph_set,
    precision_set,
    recall_by_project,
    strangers,
)
from tests.quality.smalltalk import HELD_OUT, SMALL_TALK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.records.ranking import Floor

AT = {
    "precision": datetime(2026, 10, 8, tzinfo=UTC),
    "dialogues": datetime(2023, 5, 20, tzinfo=UTC),
    "peps": datetime(2026, 10, 8, tzinfo=UTC),
}
SIZES = (200, 10_000)
RANKERS = ("this", "fts5", "bm25")


class Precision(NamedTuple):
    """What PrecisionMemBench comes to."""

    of_all: float
    of_cases: float
    empty: float
    recall: float


def precision(folder: Path, name: str, floor: Floor = "prompt") -> Precision:
    """Measure PrecisionMemBench with one ranker."""
    rows, beliefs, cases = precision_set()
    filled = fill(folder, rows, now=AT["precision"])
    right = found = wanted = 0
    shares, empties = [], []
    for case in cases:
        if name == "this":
            keys = filled.ours(case.project, case.query, limit=10, floor=floor)
        else:
            keys = filled.plain(name, case.project, case.query, limit=10)
        shown = {key for key in keys if is_judged(beliefs[key])}
        hits = len(shown & case.relevant)
        right, found, wanted = (
            right + hits,
            found + len(shown),
            wanted + len(case.relevant),
        )
        if shown:
            shares.append(hits / len(shown))
        if not case.relevant:
            empties.append(not shown)
    return Precision(
        right / max(1, found), fmean(shares), fmean(empties), right / wanted
    )


class Recall(NamedTuple):
    """Mean recall@10, and the least mean without one user."""

    mean: float
    without_one: float


def recall(folder: Path, language: str) -> dict[str, Recall]:
    """Measure MemoryBank in one language with every ranker."""
    rows, cases = dialogue_set(language)
    filled = fill(folder, rows, now=AT["dialogues"])
    measured = {}
    for name in RANKERS:
        found = recall_by_project(filled, cases, name, limit=10)
        least = min(
            fmean(x for user, xs in found.items() if user != left for x in xs)
            for left in found
        )
        measured[name] = Recall(fmean(x for xs in found.values() for x in xs), least)
    return measured


class Quiet(NamedTuple):
    """Shares of questions answered, among records made of PEPs."""

    small_talk: float
    held_out: float
    strangers: float
    related: float


def peps(folder: Path, size: int) -> tuple[Filled, list[Case]]:
    """Fill a store with paragraphs; give the cases whose PEP is among them."""
    rows, cases = paragraph_set(size)
    there = {row.key.split("/")[0] for row in rows}
    return fill(folder, rows, now=AT["peps"]), [c for c in cases if c.relevant & there]


def quiet(filled: Filled, cases: Iterable[Case], name: str) -> Quiet:
    """Measure what one ranker answers where it should not, and where it should."""

    def keys(query: str, limit: int) -> list[str]:
        if name == "this":
            return filled.ours("peps", query, limit=limit, floor="prompt")
        return filled.plain(name, "peps", query, limit=limit)

    def answered(queries: Iterable[str]) -> float:
        return fmean(bool(keys(query, 3)) for query in queries)

    return Quiet(
        answered(said for some in SMALL_TALK.values() for said in some),
        answered(HELD_OUT),
        answered(strangers()),
        fmean(
            bool(case.relevant & {key.split("/")[0] for key in keys(case.query, 8)})
            for case in cases
        ),
    )


def main() -> int:
    """Print every table."""
    if not DATA.is_dir():
        print("the judged sets are not here; nothing was measured")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("PrecisionMemBench        of all  of cases  empty  recall")
        for number, (ranker, floor) in enumerate(
            (("this", "prompt"), ("this", "search"), ("fts5", ""), ("bm25", ""))
        ):
            measured = precision(
                folder / str(number),
                ranker,
                "search" if floor == "search" else "prompt",
            )
            shown = "   ".join(f"{figure:.3f}" for figure in measured)
            print(f"  {ranker:<6} {floor:<12}    {shown}", flush=True)
        print("MemoryBank               recall@10  without one")
        for language in ("en", "zh"):
            for ranker, found in recall(folder / language, language).items():
                shown = f"{found.mean:.3f}      {found.without_one:.3f}"
                print(f"  {language} {ranker:<20} {shown}", flush=True)
        print("PEPs as records          small talk  held out  strangers  related@8")
        for size in SIZES:
            filled, cases = peps(folder / f"peps{size}", size)
            for ranker in RANKERS:
                shown = "      ".join(f"{x:.3f}" for x in quiet(filled, cases, ranker))
                print(f"  {size:>6} {ranker:<15}   {shown}", flush=True)
            filled.store.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
