"""Shorten a text to the room there is, at places where a reader would stop.

`excerpt` keeps the sentences or lines around the best match of a query, `shorten` the
beginning of a text. Both cut at sentence ends, then at word ends, never inside a word
or a composed character, and put `…` where text is left out. A script written without
spaces has its word ends between characters. Everything is pure and linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from corpus.lexical import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus.lexical import Token

LEFT_OUT_BEFORE = "… "
LEFT_OUT_AFTER = " …"
_MARK = len(LEFT_OUT_AFTER.encode())

FULL_ENOUGH = 0.9
"""An excerpt that uses less of its room is carried on to a word end."""

SENTENCE_SHARE = 0.6
"""A beginning is cut at a sentence end if that keeps this much of the room."""

LONGEST_WORD = 80
"""A longer run without spaces is also cut after its punctuation."""

_SENTENCE_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'’”»)\]*_`]*+(?=\s|$)|[。!?．｡]++[」』”’）)】》]*+",
    re.MULTILINE,
)
_WORD = re.compile(r"\S+")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_PLACE = re.compile(
    rf"(?<=[{_UNSPACED}])(?=.)|(?=[{_UNSPACED}])", re.DOTALL
)  # between two characters of which one is of an unspaced script
_IN_LONG_WORD = re.compile(r"(?<=[,;:/&?=)\]}|>])")
_CLINGING = frozenset({"Mn", "Mc", "Me", "Cf", "Pe", "Pf", "Po"})
_LEADING_VOWELS = frozenset("เแโใไເແໂໃໄ")


class Excerpt(NamedTuple):
    """What is kept of a text, and which of its lines that is, counted from 0."""

    text: str
    first: int
    last: int


class Span(NamedTuple):
    """Part of a text, in characters."""

    start: int
    end: int


def excerpt(text: str, weights: Mapping[str, float], *, room: int) -> Excerpt | None:
    """Cut `text` to at most `room` UTF-8 bytes around its best match.

    `weights` say what each search term is worth. None when not even one word fits.
    """
    if len(text) <= room and len(text.encode()) <= room:
        return Excerpt(text, 0, text.count("\n"))
    return _Cutter(text, weights, room).cut()


def shorten(text: str, room: int) -> str:
    """Cut `text` to at most `room` UTF-8 bytes, keeping its beginning.

    The empty string when not even one word and the mark fit.
    """
    content = text.encode()
    if len(content) <= room:
        return text
    if room <= _MARK:
        return ""
    most = content[: room - _MARK].decode(errors="ignore")
    following = text[len(most)]
    whole = most if following.isspace() else most + following
    end = 0
    for match in _SENTENCE_END.finditer(whole):
        if match.end() <= len(most):
            end = match.end()
    if end < SENTENCE_SHARE * len(most):
        end = max(end, _last_word_end(text, len(most)))
    return text[:end] + LEFT_OUT_AFTER if end else ""


def sentences(text: str) -> Iterator[Span]:
    """Give the sentences of each line, without the white space around them."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        at = start
        for match in _SENTENCE_END.finditer(text, start, end):
            yield from _stripped(text, at, match.end())
            at = match.end()
        yield from _stripped(text, at, end)
        start = end + 1


def _last_word_end(text: str, limit: int) -> int:
    """Find the last place at or before `limit` where a word ends."""
    start = limit
    while start and not text[start - 1].isspace():
        start -= 1
    near = Span(start, min(limit + 1, len(text)))
    ends = [word.end for word in _words(text, near, limit) if word.end <= limit]
    return ends[-1] if ends else len(text[:start].rstrip())


