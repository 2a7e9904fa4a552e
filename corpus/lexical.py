"""The terms of a text: one function for the index and for the query.

The same text gives the same terms on every machine. Texts that a reader takes for the
same give the same terms: case, width, composition, invisible characters and the
inflection of English and Russian words do not matter; the marks of Latin, Greek and
Cyrillic letters matter only to rank. A word gives its stem; a name itself and its
parts; a number or version itself; a run of Han, kana, Hangul, Thai or another script
written without spaces its overlapping pairs of characters, and each Han character,
so that a query of one finds it. Stop words give nothing. Everything takes time linear
in the text, whatever the text is.
"""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from corpus.identifiers import LONGEST_TERM, NameTerms
from corpus.scripts import (
    CJK,
    HAN,
    HANGUL,
    IGNORED,
    LONE_HAN,
    MARK,
    UNSPACED,
    comparable,
    fold_case,
    fold_marks,
    outline,
)
from corpus.stems import stem
from corpus.wordlists import STOP_PAIRS, STOP_WORDS

WORD_WEIGHT = 100
"""Percent: a plain word, the whole of a name, a pair that is all of its run."""

EXACT_WEIGHT = 20
"""Percent: what a word written with the same marks counts on top."""

LONE_HAN_WEIGHT = 30
"""Percent: a Han character between kana, next to the pairs it stands in."""


class Token(NamedTuple):
    """One word of a text as written, its character offsets and its terms.

    Stop words are tokens without terms. `text` is `source[start:end]`.
    """

    text: str
    start: int
    end: int
    terms: tuple[str, ...]


class QueryTerm(NamedTuple):
    """One distinct term of a query.

    `weight` is in percent of a plain word; `token` is the index, in `tokens(query)`,
    of the first token that gave the term.
    """

    text: str
    weight: int
    token: int


def terms(text: str) -> list[str]:
    """Give every term of a text in text order, with repeats; stop words give none."""
    if text.isascii():
        words = _TOKEN.findall(text)
    else:
        words = [text[found.start() : found.end()] for found in _found(text)]
    return list(itertools.chain.from_iterable(map(_TERMS.__getitem__, words)))


def tokens(text: str) -> list[Token]:
    """Give every word of a text with its offsets and the terms `terms` gives for it."""
    found = []
    for match in _found(text):
        start, end = match.span()
        word = text[start:end]
        found.append(Token(word, start, end, _TERMS[word]))
    return found


def query_terms(text: str, *, cap: int = 256) -> tuple[QueryTerm, ...]:
    """Give the distinct terms of a query, at most `cap`, in text order, with weights.

    A name of n distinct parts counts 100 for its whole and 100 // n for each part, so
    the parts together never exceed the whole. A run of n characters of an unspaced
    script counts as n / 2 words: each of its n - 1 pairs weighs 50 n / (n - 1). A term
    given twice keeps its first place and its greatest weight. Under the cap, a third
    of the room is kept for unspaced scripts and a third for the rest, where both occur.
    """
    chosen: dict[str, QueryTerm] = {}
    paired: set[str] = set()
    for index, match in enumerate(_found(text)):
        word = text[match.start() : match.end()]
        for piece, shape in _pieces(word):
            weighed = _weighed(piece, shape)
            if shape[0] in _RUN_SYMBOLS:
                paired.update(term for term, _ in weighed)
            for term, weight in weighed:
                known = chosen.setdefault(term, QueryTerm(term, weight, index))
                if known.weight < weight:
                    chosen[term] = known._replace(weight=weight)
    return _capped(tuple(chosen.values()), paired, cap)


def plain_words(text: str) -> list[str | None]:
    """Give the words of a text folded but not stemmed, stop words too, in order.

    A word that is a name, a number or a run of an unspaced script is None, so that
    words on its two sides are never taken for neighbours.
    """
    return [
        fold_marks(fold_case(comparable(text[found.start() : found.end()])))
        if _PLAIN.fullmatch(found[0])
        else None
        for found in _found(text)
    ]


# ASCII stands for itself in an outline; see corpus.scripts. Every quantifier is
# possessive and what may follow it never starts with what it repeats.
_PART = rf"[A-Za-z0-9_][A-Za-z0-9_{MARK}{IGNORED}]*+"
_JOINT = rf"(?:://|::|[-./\\@'&]|(?<=[0-9])[,:](?=[0-9])){IGNORED}*+"
_TOKEN = re.compile(
    r"(?:(?<![^\s`\"'(\[])[.@](?=[A-Za-z])|#(?=[0-9]))?"
    rf"{_PART}(?:{_JOINT}{_PART})*+(?:\+\+|[%#])?"
    + "".join(rf"|{run}[{run}{MARK}{IGNORED}]*+" for run in (CJK, HANGUL, UNSPACED))
)
_PLAIN = re.compile(
    rf"[A-Za-z](?:[A-Za-z{MARK}{IGNORED}]|'(?=[A-Za-z])|-(?=[A-Za-z]))*+"
)
_RUN_SYMBOLS = frozenset((CJK, HANGUL, UNSPACED))
_UNIT = re.compile(rf"[^{MARK}]{MARK}*+")
_MOST_WORDS = 65_536
_LONGEST_KEPT = 40


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of each word met so far, up to a bound; long ones are not kept."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word.isascii() and word.isalpha() and (word.islower() or word.istitle()):
            lower = word.lower()[:LONGEST_TERM]
            found = () if lower in STOP_WORDS else (stem(lower),)
        else:
            pieces = _pieces(word)
            found = tuple(term for piece in pieces for term in _piece_terms(*piece))
        if len(word) <= _LONGEST_KEPT:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found


_TERMS = _Terms()
