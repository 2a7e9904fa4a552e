"""A memory with given items in it, opened as SQLite, and questions to it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agentctx.memory.model import Item, ItemId, Meaning, RecallQuery, ThreadId
from agentctx.memory.recallindex import index_item
from agentctx.memory.schema import Bootstrap, layout
from corpus.sqlite import open_database, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from corpus.sqlite import Db, Tx

THREAD = ThreadId("thread_" + "0" * 32)
OTHER_THREAD = ThreadId("thread_" + "1" * 32)
NOON = "2026-03-01T12:00:00.000Z"


def item(
    number: int,
    subject: str,
    statement: str = "",
    content: str = "",
    /,
    **fields: Any,  # noqa: ANN401 - the fields of an item and of its meaning
) -> Item:
    """Make an item; what is not given is usual."""
    logical_id = f"memory_{number:032x}"
    revision = fields.pop("revision", 1)
    kept = {
        name: fields.pop(name)
        for name in ("status", "pinned", "created_at", "updated_at")
        if name in fields
    }
    said: dict[str, Any] = {
        "kind": "project_decision",
        "strength": "hard",
        "origin": "explicit",
        "recall_mode": "on_match",
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in fields.items()
        },
    }
    statement = statement or subject
    meaning = Meaning(
        subject=subject, statement=statement, content=content or statement, **said
    )
    thread = THREAD if meaning.kind == "discussion_context" else None
    made = Item(
        ItemId(f"{logical_id}_r{revision}"),
        logical_id,
        revision,
        thread,
        meaning,
        "active",
        None,
        pinned=False,
        created_at=NOON,
        updated_at=NOON,
    )
    return made._replace(**kept)


def discussion(number: int, subject: str, statement: str = "") -> Item:
    """Make a discussion of our thread."""
    return item(number, subject, statement, kind="discussion_context", strength="soft")


def store_item(tx: Tx, one: Item) -> None:
    """Write an item and its terms."""
    said = one.meaning
    tx.execute(
        """
        INSERT INTO memory_items
          (id, logical_id, revision, kind, thread_id, subject, statement, content,
           strength, origin, recall_mode, applies_to_paths_json, aliases_json,
           keywords_json, identity, status, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            one.id,
            one.logical_id,
            one.revision,
            said.kind,
            one.thread_id,
            said.subject,
            said.statement,
            said.content,
            said.strength,
            said.origin,
            said.recall_mode,
            *map(json.dumps, (said.applies_to_paths, said.aliases, said.keywords)),
            one.id,
            one.status,
            one.created_at,
            one.updated_at,
        ),
    )
    index_item(tx, one)


def store_source(
    tx: Tx, one: Item, sequence: int, quote: str, *, thread: ThreadId = THREAD
) -> None:
    """Let an item stand on a quote of a turn; a later sequence is a newer turn."""
    turn, candidate = f"turn_{sequence:032x}", f"candidate_{sequence:032x}"
    at = f"2026-03-{sequence:02}T12:00:00.000Z"
    tx.execute(
        "INSERT INTO turns (id, thread_id, sequence, profile, intent, session_id,"
        " user_text, state, created_at, updated_at)"
        " VALUES (?, ?, ?, 'ordinary', 'chat', 's', ?, 'completed', ?, ?)",
        (turn, thread, sequence, quote, at, at),
    )
    tx.execute(
        "INSERT INTO memory_jobs (id, kind, thread_id, turn_id, idempotency_key,"
        " status, generation, created_at, updated_at, completed_at)"
        " VALUES (?, 'extraction', ?, ?, ?, 'succeeded', 1, ?, ?, ?)",
        (f"job_{sequence:032x}", thread, turn, turn, at, at, at),
    )
    tx.execute(
        "INSERT INTO memory_candidates (id, extraction_job_id, thread_id, kind,"
        " subject, statement, content, strength, origin, recall_mode, status,"
        " created_at, updated_at) VALUES (?, ?, ?, 'project_decision', 's', 's', 's',"
        " 'hard', 'explicit', 'on_match', 'consolidated', ?, ?)",
        (candidate, f"job_{sequence:032x}", thread, at, at),
    )
    tx.execute(
        "INSERT INTO candidate_sources VALUES (?, ?, 'user', ?)",
        (candidate, turn, quote),
    )
    tx.execute("INSERT INTO memory_item_candidates VALUES (?, ?)", (one.id, candidate))


@contextmanager
def memory_of(folder: Path, items: Iterable[Item]) -> Iterator[Db]:
    """Open a new memory that holds some items."""
    folder.mkdir(parents=True, exist_ok=True)
    first = Bootstrap(THREAD, "0" * 32, NOON)
    db = open_database(str(folder / "memory.db"), layout(first))
    try:
        db.execute("PRAGMA synchronous = OFF")  # what is tested is reading
        with transaction(db) as tx:
            tx.execute(
                "INSERT INTO threads (id, status, created_at, archived_at)"
                " VALUES (?, 'archived', ?, ?)",
                (OTHER_THREAD, NOON, NOON),
            )
            for one in items:
                store_item(tx, one)
        yield db
    finally:
        db.close()


def asking(
    text: str = "",
    *paths: str,
    **fields: Any,  # noqa: ANN401 - the fields of a query
) -> RecallQuery:
    """Ask as an ordinary prompt does."""
    return RecallQuery(
        **{
            "profile": "ordinary",
            "thread_id": THREAD,
            "user_text": text,
            "paths": paths,
            **fields,
        }
    )


def subjects(found: Sequence[Any]) -> list[str]:
    """Give the subjects of entries or hits, in order."""
    return [one.subject for one in found]
