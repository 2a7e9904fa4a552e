"""Whether a query asks for the past.

Read from whole words, never from parts of words: "threshold" holds "old" and asks for
nothing. Scripts without spaces are read by listed compounds. The words are in
`corpus.wordlists`: English, Russian, Chinese, Japanese, German, French, Spanish.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from corpus import wordlists
from corpus.lexical import plain_words
from corpus.scripts import fold_case, fold_marks
from corpus.stems import stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class _Past(NamedTuple):
    words: frozenset[str]
    stems: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    exceptions: frozenset[tuple[str, ...]]
    compound: re.Pattern[str]
    innocent: re.Pattern[str]


def asks_for_history(query: str) -> bool:
    """Say whether a query asks for what was, rather than for what is."""
    past = _past()
    words = [_without_article(word) for word in plain_words(query)]
    words = _without(past.exceptions, words)
    if any(word in past.words for word in words):
        return True
    if any(gram in past.phrases for size in _SIZES for gram in _grams(words, size)):
        return True
    if query.isascii():
        return False
    if any(word is not None and stem(word) in past.stems for word in words):
        return True
    plain = unicodedata.normalize("NFKC", query)
    return past.compound.search(past.innocent.sub(" ", plain)) is not None


def asks_for_successor(query: str) -> bool:
    """Say whether a query asks what took the place of something."""
    asked = _successor()
    words = plain_words(query)
    if any(word in asked.words for word in words):
        return True
    if any(gram in asked.phrases for size in _SIZES for gram in _grams(words, size)):
        return True
    if query.isascii():
        return False
    if any(word is not None and stem(word) in asked.stems for word in words):
        return True
    return asked.compound.search(unicodedata.normalize("NFKC", query)) is not None


_SIZES = range(2, 6)


class _Successor(NamedTuple):
    words: frozenset[str]
    stems: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    compound: re.Pattern[str]


@functools.cache
def _successor() -> _Successor:
    return _Successor(
        words=frozenset(wordlists.SUCCESSOR_WORDS.split()),
        stems=frozenset(map(stem, wordlists.SUCCESSOR_RUSSIAN_STEMS.split())),
        phrases=_phrases(wordlists.SUCCESSOR_PHRASES),
        compound=re.compile("|".join(sorted(wordlists.SUCCESSOR_RUNS))),
    )


@functools.cache
def _past() -> _Past:
    words = " ".join(wordlists.HISTORICAL_WORDS.values()).split()
    return _Past(
        words=frozenset(words),
        stems=frozenset(map(stem, wordlists.HISTORICAL_RUSSIAN_STEMS.split())),
        phrases=_phrases(wordlists.HISTORICAL_PHRASES),
        exceptions=_phrases(wordlists.NOT_HISTORICAL_PHRASES),
        compound=re.compile("|".join(sorted(wordlists.HISTORICAL_RUNS))),
        innocent=re.compile("|".join(sorted(wordlists.NOT_HISTORICAL_RUNS))),
    )


def _phrases(table: str) -> frozenset[tuple[str, ...]]:
    phrases = table.replace("\n", "|").split("|")
    found = (tuple(fold_marks(fold_case(phrase)).split()) for phrase in phrases)
    return frozenset(phrase for phrase in found if phrase)


def _grams(words: Sequence[str | None], size: int) -> Iterator[tuple[str | None, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def _without_article(word: str | None) -> str | None:
    """Take an elided article or pronoun off: l'ancien is the word ancien."""
    if word is None:
        return None
    start, _, rest = word.partition("'")
    return rest if rest and len(start) <= len("qu") else word


def _without(
    phrases: frozenset[tuple[str, ...]], words: Sequence[str | None]
) -> list[str | None]:
    """Blank the words of every phrase that occurs."""
    kept = list(words)
    for size in _SIZES:
        for start, gram in enumerate(_grams(words, size)):
            if gram in phrases:
                kept[start : start + size] = [None] * size
    return kept