class _Cutter:
    """Finds the part of one text that is worth most and fits."""

    def __init__(self, text: str, weights: Mapping[str, float], room: int) -> None:
        self.text = text
        self.weights = weights
        self.room = room
        self.found = sorted(
            place for token in tokens(text) for place in _places(token, weights)
        )
        self.bytes_before = _bytes_before(text)
        self.content = Span(len(text) - len(text.lstrip()), len(text.rstrip()))

    def cut(self) -> Excerpt | None:
        units = list(sentences(self.text))
        matched = self._terms_in(units)
        worth = [self._worth(set(terms)) for terms in matched]
        window, gained = self._best_window(units, matched)
        best = max(range(len(units)), key=lambda at: worth[at], default=None)
        if best is not None and (window is None or worth[best] > gained):
            words = list(_words(self.text, units[best], units[best].end))
            window, _ = self._best_window(words, self._terms_in(words))
            units = words
        if window is None:
            return None
        return self._excerpt(self._grown(units, window))

    def _terms_in(self, units: Sequence[Span]) -> list[list[str]]:
        """Give the search terms of each unit; a term belongs where it starts."""
        matched: list[list[str]] = [[] for _ in units]
        at = 0
        for start, term in self.found:
            while at < len(units) and units[at].end <= start:
                at += 1
            if at < len(units) and units[at].start <= start:
                matched[at].append(term)
        return matched

    def _worth(self, terms: set[str]) -> float:
        return sum(self.weights[term] for term in sorted(terms))

    def _best_window(
        self, units: Sequence[Span], matched: Sequence[Sequence[str]]
    ) -> tuple[Span | None, float]:
        """Find the units in a row that fit and together are worth most.

        Gives the first and last of them that match something; the first unit that
        fits when nothing matches.
        """
        counts: dict[str, int] = {}
        worth = 0.0
        best: tuple[float, int, int] | None = None
        first = 0
        for last, terms in enumerate(matched):
            for term in terms:
                counts[term] = counts.get(term, 0) + 1
                worth += self.weights[term] if counts[term] == 1 else 0.0
            while first <= last and not self._fits(units[first].start, units[last].end):
                for term in matched[first]:
                    counts[term] -= 1
                    worth -= self.weights[term] if not counts[term] else 0.0
                first += 1
            if first <= last and (best is None or worth > best[0] + 1e-9):
                best = (worth, first, last)
        if best is None:
            return None, 0.0
        hits = [at for at in range(best[1], best[2] + 1) if matched[at]]
        window = Span(hits[0], hits[-1]) if hits else Span(best[1], best[1])
        return window, best[0]

    def _grown(self, units: Sequence[Span], window: Span) -> Span:
        """Add whole units around a window while they fit, two behind to one before."""
        first, last = window
        step, idle = 0, 0
        while idle < 3:  # noqa: PLR2004 - one round of behind, behind, before
            before = step % 3 == 2  # noqa: PLR2004
            wider = (first - 1, last) if before else (first, last + 1)
            fits = wider[0] >= 0 and wider[1] < len(units)
            if fits and self._fits(units[wider[0]].start, units[wider[1]].end):
                first, last = wider
                idle = 0
            else:
                idle += 1
            step += 1
        return self._filled(units[first].start, units[last].end)

    def _filled(self, start: int, end: int) -> Span:
        """Carry a part on to a word end where much of the room is unused."""
        if self._size(start, end) >= FULL_ENOUGH * self.room:
            return Span(start, end)
        for word in _words(self.text, Span(end, len(self.text)), len(self.text)):
            if not self._fits(start, word.end):
                break
            end = word.end
        if self._size(start, end) >= FULL_ENOUGH * self.room:
            return Span(start, end)
        for word in reversed(list(_words(self.text, Span(0, start), start))):
            if not self._fits(word.start, end):
                break
            start = word.start
        return Span(start, end)

    def _size(self, start: int, end: int) -> int:
        size = self.bytes_before[end] - self.bytes_before[start]
        before, after = self._left_out(start, end)
        return size + _MARK * (before + after)

    def _fits(self, start: int, end: int) -> bool:
        return self._size(start, end) <= self.room

    def _left_out(self, start: int, end: int) -> tuple[bool, bool]:
        return start > self.content.start, end < self.content.end

    def _excerpt(self, span: Span) -> Excerpt:
        start, end = span
        before, after = self._left_out(start, end)
        kept = self.text[start:end]
        first = self.text.count("\n", 0, start)
        return Excerpt(
            (LEFT_OUT_BEFORE if before else "")
            + kept
            + (LEFT_OUT_AFTER if after else ""),
            first,
            first + kept.count("\n"),
        )


def _places(token: Token, weights: Mapping[str, float]) -> Iterator[tuple[int, str]]:
    """Give where the search terms of a token stand.

    A token of a script without spaces is a whole run: its terms stand inside it.
    """
    for term in token.terms:
        if term in weights:
            at = -1 if token.text.isascii() else token.text.find(term)
            yield token.start + max(at, 0), term


def _bytes_before(text: str) -> Sequence[int]:
    """Give, for each offset, how many UTF-8 bytes stand before it."""
    if text.isascii():
        return range(len(text) + 1)
    counts = [0]
    total = 0
    for character in text:
        total += len(character.encode())
        counts.append(total)
    return counts


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    part = text[start:end]
    kept = part.strip()
    if kept:
        begin = start + len(part) - len(part.lstrip())
        yield Span(begin, begin + len(kept))


def _words(text: str, within: Span, until: int) -> Iterator[Span]:
    """Give the words in a part of a text, up to the one that reaches `until`."""
    for match in _WORD.finditer(text, within.start, within.end):
        if match.start() > until:
            return
        yield from _parts(text, match.start(), match.end())


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """Divide what stands between spaces where it may be divided."""
    word = text[start:end]
    places = set() if word.isascii() else {m.start() for m in _PLACE.finditer(word)}
    if len(word) > LONGEST_WORD:
        places.update(m.start() for m in _IN_LONG_WORD.finditer(word))
    at = 0
    for place in sorted(places):
        if at < place < len(word) and _may_part(word, place):
            yield Span(start + at, start + place)
            at = place
    yield Span(start + at, end)


def _may_part(word: str, place: int) -> bool:
    """Say whether a cut here leaves both sides whole."""
    return (
        unicodedata.category(word[place]) not in _CLINGING
        and word[place - 1] not in _LEADING_VOWELS
        and unicodedata.category(word[place - 1]) not in {"Cf", "Ps", "Pi"}
    )
