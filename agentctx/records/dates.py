"""Days that a question names, in the words of eight languages; pure.

A record carries its day only in its columns, so a day that somebody asks about is
compared with those. A day without a year is that day of any year.
"""

from __future__ import annotations

import functools
import re

from corpus.patterns import pattern

_MONTHS = (
    "january jan januar janvier enero января",
    "february feb februar fevrier février febrero февраля",
    "march mar märz marz mars marzo марта",
    "april apr avril abril апреля",
    "may mai mayo мая",
    "june jun juni juin junio июня",
    "july jul juli juillet julio июля",
    "august aug août aout agosto августа",
    "september sept sep septembre septiembre сентября",
    "october oct oktober octobre octubre октября",
    "november nov novembre noviembre ноября",
    "december dec dezember décembre decembre diciembre декабря",
)
_NUMBERS = {
    name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()
}
_WORD = pattern(r"[^\W\d_]+")
_DIGITS = (
    r"(?<![0-9])(?P<y1>[0-9]{4})-(?P<m1>[01][0-9])-(?P<d1>[0-3][0-9])(?![0-9])"
    r"|(?:(?P<y2>[0-9]{4})\s?[年년]\s?)?(?<![0-9])(?P<m2>[0-9]{1,2})\s?[月월]\s?"
    r"(?P<d2>[0-9]{1,2})\s?[日号號일]"
)
_NAMED = (
    r"(?<![\w.])(?P<d3>[0-9]{1,2})(?:st|nd|rd|th|er|\.|º)?\s(?:of\s|de\s)?"
    r"(?P<m3>NAME)(?!\w)(?:,?\s(?:de\s)?(?P<y3>[0-9]{4})(?!\w))?"
    r"|(?<!\w)(?P<m4>NAME)\.?\s(?P<d4>[0-9]{1,2})(?:st|nd|rd|th)?(?![\w.:%])"
    r"(?:,?\s(?P<y4>[0-9]{4})(?!\w))?"
)
_VERBS = frozenset({"may", "march"})
_MOST = 8


def take_days(text: str) -> tuple[tuple[str, ...], str]:
    """Give the days a text names, as `MM-DD` or `YYYY-MM-DD`, and what is left.

    A day in digits stays in the text: a record may name it in the same way.
    """
    found: dict[str, None] = {}

    def taken(match: re.Match[str]) -> str:
        day = _day(match)
        if day is None or len(found) >= _MOST:
            return match[0]
        found[day] = None
        return match[0] if "-" in match[0] else " "

    if not any(map(str.isdecimal, text)):
        return (), text
    rest = _digits().sub(taken, text)
    if not _NUMBERS.keys().isdisjoint(map(str.lower, _WORD.findall(rest))):
        rest = _named().sub(taken, rest)
    return tuple(found), rest


@functools.cache
def _digits() -> re.Pattern[str]:
    return re.compile(_DIGITS)


@functools.cache
def _named() -> re.Pattern[str]:
    """Compile what only a text with a month's name needs."""
    names = "|".join(sorted(_NUMBERS, key=len, reverse=True))
    return re.compile(_NAMED.replace("NAME", names), re.IGNORECASE)


def _day(match: re.Match[str]) -> str | None:
    given = {name[0]: text for name, text in match.groupdict().items() if text}
    month, day, year = given["m"], int(given["d"]), given.get("y")
    if month in _VERBS:
        return None  # somebody may 2 times; the month has a capital letter
    number = int(month) if month.isdecimal() else _NUMBERS[month.lower()]
    if not (1 <= number <= 12 and 1 <= day <= 31):  # noqa: PLR2004 - a calendar
        return None
    short = f"{number:02}-{day:02}"
    return short if year is None else f"{year}-{short}"
