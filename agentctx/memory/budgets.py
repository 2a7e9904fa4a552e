"""How much of a model's context memory may fill (C10).

A window is never guessed: a model that is not known here needs one that is given.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from agentctx.errors import ContextProfileError

WINDOWS = {"claude-haiku-5-5": 1_000_000}
"""The context window of each model that is known, in tokens."""

OUTPUT = 32_768
LEAST_SAFETY = 16_384
KI = 1_024

LEAST_CAPACITY = 8 * KI
"""With less room for input the pools would leave none for the work itself."""

Pressure = Literal["fits", "compact", "refuse"]


class ContextProfile(NamedTuple):
    """The window of a model, and what of it is kept for its answer, in tokens."""

    window: int
    output: int = OUTPUT

    @property
    def safety(self) -> int:
        """Kept free, because tokens are estimated."""
        return max(LEAST_SAFETY, self.window // 100)

    @property
    def capacity(self) -> int:
        """Tokens of input that surely fit."""
        return self.window - self.output - self.safety


class Budgets(NamedTuple):
    """Tokens for each part of what memory gives; `tail` is history with a checkpoint.

    `recall` is for the Map, what is searched and what is read, together.
    """

    history: int
    checkpoint: int
    recall: int
    map: int
    tail: int


def context_profile(
    model: str, *, window: int | None = None, output: int = OUTPUT
) -> ContextProfile:
    """Give the profile of a model that is known, or whose window is given."""
    known = WINDOWS.get(model) if window is None else window
    if known is None:
        raise ContextProfileError(model=model, reason="its window is not known")
    profile = ContextProfile(known, output)
    if output < 1 or profile.capacity < LEAST_CAPACITY:
        raise ContextProfileError(model=model, reason="its window is too small")
    return profile


def budgets(profile: ContextProfile) -> Budgets:
    """Divide what a profile has room for."""
    capacity = profile.capacity
    recall = min(max(12 * capacity // 100, 4 * KI), 24 * KI)
    return Budgets(
        history=min(40 * capacity // 100, 384 * KI),
        checkpoint=min(4 * capacity // 100, 16 * KI),
        recall=recall,
        map=min(recall // 2, 8 * KI),
        tail=min(20 * capacity // 100, 128 * KI),
    )


def pressure(used: int, profile: ContextProfile) -> Pressure:
    """Say whether a request fits, wants its history compacted first, or is too big.

    A host compacts from 80% of the capacity on and refuses from 85% on.
    """
    if 100 * used >= 85 * profile.capacity:
        return "refuse"
    return "compact" if 100 * used >= 80 * profile.capacity else "fits"
