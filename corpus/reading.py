"""A text prepared for checks, and the lines they report; pure."""

from __future__ import annotations

import re

from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINES_NAMED = 5
"""How many further lines one suspicion names before it only counts."""

_PLAIN = bytes([9, 10, 12, 13, *range(32, 127)])
"""What an English text is made of, in UTF-8."""

_CYRILLIC = "[\u0430-\u044f]"
_HAN = "[\u4e00-\u9fff]"


class Suspicion(NamedTuple):
    """One place in a text that a person should look at; `line` counts from 1."""

    code: str
    line: int
    detail: str


class Reading(NamedTuple):
    """A text prepared once for all checks; made by `read`.

    `lowered` keeps the place of every character. `unusual` are the characters that no
    English text holds, in order.
    """

    text: str
    lowered: str
    unusual: str

    @property
    def scripts(self) -> tuple[bool, bool]:
        """Say whether the text holds Cyrillic, and whether it holds Han."""
        if not self.unusual:
            return False, False
        found = re.search(_CYRILLIC, self.unusual), re.search(_HAN, self.unusual)
        return found[0] is not None, found[1] is not None


def read(text: str) -> Reading:
    """Prepare a decoded text for the checks."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN)
    return Reading(text, lower(text), rest.decode("utf-8", "surrogatepass"))


def lower(text: str) -> str:
    """Lower a text and keep the place of every character."""
    # The dotted capital I is the one character that `str.lower` makes two of.
    return (text if text.isascii() else text.replace("\u0130", "i")).lower()


def line_numbers(text: str, places: Iterable[int]) -> list[int]:
    """Give the line of each place, places in rising order; LF, CRLF and CR count."""
    numbers = []
    line, at = 1, 0
    returns = "\r" in text
    for place in places:
        line += text.count("\n", at, place)
        if returns:
            line += text.count("\r", at, place) - text.count("\r\n", at, place + 1)
        at = place
        numbers.append(line)
    return numbers


def further_lines(lines: Iterable[int]) -> str:
    """Say which lines besides the first are meant, a few by number."""
    others = sorted(set(lines))[1:]
    if not others:
        return ""
    named = ", ".join(map(str, others[:MAX_LINES_NAMED]))
    left = len(others) - MAX_LINES_NAMED
    more = f" and {left} more" if left > 0 else ""
    return f"; also in line{'s' if len(others) > 1 else ''} {named}{more}"


def one_a_line(
    code: str, text: str, found: list[tuple[int, str]], opening: str
) -> Iterator[Suspicion]:
    """Turn places with what was found there into one suspicion a line."""
    found.sort()
    lines = line_numbers(text, (place for place, _ in found))
    told = 0
    for line, (_, kind) in zip(lines, found, strict=True):
        if line != told:
            told = line
            yield Suspicion(code, line, opening + kind)


def places(anchors: Iterable[str], lowered: str) -> list[int]:
    """Find every place of every anchor: literals cost next to nothing to find."""
    found: list[int] = []
    for anchor in anchors:
        place = lowered.find(anchor)
        while place >= 0:
            found.append(place)
            place = lowered.find(anchor, place + 1)
    return found
