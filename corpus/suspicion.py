"""What nobody should trust unseen in a text: pure checks, each linear in the text.

Hidden characters, instructions planted for an AI agent, possible secrets, and claims
that go stale. The checks are meant to be quiet: each knows what ordinary prose, code
and scripts need. A match is a question for a person, and no detail quotes a secret.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from corpus.instructions import suspect_instructions
from corpus.keyshapes import possible_secrets
from corpus.reading import (
    MAX_LINES_NAMED,
    Suspicion,
    further_lines,
    line_numbers,
    places,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus.reading import Reading


def suspicions(reading: Reading) -> list[Suspicion]:
    """Give every suspicion about a text except volatile words, by line."""
    found = [
        *hidden_characters(reading),
        *suspect_instructions(reading),
        *possible_secrets(reading),
    ]
    found.sort(key=lambda one: (one.line, one.code, one.detail))
    return found


_NEEDS_JOINERS = (
    "\u0590-\u08ff\u0900-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff"
    "\U00010a00-\U00011fff\U0001e900-\U0001e95f"
)
"""Scripts that need joiners, direction marks or unseen breaks: Hebrew, Indic, Thai …"""

_WORD = rf"[^\W{_NEEDS_JOINERS}]"
_THIN = "\u034f\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_HIDDEN_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("control characters", re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")),
    (
        "characters that reorder the text",
        re.compile("[\u202a-\u202e\u2066-\u2069]"),
    ),
    (
        "invisible characters inside words",
        re.compile(rf"(?<={_WORD})(?=\u00ad*[{_THIN}])[{_THIN}\u00ad]++(?={_WORD})"),
    ),
    (
        "runs of invisible characters",
        re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{3,}|[\ufe00-\ufe0f]{3,}"),
    ),
    (
        "invisible tag characters",
        re.compile(
            "(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+"
            "|[\U000e0100-\U000e01ef]{2,}"
            "|(?<=\U0001f3f4)[\U000e0000-\U000e007f]{8,}"
        ),
    ),
)
_HIDDEN = frozenset(
    chr(code)
    for first, last in (
        *((0x00, 0x08), (0x0B, 0x0B), (0x0E, 0x1F), (0x7F, 0x7F), (0x34F, 0x34F)),
        *((0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064)),
        *((0x2066, 0x2069), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
        *((0xE0000, 0xE007F), (0xE0100, 0xE01EF)),
    )
    for code in range(first, last + 1)
)
"""Every character one of the kinds begins with: no text without them is searched."""


def hidden_characters(reading: Reading) -> Iterator[Suspicion]:
    """Find what a reader cannot see, one suspicion a kind.

    Joiners in emoji and in scripts that need them, a byte order mark at the very
    start, and a soft hyphen alone are ordinary text.
    """
    if not _HIDDEN.isdisjoint(reading.unusual):
        for kind, pattern in _HIDDEN_KINDS:
            yield from _hidden(kind, pattern, reading.text)


def _hidden(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Suspicion]:
    found = [(match.start(), ord(match[0][0])) for match in pattern.finditer(text)]
    if found:
        lines = line_numbers(text, (start for start, _ in found))
        names = sorted({f"U+{code:04X}" for _, code in found})[:MAX_LINES_NAMED]
        detail = f"{kind} ({', '.join(names)}){further_lines(lines)}"
        yield Suspicion("HIDDEN_CHARACTERS", lines[0], detail)


_STALE_ENGLISH = (
    *("current", "latest", "today", " now", "now ", "at the moment", "at present"),
    *("presently", "as of ", "recently", "yesterday", "tomorrow", "for the time being"),
)
_STALE_RUSSIAN = (
    *("сейчас", "сегодня", "вчера", "завтра", "ныне", "недавно", "момент", "настоящее"),
    *("последн", "текущ"),
)
_STALE_CHINESE = (
    *("目前", "当前", "當前", "现在", "現在", "最新", "今天", "如今", "眼下", "此刻"),
    *("最近", "近期", "昨天", "明天"),
)
_STALE_BEFORE, _STALE_BEHIND = 12, 40
_STALE = re.compile(
    r"(?<![\w/.:@`-])(?:currently|presently|nowadays|today|yesterday|tomorrow|recently"
    r"|latest|right now|at the moment|at present|for the time being"
    r"|as of (?:now|today|this writing)|(?:is|are) now|now (?:is|are|has|have)"
    r"|current (?:version|release|state|status|branch|build|count|price|owner"
    r"|maintainer|lead|deadline)"
    r"|сейчас|сегодня|вчера|завтра|ныне|недавно|в настоящее время"
    r"|на (?:данный|текущий) момент|в данный момент|на сегодняшний день"
    r"|последн\w{2,3} (?:верси|релиз)\w*"
    r"|текущ\w{2,3} (?:верси|состояни|релиз|статус)\w*"
    r")(?![\w/:@`-])"
    r"|目前|(?:当前|當前)(?!目录|目錄|行|节点|用户|线程|进程|页|文件|位置)"
    r"|现在|現在|最新|今天|如今|眼下|此刻|最近|近期|昨天|明天"
)


def volatile_words(reading: Reading) -> list[tuple[str, int]]:
    """Find words that make a claim true only when it was written, outside fences.

    Whole words in English and Russian, listed compounds in Chinese; each with its
    line, in text order.
    """
    text = reading.text
    found = _stale_claims(reading)
    if found and ("```" in text or "~~~" in text):
        fences = list(_fences(text))
        found = [one for one in found if not _inside(one[0], fences)]
    lines = line_numbers(text, (place for place, _ in found))
    return [(word, line) for (_, word), line in zip(found, lines, strict=True)]


def _stale_claims(reading: Reading) -> list[tuple[int, str]]:
    russian, chinese = reading.scripts
    anchors: tuple[str, ...] = _STALE_ENGLISH
    if russian:
        anchors += _STALE_RUSSIAN
    if chinese:
        anchors += _STALE_CHINESE
    lowered = reading.lowered
    found = []
    done = 0
    for place in sorted(places(anchors, lowered)):
        if place >= done:
            begin = max(done, place - _STALE_BEFORE)
            match = _STALE.search(lowered, begin, place + _STALE_BEHIND)
            if match is not None:
                done = match.end()
                found.append((match.start(), match[0]))
    return found


def _inside(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    at = bisect_right(spans, (place, len(spans))) - 1
    return at >= 0 and place < spans[at][1]


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Give the spans of fenced code; an open fence runs to the end (CommonMark 4.5)."""
    text = text.replace("\r", "\n")
    opened: tuple[int, str] | None = None
    for place, end in sorted({*_marked("```", text), *_marked("~~~", text)}):
        line = text[place:end]
        rest = line.lstrip(line[0])
        marks = line[: len(line) - len(rest)]
        if opened is None:
            if marks[0] == "~" or "`" not in rest:
                opened = place, marks
        elif marks.startswith(opened[1]) and not rest.strip():
            yield opened[0], end
            opened = None
    if opened is not None:
        yield opened[0], len(text)


def _marked(marks: str, text: str) -> Iterator[tuple[int, int]]:
    """Give where `marks` stand first in a line, quoted or not, and the line's end."""
    place = text.find(marks)
    while place >= 0:
        begin = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        if not text[begin:place].strip(" \t>"):
            yield place, end
        place = text.find(marks, end)
