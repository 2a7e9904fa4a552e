r"""What kind of character each one is, and how texts are made comparable.

`outline` maps a text, character by character, to a few symbols, so that one regular
expression over single-byte text finds the words of every script and its offsets hold
in the text itself. ASCII stands for itself, other letters for `a`, digits for `0`,
and the constants below for what ASCII does not have.
"""

from __future__ import annotations

import re
import unicodedata

MARK, IGNORED, CJK, HANGUL, UNSPACED = "\x80", "\x81", "\x82", "\x83", "\x84"
"""Combining mark; invisible; Han, kana, bopomofo; Hangul; Thai and its kind."""

_MOST_SYMBOLS = 32_768
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_HAN = (
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
HAN = re.compile(f"[{_HAN}]")
LONE_HAN = re.compile(f"(?<![{_HAN}])[{_HAN}](?![{_HAN}])")

_RUNS = (
    (HANGUL, re.compile(r"[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc]")),
    (CJK, re.compile(rf"[{_HAN}\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
                     r"\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\uff66-\uff9f"
                     r"\U0001b000-\U0001b16f]")),
    (UNSPACED, re.compile(
        r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf"
        r"\u1b00-\u1b7f\ua980-\ua9ff\uaa60-\uaa7f\ua000-\ua4cf]")),
)  # fmt: skip
_COMPOSED_SYMBOLS = re.compile(r"[\u2e80-\u2fdf\u3200-\u33ff]")
_ALONE = {"’": "'", "ʼ": "'", "‐": "-", "‑": "-"} | dict.fromkeys(
    # Middle dot, Greek middle dot, Hebrew geresh and gershayim, Arabic tatweel,
    # grapheme joiner: written inside words, no part of them.
    "\u00b7\u0387\u05f3\u05f4\u0640\u034f",
    IGNORED,
)
_VARIATION_SELECTOR = re.compile(r"[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")

_MARKS = (
    r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
    r"\u2de0-\u2dff\ufe20-\ufe2f"
)
_EUROPEAN = (
    r"A-Za-z\u00c0-\u02af\u0370-\u0482\u048a-\u052f\u1c80-\u1c8f\u1d00-\u1dbf"
    r"\u1e00-\u1fff\u2c60-\u2c7f\ua640-\ua66e\ua680-\ua69d\ua720-\ua7ff\uab30-\uab6f"
)
_MARKED = re.compile(f"([иИ]\u0306)[{_MARKS}]*|([{_EUROPEAN}])[{_MARKS}]+")
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


_SYMBOLS = _Symbols()


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
    visible = "".join(
        character
        for character, symbol in zip(text, outline(text), strict=True)
        if symbol != IGNORED
    )
    composed = unicodedata.normalize("NFKC", visible)
    return "".join(
        symbol if symbol in "'-" else _digit(character) if symbol == "0" else character
        for character, symbol in zip(composed, outline(composed), strict=True)
        if symbol != IGNORED
    )


def fold_marks(text: str) -> str:
    """Drop the marks of Latin, Greek and Cyrillic letters from comparable text.

    `й` stays, for it is a letter and not an `и`; so do the marks of other scripts,
    where they carry the word.
    """
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    bare = _MARKED.sub(r"\1\2", parts).translate(_STROKED)
    return unicodedata.normalize("NFC", bare)


def fold_case(text: str) -> str:
    """Fold the case of comparable text; what comes back is comparable."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text.casefold())


def _digit(character: str) -> str:
    return str(unicodedata.decimal(character, character))


def _symbol(character: str) -> str:
    alone = _ALONE.get(character)
    if alone is not None:
        return alone
    category = unicodedata.category(character)
    if category == "Cf" or _VARIATION_SELECTOR.match(character):
        return IGNORED
    if category[0] == "M":
        return MARK
    if category[0] in "LN" or _COMPOSED_SYMBOLS.match(character):
        return _letter(character)
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    return " "


def _letter(character: str) -> str:
    for symbol, run in _RUNS:
        if run.match(character):
            return symbol
    plain = unicodedata.normalize("NFKC", character)
    first = next((part for part in plain if part.isalnum()), None)
    if first is None:
        return " "
    if first != character and not first.isascii():
        return _letter(first)
    return "0" if first.isdecimal() else "a"
