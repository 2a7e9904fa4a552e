"""What a person does with an item: edit, confirm, pin, ask why, and undo (M11.8).

Every change is a revision of its own, so nothing that was believed is lost; the last
forget or edit can be taken back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

from agentctx.memory.admission import form_fault
from agentctx.memory.items import (
    chain,
    identity,
    item_by_id,
    live_item,
    revise_by_hand,
)
from agentctx.memory.letting import PURGED
from agentctx.memory.model import (
    SUBJECT_CHARACTERS,
    Item,
    ItemId,
    JobId,
    Meaning,
    Role,
    TurnId,
)
from agentctx.memory.recallindex import index_item
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.terms import normal_form

if TYPE_CHECKING:
    from agentctx.memory.store import Writing
    from corpus.sqlite import Db

_MOST_SOURCES = 200


class Reason(NamedTuple):
    """One quote that an item stands on, and the turn and the job it came through."""

    turn_id: TurnId
    role: Role
    quote: str
    said_at: str
    session_id: str
    job_id: JobId


class Why(NamedTuple):
    """What an item stands on, the newest words first, and the jobs that made it."""

    item: Item
    reasons: tuple[Reason, ...]
    jobs: tuple[JobId, ...]


class Undone(NamedTuple):
    """What was taken back, and the item as it is now."""

    what: Literal["forget", "edit"]
    item: Item


def edit(
    writing: Writing,
    item_id: ItemId,
    *,
    subject: str | None = None,
    statement: str | None = None,
    content: str | None = None,
) -> Item:
    """Make a person's words the next revision of an item."""
    old = live_item(writing.tx, item_id)
    said = old.meaning
    meaning = said._replace(
        subject=_subject(said, subject, statement),
        statement=said.statement if statement is None else statement.strip(),
        content=_content(said, statement, content),
    )
    return _revised(writing, old, meaning)


def confirm(writing: Writing, item_id: ItemId) -> Item:
    """Let a person stand for an item: it is explicit and hard from now on."""
    old = live_item(writing.tx, item_id)
    if old.meaning.kind == "discussion_context":
        _refuse("a discussion is not confirmed; decide it", "confirm_discussion")
    meaning = old.meaning._replace(strength="hard")
    if meaning.origin == "inferred_repetition":
        meaning = meaning._replace(origin="explicit")
    return _revised(writing, old, meaning)


def pin(writing: Writing, item_id: ItemId, *, on: bool = True) -> Item:
    """Show an item with every prompt where it applies, or let it wait to be asked for.

    What is soft is confirmed first.
    """
    old = live_item(writing.tx, item_id)
    if on and old.meaning.kind == "discussion_context":
        _refuse("a discussion is not pinned; decide it", "pin_discussion")
    meaning = old.meaning._replace(recall_mode="always" if on else "on_match")
    new = _revised(writing, old, meaning)
    return _with_pin(writing, new, on=on)


def why(db: Db, item_id: ItemId) -> Why:
    """Give the turns, quotes and jobs an item stands on."""
    item = item_by_id(db, item_id)
    reasons = reasons_of(db, item_id)
    jobs = dict.fromkeys(one.job_id for one in reasons)
    deciding = db.execute(
        """
        SELECT DISTINCT j.id FROM memory_jobs j, json_each(j.payload_json,
                                                          '$.candidate_ids') c
          JOIN memory_item_candidates i ON i.candidate_id = c.value
         WHERE j.kind = 'consolidation' AND i.item_id = ? ORDER BY j.rowid
        """,
        (item_id,),
    )
    return Why(item, reasons, (*jobs, *(JobId(row["id"]) for row in deciding)))


def reasons_of(db: Db, item_id: ItemId) -> tuple[Reason, ...]:
    """Give the quotes an item stands on, the newest words first."""
    rows = db.execute(
        """
          SELECT s.turn_id, s.role, s.quote, t.created_at, t.session_id,
                 c.extraction_job_id
            FROM memory_item_candidates i
            JOIN memory_candidates c ON c.id = i.candidate_id
            JOIN candidate_sources s ON s.candidate_id = c.id
            JOIN turns t ON t.id = s.turn_id
           WHERE i.item_id = ?
        ORDER BY t.created_at DESC, t.sequence DESC, s.role DESC, s.quote
           LIMIT ?
        """,
        (item_id, _MOST_SOURCES),
    ).fetchall()
    return tuple(Reason(*row) for row in rows)


def items_of_turn(db: Db, turn_id: TurnId) -> tuple[ItemId, ...]:
    """Give the items that stand on a turn, each in the newest revision that does."""
    rows = db.execute(
        """
          SELECT m.id, MAX(m.revision)
            FROM candidate_sources s
            JOIN memory_item_candidates i ON i.candidate_id = s.candidate_id
            JOIN memory_items m ON m.id = i.item_id
           WHERE s.turn_id = ?
        GROUP BY m.logical_id ORDER BY m.logical_id
           LIMIT ?
        """,
        (turn_id, _MOST_SOURCES),
    )
    return tuple(ItemId(row[0]) for row in rows)


