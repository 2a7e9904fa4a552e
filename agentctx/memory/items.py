"""Items: what is believed, as chains of revisions, and how an item is let go (M5, M8).

The operations of a consolidation are one transaction. That no two active items are
about the same thing is enforced by SQLite, over all of them (M5.11 to M5.13, M11.6).
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from agentctx.memory.candidates import (
    MEANING_COLUMNS,
    forget_evidence,
    meaning_values,
    pending_candidates,
    suppress,
)
from agentctx.memory.jobs import finish, require_held
from agentctx.memory.mapping import one_line
from agentctx.memory.model import (
    MOST_OPERATIONS,
    Candidate,
    CandidateId,
    Item,
    ItemId,
    Meaning,
    ThreadId,
)
from agentctx.memory.rawtext import raw
from agentctx.memory.recallindex import index_item, item_of, unindex_item
from agentctx.memory.refusals import (
    MemoryItemAmbiguousError,
    MemoryItemNotFoundError,
    MemoryItemOldError,
    MemoryRuleError,
)
from corpus.scripts import comparable, fold_case
from corpus.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentctx.memory.jobs import Batch
    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

_COLUMNS = (
    f"id, logical_id, revision, thread_id, {MEANING_COLUMNS}, status, replaced_by_id,"
    " pinned, created_at, updated_at"
)
MOST_SUPERSEDED = 400
"""Superseded revisions that are looked through for a question about the past."""

_NAME_CHARACTERS = 200
_PREFIX = "memory_"
_MOST_NAMED, _SUBJECT = 5, 60
_ENDS = " .!?;:。！？；："

OperationName = Literal["create", "revise", "supersede", "reject"]


class Operation(NamedTuple):
    """What a consolidation decided of some candidates.

    `meaning` is None for a rejection alone, `target_id` is there for a revision and a
    supersession alone.
    """

    name: OperationName
    candidate_ids: tuple[CandidateId, ...]
    target_id: ItemId | None = None
    meaning: Meaning | None = None


class Forgotten(NamedTuple):
    """An item that was let go, and the candidates that were suppressed with it."""

    item: Item
    candidate_ids: tuple[CandidateId, ...]


def commit_consolidation(
    writing: Writing,
    batch: Batch,
    operations: Sequence[Operation],
    *,
    targets: Iterable[ItemId],
) -> tuple[Item, ...]:
    """Apply every operation of a consolidation and end it; give the new items.

    `targets` are the items that the decision could choose from. Any operation that is
    not allowed leaves everything as it was (M5.10). Raises `MemoryRuleError` and
    `MemoryFencedError`.
    """
    require_held(writing.tx, batch)
    pending = {one.id: one for one in pending_candidates(writing.tx, batch)}
    _check_coverage(operations, pending)
    allowed, made = frozenset(targets), []
    for operation in operations:
        decided = [pending[one] for one in operation.candidate_ids]
        if operation.name == "reject":
            _decide(writing, decided, "rejected")
            continue
        made.append(_apply(writing, operation, decided, allowed))
        _decide(writing, decided, "consolidated")
    finish(writing, batch, output=bool(made))
    return tuple(made)


def revise_by_hand(writing: Writing, item_id: ItemId, meaning: Meaning) -> Item:
    """Make a person's edit the next revision of an active item (M11.8).

    What it stands on stays what it stood on.
    """
    old = live_item(writing.tx, item_id)
    if meaning.applies_to_paths != old.meaning.applies_to_paths:
        _refuse("an edit keeps where an item applies", "paths")
    new = _insert(writing, meaning, old.thread_id, old)
    writing.tx.execute(
        "INSERT INTO memory_item_candidates (item_id, candidate_id)"
        " SELECT ?, candidate_id FROM memory_item_candidates WHERE item_id = ?",
        (new.id, old.id),
    )
    return new


def forget(writing: Writing, item_id: ItemId) -> Forgotten:
    """Let an active item go: it leaves recall at once (M8.2, M11.5).

    The candidates of all its revisions, and pending ones about the same, lead to
    nothing more, and nothing is extracted again from the words they stood on. Turns
    stay. `MemoryItemOldError` names the live revision, `MemoryItemNotFoundError`.
    """
    item = live_item(writing.tx, item_id)
    _leave(writing, item, "forgotten", None)
    rows = writing.tx.execute(
        "SELECT DISTINCT l.candidate_id FROM memory_item_candidates l"
        " JOIN memory_items i ON i.id = l.item_id WHERE i.logical_id = ?",
        (item.logical_id,),
    ).fetchall()
    ids = [CandidateId(row[0]) for row in rows]
    ids += _pending_about(writing.tx, item)
    forget_evidence(writing, ids)
    suppress(writing, ids)
    return Forgotten(item._replace(status="forgotten"), tuple(ids))


def item_by_id(db: Db, item_id: ItemId) -> Item:
    """Give any revision; `MemoryItemNotFoundError` when there is none."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE id = ?", (item_id,)
    ).fetchone()
    if row is None:
        raise MemoryItemNotFoundError(item_id=item_id[:_NAME_CHARACTERS])
    return item_of(row)


