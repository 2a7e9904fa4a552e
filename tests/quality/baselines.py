"""Two plain rankers to stand beside: SQLite's FTS5, and BM25 over words."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORD = re.compile(r"\w+")


class Fts5:
    """Whole documents in FTS5 with its own tokenizer and its own bm25()."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE doc USING fts5(path UNINDEXED, text)")
        self._db.executemany("INSERT INTO doc VALUES (?, ?)", texts.items())

    def rank(self, query: str) -> list[str]:
        """Give paths, best first, of documents with any word of the query."""
        words = _WORD.findall(query)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._db.execute(
            "SELECT path FROM doc WHERE doc MATCH ? ORDER BY bm25(doc), path LIMIT 100",
            (match,),
        )
        return [path for (path,) in rows]


class Bm25:
    """Okapi BM25 (k1 1.2, b 0.75) over case-folded words of whole documents."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._counts = {
            p: Counter(_WORD.findall(t.casefold())) for p, t in texts.items()
        }
        self._lengths = {p: sum(c.values()) for p, c in self._counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(texts))
        self._df = Counter(word for c in self._counts.values() for word in c)

    def rank(self, query: str) -> list[str]:
        """Give paths, best first, of documents with any word of the query."""
        scores: Counter[str] = Counter()
        total = len(self._counts)
        for word in set(_WORD.findall(query.casefold())):
            df = self._df[word]
            idf = math.log(1 + (total - df + 0.5) / (df + 0.5))
            for path, counts in self._counts.items():
                if count := counts[word]:
                    norm = 1.2 * (0.25 + 0.75 * self._lengths[path] / self._mean)
                    scores[path] += idf * count * 2.2 / (count + norm)  # type: ignore[assignment]
        return sorted(scores, key=lambda path: (-scores[path], path))[:100]