def undo(writing: Writing) -> Undone:
    """Take back the last forget or edit; `MemoryRuleError` when there is none.

    A forgotten item is believed again, and its words may be extracted again; what a
    checkpoint said of it comes back with the next extraction. An edit is undone by a
    revision that says what the one before it said.
    """
    row = writing.tx.execute(
        """
          SELECT id, status FROM memory_items new
           WHERE status = 'forgotten'
              OR (status = 'active' AND revision > 1 AND NOT EXISTS (
                    SELECT candidate_id FROM memory_item_candidates
                     WHERE item_id = new.id
                    EXCEPT SELECT candidate_id FROM memory_item_candidates l
                      JOIN memory_items old ON old.id = l.item_id
                     WHERE old.logical_id = new.logical_id
                       AND old.revision = new.revision - 1))
        ORDER BY updated_at DESC, rowid DESC LIMIT 1
        """
    ).fetchone()
    if row is None:
        _refuse("nothing was forgotten or edited that could be taken back", "no_undo")
    item = item_by_id(writing.tx, row["id"])
    if row["status"] == "forgotten":
        return Undone("forget", _reinstated(writing, item))
    before = chain(writing.tx, item.logical_id)[-2]
    new = _revised(writing, item, before.meaning)
    return Undone("edit", _with_pin(writing, new, on=before.pinned))


def _revised(writing: Writing, old: Item, meaning: Meaning) -> Item:
    if meaning == old.meaning:
        return old
    broken = form_fault(meaning._replace(kind=_kind_for(meaning)))
    if broken is not None:
        _refuse("what it would say does not go together", str(broken.value))
    return revise_by_hand(writing, old.id, meaning)


def _kind_for(
    meaning: Meaning,
) -> Literal["project_decision", "user_preference", "discussion_context"]:
    """Allow for an adopted proposal that became a preference in consolidation."""
    adopted = meaning.origin == "adopted_proposal"
    return "project_decision" if adopted else meaning.kind


def _subject(said: Meaning, subject: str | None, statement: str | None) -> str:
    """Let the subject follow a statement that it only repeated."""
    if subject is not None:
        return subject.strip()
    if statement is not None and normal_form(said.subject) == normal_form(
        said.statement
    ):
        return _as_subject(statement)
    return said.subject


def _as_subject(statement: str) -> str:
    """Give as much of a statement as a subject holds."""
    text = statement.strip()
    if len(text) <= SUBJECT_CHARACTERS:
        return text
    return f"{text[: SUBJECT_CHARACTERS - 1].rstrip()}…"


def _content(said: Meaning, statement: str | None, content: str | None) -> str:
    """Let the content follow a statement that it only repeated."""
    if content is not None:
        return content.strip()
    if statement is not None and said.content == said.statement:
        return statement.strip()
    return said.content


def _with_pin(writing: Writing, item: Item, *, on: bool) -> Item:
    writing.tx.execute("UPDATE memory_items SET pinned = ? WHERE id = ?", (on, item.id))
    return item._replace(pinned=on)


def _reinstated(writing: Writing, item: Item) -> Item:
    """Believe a forgotten item again, unless another took its place."""
    if item.meaning.subject == PURGED:
        _refuse("its words were purged and cannot come back", "purged")
    taken = writing.tx.execute(
        "SELECT 1 FROM memory_items WHERE status = 'active' AND identity = ?",
        (identity(item.meaning, item.thread_id),),
    ).fetchone()
    if taken is not None:
        _refuse("an active item is about the same", "identity")
    ids = _candidates_of(writing.tx, item.logical_id)
    writing.tx.execute(
        "UPDATE memory_items SET status = 'active', replaced_by_id = NULL,"
        " updated_at = ? WHERE id = ?",
        (writing.stamp, item.id),
    )
    writing.tx.execute(
        "UPDATE memory_candidates SET status = 'consolidated', updated_at = ?"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (writing.stamp, json.dumps(ids)),
    )
    writing.tx.execute(
        """
        DELETE FROM forgotten_quotes WHERE EXISTS (
          SELECT 1 FROM candidate_sources s
           WHERE s.role = forgotten_quotes.role
             AND lower(s.quote) = lower(forgotten_quotes.quote)
             AND s.candidate_id IN (SELECT value FROM json_each(:ids)))
        AND NOT EXISTS (
          SELECT 1 FROM candidate_sources s
            JOIN memory_item_candidates l ON l.candidate_id = s.candidate_id
            JOIN memory_items i ON i.id = l.item_id
           WHERE s.role = forgotten_quotes.role
             AND lower(s.quote) = lower(forgotten_quotes.quote)
             AND i.status = 'forgotten')
        """,
        {"ids": json.dumps(ids)},
    )
    back = item_by_id(writing.tx, item.id)
    index_item(writing.tx, back)
    return back


def _candidates_of(db: Db, logical_id: str) -> list[str]:
    rows = db.execute(
        "SELECT DISTINCT l.candidate_id FROM memory_item_candidates l"
        " JOIN memory_items i ON i.id = l.item_id WHERE i.logical_id = ?",
        (logical_id,),
    )
    return [str(row[0]) for row in rows]


def _refuse(reason: str, rule: str) -> NoReturn:
    raise MemoryRuleError(reason=reason, rule=rule)
