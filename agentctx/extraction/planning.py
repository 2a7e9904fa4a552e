"""Which questions a stretch of a transcript makes: by its size, at turns; pure (A6.3).

Up to 15,000 tokens it is one question. Up to 50,000 the first 3,000 and the last 17,000
are one, and what lies between is left out, for whoever asks for it. Beyond, every
10,000 are one, and one more merges the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.extraction.prompts import rendered
from agentctx.records.spans import CHUNK, LEFT_OUT, WHOLE
from corpus.tokens import model_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentctx.clients.claude_transcript import Turn
    from agentctx.records.spans import Parts

ALL, FIRST, LAST, LONG, PIECE = 15_000, 3_000, 17_000, 50_000, 10_000
"""Tokens: all of it, the first and the last of more, where it is long, a piece."""


class Measured(NamedTuple):
    """Where a turn lies in its file, and how many tokens it costs to send."""

    start: int
    end: int
    tokens: int


class Question(NamedTuple):
    """Parts that are asked about, or left out, together."""

    kind: str
    parts: Parts
    tokens: int


def measured(turn: Turn) -> Measured:
    """Measure a turn as it would be sent."""
    return Measured(turn.start, turn.end, model_tokens(rendered(turn)))


def questions(turns: Sequence[Measured]) -> list[Question]:
    """Say what is asked about some turns, which follow one another."""
    total = sum(turn.tokens for turn in turns)
    if not turns:
        return []
    if total <= ALL:
        return [_question(WHOLE, [turns])]
    if total <= LONG:
        return _ends(turns)
    return [_question(CHUNK, [piece]) for piece in _pieces(turns)]


def _ends(turns: Sequence[Measured]) -> list[Question]:
    """Ask about the first and the last turns; at least one of each."""
    first = _fitting(turns, FIRST)
    last = len(turns) - _fitting(turns[first:][::-1], LAST)
    found = [_question(WHOLE, [turns[:first], turns[last:]])]
    if first < last:
        found += [_question(LEFT_OUT, [piece]) for piece in _pieces(turns[first:last])]
    return found


def _fitting(turns: Sequence[Measured], tokens: int) -> int:
    """Count the turns that fit, at least one."""
    used = 0
    for count, turn in enumerate(turns):
        used += turn.tokens
        if used > tokens:
            return max(1, count)
    return len(turns)


def _pieces(turns: Sequence[Measured]) -> Iterable[Sequence[Measured]]:
    while turns:
        count = _fitting(turns, PIECE)
        yield turns[:count]
        turns = turns[count:]


def _question(kind: str, groups: Iterable[Sequence[Measured]]) -> Question:
    parts = []
    tokens = 0
    for group in groups:
        if group:
            parts.append((group[0].start, group[-1].end))
            tokens += sum(turn.tokens for turn in group)
    return Question(kind, tuple(parts), tokens)
