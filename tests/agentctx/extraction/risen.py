"""A memory and a record store of one project, and what tests do between them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from agentctx.extraction.following import keep_in_step
from agentctx.extraction.rising import forget_records_of, promote
from agentctx.memory.candidates import Proposed, commit_extraction
from agentctx.memory.items import Operation, items
from agentctx.memory.letting import let_go
from agentctx.memory.model import Meaning, Source
from agentctx.memory.refusals import MemoryRuleError
from agentctx.memory.steering import edit, undo, why
from agentctx.records.read import current_records
from agentctx.records.risen import record_of_item, records_of_item
from tests.agentctx.memory.memories import decide, memory_at, say, take
from tests.recorded import store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.extraction.following import Counts
    from agentctx.extraction.rising import LetGoOf
    from agentctx.memory.model import Item
    from agentctx.records.model import Record
    from agentctx.records.write import Made
    from tests.recorded import Ticking

PROJECT = "f" * 64
SAID = "Let's store readings in UTC, always."
UTC = Meaning(
    "project_decision",
    "Time zone of readings",
    "Store readings in UTC.",
    "Store readings in UTC.",
    "hard",
    "explicit",
    "on_match",
)
TABS = UTC._replace(
    kind="user_preference", subject="Indentation", statement="Indent with tabs."
)


class Both:
    """The memory of a project and the user's records."""

    def __init__(self, project: Path, home: Path, clock: Ticking) -> None:
        self.memory = memory_at(project, clock)
        self.records = store_at(home, clock)

    def close(self) -> None:
        self.memory.close()
        self.records.close()

    def believe(self, meaning: Meaning = UTC, said: str = SAID) -> Item:
        """Say something and make an item of it."""
        return self._decided(Operation("create", (), None, meaning), meaning, said)

    def revise(
        self, item: Item, statement: str, said: str = "No: in local time, from now on."
    ) -> Item:
        """Say something else, and let it be the item's next revision."""
        meaning = item.meaning._replace(statement=statement, content=statement)
        operation = Operation("revise", (), item.id, meaning)
        return self._decided(operation, meaning, said)

    def edit(self, item: Item, statement: str) -> Item:
        with self.memory.writing() as writing:
            return edit(writing, item.id, statement=statement)

    def _decided(self, operation: Operation, meaning: Meaning, said: str) -> Item:
        turn = say(self.memory, said)
        batch = take(self.memory)
        proposed = Proposed(meaning, (Source(turn.id, "user", said),))
        with self.memory.writing() as writing:
            commit_extraction(writing, batch, "It was said.", [proposed])
        batch = take(self.memory, "consolidation")
        ids = batch.jobs[0].candidate_ids
        targets = () if operation.target_id is None else (operation.target_id,)
        operation = operation._replace(candidate_ids=ids)
        (made,) = decide(self.memory, batch, [operation], *targets)
        return made

    def forget(self, item: Item, *, records: bool = True) -> LetGoOf | None:
        """Forget an item as the command does, or in memory alone."""
        gone = let_go(self.memory, item.id).item
        return forget_records_of(self.records, PROJECT, gone) if records else None

    def undo(self) -> None:
        with suppress(MemoryRuleError), self.memory.writing() as writing:
            undo(writing)

    def promote(self, item: Item, record_type: str | None = None) -> Made:
        with self.memory.looking() as db:
            reasons = why(db, item.id)
        return promote(self.records, PROJECT, reasons, record_type=record_type)

    def step(self) -> Counts:
        return keep_in_step(self.memory, self.records, PROJECT)

    def live(self) -> tuple[Item, ...]:
        with self.memory.looking() as db:
            return items(db)

    def record(self, item: Item) -> Record | None:
        return record_of_item(self.records.db, PROJECT, item.logical_id)

    def all_of(self, item: Item) -> list[Record]:
        return records_of_item(self.records.db, PROJECT, item.logical_id)

    def current(self) -> list[Record]:
        return current_records(self.records.db, PROJECT)
