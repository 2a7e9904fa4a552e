"""The workbench of a review: its items, where it stands, and the drafts (M3.6).

All of it is in this program and ends with the review. What becomes of a draft is the
developer's business and no memory: only the outcomes of turns are kept, as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.chat.prompting import quoted
from agentctx.chat.prompts import CONSTRAINTS, DRAFT, ITEM
from agentctx.memory.model import RecallQuery
from agentctx.memory.outcome import Outcome
from agentctx.memory.refusals import MemoryRuleError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.chat.tools import Proposed
    from agentctx.memory.model import ReviewItem, ThreadId
    from agentctx.memory.reviews import Constraint, Review


class Bench:
    """A review that goes on; one of its items is at hand."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.drafts: dict[str, str] = {}
        self.done: set[str] = set()
        self.failed: set[str] = set()
        self._at = 0

    @property
    def item(self) -> ReviewItem:
        """The item at hand."""
        return self.review.items[self._at]

    @property
    def key(self) -> str:
        """The evidence key of a turn about it."""
        return self.review.key(self.item)

    def take(self, item_id: str) -> ReviewItem:
        """Take an item in hand; `MemoryRuleError` where the review has none such."""
        for number, one in enumerate(self.review.items):
            if one.item_id == item_id:
                self._at = number
                return one
        raise MemoryRuleError(
            reason="the review has no item of that id", rule="review_item"
        )

    def next(self) -> ReviewItem | None:
        """Take the next item in hand that is not done; None when all are."""
        count = len(self.review.items)
        for step in range(1, count + 1):
            number = (self._at + step) % count
            if self.review.items[number].item_id not in self.done:
                self._at = number
                return self.item
        return None

    def outcome(self) -> Outcome:
        """Say how the run stands (M2.5)."""
        items = self.review.items
        left = [one for one in items if one.item_id not in self.done]
        return Outcome(
            "completed",
            found=len(items),
            awaiting=len(self.drafts),
            failed=len(self.failed),
            remaining=len(left),
        )

    def finish(self) -> Outcome:
        """Take the item at hand as done."""
        self.done.add(self.item.item_id)
        self.failed.discard(self.item.item_id)
        return self.outcome()

    def revise(self, proposed: Proposed | None) -> Outcome:
        """Put a draft in place of the one before, if it is one for this item (M2.7)."""
        counts = self.outcome()
        if proposed is None:
            return counts._replace(kind="no_draft")
        if proposed.item_id != self.item.item_id:
            return counts._replace(kind="refused")
        self.drafts[self.item.item_id] = proposed.draft
        self.failed.discard(self.item.item_id)
        return self.outcome()._replace(kind="replaced")

    def query(self, thread: ThreadId, text: str) -> RecallQuery:
        """Give what memory is asked: the item, and what the user says of it."""
        item = self.item
        return RecallQuery(
            "review",
            thread,
            user_text=text,
            paths=(item.path,),
            item_path=item.path,
            rule_id=item.rule_id,
            item_message=item.message,
            target_path=item.path if item.item_id in self.drafts else "",
            bound_item_id=item.item_id,
        )

    def subject(self, constraints: Iterable[Constraint]) -> str:
        """Give the item, what is asked of its drafts, and the draft, as evidence."""
        item = self.item
        fields = (
            f"id: {item.item_id}",
            f"file: {item.path}",
            f"rule: {item.rule_id}",
            f"message: {item.message}",
        )
        parts = [quoted(ITEM, "\n".join(fields))]
        asked = "\n".join(one.text for one in constraints)
        parts += [quoted(CONSTRAINTS, asked)] if asked else []
        draft = self.drafts.get(item.item_id)
        parts += [quoted(DRAFT, draft)] if draft else []
        return "\n\n".join(parts)

    def lines(self) -> list[str]:
        """Show the item at hand to a person."""
        item, count = self.item, len(self.review.items)
        about = " ".join(one for one in (item.rule_id, item.message) if one)
        state = " (done)" if item.item_id in self.done else ""
        draft = " (a draft awaits review: /draft)" * (item.item_id in self.drafts)
        return [
            f"item {self._at + 1} of {count}: {item.item_id}{state}{draft}",
            f"  {item.path}",
            *([f"  {about}"] if about else []),
        ]
