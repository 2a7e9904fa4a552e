"""Reviews of outside clients: which session is in one, kept beside its turns (H3).

A review begins and ends by a person's command; until then the session's turns are in
the review profile, and nothing a client or a model says changes that.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.memory.model import EVIDENCE_KEY_CHARACTERS, ReviewItem
from agentctx.memory.rawtext import evidence, is_inside, raw
from agentctx.memory.refusals import MemoryRuleError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

MOST_ITEMS = 200
NAME_CHARACTERS = EVIDENCE_KEY_CHARACTERS
MESSAGE_CHARACTERS = 2_000


class StoredReview(NamedTuple):
    """One run over some items, in one session of an outside client."""

    session_id: str
    run: str
    items: tuple[ReviewItem, ...]

    def about(self, text: str) -> tuple[ReviewItem, ...]:
        """Give the items that a text names, by id or by path; all where it names none.

        A name counts as a whole: `f1` is not named by `f10`.
        """
        named = tuple(
            one
            for one in self.items
            if _is_named(one.item_id, text) or _is_named(one.path, text)
        )
        return named or self.items

    def keys(self, items: Sequence[ReviewItem]) -> tuple[str, ...]:
        """Give the evidence keys of a turn about some of the items (M5.5)."""
        return tuple(f"{self.run}:{one.item_id}" for one in items)


def start_review(
    writing: Writing, session_id: str, run: str, items: Sequence[ReviewItem]
) -> StoredReview:
    """Let a session's next turns be a review; another one of it ends.

    `MemoryRuleError` for a run or an item that is none.
    """
    review = _checked(session_id, run, items)
    writing.tx.execute(
        "INSERT OR REPLACE INTO memory_reviews"
        " (session_id, run, items_json, created_at) VALUES (?, ?, ?, ?)",
        (
            review.session_id,
            review.run,
            json.dumps([list(one) for one in review.items], ensure_ascii=False),
            writing.stamp,
        ),
    )
    return review


def stop_review(writing: Writing, session_id: str) -> bool:
    """End the review of a session; say whether there was one."""
    gone = writing.tx.execute(
        "DELETE FROM memory_reviews WHERE session_id = ?", (raw(session_id),)
    )
    return gone.rowcount > 0


def stop_reviews(writing: Writing) -> None:
    """End the reviews of every session, as when the workbench is cleared (M3.6)."""
    writing.tx.execute("DELETE FROM memory_reviews")


def review_of(db: Db, session_id: str) -> StoredReview | None:
    """Give the review a session is in."""
    row = db.execute(
        "SELECT session_id, run, items_json FROM memory_reviews WHERE session_id = ?",
        (raw(session_id),),
    ).fetchone()
    if row is None:
        return None
    items = tuple(ReviewItem._make(one) for one in json.loads(row["items_json"]))
    return StoredReview(row["session_id"], row["run"], items)


def _checked(session_id: str, run: str, items: Sequence[ReviewItem]) -> StoredReview:
    session = raw(session_id)
    if not session.strip() or len(session) > NAME_CHARACTERS:
        _refuse("a session's id has 1 to 200 characters", "session")
    if not run.strip() or ":" in run or len(run) > NAME_CHARACTERS // 2:
        _refuse("a run's name has 1 to 100 characters and no colon", "review_run")
    if len(items) > MOST_ITEMS:
        _refuse(f"a review has at most {MOST_ITEMS} items", "review_items")
    for one in items:
        if not is_inside(one.path):
            _refuse("a review item lies in a file of the project", "review_item")
    kept = tuple(
        ReviewItem(
            raw(one.item_id),
            raw(one.path),
            raw(one.rule_id)[:NAME_CHARACTERS],
            raw(one.message)[:MESSAGE_CHARACTERS],
        )
        for one in items
    )
    if len({one.item_id for one in kept}) < len(kept):
        _refuse("two items of a review have one id", "review_item_twice")
    review = StoredReview(session, raw(run), kept)
    evidence(review.keys(kept))
    return review


def _is_named(name: str, text: str) -> bool:
    pattern = rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)"
    return re.search(pattern, text) is not None


def _refuse(reason: str, rule: str) -> None:
    raise MemoryRuleError(reason=reason, rule=rule)
