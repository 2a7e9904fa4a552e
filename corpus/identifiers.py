"""The terms of one word: whole, and the parts of a name.

A name is found by the name and by its parts: `RecordStore` by `recordstore` and by
the prose "record store". Its parts are treated as words of prose are.
"""

from __future__ import annotations

import re

from corpus.patterns import pattern
from corpus.scripts import fold_case, fold_marks
from corpus.stems import stem
from corpus.wordlists import CAPITAL_NAMES, STOP_WORDS

LONGEST_TERM = 128
"""A longer name gives only its parts; a longer word its first 128 characters."""

_SEPARATORS = (
    pattern(r"[/:@,&]+"),
    pattern(r"\.(?![0-9])|(?<![0-9])\."),  # the dots of a version hold
    pattern(r"_+"),
    pattern(r"'"),
)
_DASH = 2
"""The dash is tried between the dots and the underscores."""

_MONTH = r"[12][0-9]{3}-(?:0[1-9]|1[0-2])"
_DAY = rf"{_MONTH}-(?:0[1-9]|[12][0-9]|3[01])"
_DASHED = pattern(rf"(?<![0-9])(?:{_DAY}|{_MONTH})(?![0-9])|[^-]+")
_DATE = pattern(rf"{_DAY}|{_MONTH}")
_INSTANT = pattern(rf"({_DAY})[Tt][0-9:.]+(?:[Zz]|[-+][0-9:]+)?")
_GROUPED = pattern(r"([0-9]{1,3}(?:[,_][0-9]{3})+)(\.[0-9]+)?")
_VERSION = pattern(r"[vV]?([0-9]+(?:\.[0-9]+)+)")
_HUMPS = pattern(
    r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+(?:\.[0-9]+)*"
)
_HEXADECIMAL = pattern(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,}")
_MOST_NUMBERS = 2
"""A name with more runs of digits than this is a hash or a key, and has no parts."""

_CLITICS = ("'s", "'re", "'ve", "'ll", "'d", "'m", "'t")
_PREFIXES, _SUFFIXES = ".@#", "+#%"


