"""Stems of English and Russian words, the same on every machine.

The algorithms are those of `snowballstemmer`, always its Python classes: the compiled
package it would otherwise prefer may follow another release. They are loaded when the
first stem is needed.
"""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType

from corpus.values import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST = 4
"""Shorter words are left alone: a stem of two letters says nothing."""

_MOST_STEMS = 65_536
_ENGLISH_ENDINGS = (
    "e", "i", "s", "y", "al", "ed", "er", "ic", "ll", "or",
    "ant", "ent", "ful", "ing", "ion", "ism", "gist",
)  # fmt: skip


def stem(word: str) -> str:
    """Reduce one case-folded word, its marks folded, to its stem.

    Latin letters are read as English, Cyrillic ones as Russian; a word of another
    alphabet, of several, with a digit, or under four letters comes back as it is.
    """
    return _STEMS[word]


class _Among(Protocol):
    """One ending (or beginning) in a table of the library."""

    s: str
    result: int


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class _Stems(dict[str, str]):
    """Every stem found so far, up to a bound."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_STEMS:
            self.clear()
        self[word] = found = _find(word)
        return found


_STEMS = _Stems()


def _find(word: str) -> str:
    if len(word) < SHORTEST or not word.isalpha():
        return word
    if word.isascii():
        # A word with none of the endings the algorithm looks for is its own stem.
        return _english().stemWord(word) if word.endswith(_ENGLISH_ENDINGS) else word
    if all("\u0400" <= letter <= "\u04ff" for letter in word):
        return _russian().stemWord(word)
    return word


@functools.cache
def _english() -> _Stemmer:
    EnglishStemmer = _algorithm("english_stemmer", "EnglishStemmer")  # noqa: N806

    class English(EnglishStemmer):  # type: ignore[misc, valid-type]  # the library has no types
        def _EnglishStemmer__r_prelude(self) -> bool:  # noqa: N802
            # Tells the y that is a consonant, which takes the library an exception a
            # letter. Without a y there is nothing to tell.
            if "y" not in self.current:
                self.B_Y_found = False
                return True
            return bool(super()._EnglishStemmer__r_prelude())

    return _quickened(EnglishStemmer, English)


@functools.cache
def _russian() -> _Stemmer:
    algorithm = _algorithm("russian_stemmer", "RussianStemmer")
    return _quickened(algorithm, algorithm)


def _algorithm(module: str, name: str) -> type:
    """Load one algorithm of the library and not, as its package does, all thirty.

    The package's place is held by an empty module while its part is imported.
    """
    package = "snowballstemmer"
    held = package not in sys.modules
    if held:
        spec = PathFinder.find_spec(package)
        if spec is None or spec.submodule_search_locations is None:
            raise ModuleNotFoundError(package)
        holder = ModuleType(package)
        holder.__path__ = spec.submodule_search_locations
        sys.modules[package] = holder
    try:
        found = getattr(import_module(f"{package}.{module}"), name)
    finally:
        if held:
            del sys.modules[package]
    assert isinstance(found, type)
    return found


def _quickened(algorithm: type, base: type) -> _Stemmer:
    """Give the algorithm a quicker look-up of endings; the stems stay the same.

    The library searches each of its tables letter by letter. Indexed by the letter
    nearest the cursor and tried longest first, the same table gives the same answer
    in half the time.
    """
    tables = [table for table in vars(algorithm).values() if isinstance(table, list)]
    endings = {id(table): _by_letter(table, -1) for table in tables}
    beginnings = {id(table): _by_letter(table, 0) for table in tables}

    class Quickened(base):  # type: ignore[misc]  # the library has no types
        cursor: int
        limit: int
        limit_backward: int
        current: str

        def find_among_b(self, table: Sequence[_Among]) -> int:
            letters, otherwise = endings[id(table)]
            cursor, limit = self.cursor, self.limit_backward
            if cursor > limit:
                word = self.current
                for ending, size, result in letters.get(word[cursor - 1], ()):
                    if word.endswith(ending, limit, cursor):
                        self.cursor = cursor - size
                        return result
            return otherwise

        def find_among(self, table: Sequence[_Among]) -> int:
            letters, otherwise = beginnings[id(table)]
            cursor, limit = self.cursor, self.limit
            if cursor < limit:
                word = self.current
                for beginning, size, result in letters.get(word[cursor], ()):
                    if word.startswith(beginning, cursor, limit):
                        self.cursor = cursor + size
                        return result
            return otherwise

    stemmer: _Stemmer = Quickened()
    return stemmer


def _by_letter(
    table: Sequence[_Among], edge: int
) -> tuple[dict[str, list[tuple[str, int, int]]], int]:
    letters: dict[str, list[tuple[str, int, int]]] = {}
    otherwise = 0
    for among in sorted(table, key=lambda among: -len(among.s)):
        if among.s:
            entry = (among.s, len(among.s), among.result)
            letters.setdefault(among.s[edge], []).append(entry)
        else:
            otherwise = among.result
    return letters, otherwise
