"""Secrets leave a text before it is stored, sent or shown, and a receipt says which.

Every other character stays as it was. Redacting twice changes nothing more. The time
taken is linear in the text, and next to nothing where no anchor of a rule stands.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from agentctx.secretnames import named_secrets
from agentctx.secretplaces import placed_secrets
from agentctx.secretrules import DOCUMENTED, anchors, compiled
from agentctx.secretvalues import MARK, is_filler, is_placeholder, looks_random
from corpus.reading import lower
from corpus.values import TYPE_CHECKING, NamedTuple
from corpus.visible import without_invisible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.secretrules import Rule

SHORTEST_KEY = 16
_SURE_ANCHORS = frozenset(("AKIA", "ASIA", "AIza"))
"""Anchors of letters alone that chance does not write before a whole key."""

MOST_PASSES = 8
"""A replacement may uncover another secret; each pass leaves less to find."""


class Fired(NamedTuple):
    """How many secrets one rule replaced."""

    rule: str
    count: int  # type: ignore[assignment]  # no one counts in it


class Redacted(NamedTuple):
    """A text without its secrets, and the receipt of what was replaced."""

    text: str
    fired: tuple[Fired, ...]


class _Span(NamedTuple):
    start: int
    end: int
    rule: str


def redact(text: str) -> Redacted:
    """Replace every secret by `[redacted:RULE]` and count what fired, by rule.

    A secret that invisible characters take apart is one to whoever copies it: where
    they hide one, they go too.
    """
    found = _redacted(text)
    bare = without_invisible(text)
    if bare == text:
        return found
    whole = _redacted(bare)
    hidden = sum(each.count for each in whole.fired)
    return whole if hidden > sum(each.count for each in found.fired) else found


def _redacted(text: str) -> Redacted:
    fired: Counter[str] = Counter()
    for _ in range(MOST_PASSES):
        spans = _settled(text)
        if not spans:
            break
        fired.update(span.rule for span in spans)
        text = _replaced(text, spans)
    return Redacted(text, tuple(Fired(*each) for each in sorted(fired.items())))


def contains_secret(text: str) -> bool:
    """Say whether `redact` would replace anything."""
    return bool(_settled(text) or _settled(without_invisible(text)))


def _replaced(text: str, spans: list[_Span]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, rule in spans:
        parts += (text[at:start], f"{MARK}{rule}]")
        at = end
    return "".join((*parts, text[at:]))


def _settled(text: str) -> list[_Span]:
    """Give the spans to replace, in order, disjoint, apart from earlier replacements.

    Where spans overlap they become one, named by the rule that was tried first.
    """
    found = sorted((span.start, order, span) for order, span in enumerate(_found(text)))
    joined: list[tuple[int, _Span]] = []
    for _, order, span in found:
        if joined and span.start < joined[-1][1].end:
            first, last = joined[-1]
            rule = span.rule if order < first else last.rule
            whole = _Span(last.start, max(last.end, span.end), rule)
            joined[-1] = (min(first, order), whole)
        else:
            joined.append((order, span))
    return _outside_marks(text, [span for _, span in joined])


def _outside_marks(text: str, spans: list[_Span]) -> list[_Span]:
    if not spans or MARK not in text:
        return spans
    marks = _mark().finditer(text)
    kept = []
    mark = next(marks, None)
    for start, end, rule in spans:
        at = start
        while mark is not None and mark.end() <= at:
            mark = next(marks, None)
        while mark is not None and mark.start() < end:
            if at < mark.start():
                kept.append(_Span(at, mark.start(), rule))
            at = mark.end()
            if at >= end:
                break
            mark = next(marks, None)
        if at < end:
            kept.append(_Span(at, end, rule))
    return kept


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(re.escape(MARK) + r"[a-z0-9-]{1,40}\]")


def _found(text: str) -> Iterator[_Span]:
    """Look for shapes first, then for places, then for names."""
    words = set(text.split())
    held = "\n".join([word for word in words if len(word) >= SHORTEST_KEY])
    if held:
        there = set(held)  # most anchors have a character that is nowhere in a text
        for anchor, rules in anchors().items():
            if there.issuperset(anchor) and anchor in held:
                yield from _at_anchor(text, anchor, rules)
    lowered, all_words = lower(text), lower("\n".join(words))
    for found in placed_secrets(text, lowered, all_words):
        yield _Span(*found)
    for found in named_secrets(text, lowered, all_words):
        yield _Span(*found)


def _at_anchor(text: str, anchor: str, rules: tuple[Rule, ...]) -> Iterator[_Span]:
    place = text.find(anchor)
    while place >= 0:
        after = place + len(anchor)
        for rule in rules:
            span, reached = _matched(text, place, anchor, rule)
            if span is not None:
                yield span
            after = max(after, reached)
        place = text.find(anchor, after)


def _matched(
    text: str, place: int, anchor: str, rule: Rule
) -> tuple[_Span | None, int]:
    """Try a rule at an anchor; give its span, and how far the text is settled."""
    at = place + len(anchor) if rule.back is None else place - rule.back
    match = compiled(rule.body).match(text, at) if at >= 0 else None
    if match is None:
        return None, 0
    groups = match.groupdict()
    if "k" in groups and groups["k"] is None:
        return None, match.end()
    start = min(place, match.start()) if "s" not in groups else match.start("s")
    secret = match[0] if "s" not in groups else groups["s"]
    if "s" not in groups and not rule.back and not _may_begin(text, start):
        return None, 0
    sure = rule.source is DOCUMENTED and not (
        anchor.isalnum() and anchor not in _SURE_ANCHORS
    )
    filler = is_placeholder(secret) if sure else is_filler(secret)
    filler = filler or "EXAMPLE" in text[start : match.end()]
    if filler or (rule.loose and not looks_random(secret)):
        return None, match.end()
    return _Span(start, match.end(), rule.name), match.end()


def _may_begin(text: str, place: int) -> bool:
    """Say whether a key may begin here: at a word's beginning, or after an escape."""
    if place == 0 or not (text[place - 1].isascii() and text[place - 1].isalnum()):
        return True
    before = text[max(0, place - 12) : place]
    return _escape().search(before) is not None


@cache
def _escape() -> re.Pattern[str]:
    return re.compile(
        r"(?:%[0-9A-Fa-f]{2}|\\[nrtbf]|\\u[0-9a-fA-F]{4}|\x1b\[[0-9;]*m)\Z"
    )
