"""The step from a memory item to a record: by a person's act, and back (M11.8, M11.5).

A promoted record is explicit: a person made it. It says which revision it was made of
and quotes the user. What a person changed by hand since is never overwritten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.briefing.budget import shortened
from agentctx.clock import stamp
from agentctx.errors import ForgetKeyError, RecordChangedError
from agentctx.memory.letting import PURGED
from agentctx.memory.refusals import MemoryItemKindError, MemoryItemOldError
from agentctx.records.model import BODY_CHARACTERS, TITLE_CHARACTERS, NewRecord
from agentctx.records.read import by_id
from agentctx.records.remove import delete_record
from agentctx.records.risen import (
    Origin,
    goes_with_item,
    is_followed,
    link_to_item,
    origin_of,
    rationale_of,
    record_of_item,
    records_of_item,
    unlinked_twin,
)
from agentctx.records.terms import index_missing
from agentctx.records.tombstones import bury, is_forgotten
from agentctx.records.write import (
    Made,
    checked_record,
    confirm_record,
    place_record,
    retire_record,
)
from agentctx.redact import redact
from corpus.lexical import terms
from corpus.sqlite import store_failures
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentctx.memory.model import Item, Kind
    from agentctx.memory.steering import Reason, Why
    from agentctx.records.model import Record
    from agentctx.records.store import Store

RISEN_TYPES = ("decision", "preference", "convention", "discovery", "bugfix")
"""What a person may let an item become; the other types have keys of their own."""

_TYPES: Mapping[Kind, str] = {
    "project_decision": "decision",
    "user_preference": "preference",
}


class Said(NamedTuple):
    """An item and the quotes it stands on, the newest words first."""

    item: Item
    reasons: Sequence[Reason]

    @property
    def reason(self) -> Reason | None:
        """The user's words that say most of it, the newest of several."""
        wanted = set(
            terms(f"{self.item.meaning.subject}\n{self.item.meaning.statement}")
        )
        theirs = [
            one for one in self.reasons if one.role == "user" and one.quote != PURGED
        ]
        return max(
            theirs, key=lambda one: len(wanted & set(terms(one.quote))), default=None
        )

    @property
    def said_at(self) -> str | None:
        """When the newest of the user's words were said, as a stamp."""
        said = (one.said_at for one in self.reasons if one.role == "user")
        return next(iter(said), None)

    @property
    def origin(self) -> Origin:
        """Where a record of it comes from."""
        reason = self.reason
        turn = None if reason is None else str(reason.turn_id)
        return Origin(str(self.item.id), turn)


class LetGoOf(NamedTuple):
    """What became of the records of a forgotten item.

    `deleted` are their ids. `ended` could not be deleted, for what was deleted here
    cannot be recognized; they are of the past. `stays` is what a person stands for.
    """

    deleted: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    stays: Record | None = None

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        stays = None if self.stays is None else self.stays.id
        return {
            "deleted": list(self.deleted),
            "ended": list(self.ended),
            "stays": stays,
        }


def promote(
    store: Store, project_id: str, why: Why, *, record_type: str | None = None
) -> Made:
    """Make an active item a record, because a person wants it.

    Another revision supersedes what was made before it; the same one again changes
    nothing. Without a type an item keeps that of its record, or has that of its kind.
    Raises `MemoryItemKindError` for a discussion, which has none,
    `MemoryItemOldError`, and `RecordChangedError` for a record that was changed by
    hand since.
    """
    said = Said(why.item, why.reasons)
    item = said.item
    if item.status != "active":
        raise MemoryItemOldError(item_id=item.id, live="it is not active")
    with store_failures(), store.writing() as tx:
        index_missing(tx)
        head = record_of_item(tx, project_id, item.logical_id)
        kind = record_type or _type_of(item, head)
        new, redacted = checked_record(worded(store, said, kind, by_person=True))
        if head is None:
            head = unlinked_twin(tx, project_id, kind, (new.title, new.body))
            if head is not None:
                link_to_item(tx, head, item.logical_id, said.origin)
        if head is not None and says(head, new) and not is_followed(head):
            record = by_id(tx, head.id)
            assert record is not None, "it was just read"
            made = Made(record, existing=True, redacted=redacted)
        elif head is not None and head.source == "cli" and origin_of(head) is None:
            raise RecordChangedError(record_id=head.id, item_id=item.id)
        else:
            pinned = head is not None and head.pinned
            new = new._replace(pinned=pinned)
            record = place_record(store, tx, project_id, new, old=head)
            return Made(record, head, redacted=redacted)
    if made.record.by_person and made.record.confidence != "inferred":
        return made
    return made._replace(record=confirm_record(store, project_id, made.record.id))


