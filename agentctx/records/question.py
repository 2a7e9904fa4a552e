"""What a prompt or a search asks for: few terms, each with what it can say (A3.1).

A prompt may be anything: a word, a pasted log, 200 KB of operators and quotes. What is
read of it is bounded, so that any length costs the same; what is left over is words.
"""

from __future__ import annotations

import functools

from agentctx.records.dates import take_days
from corpus.commonwords import COMMON_PHRASES, COMMON_WORDS
from corpus.lexical import query_terms, terms
from corpus.patterns import pattern
from corpus.scripts import fold_marks
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = 8_000
"""Characters read at each end of a prompt."""

MOST_WORDS = 96
"""Distinct words of a prompt that are taken to terms: stemming is what costs."""

END_WORDS = 36
"""Of more words, so many are the first and the last ones: people ask at the ends."""

MOST_TERMS = 96
"""Terms of which the store is asked how rare they are there."""

LONGEST_DATED = 1_000
"""Longer prompts are pasted: the days in them are not what somebody asks about."""

COMMON_PERCENT = 20
"""What a common word counts, in percent of a word that names something."""

WHOLE = 100

LITERAL_WORDS, FEW_WORDS = 2, 4
"""A search of so few words means each of them, however common it is: with two, they
may also be all there is."""

_MOST_FOUND, _PAIR = 1_024, 2
_PIECE = pattern(r"[^\s，。！？；：、（）「」『』“”《》…]{1,128}")
_OUTER = "\"'`()[]{}<>.,;:!?*_~«»„“”‘’¿¡-—…"
_NAME = pattern(r"[0-9_/.]|[a-z][A-Z]|[A-Z]{2}")
_SMALL_NUMBER = pattern(r"#?[0-9]{1,2}%?")


class Asked(NamedTuple):
    """One term of a question: `weight` in percent of a plain word.

    A common term is about nothing, whoever says it. A day is no term of the text, but
    what a record's own date is compared with.
    """

    text: str
    weight: int
    common: bool = False
    day: bool = False


class Question(NamedTuple):
    """What is asked: the distinct terms in text order, and the days named.

    `words` are those of a short search that no index of terms holds: `it`, `not`.
    """

    terms: tuple[Asked, ...]
    days: tuple[str, ...]
    words: tuple[str, ...] = ()

    def as_days(self) -> Iterator[Asked]:
        """Give the days as terms of their own."""
        for day in self.days:
            yield Asked(day, WHOLE, day=True)


def read_question(text: str, *, literal: bool = False) -> Question:
    """Read a prompt or a search.

    `literal` is for what somebody searches: one or two words that are all common are
    taken for what they say.
    """
    if len(text) > 2 * READ:
        text = f"{text[:READ]}\n{text[-READ:]}"
    days: tuple[str, ...] = ()
    if len(text) <= LONGEST_DATED:
        days, text = take_days(text)
    pieces = _chosen(tuple(dict.fromkeys(_PIECE.findall(text))))
    plain = " ".join(piece for piece in pieces if not _is_common(piece))
    common = " ".join(piece for piece in pieces if _is_common(piece))
    few = literal and len(pieces) <= FEW_WORDS
    found: dict[str, Asked] = {}
    for said, is_common in ((plain, False), (common, True)):
        for term in query_terms(said, cap=_MOST_FOUND):
            nothing = _says_nothing(term.text)
            lighter = nothing or (is_common and not few)
            weight = term.weight * COMMON_PERCENT // 100 if lighter else term.weight
            found.setdefault(term.text, Asked(term.text, weight, is_common or nothing))
    by_weight = sorted(found.values(), key=lambda asked: (asked.common, -asked.weight))
    kept = {asked.text for asked in by_weight[:MOST_TERMS]}
    asked = tuple(one for one in found.values() if one.text in kept)
    if not literal or len(pieces) > LITERAL_WORDS or days:
        return Question(asked, days)
    if all(one.common for one in asked):
        asked = tuple(Asked(one.text, WHOLE) for one in asked)
    words = () if asked else tuple(piece.strip(_OUTER).lower() for piece in pieces)
    spoken = tuple(word for word in words if any(map(str.isalnum, word)))
    return Question(asked, days, spoken)


def _chosen(pieces: tuple[str, ...]) -> tuple[str, ...]:
    """Bound the words of a long prompt: both ends, then names and long words."""
    if len(pieces) <= MOST_WORDS:
        return pieces
    middle = sorted(
        pieces[END_WORDS:-END_WORDS],
        key=lambda piece: (_NAME.search(piece) is None, -len(piece), piece),
    )
    kept = middle[: MOST_WORDS - 2 * END_WORDS]
    return (*pieces[:END_WORDS], *kept, *pieces[-END_WORDS:])


def _is_common(piece: str) -> bool:
    word = piece.strip(_OUTER).lower()
    if not word.isascii():
        word = fold_marks(word).replace("’", "'")
    return word in COMMON_WORDS


def _says_nothing(term: str) -> bool:
    """Say whether a term is one letter, a small number, or part of a common phrase."""
    if term.isascii():
        return len(term) == 1 or bool(_SMALL_NUMBER.fullmatch(term))
    return len(term) <= _PAIR and term in _common_terms()


@functools.cache
def _common_terms() -> frozenset[str]:
    """Give the pairs of characters of what people say in unspaced scripts."""
    return frozenset(terms(COMMON_PHRASES))
