"""What an extraction was shown, and whether a candidate quotes it (M5.6, M5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.memory.model import (
    MOST_SOURCES,
    QUOTE_CHARACTERS,
    Meaning,
    Role,
    Source,
    Turn,
    TurnId,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class ProposedCandidate(NamedTuple):
    """What a model took from the turns, with the quotes it names."""

    meaning: Meaning
    sources: tuple[Source, ...]


class Window(NamedTuple):
    """The turns of a batch, what came before them, and the texts as they were sent.

    `sent` holds the text of each role of each turn after clipping; a role that was
    shed has none.
    """

    turns: tuple[Turn, ...]
    sent: Mapping[tuple[TurnId, Role], str]
    adjacent: Turn | None = None
    evidence: tuple[Turn, ...] = ()

    def turn(self, turn_id: TurnId) -> Turn | None:
        """Find a turn that may be quoted."""
        return next((one for one in self.all() if one.id == turn_id), None)

    def all(self) -> tuple[Turn, ...]:
        """Give every turn once, oldest first."""
        adjacent = () if self.adjacent is None else (self.adjacent,)
        every = {one.id: one for one in (*self.evidence, *adjacent, *self.turns)}
        return tuple(sorted(every.values(), key=_sequence))

    def is_current(self, turn_id: TurnId) -> bool:
        """Say whether a turn is one of the batch."""
        return any(one.id == turn_id for one in self.turns)

    def before(self, turn: Turn) -> Turn | None:
        """Give the turn before one of the batch in its session, where it completed."""
        session = [one for one in self.turns if one.session_id == turn.session_id]
        earlier = [one for one in session if one.sequence < turn.sequence]
        last = max(earlier, key=_sequence) if earlier else self.adjacent
        if last is None or last.session_id != turn.session_id:
            return None
        return last if last.state == "completed" else None


Violation = Literal[
    "too_few_sources",
    "too_many_sources",
    "turn_unknown",
    "role_illegal",
    "quote_empty",
    "quote_too_long",
    "quote_not_in_raw",
    "quote_not_in_sent",
]


def check_envelope(candidate: ProposedCandidate, window: Window) -> Violation | None:
    """Find what forges a candidate's provenance; it invalidates the whole reply."""
    if not candidate.sources:
        return "too_few_sources"
    if len(candidate.sources) > MOST_SOURCES:
        return "too_many_sources"
    faults = (_forged(source, window) for source in candidate.sources)
    return next((fault for fault in faults if fault is not None), None)


def raw_text(turn: Turn, role: Role) -> str:
    """Give what one role said in a turn, as it is stored."""
    return turn.user_text if role == "user" else turn.assistant_text


def _sequence(turn: Turn) -> int:
    return turn.sequence


def _forged(source: Source, window: Window) -> Violation | None:
    turn = window.turn(source.turn_id)
    if turn is None:
        return "turn_unknown"
    if source.role not in {"user", "assistant"}:
        return "role_illegal"
    if source.role == "assistant" and turn.state != "completed":
        return "role_illegal"
    if not source.quote.strip():
        return "quote_empty"
    if len(source.quote) > QUOTE_CHARACTERS:
        return "quote_too_long"
    if source.quote not in raw_text(turn, source.role):
        return "quote_not_in_raw"
    if source.quote not in window.sent.get((turn.id, source.role), ""):
        return "quote_not_in_sent"
    return None