def forget_records_of(store: Store, project_id: str, item: Item) -> LetGoOf:
    """Let the records of a forgotten item go, and what it says not be learned again.

    What a person promoted, confirmed or put otherwise stays, and is named.
    """
    gone = let_records_go(store, project_id, item.logical_id)
    if gone.stays is not None or gone.deleted or item.meaning.subject == PURGED:
        return gone
    new = worded(store, Said(item, ()), _type_of(item, None, default="decision"))
    with store_failures(), store.writing() as tx:
        try:
            if not is_forgotten(store, tx, project_id, new.title, new.body):
                bury(store, tx, project_id, new.title, new.body)
        except ForgetKeyError:
            return gone  # nothing is learned where nobody can tell what was forgotten
    return gone


def let_records_go(store: Store, project_id: str, logical_id: str) -> LetGoOf:
    """Delete, for good, what was made of an item and nobody stands for."""
    with store_failures():
        known = records_of_item(store.db, project_id, logical_id)
    head = next((one for one in reversed(known) if one.current), None)
    if head is not None and not goes_with_item(head):
        return LetGoOf(stays=head)
    deleted, ended = [], []
    for one in known:
        if not goes_with_item(one):
            continue
        try:
            delete_record(store, project_id, one.id, forever=True)
            deleted.append(str(one.id))
        except ForgetKeyError:
            if one.current:
                retire_record(store, project_id, one.id)
                ended.append(str(one.id))
    return LetGoOf(tuple(deleted), tuple(ended))


def worded(
    store: Store, said: Said, record_type: str, *, by_person: bool = False
) -> NewRecord:
    """Write an item as a record: explicit from a person's hand, else inferred.

    Its trust is the developer's, whose words it quotes; what was inferred of several
    corrections is a model's, unless a person makes it a record (A10.2).
    """
    meaning, reason = said.item.meaning, said.reason
    title = _line(meaning.subject) or _line(meaning.statement)
    inferred = meaning.origin == "inferred_repetition"
    quote = "" if reason is None else _line(reason.quote)
    return NewRecord(
        type=record_type,
        title=shortened(title, characters=TITLE_CHARACTERS - 1),
        body=_body(said.item),
        source="cli" if by_person else "llm_extraction",
        confidence="explicit" if by_person else "inferred",
        trust="model" if inferred and not by_person else "developer",
        valid_from=_valid_from(store, said),
        session_id=None if reason is None else reason.session_id,
        key=said.item.logical_id,
        rationale=rationale_of(said.origin),
        quote=shortened(quote, characters=BODY_CHARACTERS - 1) or None,
        files=meaning.applies_to_paths,
    )


def says(record: Record, new: NewRecord) -> bool:
    """Say whether a record says the same, word for word, and as the same type."""
    words = (record.type, record.title, record.body)
    return words == (new.type, new.title, new.body)


def _type_of(item: Item, head: Record | None, *, default: str | None = None) -> str:
    if head is not None and not is_followed(head):
        return head.type
    found = _TYPES.get(item.meaning.kind, default)
    if found is None:
        raise MemoryItemKindError(item_id=item.id)
    return found


def _body(item: Item) -> str:
    """Give the statement, and the content where it says more."""
    statement = _line(item.meaning.statement)
    content = "\n".join(
        line for line in map(_line, item.meaning.content.splitlines()) if line
    )
    if " ".join(content.split()).casefold() in statement.casefold():
        text = statement
    elif content.casefold().startswith(statement.casefold()):
        text = content
    else:
        text = f"{statement}\n{content}"
    return shortened(text, characters=BODY_CHARACTERS - 1)


def _valid_from(store: Store, said: Said) -> str | None:
    """Say since when it holds: since it was said, unless by a clock that is wrong."""
    at = said.said_at
    return None if at is None or at > stamp(store.clock()) else at


def _line(text: str) -> str:
    return " ".join(redact(visible(text)).text.split())
