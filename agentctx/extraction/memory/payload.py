"""What is sent of a task: all of it, or what the model has room for (M4.3, M4.4).

What is shed can be no source any more, nor what was cut from the middle of a text:
the window holds, for each role of each turn, the words that were really sent (M5.7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.clipping import api_tokens
from agentctx.memory.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentctx.memory.model import Item, Meaning, Role, Turn, TurnId
    from agentctx.memory.pipeline import ConsolidationTask, ExtractionTask

    Fits = Callable[[Mapping[str, object]], bool]
    """Whether a payload, as it is sent, has room."""

EVIDENCE_TOKENS = 32_768
LEAST_TEXT = 64
"""Tokens of each text that are worth asking about; fewer tell nothing."""

OPERATIONS = ("create", "revise", "supersede", "reject")

_GAP = "\ud800"
"""Stands in the window where words were left out; no stored text holds it."""


class Packed(NamedTuple):
    """A payload that fits, and what of the turns it shows."""

    payload: Mapping[str, object]
    window: Window


def pack_extraction(task: ExtractionTask, fits: Fits) -> Packed | None:
    """Pack a task, shedding in order: old evidence, the turn before, the checkpoint.

    Then the texts of the turns themselves are cut to their beginning and their end,
    first the assistant's; None when not even that fits.
    """
    parts = _Parts(task.turns, task.previous_compaction, task.adjacent)
    evidence = _recent(task.evidence)
    for first in range(len(evidence) + 1):
        packed = parts._replace(evidence=evidence[first:]).packed()
        if fits(packed.payload):
            return packed
    for barer in (
        parts._replace(adjacent=None),
        parts._replace(adjacent=None, compaction=""),
    ):
        packed = barer.packed()
        if fits(packed.payload):
            return packed
    return _projected(parts._replace(adjacent=None, compaction=""), fits)


def consolidation_payload(task: ConsolidationTask) -> Mapping[str, object]:
    """Give a whole task; nothing of it may be left out (M4.4)."""
    return {
        "candidates": [
            {
                "id": one.id,
                "thread_id": one.thread_id,
                **_meaning(one.meaning),
                "sources": [source._asdict() for source in one.sources],
            }
            for one in task.candidates
        ],
        "active_items": [_item(one) for one in task.targets],
        "allowed_operations": list(OPERATIONS),
    }


class _Parts(NamedTuple):
    turns: tuple[Turn, ...]
    compaction: str
    adjacent: Turn | None
    evidence: tuple[Turn, ...] = ()
    user_tokens: int | None = None
    assistant_tokens: int | None = None

    def packed(self) -> Packed:
        """Write it down; cut texts are those of the turns alone."""
        shown: list[dict[str, object]] = []
        sent: dict[tuple[TurnId, Role], str] = {}
        before = () if self.adjacent is None else (self.adjacent,)
        for turn in (*self.evidence, *before):
            sent[turn.id, "user"] = turn.user_text
            sent[turn.id, "assistant"] = turn.assistant_text
        for turn in self.turns:
            user, sent[turn.id, "user"] = _cut(turn.user_text, self.user_tokens)
            assistant, sent[turn.id, "assistant"] = _cut(
                turn.assistant_text, self.assistant_tokens
            )
            shown.append(_turn(turn, user, assistant))
        payload = {
            "thread_id": self.turns[0].thread_id,
            "previous_compaction": self.compaction,
            "adjacent_previous_turn": next(map(_whole, before), None),
            "turns": shown,
            "recent_review_evidence": list(map(_whole, self.evidence)),
        }
        window = Window(self.turns, sent, self.adjacent, self.evidence)
        return Packed(payload, window)


def _recent(evidence: Sequence[Turn]) -> tuple[Turn, ...]:
    """Keep the newest that fit into their share, the oldest first."""
    kept: list[Turn] = []
    left = EVIDENCE_TOKENS
    for turn in reversed(evidence):
        left -= api_tokens(str(_whole(turn)))
        if left < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def _projected(parts: _Parts, fits: Fits) -> Packed | None:
    """Cut the assistant's texts as little as helps; then the user's, too."""
    assistant = _longest(turn.assistant_text for turn in parts.turns)
    user = _longest(turn.user_text for turn in parts.turns)
    found = _most(
        lambda most: parts._replace(assistant_tokens=most).packed(), assistant, fits
    )
    if found is not None:
        return found
    barest = parts._replace(assistant_tokens=LEAST_TEXT)
    return _most(lambda most: barest._replace(user_tokens=most).packed(), user, fits)


def _most(pack: Callable[[int], Packed], longest: int, fits: Fits) -> Packed | None:
    """Find what fits with the longest texts; None when the least does not."""
    best = pack(LEAST_TEXT)
    if not fits(best.payload):
        return None
    low, high = LEAST_TEXT, max(longest, LEAST_TEXT) + 1
    while low < high - 1:
        middle = (low + high) // 2
        packed = pack(middle)
        if fits(packed.payload):
            low, best = middle, packed
        else:
            high = middle
    return best


def _longest(texts: Iterable[str]) -> int:
    return max(map(api_tokens, texts), default=0)


def _cut(text: str, most: int | None) -> tuple[str, str]:
    """Give a text as it is shown, and the words of it that may be quoted."""
    if most is None or api_tokens(text) <= most:
        return text, text
    content = text.encode("utf-8", "surrogatepass")
    room = 3 * most
    head = content[: room - room // 3].decode("utf-8", "ignore")
    tail = content[-(room // 3) :].decode("utf-8", "ignore")
    gone = len(text) - len(head) - len(tail)
    return f"{head}\n[… {gone} characters left out …]\n{tail}", f"{head}{_GAP}{tail}"


def _whole(turn: Turn) -> dict[str, object]:
    return _turn(turn, turn.user_text, turn.assistant_text)


def _turn(turn: Turn, user: str, assistant: str) -> dict[str, object]:
    return {
        "turn_id": turn.id,
        "sequence": turn.sequence,
        "intent": turn.intent,
        "user": user,
        "assistant": assistant,
        "state": turn.state,
        "scope_paths": list(turn.scope_paths),
        "evidence_keys": list(turn.evidence_keys),
    }


def _item(item: Item) -> dict[str, object]:
    return {
        "id": item.id,
        "logical_id": item.logical_id,
        "revision": item.revision,
        "kind": item.meaning.kind,
        "thread_id": item.thread_id,
        **_meaning(item.meaning),
    }


def _meaning(meaning: Meaning) -> dict[str, object]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in meaning._asdict().items()
    }
