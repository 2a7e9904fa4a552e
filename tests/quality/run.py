"""Report retrieval quality on the judged sets, beside FTS5 and BM25 in the same run.

    python tests/quality/run.py [--limit 20] [--misses] [CORPUS ...]

Ranks are of documents: the order in which sources first appear among the results.
recall@k is the share of a query's relevant documents within the first k (of k, where
there are more than k); MRR is the mean of 1 / rank of the first relevant one. "current
first" is the share of queries with a superseded document in which no superseded one
stands above the first relevant; "where known" is the same over the queries whose
superseded documents a valid `Supersedes` line names, which is all a corpus can know.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpus.ranker import Options
from corpus.search import search
from corpus.userdirs import UserDirs
from corpus.view import build_index, open_view
from tests.quality.baselines import Bm25, Fts5
from tests.quality.judged import Judged, JudgedCorpus, grant_limits, load_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from corpus.view import View

RECALL_AT = (1, 5, 10)


@dataclass(slots=True)
class Tally:
    """Sums over queries; divided when shown."""

    queries: int = 0
    first: float = 0.0
    recall: tuple[float, ...] = (0.0,) * len(RECALL_AT)
    stale: int = 0
    current_first: int = 0
    known: int = 0
    known_first: int = 0

    def add(
        self,
        judged: Judged,
        ranked: Sequence[str],
        superseded: frozenset[str] = frozenset(),
    ) -> None:
        """Count one answer; `superseded` are the sources the corpus says are so."""
        self.queries += 1
        places = [n for n, path in enumerate(ranked, 1) if path in judged.relevant]
        self.first += 1 / places[0] if places else 0.0
        self.recall = tuple(
            total + sum(p <= k for p in places) / min(k, len(judged.relevant))
            for total, k in zip(self.recall, RECALL_AT, strict=True)
        )
        if judged.stale:
            old = [n for n, path in enumerate(ranked, 1) if path in judged.stale]
            self.stale += 1
            best = places[0] if places else len(ranked) + 1
            first = not old or best < min(old)
            self.current_first += first
            if judged.stale <= superseded:
                self.known += 1
                self.known_first += first

    def line(self) -> str:
        """Show the means."""
        count = max(1, self.queries)
        recalls = "  ".join(f"{total / count:.3f}" for total in self.recall)
        shown = f"{recalls}  {self.first / count:.3f}"
        if self.stale:
            shown += f"  {self.current_first / self.stale:.3f}"
        if self.known:
            shown += f"  {self.known_first / self.known:.3f} ({self.known})"
        return shown


def document_ranks(paths: Iterable[str]) -> list[str]:
    """Keep the first appearance of each path."""
    return list(dict.fromkeys(paths))


def superseded_paths(view: View) -> frozenset[str]:
    """Give the sources that a valid relation names."""
    return frozenset(r.target for r in view.rows.relations if r.verdict == "VALID")


def measure(corpus: JudgedCorpus, folder: Path, *, limit: int, misses: bool) -> None:
    """Print one corpus's table."""
    dirs = UserDirs(folder / "state", folder / "trust")
    grant_limits(corpus, dirs.trust)
    build_index(corpus.root, dirs=dirs, random=os.urandom, now=time.time())
    view = open_view(corpus.root, dirs=dirs)
    superseded = superseded_paths(view)
    texts = {p: "\n".join(view.lines(p)) for p in view.snapshot}
    fts5, bm25 = Fts5(texts), Bm25(texts)
    rankers: dict[str, Callable[[str], Sequence[str]]] = {
        "this": lambda query: document_ranks(
            hit.facts.path for hit in search(view, query, Options(limit=limit)).hits
        ),
        "fts5": fts5.rank,
        "bm25": bm25.rank,
    }
    groups = sorted({judged.group for judged in corpus.queries})
    for group in groups:
        chosen = [judged for judged in corpus.queries if judged.group == group]
        for name, rank in rankers.items():
            tally = Tally()
            for judged in chosen:
                ranked = rank(judged.text)
                tally.add(judged, ranked, superseded)
                if misses and name == "this" and not judged.relevant & {*ranked[:5]}:
                    print("   miss:", judged.text[:90], sorted(judged.relevant))
            label = f"{corpus.name}/{group}"
            print(f"{label:<34} {tally.queries:>4}  {name}  {tally.line()}", flush=True)


def main() -> int:
    """Run over every judged corpus named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = load_all(Path(name))
        if not found:
            print("the judged sets are not here; nothing was measured")
            return 0
        head = "recall@1  @5     @10    MRR    current first  where known"
        print(f"{'set':<34} {'n':>4}  ranker  {head}")
        for corpus in found:
            if not arguments.corpus or corpus.name in arguments.corpus:
                measure(
                    corpus,
                    Path(name) / "user",
                    limit=arguments.limit,
                    misses=arguments.misses,
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
