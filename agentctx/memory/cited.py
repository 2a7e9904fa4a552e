"""A source with the whole clauses it was cut from: what they say counts (M5.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.evidence import Evidence
from agentctx.memory.speech.clauses import clauses_of
from agentctx.memory.speech.material import own_words
from agentctx.memory.window import raw_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentctx.memory.model import Source, Turn
    from agentctx.memory.speech.clauses import Clause
    from agentctx.memory.window import ProposedCandidate, Window

_MOST_PLACES = 20


class Cited(NamedTuple):
    """A quote, its turn, and the clauses of that turn it touches.

    There are none where all of it is somebody else's words.
    """

    source: Source
    turn: Turn
    clauses: tuple[Clause, ...]
    words: tuple[str, ...]
    """What of each clause was quoted."""

    @property
    def is_own(self) -> bool:
        """Whether one of its clauses is said in earnest."""
        return any(clause.is_own for clause in self.clauses)


def cited_of(candidate: ProposedCandidate, window: Window) -> tuple[Cited, ...]:
    """Find the clauses of every source of a candidate, in the order of its sources."""
    found = ((source, window.turn(source.turn_id)) for source in candidate.sources)
    return tuple(_cited(one, turn) for one, turn in found if turn is not None)


def evidence_of(cited: Iterable[Cited], *, doubted: bool = False) -> Evidence:
    """Gather what was said in earnest; a discussion counts what is doubted, too."""
    quotes: list[str] = []
    clauses: list[str] = []
    for one in cited:
        for clause, words in zip(one.clauses, one.words, strict=True):
            raised = doubted and not clause.marks & {"report", "denied", "example"}
            if clause.is_own or (raised and not clause.is_fact):
                quotes.append(words)
                clauses.append(clause.text)
    return Evidence(tuple(quotes), tuple(clauses))


def _cited(source: Source, turn: Turn) -> Cited:
    """Take the place of a quote that says most: said twice, it was said once."""
    text = raw_text(turn, source.role)
    places = [
        Cited(source, turn, clauses, words)
        for clauses, words in _places(text, source.quote)
    ]
    return max(places, key=_weight, default=Cited(source, turn, (), ()))


def _weight(cited: Cited) -> tuple[bool, bool]:
    limited = any(one.marks & {"local", "temporary"} for one in cited.clauses)
    return cited.is_own and not limited, bool(cited.clauses)


def _places(
    text: str, quote: str
) -> Iterator[tuple[tuple[Clause, ...], tuple[str, ...]]]:
    clauses, own = clauses_of(text), own_words(text)
    at, tried = text.find(quote), 0
    while at >= 0 and tried < _MOST_PLACES:
        start, end = _whole_words(text, at, at + len(quote))
        touched = [
            (clause, own[max(start, clause.start) : min(end, clause.end)])
            for clause in clauses
            if clause.start < end and clause.end > start
        ]
        touched = [one for one in touched if any(map(str.isalnum, one[1]))]
        yield tuple(one for one, _ in touched), tuple(words for _, words in touched)
        at, tried = text.find(quote, at + 1), tried + 1


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave off the part of a word that a quote begins or ends with."""
    while start < end and start and _inside_word(text, start):
        start += 1
    while end > start and end < len(text) and _inside_word(text, end):
        end -= 1
    return start, end


def _inside_word(text: str, at: int) -> bool:
    pair = text[at - 1 : at + 1]
    return all(one.isalnum() and ord(one) < _UNSPACED_FROM for one in pair)


_UNSPACED_FROM = 0x0E00
"""Above stand the scripts whose words have no room between them."""
