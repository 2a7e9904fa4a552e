"""Whether a developer's own words say what a model took from them; pure (A6.5).

Of a statement, its rare terms, its numbers and its polarity have to be found in one
turn of the developer or in two adjacent ones. The best sentence is kept as the quote.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.extraction.polarity import contradict, polarity
from agentctx.records.question import read_question
from corpus.lexical import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NEEDED = 0.6
"""The share of a statement's rare terms that the developer has to have said: a model
adds a word or two of its own, not most of them."""

LONGEST_QUOTE = 400
LONGEST_TURN = 40_000
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_USING = ("использ", "применя", "verwend", "utilis", "使用", "采用", "採用", "利用")
"""How words of use begin where no list of common words has all their forms."""

_ASKS = re.compile(r"[?？]\s*$")


class Support(NamedTuple):
    """The sentence that says it, whether it only asks, and in which turn it is said.

    Of two adjacent turns that is the second.
    """

    quote: str
    asks: bool
    turn: int = 0


class Speaker:
    """The developer's words of some turns, ready to be compared with statements."""

    def __init__(self, turns: Iterable[str]) -> None:
        said = [(at, turn) for at, turn in enumerate(turns) if turn.strip()]
        self._turns = [turn[:LONGEST_TURN] for _, turn in said]
        self._numbers = [at for at, _ in said]

    @functools.cached_property
    def _terms(self) -> list[frozenset[str]]:
        return [frozenset(terms(turn)) for turn in self._turns]

    def supports(self, statement: str) -> Support | None:
        """Find the words that say a statement; None where nobody said it."""
        rare = rare_terms(statement)
        numbers = set(_NUMBER.findall(statement))
        said = polarity(statement)
        best: tuple[float, Support] | None = None
        for at, text, held in self._windows():
            shared = frozenset(rare & held)
            share = len(shared) / len(rare) if rare else 0.0
            if share < NEEDED or not numbers <= set(_NUMBER.findall(text)):
                continue
            sentence = _best_sentence(text, rare)
            if sentence is None or contradict(said, polarity(text), shared):
                continue
            if best is None or share > best[0]:
                asks = bool(_ASKS.search(sentence))
                best = share, Support(sentence, asks, self._numbers[at])
        return None if best is None else best[1]

    def share_of(self, wanted: set[str]) -> float:
        """Give the largest share of some terms that one turn holds."""
        shares = (len(wanted & held) / len(wanted) for held in self._terms)
        return max(shares, default=0.0)

    def _windows(self) -> Iterator[tuple[int, str, frozenset[str]]]:
        """Give each turn, then each two adjacent ones, with the number of the last."""
        for at, (turn, held) in enumerate(zip(self._turns, self._terms, strict=True)):
            yield at, turn, held
        for at in range(len(self._turns) - 1):
            pair = f"{self._turns[at]}\n{self._turns[at + 1]}"
            yield at + 1, pair, self._terms[at] | self._terms[at + 1]


def rare_terms(statement: str) -> set[str]:
    """Give the terms of a statement that name something; all, where none does."""
    asked = read_question(statement).terms
    named = {
        term.text
        for term in asked
        if not term.common and not term.text.startswith(_USING)
    }
    return named or {term.text for term in asked}


def _best_sentence(text: str, rare: set[str]) -> str | None:
    """Give the sentence with most of the rare terms, shortened around nothing."""
    found: list[tuple[int, int, str]] = []
    for place, sentence in enumerate(_sentences(text)):
        shared = len(rare & set(terms(sentence)))
        if shared:
            found.append((shared, -place, sentence))
    return max(found)[2] if found else None


def _sentences(text: str) -> Sequence[str]:
    parts = (part.strip() for part in _SENTENCE.split(text))
    return [part[:LONGEST_QUOTE] for part in parts if part]
