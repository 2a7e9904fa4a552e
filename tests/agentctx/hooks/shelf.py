"""The memory of a client's project, as tests of hooks look into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.memory.hosted import OWNER
from agentctx.memory.turns import as_turn
from agentctx.memory.underreview import start_review
from agentctx.records.memories import waiting_memories
from tests.agentctx.hooked import SESSION
from tests.agentctx.memory.memories import memory_at
from tests.agentctx.memory.recalled import item, store_item
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.memory.model import Item, ReviewItem, Turn
    from agentctx.memory.store import MemoryStore
    from agentctx.records.memories import Remembered
    from tests.agentctx.hooked import Client

SPACES = (
    "Indentation of Python files",
    "Python files are indented with four spaces.",
)
ASKED = "what about the indentation of Python files?"


class Shelf:
    """What lies in a project's memory; every look opens it anew."""

    def __init__(self, client: Client, root: Path | None = None) -> None:
        self.client = client
        self.root = root or client.cwd

    def open(self) -> MemoryStore:
        """Open the memory; whoever asks closes it."""
        return memory_at(self.root, self.client.clock, owner=OWNER)

    def turns(self) -> list[Turn]:
        """Give every turn, the oldest first."""
        with self.open() as memory:
            rows = memory.db.execute(f"SELECT {_TURN} FROM turns ORDER BY rowid")  # noqa: S608 - a test's own
            return [as_turn(row) for row in rows]

    def told(self) -> list[tuple[str, str, str]]:
        """Give of every turn its state and what was said and answered."""
        return [(one.state, one.user_text, one.assistant_text) for one in self.turns()]

    def count(self, table: str, where: str = "true") -> int:
        """Count rows."""
        with self.open() as memory:
            found: int = memory.db.execute(
                f"SELECT count(*) FROM {table} WHERE {where}"  # noqa: S608 - a test's
            ).fetchone()[0]
            return found

    def believe(self, *items: Item) -> None:
        """Put items there."""
        with self.open() as memory, memory.writing() as writing:
            for one in items:
                store_item(writing.tx, one)

    def come_to(self, text: str) -> None:
        """Let the active thread have a checkpoint."""
        with self.open() as memory, memory.writing() as writing:
            writing.tx.execute(
                "UPDATE threads SET compaction = ? WHERE status = 'active'", (text,)
            )

    def review(self, *items: ReviewItem, session: str = SESSION) -> None:
        """Let a session be in a review."""
        with self.open() as memory, memory.writing() as writing:
            start_review(writing, session, "run1", items)

    def lease(self, session: str = SESSION) -> str:
        """Say until when the open turn of a session is held."""
        with self.open() as memory:
            row = memory.db.execute(
                "SELECT lease_expires_at FROM turns"
                " WHERE session_id = ? AND state = 'open'",
                (session,),
            ).fetchone()
            return str(row[0])

    def waiting(self) -> list[Remembered]:
        """Give the memories that are noted for the worker."""
        with store_at(self.client.home, self.client.clock, create=False) as store:
            return waiting_memories(store.db)


_TURN = (
    "id, thread_id, sequence, profile, intent, session_id, user_text, assistant_text,"
    " scope_paths_json, evidence_keys_json, state, created_at, updated_at"
)


def spaces(number: int = 1, **fields: object) -> Item:
    """Make an item about indentation."""
    return item(number, *SPACES, **fields)


def other_items(first: int = 100) -> list[Item]:
    """Make items about other things, so that a word of one is rare."""
    words = (
        "ledger",
        "invoice",
        "calendar",
        "parser",
        "cache",
        "login",
        "menu",
        "font",
    )
    return [
        item(first + number, f"The {word} is checked daily")
        for number, word in enumerate(words)
    ]
