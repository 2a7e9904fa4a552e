"""A project's memory of a test's own, and what tests put into it."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

from agentctx.memory.candidates import Proposed, commit_extraction
from agentctx.memory.items import Operation, commit_consolidation
from agentctx.memory.jobs import claim
from agentctx.memory.model import Meaning, Source
from agentctx.memory.opening import open_memory
from agentctx.memory.store import RandomIds
from agentctx.memory.turns import NewTurn, begin_turn, complete_turn
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from agentctx.memory.jobs import Batch, JobKind
    from agentctx.memory.model import Item, ItemId, Turn
    from agentctx.memory.store import MemoryStore

OWNER = "process one"
LATER = timedelta(minutes=1)
TABS = Meaning(
    "user_preference",
    "Indentation",
    "Indent with tabs.",
    "Indent with tabs, always.",
    "hard",
    "explicit",
    "on_match",
    aliases=("tab width",),
    keywords=("tabs",),
)
SAID = "From now on indent with tabs."


def memory_at(
    root: Path, clock: Ticking | None = None, *, owner: str = OWNER, create: bool = True
) -> MemoryStore:
    """Open the memory of the project at `root`; ids are random."""
    return open_memory(
        str(root),
        clock=clock or Ticking(),
        ids=RandomIds(os.urandom),
        owner=owner,
        create=create,
    )


def begin(store: MemoryStore, text: str = SAID, session: str = "s1") -> Turn:
    """Begin an ordinary turn."""
    with store.writing() as writing:
        return begin_turn(writing, NewTurn(session, "ordinary", "chat", text))


def say(store: MemoryStore, text: str = SAID, session: str = "s1") -> Turn:
    """Begin a turn and end it with an answer."""
    return complete_turn(store, begin(store, text, session).id, "Understood.")


def take(store: MemoryStore, kind: JobKind = "extraction") -> Batch:
    """Claim what is there, due or not."""
    with store.writing() as writing:
        batch = claim(writing, kind, drain=True)
    assert batch is not None
    return batch


def propose(store: MemoryStore, *meanings: Meaning) -> Batch:
    """Say something, extract the candidates, and claim their consolidation."""
    turn = say(store)
    batch = take(store)
    sources = (Source(turn.id, "user", SAID),)
    with store.writing() as writing:
        commit_extraction(
            writing,
            batch,
            "Tabs were asked for.",
            [Proposed(m, sources) for m in meanings],
        )
    return take(store, "consolidation")


def believe(store: MemoryStore, *meanings: Meaning) -> tuple[Item, ...]:
    """Make items, each of one candidate."""
    batch = propose(store, *meanings)
    ids = batch.jobs[0].candidate_ids
    operations = [
        Operation("create", (one,), None, meaning)
        for one, meaning in zip(ids, meanings, strict=True)
    ]
    return decide(store, batch, operations)


def decide(
    store: MemoryStore,
    batch: Batch,
    operations: Sequence[Operation],
    *targets: ItemId,
) -> tuple[Item, ...]:
    """Commit a consolidation."""
    with store.writing() as writing:
        return commit_consolidation(writing, batch, operations, targets=targets)


def files(root: Path) -> dict[str, bytes]:
    """Give every byte of the database, its log and the log's index."""
    return {
        path.name: path.read_bytes()
        for path in (root / ".agentctx").glob("memory.db*")
        if path.is_file()
    }


def count(store: MemoryStore, table: str, where: str = "true") -> int:
    """Count rows."""
    found: int = store.db.execute(
        f"SELECT count(*) FROM {table} WHERE {where}"  # noqa: S608 - a test's own
    ).fetchone()[0]
    return found
