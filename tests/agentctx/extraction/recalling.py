"""Projects whose memories wait for a worker, with a model that is told what to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentctx.memory.access import Access, Place
from agentctx.memory.budgets import budgets, context_profile
from agentctx.memory.care import Care
from agentctx.memory.notices import Notices
from agentctx.memory.store import RandomIds
from agentctx.records.memories import is_memory_waiting, memory_at, note_memory
from tests.agentctx.llm.fakeapi import Says
from tests.agentctx.memory.memories import SAID, begin, say
from tests.agentctx.memory.memories import memory_at as open_at
from tests.agentctx.memory.pipeline.minds import remembering

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from agentctx.extraction.memories import MemoryWork
    from agentctx.memory.store import MemoryStore
    from agentctx.memory.telling import Status
    from agentctx.records.memories import Remembered
    from tests.agentctx.extraction.conftest import Sessions
    from tests.agentctx.llm.fakeapi import Asked

OTHERS = "session"
"""Who begins turns: the hooks of some session."""


def is_memorys(asked: Asked) -> bool:
    return asked.text.startswith("{")


def at_ease(asked: Asked) -> Says:
    """Remember what is asked about memory; find nothing in sessions."""
    from tests.agentctx.extraction.conftest import (  # noqa: PLC0415 - a fixture's own
        found,
    )

    return remembering(asked) if is_memorys(asked) else Says(found())


class Remembering:
    """What hooks do in projects that have a memory, and what is left of it."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        sessions.remember()
        self.clock = sessions.clock
        self.root = sessions.cwd

    def memory(self, root: Path | None = None) -> MemoryStore:
        return open_at(root or self.root, self.clock, owner=OTHERS)

    def say(
        self,
        text: str = SAID,
        session: str = "s1",
        *,
        root: Path | None = None,
        asks: bool = True,
    ) -> datetime:
        """Say something that is answered, and note it."""
        with self.memory(root) as memory:
            say(memory, text, session)
        return self.note(root, asks=asks)

    def begin(self, session: str = "s1", *, asks: bool = True) -> datetime:
        """Say something that is not answered yet, and note it."""
        with self.memory() as memory:
            begin(memory, SAID, session)
        return self.note(asks=asks)

    def note(self, root: Path | None = None, *, asks: bool = True) -> datetime:
        now = self.clock()
        with self.sessions.store() as store, store.writing() as tx:
            note_memory(tx, str(root or self.root), asks=asks, now=now)
        return now

    def work(self, *, seconds: float = 900, hurry: bool = False) -> MemoryWork:
        return self.sessions.work(seconds=seconds, hurry=hurry).memory

    def noted(self, root: Path | None = None) -> Remembered | None:
        with self.sessions.store() as store:
            return memory_at(store.db, str(root or self.root))

    def waits(self) -> bool:
        """Say whether a hook would start a worker for a memory."""
        with self.sessions.store() as store:
            return is_memory_waiting(store.db, now=self.clock())

    def rows(
        self, columns: str, table: str = "memory_jobs", *, root: Path | None = None
    ) -> list[tuple[Any, ...]]:
        with self.memory(root) as memory:
            found = memory.db.execute(
                f"SELECT {columns} FROM {table} ORDER BY rowid"  # noqa: S608 - ours
            )
            return [tuple(row) for row in found]

    def status(self, root: Path | None = None) -> Status:
        """Look at memory as another process does, which was not there before."""
        place = Place(str(root or self.root), self.clock, RandomIds(bytes), "looker")
        caps = budgets(context_profile("claude-haiku-5-5"))
        return Care(Access(place), Notices(), caps).status()

    @property
    def summary(self) -> Path:
        return self.root / ".agentctx" / "memory_summary.md"