class NameTerms:
    """The terms of one comparable word, marks folded, case as written.

    `terms` are in text order, a name before its parts; `whole` says whether the
    first of several stands for all of the word.
    """

    __slots__ = ("terms", "whole")

    def __init__(self, word: str) -> None:
        self.terms: list[str] = []
        self.whole = False
        self._read(word.replace("\\_", "_").replace("\\", "/"))
        self.whole = self.whole and len(self.terms) > 1

    def _read(self, word: str) -> None:
        bare = word.strip(_PREFIXES + _SUFFIXES)
        prefix, suffix = word[: word.find(bare)], word[word.find(bare) + len(bare) :]
        bare = _trimmed(bare)
        if bare in CAPITAL_NAMES:
            self.terms.append(bare.lower())
            return
        if not bare or _folded(bare) in STOP_WORDS:
            return
        affixed = _affixed(prefix, bare, suffix)
        if affixed is not None:
            self._add_whole(affixed)
            if len(bare) == 1 and not bare.isdigit():
                return  # C++ is no C
        self._add_name(bare)

    def _add_whole(self, name: str) -> None:
        if len(name) <= LONGEST_TERM:
            self.whole = self.whole or not self.terms
            self.terms.append(name)

    def _add_name(self, name: str) -> None:
        if name.isalnum():
            self._add_atom(name)
            return
        grouped = _GROUPED.fullmatch(name)
        instant = _INSTANT.fullmatch(name)
        if grouped is not None:
            self._add_number(re.sub("[,_]", "", grouped[1]) + (grouped[2] or ""))
        elif instant is not None:
            self._add_whole(fold_case(name))
            self._add_date(instant[1])
        else:
            self._add_parts(name, 0)

    def _add_parts(self, name: str, level: int) -> None:
        """Split at the first separator that occurs; the pieces split at later ones."""
        if name.isalnum():
            self._add_atom(name)
            return
        for at in range(level, len(_SEPARATORS) + 1):
            if at == _DASH:
                pieces = _DASHED.findall(name)
            else:
                separator = _SEPARATORS[at - (at > _DASH)]
                pieces = [piece for piece in separator.split(name) if piece]
            if len(pieces) > 1:
                self._add_whole(_folded(name))
                for piece in pieces:
                    self._add_parts(piece, at + 1)
                return
        if name and _DATE.fullmatch(name):
            self._add_date(name)
        elif name:
            self._add_atom(name.strip("_-"))

    def _add_date(self, date: str) -> None:
        """Add a date; a day is found by its month and its year too."""
        for end in (10, 7, 4):
            if end <= len(date):
                self._add_whole(date[:end])

    def _add_atom(self, atom: str) -> None:
        if atom.isalpha() and (atom.islower() or atom.istitle()):
            self._add_word(atom)
        elif atom.isdigit():
            self._add_number(atom)
        elif (version := _VERSION.fullmatch(atom)) is not None:
            self._add_number(version[1])
        else:
            self._add_humps(atom)

    def _add_number(self, number: str) -> None:
        """Add a number without leading zeros, a version with its first two parts."""
        parts = number.split(".", 2)
        if len(parts) == 1:
            number = number.lstrip("0") or "0"
        self._add_whole(number[:LONGEST_TERM])
        if len(parts) > 2:  # noqa: PLR2004 - major, minor and the rest
            self._add_whole(f"{parts[0]}.{parts[1]}"[:LONGEST_TERM])

    def _add_humps(self, atom: str) -> None:
        pieces = _humps(atom)
        if len(pieces) < 2:  # noqa: PLR2004 - one piece is no split
            self._add_word(pieces[0] if pieces else atom)
            return
        numbers = sum(piece[0].isdigit() for piece in pieces)
        folded = _folded(atom)[:LONGEST_TERM]
        if numbers:
            self._add_whole(folded)
        elif folded not in STOP_WORDS:
            self._add_whole(stem(folded))  # as the same letters in lower case give
        if numbers > _MOST_NUMBERS or _HEXADECIMAL.fullmatch(folded):
            return
        for piece in pieces:
            if piece[0].isdigit():
                self._add_number(piece)
            elif len(piece) > 1 or not numbers:  # the v of v2 says nothing
                self._add_word(piece)

    def _add_word(self, word: str) -> None:
        folded = _folded(word)[:LONGEST_TERM]
        if folded and folded not in STOP_WORDS:
            self.terms.append(stem(folded))


def _folded(word: str) -> str:
    return word.lower() if word.isascii() else fold_marks(fold_case(word))


def _trimmed(bare: str) -> str:
    """Take off what does not belong to a name: clitics, the underscores of markup."""
    if not bare.isascii():
        bare = bare.replace("'", "")  # п'ять is one word
    elif "'" in bare:
        lower = bare.lower()
        if lower.endswith("n't"):
            return ""
        if lower.endswith(_CLITICS):
            bare = bare[: bare.rindex("'")]
    if _is_dunder(bare):
        return bare
    return bare.rstrip("_") if bare.startswith("__") else bare.strip("_")


def _is_dunder(bare: str) -> bool:
    return bare.startswith("__") and bare.endswith("__") and bare.strip("_") != ""


def _affixed(prefix: str, bare: str, suffix: str) -> str | None:
    """Give the word with the signs that belong to it: `.net`, `c#`, `10%`, `#12`."""
    folded = _folded(bare)
    if suffix == "++" or (suffix == "#" and len(bare) == 1):
        return folded + suffix
    if bare[-1].isdigit() and suffix == "%":
        return folded + suffix
    if prefix == "#" and bare[0].isdigit():
        return prefix + folded
    if prefix == "." or (prefix == "@" and "/" in bare):
        return prefix + folded
    if _is_dunder(bare):
        return folded
    return None


def _humps(atom: str) -> list[str]:
    """Split at changes of case and between letters and digits."""
    if atom.isascii():
        pieces = _HUMPS.findall(atom)
    else:
        shape = "".join(
            "A" if letter.isupper() else letter if letter in "0123456789." else "a"
            for letter in atom
        )
        pieces = [atom[hump.start() : hump.end()] for hump in _HUMPS.finditer(shape)]
    return [_singular(piece) for piece in pieces]


def _singular(piece: str) -> str:
    """IDs are several ID."""
    several = len(piece) > 2 and piece[-1] == "s" and piece[:-1].isupper()  # noqa: PLR2004
    return piece[:-1] if several else piece