def find_item(db: Db, text: str) -> ItemId:
    """Give the id of the one item that a text names: its id, or the beginning of it.

    What begins several revisions of an item names its live one, else the newest.
    `MemoryItemNotFoundError`, `MemoryItemAmbiguousError`.
    """
    part = text.strip().lower()
    part = part if part.startswith(_PREFIX) else f"{_PREFIX}{part}"
    rows = db.execute(
        "SELECT id, logical_id, subject FROM memory_items"
        " WHERE id BETWEEN :part AND :part || '~'"
        " ORDER BY logical_id, id = :part DESC, status = 'active' DESC, revision DESC",
        {"part": part.encode("utf-8", "replace").decode()},
    ).fetchall()
    found: dict[str, sqlite3.Row] = {}
    for row in rows:
        found.setdefault(row["logical_id"], row)
    if not found or not text.strip():
        raise MemoryItemNotFoundError(item_id=visible(text)[:_NAME_CHARACTERS])
    if len(found) > 1:
        raise _ambiguous(text.strip(), tuple(found.values()))
    (row,) = found.values()
    return ItemId(row["id"])


def live_item(db: Db, item_id: ItemId) -> Item:
    """Give an active item; an old revision is refused with the live one's name."""
    item = item_by_id(db, item_id)
    if item.status == "active":
        return item
    row = db.execute(
        "SELECT id FROM memory_items WHERE logical_id = ? AND status = 'active'",
        (item.logical_id,),
    ).fetchone()
    live = "none is live" if row is None else f"the live one is `{row['id']}`"
    raise MemoryItemOldError(item_id=item_id, live=live)


def chain(db: Db, logical_id: str) -> tuple[Item, ...]:
    """Give every revision of an item, the oldest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE logical_id = ? ORDER BY revision",
        (logical_id,),
    )
    return tuple(item_of(row) for row in rows)


def items(db: Db, *, every: bool = False) -> tuple[Item, ...]:
    """Give the active items, or every revision, the newest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE :every OR status = 'active'"
        " ORDER BY updated_at DESC, id",
        {"every": every},
    )
    return tuple(item_of(row) for row in rows)


def items_by_id(db: Db, ids: Sequence[str]) -> tuple[Item, ...]:
    """Give those of some revisions that there are and that were not forgotten."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE status <> 'forgotten'"
        " AND id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(ids)),),
    )
    return tuple(item_of(row) for row in rows)


def superseded_items(db: Db) -> tuple[Item, ...]:
    """Give the newest of what was believed for the whole project, up to a bound."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory_items"
        " WHERE status = 'superseded' AND thread_id IS NULL"
        " ORDER BY updated_at DESC, id LIMIT ?",
        (MOST_SUPERSEDED,),
    )
    return tuple(item_of(row) for row in rows)


