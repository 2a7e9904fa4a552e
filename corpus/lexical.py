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

import functools
import itertools
import re
from operator import add

from corpus.identifiers import LONGEST_TERM, NameTerms
from corpus.patterns import pattern
from corpus.scripts import (
    HAN,
    HANGUL,
    IGNORED,
    KANA,
    MARK,
    UNSPACED,
    comparable,
    fold_case,
    fold_marks,
    outline,
)
from corpus.stems import stem
from corpus.values import TYPE_CHECKING, NamedTuple
from corpus.wordlists import (
    NEGATION_RUNS,
    NEGATIONS,
    NOT_NEGATION_RUNS,
    NUMBER_WORDS,
    STOP_RUNS,
    STOP_WORDS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

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
    return list(itertools.chain.from_iterable(map(_TERMS.__getitem__, _words(text))))


class WantedTerms(dict[str, tuple[str, ...]]):
    """Looks for some terms only, in texts seen for the first time.

    Stemming is what costs in such a text. The English stemmer never changes the first
    two letters of a word but where the second is a `y` (dying, die), so a word that
    begins like no wanted term need not be stemmed.
    """

    def __init__(self, wanted: AbstractSet[str]) -> None:
        super().__init__()
        self._heads = {term[:2] for term in wanted}

    def of(self, text: str) -> list[str]:
        """Give `terms(text)` with one "" for each word that gives none wanted."""
        return list(itertools.chain.from_iterable(map(self.__getitem__, _words(text))))

    def _may_hold(self, name: str) -> bool:
        """Say whether a part of a name may be wanted; one with digits always may."""
        return not _NO_DIGIT.fullmatch(name) or any(
            head in name for head in self._heads
        )

    def __missing__(self, word: str) -> tuple[str, ...]:
        # What was met before must not matter here: the same text, the same places.
        lower = word.lower()
        plain = word.isascii() and word.isalpha() and word in {lower, lower.title()}
        if plain and lower[:2] not in self._heads and lower[1:2] != "y":
            found: tuple[str, ...] = () if lower in STOP_WORDS else ("",)
        elif word.isascii() and not (plain or self._may_hold(lower)):
            found = ("",)
        else:
            found = _TERMS[word]
        self[word] = found
        return found


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
    first: dict[str, int] = {}
    for index, match in enumerate(_found(text)):
        first.setdefault(text[match.start() : match.end()], index)
    chosen: dict[str, tuple[int, int]] = {}  # most are capped, and become no term
    unspaced: set[str] = set()
    for word, index in first.items():
        for piece, shape in dict.fromkeys(_pieces(word)):
            weighed = _weighed(piece, shape)
            if shape[0] in _RUN_SYMBOLS:
                unspaced.update(term for term, _ in weighed)
            for term, weight in weighed:
                known = chosen.get(term)
                if known is None:
                    chosen[term] = (weight, index)
                elif known[0] < weight:
                    chosen[term] = (weight, known[1])
    kept = _capped(tuple(chosen), unspaced, cap)
    return tuple(QueryTerm(term, *chosen[term]) for term in kept)


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


def numbers(text: str) -> frozenset[str]:
    """Give the numbers, versions and dates a text names, written alike.

    Number words and Han numerals count, and the numbers inside names.
    """
    found = {term for term in terms(text) if term[0] in "0123456789"}
    found.update(word for word in plain_words(text) if word in NUMBER_WORDS)
    if not text.isascii():
        found.update(_pattern(_HAN_NUMERALS).findall(text))
    return frozenset(found)


def negation_count(text: str) -> int:
    """Count the negations: whole words, and listed runs of unspaced scripts."""
    words = sum(
        word in NEGATIONS or word.endswith("n't")
        for word in plain_words(text)
        if word is not None
    )
    if text.isascii():
        return words
    text = _pattern("|".join(sorted(NOT_NEGATION_RUNS))).sub(" ", text)
    return words + len(_pattern("|".join(sorted(NEGATION_RUNS))).findall(text))


def has_negation(text: str) -> bool:
    """Say whether a text negates anything."""
    return negation_count(text) > 0


def names(text: str) -> frozenset[str]:
    """Give what a text may call things by, case-folded and with its marks.

    That is every identifier, path and address, every word with a capital letter, and
    every katakana word. A capital at the start of a sentence counts unless the word is
    a stop word: a name there must not be missed.
    """
    found = set() if text.isascii() else set(_pattern(_KATAKANA).findall(text))
    for word in {text[match.start() : match.end()] for match in _found(text)}:
        for piece, shape in set(_pieces(word)):
            if shape[0] not in _RUN_SYMBOLS and _is_name(piece):
                found.add(fold_case(piece.strip("_")))
    return frozenset(found)


def _words(text: str) -> list[str]:
    if text.isascii():
        return _TOKEN.findall(text)
    return [text[found.start() : found.end()] for found in _found(text)]


# A pattern for outlines (see corpus.scripts). Each token starts in one set, so that the
# search runs from token to token; what the first character was decides what follows.
# A run of single characters is possessive; a group is not, for early releases of
# Python 3.11 never come back from one. What may follow a group is optional, so it is
# never tried again for being too greedy.
_INSIDE = f"{MARK}{IGNORED}"
_PART = rf"[A-Za-z0-9_][A-Za-z0-9_{_INSIDE}]*+"
_JOINT = (
    r"[-./\\@'&:,](?:(?<=[-./\\@'&])|(?<=:)(?::|//)|(?<=[0-9][,:])(?=[0-9]))"
    rf"{IGNORED}*+"
)
_RUNS = (HAN + KANA, HANGUL, UNSPACED)
_SIGN = r"(?<=#)(?=[0-9])|(?<=[.@])(?<![^\s`\"'(\[].)(?=[A-Za-z])"
_TOKEN = pattern(
    rf"[A-Za-z0-9_.@#{HAN}{KANA}{HANGUL}{UNSPACED}](?:"
    rf"(?:(?<=[A-Za-z0-9_])|{_SIGN})[A-Za-z0-9_{_INSIDE}]*+"
    rf"(?:{_JOINT}{_PART})*(?:\+\+|[%#])?"
    + "".join(rf"|(?<=[{run}])[{run}{_INSIDE}]*+" for run in _RUNS)
    + ")"
)
_PLAIN = pattern(rf"[A-Za-z](?:[A-Za-z{MARK}{IGNORED}]|'(?=[A-Za-z])|-(?=[A-Za-z]))*")
_RUN_SYMBOLS = frozenset("".join(_RUNS))
_NO_DIGIT = pattern("[^0-9]*+")
_COMMON_RUN = pattern("[\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa\u30fc]++")
_UNIT = pattern(rf"[^{MARK}]{MARK}*+")
_EVERY_HAN = pattern(HAN)
_LONE_HAN = pattern(f"(?<!{HAN}){HAN}(?!{HAN})")
_MOST_WORDS = 65_536
_LONGEST_KEPT, _MOST_KEPT = 40, 8
_SHORT_HANGUL = 3


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of each word met so far, up to a bound; long ones are not kept."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        found: tuple[str, ...]
        if word.isascii() and word.isalpha() and (word.islower() or word.istitle()):
            lower = word.lower()[:LONGEST_TERM]
            found = () if lower in STOP_WORDS else (stem(lower),)
        elif word.isascii():
            found = tuple(NameTerms(word).terms)
        elif _COMMON_RUN.fullmatch(word):
            found = tuple(_common_run_terms(word))
        else:
            pieces = _pieces(word)
            give = _piece_terms if len(pieces) == 1 else _repeated_piece_terms
            found = tuple(term for piece in pieces for term in give(*piece))
        if len(word) <= _LONGEST_KEPT and len(found) <= _MOST_KEPT:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found


_TERMS = _Terms()
_HAN_NUMERALS = "[〇一二三四五六七八九十百千万萬億亿兩两]+"
_KATAKANA = "[ァ-ヺー]{2,}"


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _found(text: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(outline(text))


def _pieces(word: str) -> list[tuple[str, str]]:
    """Give a word in comparable form with its outline.

    Almost always that is one piece; a character that stands for several words, such
    as a fraction, gives more.
    """
    if word.isascii():
        return [(word, word)]
    plain = comparable(word)
    found = _TOKEN.finditer(outline(plain))
    return [(plain[match.start() : match.end()], match[0]) for match in found]


@functools.lru_cache(maxsize=256)
def _repeated_piece_terms(piece: str, shape: str) -> list[str]:
    # A sign that stands for several words is short, however often it is repeated.
    return _piece_terms(piece, shape)


def _piece_terms(piece: str, shape: str) -> list[str]:
    if shape[0] in _RUN_SYMBOLS:
        units = _units(piece, shape)
        pairs = [pair for pair in _pairs(units) if pair not in STOP_RUNS]
        if len(units) == 1 or not pairs:
            return pairs
        singles = _singles(piece, shape, _EVERY_HAN)
        if shape[0] == HANGUL and len(units) <= _SHORT_HANGUL:
            singles = units[:1]  # a word of one syllable, and its particle
        return pairs + [single for single in singles if single not in STOP_RUNS]
    name = NameTerms(fold_marks(piece))
    return name.terms + _exact(piece, name)


def _common_run_terms(run: str) -> list[str]:
    """Give what `_piece_terms` gives for Han and kana that no form changes."""
    pairs = [run] if len(run) == 1 else list(map(add, run, run[1:]))
    pairs = [pair for pair in pairs if pair not in STOP_RUNS]
    if len(run) == 1 or not pairs:
        return pairs
    return pairs + [
        single
        for single in run
        if "\u4e00" <= single <= "\u9fff" and single not in STOP_RUNS
    ]


def _weighed(piece: str, shape: str) -> list[tuple[str, int]]:
    """Give the terms a query takes from a piece, with their weights."""
    if piece.isascii() and piece.isalpha() and piece.islower():
        return [(term, WORD_WEIGHT) for term in _TERMS[piece]]
    if shape[0] in _RUN_SYMBOLS:
        units = _units(piece, shape)
        weight = WORD_WEIGHT * len(units) // (2 * max(1, len(units) - 1))
        weight = min(WORD_WEIGHT, weight)
        pairs = [pair for pair in _pairs(units) if pair not in STOP_RUNS]
        weighed = [(pair, weight) for pair in pairs]
        if len(units) == 1:
            weighed = [(pair, WORD_WEIGHT) for pair in pairs]
        elif pairs:
            singles = _singles(piece, shape, _LONE_HAN)
            weighed += [
                (single, LONE_HAN_WEIGHT)
                for single in singles
                if single not in STOP_RUNS
            ]
        return weighed
    name = NameTerms(fold_marks(piece))
    parts = name.terms[name.whole :]
    share = max(1, WORD_WEIGHT // len(set(parts))) if parts else 0
    weighed = [(term, WORD_WEIGHT) for term in name.terms[: name.whole]]
    weighed += [(part, share) for part in parts]
    return weighed + [(term, EXACT_WEIGHT) for term in _exact(piece, name)]


def _exact(piece: str, name: NameTerms) -> list[str]:
    if not name.terms or fold_marks(piece) == piece:
        return []
    return [fold_case(piece)[:LONGEST_TERM]]


def _units(piece: str, shape: str) -> list[str]:
    """Cut a run into characters, each with its marks."""
    if MARK not in shape:
        return list(piece)
    found = _UNIT.finditer(shape)
    return [piece[unit.start() : unit.end()][:LONGEST_TERM] for unit in found]


def _pairs(units: list[str]) -> list[str]:
    if len(units) == 1:
        return units
    return [first + second for first, second in itertools.pairwise(units)]


def _singles(piece: str, shape: str, which: re.Pattern[str]) -> list[str]:
    return [piece[found.start()] for found in which.finditer(shape)]


def _is_name(piece: str) -> bool:
    if not any(map(str.isalpha, piece)):
        return False
    name = NameTerms(fold_marks(piece))
    return name.whole or (bool(name.terms) and fold_case(piece) != piece)


def _capped(found: tuple[str, ...], unspaced: set[str], cap: int) -> tuple[str, ...]:
    if len(found) <= cap:
        return found
    paired = [term in unspaced for term in found]
    pairs = sum(paired)
    words = len(found) - pairs
    third = cap // 3
    room = sum(paired[:cap])
    room = max(room, min(pairs, third))
    room = min(room, cap - min(words, third))
    left = {True: room, False: cap - room}
    kept = []
    for term, kind in zip(found, paired, strict=True):
        if left[kind] > 0:
            left[kind] -= 1
            kept.append(term)
    return tuple(kept)
