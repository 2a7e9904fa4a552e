"""Reviews of outside clients: which session is in one, kept beside its turns (H3).

A review begins and ends by a person's command; until then the session's turns are in
the review profile, and nothing a client or a model says changes that.
"""

from __future__ import annotations

import json
import re

from agentctx.memory.model import (
    EVIDENCE_KEY_CHARACTERS,
    NAME_CHARACTERS,
    PATH_CHARACTERS,
    ReviewItem,
)
from agentctx.memory.rawtext import is_inside, plain_path, raw, session_name
from agentctx.memory.refusals import MemoryRuleError
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

MOST_ITEMS = 200
RUN_CHARACTERS = 100
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

    `MemoryRuleError` says which item is none, or what is wrong with the run.
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
    session, name = session_name(session_id), raw(run)
    if ":" in name or not _is_name(name, RUN_CHARACTERS):
        _refuse(
            "a run's name has 1 to 100 characters that can be shown, and no colon",
            "review_run",
        )
    if len(items) > MOST_ITEMS:
        _refuse(
            f"a review has at most {MOST_ITEMS} items, not {len(items)}; begin one"
            " for the part at hand",
            "review_items",
        )
    kept: dict[str, ReviewItem] = {}
    for number, one in enumerate(items, 1):
        item = _item(number, one, EVIDENCE_KEY_CHARACTERS - len(name) - 1)
        if item.item_id in kept:
            first = list(kept).index(item.item_id) + 1
            _refuse(f"item {number} has the id of item {first}", "review_item_twice")
        kept[item.item_id] = item
    return StoredReview(session, name, tuple(kept.values()))


def _item(number: int, one: ReviewItem, longest: int) -> ReviewItem:
    """Check an item and give it as it is kept; a message and a rule are cut."""
    item_id, path = raw(one.item_id), raw(plain_path(one.path))
    if not _is_name(item_id, longest):
        _refuse(
            f"item {number}: an id has 1 to {longest} characters that can be shown,"
            " the run's name and a colon aside",
            "review_item",
        )
    if not is_inside(path) or not path.isprintable():
        _refuse(
            f"item {number}: its path does not name a file of the project, from the"
            f" project's folder on, in at most {PATH_CHARACTERS} characters",
            "review_item",
        )
    rule, message = raw(one.rule_id), raw(one.message)
    return ReviewItem(
        item_id, path, rule[:NAME_CHARACTERS], message[:MESSAGE_CHARACTERS]
    )


def _is_name(text: str, longest: int) -> bool:
    return bool(text.strip()) and len(text) <= longest and text.isprintable()


def _is_named(name: str, text: str) -> bool:
    """Say whether a text names something; a number alone counts behind `#` only.

    Letters of other scripts may stand beside a name, for not all scripts have spaces.
    """
    before = "(?<=#)" if name.isdigit() else r"(?<![\w./-])"
    pattern = rf"{before}{re.escape(name)}(?![\w/-]|\.\w)"
    return re.search(pattern, text, re.ASCII) is not None


def _refuse(reason: str, rule: str) -> NoReturn:
    raise MemoryRuleError(reason=reason, rule=rule)
