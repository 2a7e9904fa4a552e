"""Records that follow their items by themselves: inferred, until a person acts (A6.4).

Of each decision and preference that is believed there is one record; another revision
supersedes it, and it goes when the item is forgotten. What a person promoted,
confirmed, pinned, changed, ended or deleted is left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from agentctx.branches import UNSTAGED
from agentctx.errors import (
    BodyError,
    ForgetKeyError,
    ForgottenError,
    NoteError,
    TitleError,
)
from agentctx.extraction.rising import Said, let_records_go, says, worded
from agentctx.memory.items import chain, item_by_id, project_items
from agentctx.memory.steering import reasons_of
from agentctx.records.learning import put_record
from agentctx.records.risen import (
    all_risen,
    is_followed,
    link_to_item,
    origin_of,
    record_of_item,
    records_of_item,
    unlinked_twin,
)
from agentctx.records.terms import index_missing
from agentctx.records.tombstones import forget_tombstone, forgotten_at
from agentctx.records.write import checked_record
from corpus.sqlite import reading, store_failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.branches import Standing
    from agentctx.memory.model import ItemId
    from agentctx.memory.store import MemoryStore
    from agentctx.records.model import NewRecord
    from agentctx.records.risen import Risen
    from agentctx.records.store import Store
    from corpus.sqlite import Tx

MOST_CHANGED = 200
"""Records that are made or ended in one call; the rest waits for the next."""

Fate = Literal["made", "superseded", "same", "kept", "forgotten", "refused"]
"""What became of an item: it is a record now, one of another revision was superseded,
the record says it already, a person's stays, its words were deleted, no record fits."""


class Counts(NamedTuple):
    """What was done. `ended` had a forgotten item; `left` waits for the next call."""

    made: int = 0
    superseded: int = 0
    ended: int = 0
    left: int = 0

    @property
    def changed(self) -> int:
        """How many records were made or ended."""
        return self.made + self.superseded + self.ended


def keep_in_step(
    memory: MemoryStore,
    store: Store,
    project_id: str,
    *,
    where: Standing = UNSTAGED,
) -> Counts:
    """Let the records of a project's memory be what its items are now.

    What is new is staged where one stands on a branch.

    Both stores are compared by ids; only what differs is read and written. An item
    that this memory does not know is another clone's, and stays. Raises the errors of
    both stores.
    """
    with memory.looking() as db:
        live = project_items(db)
    with store_failures(), reading(store.db):
        risen = all_risen(store.db, project_id)
    counts = dict.fromkeys(("made", "superseded", "ended", "left"), 0)
    for logical_id in _gone(memory, live, risen):
        if sum(counts.values()) - counts["left"] >= MOST_CHANGED:
            counts["left"] += 1
            continue
        gone = let_records_go(store, project_id, logical_id)
        counts["ended"] += bool(gone.deleted or gone.ended)
    for item_id in _behind(live, risen):
        if sum(counts.values()) - counts["left"] >= MOST_CHANGED:
            counts["left"] += 1
            continue
        fate = _follow(memory, store, project_id, item_id, where)
        if fate in {"made", "superseded"}:
            counts[fate] += 1
    return Counts(**counts)


def _gone(
    memory: MemoryStore, live: dict[str, ItemId], risen: list[Risen]
) -> Iterator[str]:
    """Give the items whose record is there though they are believed no more."""
    for one in risen:
        if one.current and one.goes and one.key not in live:
            with memory.looking() as db:
                known = chain(db, one.key)
            if known and all(revision.status != "active" for revision in known):
                yield one.key


def _behind(live: dict[str, ItemId], risen: list[Risen]) -> Iterator[ItemId]:
    """Give the items that no record follows yet, or one of another revision.

    An item whose record has ended without another was ended by a person.
    """
    heads = {one.key: one for one in risen if one.current}
    past = {one.item_id for one in risen if not one.current}
    for logical_id, item_id in live.items():
        head = heads.get(logical_id)
        if head is None:
            behind = item_id not in past
        else:
            behind = head.followed and head.item_id != item_id
        if behind:
            yield item_id


def _follow(
    memory: MemoryStore,
    store: Store,
    project_id: str,
    item_id: ItemId,
    where: Standing,
) -> Fate:
    """Let an item have the record that it should have."""
    with memory.looking() as db:
        item = item_by_id(db, item_id)
        said = Said(item, reasons_of(db, item_id))
    if item.status != "active":
        return "same"  # it was forgotten or revised meanwhile
    decided = item.meaning.kind == "project_decision"
    new = worded(store, said, "decision" if decided else "preference")
    try:
        new, _ = checked_record(new)
        with store_failures(), store.writing() as tx:
            index_missing(tx)
            return _placed(store, tx, _Place(project_id, where), said, new)
    except (TitleError, BodyError, NoteError):
        return "refused"
    except (ForgottenError, ForgetKeyError):
        return "forgotten"


class _Place(NamedTuple):
    """The project, and where one stands in it."""

    project_id: str
    where: Standing


def _placed(store: Store, tx: Tx, place: _Place, said: Said, new: NewRecord) -> Fate:
    """Decide and write in one transaction: somebody may have been here meanwhile."""
    item, project_id = said.item, place.project_id
    head = record_of_item(tx, project_id, item.logical_id)
    if head is None:
        if _was_ended(tx, project_id, said):
            return "kept"
        twin = unlinked_twin(tx, project_id, new.type, (new.title, new.body))
        if twin is not None:
            link_to_item(tx, twin, item.logical_id, said.origin)
            return "same"
    elif not is_followed(head):
        return "kept"
    elif says(head, new):
        link_to_item(tx, head, item.logical_id, said.origin)
        return "same"
    _let_learn(store, tx, project_id, said, new)
    where = place.where._replace(said_at=new.valid_from)
    put_record(store, tx, project_id, new, where=where, old=head)
    return "made" if head is None else "superseded"


def _was_ended(tx: Tx, project_id: str, said: Said) -> bool:
    """Say whether a person ended what was made of this very revision."""
    made = records_of_item(tx, project_id, said.item.logical_id)
    origins = [origin_of(one) for one in made]
    return any(one is not None and one.item_id == said.item.id for one in origins)


def _let_learn(
    store: Store, tx: Tx, project_id: str, said: Said, new: NewRecord
) -> None:
    """Let what was deleted be a record again where the user said it after that.

    An item that was forgotten and is believed again was stated by whoever undid it.
    """
    item = said.item
    if item.meaning.origin == "inferred_repetition":
        return
    back = item.updated_at > item.created_at
    stated = item.updated_at if back else said.said_at
    deleted = forgotten_at(store, tx, project_id, new.title, new.body)
    if deleted is not None and stated is not None and deleted <= stated:
        forget_tombstone(store, tx, project_id, new.title, new.body)
