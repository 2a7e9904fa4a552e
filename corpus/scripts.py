r"""What kind of character each one is, and how texts are made comparable.

`outline` maps a text, character by character, to a few symbols, so that one regular
expression over single-byte text finds the words of every script and its offsets hold
in the text itself. ASCII stands for itself, other letters for `a`, digits for `0`,
and the constants below for what ASCII does not have.
"""

from __future__ import annotations

import bisect
import functools
import re
import unicodedata

from corpus.patterns import pattern

MARK, IGNORED = "\x80", "\x81"
HAN, KANA, HANGUL, UNSPACED = "\x82", "\x83", "\x84", "\x85"
"""Combining mark; invisible; Han; kana, bopomofo; Hangul; Thai and its kind."""

_MOST_SYMBOLS = 32_768
_NOT_ASCII = pattern(r"[^\x00-\x7f]+")
_COMPOSED = ""
_RANGES = (
    (0x0E01, 0x0EFF, UNSPACED),  # Thai, Lao
    (0x1000, 0x109F, UNSPACED),  # Myanmar
    (0x1100, 0x11FF, HANGUL),
    (0x1780, 0x17FF, UNSPACED),  # Khmer
    (0x180B, 0x180F, IGNORED),  # variation selectors, as two more below
    (0x1950, 0x19DF, UNSPACED),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF, UNSPACED),  # Tai Tham
    (0x1B00, 0x1B7F, UNSPACED),  # Balinese
    (0x2E80, 0x2FDF, HAN),
    (0x3005, 0x3007, HAN),
    (0x3021, 0x3029, HAN),
    (0x3038, 0x303B, HAN),
    (0x3041, 0x3096, KANA),
    (0x309D, 0x309F, KANA),
    (0x30A1, 0x30FA, KANA),
    (0x30FC, 0x30FF, KANA),
    (0x3105, 0x312F, KANA),
    (0x3131, 0x318E, HANGUL),
    (0x31A0, 0x31BF, KANA),
    (0x31F0, 0x31FF, KANA),
    (0x3200, 0x33FF, _COMPOSED),  # words in one square
    (0x3400, 0x4DBF, HAN),
    (0x4E00, 0x9FFF, HAN),
    (0xA000, 0xA4CF, UNSPACED),  # Yi
    (0xA960, 0xA97F, HANGUL),
    (0xA980, 0xA9FF, UNSPACED),  # Javanese
    (0xAA60, 0xAA7F, UNSPACED),  # Myanmar
    (0xAC00, 0xD7FF, HANGUL),
    (0xF900, 0xFAFF, HAN),
    (0xFE00, 0xFE0F, IGNORED),
    (0xFF66, 0xFF9F, KANA),
    (0xFFA0, 0xFFDC, HANGUL),
    (0x1B000, 0x1B16F, KANA),
    (0x20000, 0x3FFFF, HAN),
    (0xE0100, 0xE01EF, IGNORED),
)
_STARTS = [first for first, _, _ in _RANGES]
_ALONE = {"’": "'", "ʼ": "'", "‐": "-", "‑": "-"} | dict.fromkeys(
    # Middle dot, Greek middle dot, Hebrew geresh and gershayim, Arabic tatweel,
    # grapheme joiner: written inside words, no part of them.
    "\u00b7\u0387\u05f3\u05f4\u0640\u034f",
    IGNORED,
)
_STROKED = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D",
     "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)  # fmt: skip


class _Symbols(dict[int, str]):
    """The symbol of each character met so far, up to a bound."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_SYMBOLS:
            self.clear()
        self[code] = found = _symbol(chr(code))
        return found


class _Plain(dict[int, str]):
    """How each composed character is written when only its meaning counts."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_SYMBOLS:
            self.clear()
        self[code] = found = _plain(chr(code))
        return found


_SYMBOLS = _Symbols()
_PLAIN = _Plain()


def outline(text: str) -> str:
    """Replace each character by its symbol; as long as `text`, in linear time."""
    if text.isascii():
        return text
    return _NOT_ASCII.sub(lambda run: run[0].translate(_SYMBOLS), text)


def comparable(text: str) -> str:
    """Write equal words alike: NFKC, nothing invisible, plain digits and apostrophes.

    Case and marks are kept. The result does not depend on how the characters of
    `text` were composed.
    """
    if text.isascii():
        return text
    shape = outline(text)
    if IGNORED in shape:
        visible = zip(text, shape, strict=True)
        text = "".join(letter for letter, symbol in visible if symbol != IGNORED)
    return unicodedata.normalize("NFKC", text).translate(_PLAIN)


def fold_marks(text: str) -> str:
    """Drop the marks of Latin, Greek and Cyrillic letters from comparable text.

    `й` stays, for it is a letter and not an `и`; so do the marks of other scripts,
    where they carry the word.
    """
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    if parts.isalpha():  # no marks
        return text.translate(_STROKED)
    bare = _marked().sub(r"\1\2", parts).translate(_STROKED)
    return unicodedata.normalize("NFC", bare)


def fold_case(text: str) -> str:
    """Fold the case of comparable text; what comes back is comparable."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold())


@functools.cache
def _marked() -> re.Pattern[str]:
    """Match a Latin, Greek or Cyrillic letter with the marks that fold."""
    marks = (
        r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
        r"\u2de0-\u2dff\ufe20-\ufe2f"
    )
    european = (
        r"A-Za-z\u00c0-\u02af\u0370-\u0482\u048a-\u052f\u1c80-\u1c8f\u1d00-\u1dbf"
        r"\u1e00-\u1fff\u2c60-\u2c7f\ua640-\ua66e\ua680-\ua69d\ua720-\ua7ff\uab30-\uab6f"
    )
    return re.compile(f"([иИ]\u0306)[{marks}]*+|([{european}])[{marks}]++")


def _plain(character: str) -> str:
    symbol = _SYMBOLS[ord(character)]
    if symbol == IGNORED:
        return ""
    if symbol == "0":
        return str(unicodedata.decimal(character, character))
    return symbol if symbol in "'-" else character


def _symbol(character: str) -> str:
    alone = _ALONE.get(character)
    if alone is not None:
        return alone
    category = unicodedata.category(character)
    ranged = _ranged(ord(character))
    if category == "Cf" or ranged == IGNORED:
        return IGNORED
    if category[0] == "M":
        return MARK
    if category[0] in "LN" or ranged in (HAN, _COMPOSED):
        return ranged or _letter(character)
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    return " "


def _ranged(code: int) -> str | None:
    at = bisect.bisect_right(_STARTS, code) - 1
    if at < 0 or code > _RANGES[at][1]:
        return None
    return _RANGES[at][2]


def _letter(character: str) -> str:
    """Give the symbol of what a letter or digit is composed of."""
    plain = unicodedata.normalize("NFKC", character)
    first = next((part for part in plain if part.isalnum()), None)
    if first is None:
        return " "
    if first.isdecimal():
        return "0"
    return _ranged(ord(first)) or "a"
