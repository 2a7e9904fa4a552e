"""Reviews that are going on, and what a user asked of the draft at hand (M5.4).

A constraint holds for one file while its review lasts; it is never stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.rawtext import evidence, is_inside, raw
from agentctx.memory.refusals import MemoryRuleError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.memory.model import ReviewItem

CONSTRAINT_CHARACTERS = 1_000


class Constraint(NamedTuple):
    """What the user asked of the present draft of one file."""

    path: str
    text: str


class Review:
    """One run over some items in one session."""

    def __init__(self, session: str, run: str, items: Iterable[ReviewItem]) -> None:
        self.session = session
        self.run = run
        self.items = tuple(items)
        self.constraints: tuple[Constraint, ...] = ()
        self.ended = False
        for item in self.items:
            if not is_inside(item.path):
                reason = "a review item lies in a file of the project"
                raise MemoryRuleError(reason=reason, rule="review_item")
        evidence(self.key(item) for item in self.items)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files the review is about."""
        return tuple(dict.fromkeys(item.path for item in self.items))

    def key(self, item: ReviewItem) -> str:
        """Give the evidence key of a turn about an item."""
        return f"{self.run}:{item.item_id}"

    def constrain(self, item: ReviewItem, text: str) -> Constraint:
        """Ask something of the draft for one item's file, while the review lasts."""
        kept = raw(text).strip()
        if self.ended or item not in self.items:
            _refuse("a constraint is about an item of a review that goes on")
        if not 0 < len(kept) <= CONSTRAINT_CHARACTERS:
            _refuse("a constraint has 1 to 1,000 characters")
        made = Constraint(item.path, kept)
        self.constraints = tuple(dict.fromkeys((*self.constraints, made)))
        return made

    def end(self) -> None:
        """Let go of the constraints with the review."""
        self.ended = True
        self.constraints = ()


class Reviews:
    """The reviews of one open memory, one for each session."""

    def __init__(self) -> None:
        self._by_session: dict[str, Review] = {}

    def begin(self, session: str, run: str, items: Iterable[ReviewItem]) -> Review:
        """Begin a review; one that went on in the session ends."""
        made = Review(session, run, items)
        self.end(session)
        self._by_session[session] = made
        return made

    def end(self, session: str) -> None:
        """End the review of a session, if there is one."""
        found = self._by_session.pop(session, None)
        if found is not None:
            found.end()

    def end_all(self) -> None:
        """End every review (M3.0(a))."""
        for session in tuple(self._by_session):
            self.end(session)

    def constraints(self, session: str, paths: Iterable[str]) -> tuple[Constraint, ...]:
        """Give what was asked of the drafts of some files; of all without any."""
        found = self._by_session.get(session)
        wanted = frozenset(paths)
        if found is None:
            return ()
        return tuple(
            one for one in found.constraints if not wanted or one.path in wanted
        )


def _refuse(reason: str) -> None:
    raise MemoryRuleError(reason=reason, rule="constraint")
