"""Whether a correction recurred: three findings, two files, nobody objecting (M5.5)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from agentctx.memory.rules import Rule
from agentctx.memory.speech.anchors import anchors
from agentctx.memory.speech.clauses import clauses_of
from agentctx.memory.speech.polarity import contradict, polarity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentctx.memory.cited import Cited
    from agentctx.memory.model import Meaning, Turn
    from agentctx.memory.window import Window

FINDINGS, PATHS = 3, 2
_SHARED = 2
"""Anchors by which a later clause is about the same, where there are as many."""


def repetition_fault(
    meaning: Meaning, cited: Sequence[Cited], window: Window
) -> Rule | None:
    """Find why the quotes do not show one correction repeated; pure."""
    said = anchors(meaning.statement) | anchors(meaning.subject)
    if any(not _shares(one, said) for one in cited):
        return Rule.ANCHOR_NOT_SHARED
    turns = list({one.turn.id: one.turn for one in cited}.values())
    bound = [three for three in itertools.combinations(turns, FINDINGS) if _bind(three)]
    if not bound:
        return Rule.TOO_FEW_REPETITIONS
    if not any(_cover(three) for three in bound):
        return Rule.TOO_FEW_PATHS
    meant = polarity(meaning.statement)
    quoted = [clause.text for one in cited for clause in one.clauses]
    near = min(_SHARED, len(said))
    later = _later_clauses(turns, window)
    about = [clause for clause in later if len(anchors(clause) & said) >= near]
    if any(contradict(polarity(clause), meant) for clause in (*quoted, *about)):
        return Rule.COUNTER_EXAMPLE
    return None


def _shares(cited: Cited, said: frozenset[str]) -> bool:
    return any(anchors(words) & said for words in cited.words)


def _bind(turns: Sequence[Turn]) -> bool:
    """Say whether each turn can have an evidence key of its own (Hall's condition)."""
    keys = [frozenset(turn.evidence_keys) for turn in turns]
    return all(
        len(frozenset[str]().union(*some)) >= size
        for size in range(1, len(keys) + 1)
        for some in itertools.combinations(keys, size)
    )


def _cover(turns: Sequence[Turn]) -> bool:
    return len({path for turn in turns for path in turn.scope_paths}) >= PATHS


def _later_clauses(turns: Sequence[Turn], window: Window) -> Iterator[str]:
    """Give what the user said in earnest after the first of some turns."""
    first = min(turn.sequence for turn in turns)
    for turn in window.all():  # one that is cited may say more than its quote
        if turn.sequence > first:
            clauses = clauses_of(turn.user_text)
            yield from (clause.text for clause in clauses if clause.is_own)