def project_items(db: Db) -> dict[str, ItemId]:
    """Give the live revision of what is believed for the whole project, newest first.

    By logical id.
    """
    rows = db.execute(
        "SELECT logical_id, id FROM memory_items"
        " WHERE status = 'active' AND thread_id IS NULL ORDER BY updated_at DESC, id"
    )
    return {str(row["logical_id"]): ItemId(row["id"]) for row in rows}


def newest_items(
    db: Db, thread_id: ThreadId, most: int
) -> tuple[tuple[Item, ...], int]:
    """Give the newest active items that a thread sees, and how many there are."""
    seen = "status = 'active' AND (thread_id IS NULL OR thread_id = :thread)"
    values = {"thread": thread_id, "most": most}
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM memory_items WHERE {seen}"
        " ORDER BY updated_at DESC, id LIMIT :most",
        values,
    )
    found = tuple(item_of(row) for row in rows)
    counted = db.execute(f"SELECT count(*) FROM memory_items WHERE {seen}", values)
    return found, int(counted.fetchone()[0])


def identity(meaning: Meaning, thread_id: ThreadId | None) -> str:
    """Give what makes two items about the same: subject, scope and paths (M11.6)."""
    subject = fold_case(comparable(raw(meaning.subject))).lower()
    plain = " ".join(subject.split())
    paths = sorted(set(map(raw, meaning.applies_to_paths)))
    return json.dumps([thread_id, plain.strip(_ENDS) or plain, paths])


def _ambiguous(text: str, rows: Sequence[sqlite3.Row]) -> MemoryItemAmbiguousError:
    """Name what was found with its subjects, so that one can be chosen."""
    shown = rows[:_MOST_NAMED]
    named = [f"{row['id']} ({one_line(row['subject'])[:_SUBJECT]})" for row in shown]
    more = ["…"] if len(rows) > len(shown) else []
    return MemoryItemAmbiguousError(
        found=text,
        count=len(rows),
        items=", ".join([*named, *more]),
        ids=tuple(str(row["id"]) for row in shown),
    )


def _check_coverage(
    operations: Sequence[Operation], pending: Mapping[CandidateId, Candidate]
) -> None:
    """Let each candidate of the job be decided on exactly once."""
    named = [one for operation in operations for one in operation.candidate_ids]
    if len(operations) > MOST_OPERATIONS or any(
        not operation.candidate_ids for operation in operations
    ):
        _refuse("1 to 32 operations, each of some candidates", "operations")
    if sorted(named) != sorted(pending):
        _refuse("each candidate is decided on exactly once", "coverage")


def _apply(
    writing: Writing,
    operation: Operation,
    decided: Sequence[Candidate],
    allowed: frozenset[ItemId],
) -> Item:
    meaning = operation.meaning
    if meaning is None:
        _refuse("an operation says what the item means", "meaning")
    thread_id = _scope_of(meaning, decided)
    old = None
    if operation.name == "create":
        if operation.target_id is not None:
            _refuse("a new item has no target", "target")
    else:
        old = _target(writing.tx, operation.target_id, allowed)
        _check_fits(old, meaning, thread_id)
    item = _insert(writing, meaning, thread_id, old)
    writing.tx.executemany(
        "INSERT INTO memory_item_candidates (item_id, candidate_id) VALUES (?, ?)",
        ((item.id, one.id) for one in decided),
    )
    return item


def _scope_of(meaning: Meaning, decided: Sequence[Candidate]) -> ThreadId | None:
    """Give the thread of a discussion, None for the project; groups do not mix."""
    discussion = meaning.kind == "discussion_context"
    kinds = {one.meaning.kind == "discussion_context" for one in decided}
    paths = {frozenset(one.meaning.applies_to_paths) for one in decided}
    if kinds != {discussion}:
        _refuse("a discussion and a project item do not mix", "mixed_scope")
    if paths != {frozenset(meaning.applies_to_paths)}:
        _refuse("an item applies where its candidates do", "paths")
    if not discussion:
        return None
    if len({one.thread_id for one in decided}) != 1:
        _refuse("a discussion stays in its thread", "thread")
    return decided[0].thread_id


def _target(db: Db, target_id: ItemId | None, allowed: frozenset[ItemId]) -> Item:
    if target_id is None or target_id not in allowed:
        _refuse("the target is none of the related items", "target")
    try:
        return live_item(db, target_id)
    except (MemoryItemNotFoundError, MemoryItemOldError):
        _refuse("the target is no active item", "target")


def _check_fits(old: Item, meaning: Meaning, thread_id: ThreadId | None) -> None:
    if old.thread_id != thread_id:
        _refuse("the target has another scope", "scope")
    if frozenset(old.meaning.applies_to_paths) != frozenset(meaning.applies_to_paths):
        _refuse("the target applies elsewhere", "paths")
    weaker = meaning.origin == "inferred_repetition"
    if weaker and old.meaning.origin != "inferred_repetition":
        _refuse("what is inferred replaces nothing that was said", "inferred")


def _insert(
    writing: Writing, meaning: Meaning, thread_id: ThreadId | None, old: Item | None
) -> Item:
    """Make a new item, or the next revision of one; SQLite guards its identity."""
    logical = writing.ids.new("memory") if old is None else old.logical_id
    revision = 1 if old is None else old.revision + 1
    item_id = ItemId(f"{logical}_r{revision}")
    if old is not None:
        _leave(writing, old, "superseded", item_id)
    try:
        writing.tx.execute(
            f"INSERT INTO memory_items (id, logical_id, revision, thread_id,"
            f" {MEANING_COLUMNS}, identity, status, pinned, created_at, updated_at)"
            " VALUES (:id, :logical, :revision, :thread, :kind, :subject, :statement,"
            " :content, :strength, :origin, :recall_mode, :paths, :aliases, :keywords,"
            " :identity, 'active', :pinned, :now, :now)",
            {
                **meaning_values(meaning),
                "id": item_id,
                "logical": logical,
                "revision": revision,
                "thread": thread_id,
                "identity": identity(meaning, thread_id),
                "pinned": old is not None and old.pinned,
                "now": writing.stamp,
            },
        )
    except sqlite3.IntegrityError as error:
        twice = error.sqlite_errorname == "SQLITE_CONSTRAINT_UNIQUE"
        _refuse(
            "an active item is about the same" if twice else "its fields do not agree",
            "identity" if twice else "fields",
        )
    item = item_by_id(writing.tx, item_id)
    index_item(writing.tx, item)
    return item


def _leave(
    writing: Writing,
    item: Item,
    status: Literal["superseded", "forgotten"],
    replaced_by: ItemId | None,
) -> None:
    """Take an item out of what is active and out of the index."""
    writing.tx.execute(
        "UPDATE memory_items SET status = ?, replaced_by_id = ?, updated_at = ?"
        " WHERE id = ?",
        (status, replaced_by, writing.stamp, item.id),
    )
    unindex_item(writing.tx, item.id)


def _decide(
    writing: Writing,
    decided: Sequence[Candidate],
    status: Literal["consolidated", "rejected"],
) -> None:
    writing.tx.execute(
        "UPDATE memory_candidates SET status = ?, updated_at = ?"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (status, writing.stamp, json.dumps([one.id for one in decided])),
    )


def _pending_about(db: Db, item: Item) -> list[CandidateId]:
    """Find pending candidates with the identity of an item."""
    rows = db.execute(
        "SELECT id, thread_id, subject, applies_to_paths_json"
        " FROM memory_candidates WHERE status = 'pending'"
    )
    wanted = identity(item.meaning, None)
    found = []
    for row in rows:
        paths = tuple(json.loads(row["applies_to_paths_json"]))
        meaning = item.meaning._replace(subject=row["subject"], applies_to_paths=paths)
        same_thread = item.thread_id is None or item.thread_id == row["thread_id"]
        if same_thread and identity(meaning, None) == wanted:
            found.append(CandidateId(row["id"]))
    return found


def _refuse(reason: str, rule: str) -> NoReturn:
    raise MemoryRuleError(reason=reason, rule=rule) from None
