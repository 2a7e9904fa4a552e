"""What people do with a project's memory (M8, M11.8, M11.9).

Status, show, export and clear look at the file as it is now, whatever was found of it
before (C7). Whatever changes memory refreshes its summary (C11).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from agentctx.memory import housekeeping, steering
from agentctx.memory.clipping import api_tokens
from agentctx.memory.exporting import export_memory
from agentctx.memory.importing import Imported, import_memory
from agentctx.memory.items import chain, find_item, item_by_id, items, live_item
from agentctx.memory.letting import LetGo, let_go
from agentctx.memory.model import RecallQuery
from agentctx.memory.notices import STORE_FAILURES
from agentctx.memory.opening import clear_memory
from agentctx.memory.recall import open_recall, policy_within, search
from agentctx.memory.refusals import MemoryDegradedError, MemoryRuleError
from agentctx.memory.salvage import readable
from agentctx.memory.summary import Summary, summary_state, write_summary
from agentctx.memory.tally import tally
from agentctx.memory.telling import Shown, Status, shown_item
from agentctx.memory.threads import active_thread
from agentctx.memory.verdict import Absent, Degraded, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentctx.memory.access import Access
    from agentctx.memory.budgets import Budgets
    from agentctx.memory.model import Item, ItemId
    from agentctx.memory.notices import Notices
    from agentctx.memory.recall import Answer
    from agentctx.memory.store import MemoryStore, Writing

Given = TypeVar("Given")


class Cleared(NamedTuple):
    """What clearing came to: the path of the copy that was made first, if one was."""

    backup: str | None


class Care:
    """The part of `Memory` that people use through commands."""

    def __init__(self, access: Access, notices: Notices, budgets: Budgets) -> None:
        self._access = access
        self._notices = notices
        self._budgets = budgets
        self._root = access.place.root

    def status(self) -> Status:
        """Say how memory is; never fails for what is wrong with it."""
        verdict = judge(self._root)
        if isinstance(verdict, Absent):
            return Status("absent", summary_state(self._root, None))
        if isinstance(verdict, Degraded):
            problem = MemoryDegradedError(
                detail=verdict.detail, problem=verdict.problem
            )
            return self._degraded(problem)
        try:
            with self._access() as store:
                with store.looking() as db:
                    counted = tally(db)
                return Status("healthy", summary_state(self._root, store), counted)
        except MemoryDegradedError as error:
            return self._degraded(error)

    def list(self, *, every: bool = False) -> tuple[Item, ...]:
        """Give the active items, or all revisions, the newest first."""
        with self._access() as store, store.looking() as db:
            return items(db, every=every)

    def show(self, item_id: ItemId) -> Shown:
        """Give any revision of an item with the words it stands on."""
        with readable(self._access.place) as store, store.looking() as db:
            return shown_item(db, item_id)

    def find(self, text: str) -> ItemId:
        """Give the id that a person's abbreviation names."""
        with readable(self._access.place) as store, store.looking() as db:
            return find_item(db, text)

    def read(self, item_id: ItemId) -> Shown:
        """Give an active item with its newest words, as an agent may read it."""
        with self._access() as store, store.looking() as db:
            return shown_item(db, live_item(db, item_id).id)

    def search(self, text: str, paths: Sequence[str] = ()) -> Answer:
        """Find items by words, for a person: no request, and nothing is spent."""
        with self._access() as store, store.looking() as db:
            thread = active_thread(db)
            query = RecallQuery("ordinary", thread, paths=tuple(paths))
            policy = policy_within("ordinary", thread, self._budgets)
            state, _ = open_recall(db, query, policy, api_tokens)
            return search(db, state, text, api_tokens)[1]

    def forget(
        self, item_id: ItemId, *, purge_quotes: bool = False, confirm: bool = False
    ) -> LetGo:
        """Forget an item; its words leave the turns only with a confirmed purge."""
        if purge_quotes:
            _require(confirmed=confirm)
        with self._access() as store:
            gone = let_go(store, item_id, purge=purge_quotes)
            self._refresh(store)
            return gone

    def edit(
        self,
        item_id: ItemId,
        *,
        subject: str | None = None,
        statement: str | None = None,
        content: str | None = None,
    ) -> Item:
        """Put a person's words in place of an item's, as its next revision."""
        return self._changed(
            lambda writing: steering.edit(
                writing, item_id, subject=subject, statement=statement, content=content
            )
        )

    def confirm(self, item_id: ItemId) -> Item:
        """Let a person stand for an item: explicit, and hard."""
        return self._changed(lambda writing: steering.confirm(writing, item_id))

    def pin(self, item_id: ItemId, *, on: bool = True) -> Item:
        """Show an item with every prompt where it applies, or no longer so."""
        return self._changed(lambda writing: steering.pin(writing, item_id, on=on))

    def undo(self) -> steering.Undone:
        """Take back the last forget or edit."""
        return self._changed(steering.undo)

    def why(self, item_id: ItemId) -> steering.Why:
        """Give the turns, quotes and jobs that an item stands on."""
        with self._access() as store, store.looking() as db:
            return steering.why(db, item_id)

    def live(self, item_id: ItemId) -> steering.Why:
        """Give the same of an active item; an old revision names the live one."""
        with self._access() as store, store.looking() as db:
            return steering.why(db, live_item(db, item_id).id)

    def revisions(self, item_id: ItemId) -> tuple[Item, ...]:
        """Give every revision of an item, the oldest first."""
        with self._access() as store, store.looking() as db:
            return chain(db, item_by_id(db, item_id).logical_id)

    def retain(
        self,
        *,
        days: int | None = None,
        megabytes: float | None = None,
        confirm: bool = False,
    ) -> housekeeping.Retained:
        """Let the words of old turns go, with a person's consent."""
        _require(confirmed=confirm)
        return self._changed(
            lambda writing: housekeeping.retain(writing, days=days, megabytes=megabytes)
        )

    def vacuum(self) -> tuple[int, int]:
        """Give back room that nothing uses; say the pages before and after."""
        with self._access() as store:
            return housekeeping.vacuum(store)

    def export(self, out: str | None = None) -> str:
        """Write a snapshot to a new file; give its path."""
        with readable(self._access.place) as store:
            return export_memory(store, out)

    def take_in(self, path: str) -> Imported:
        """Take an export into this memory, which has to be empty."""
        with self._access() as store:
            taken = import_memory(store, path)
            self._refresh(store)
            return taken

    def clear(self, *, confirm: bool = False, backup: bool = True) -> Cleared:
        """Begin memory anew, whatever its file holds (M8.3, M8.4)."""
        _require(confirmed=confirm)
        self._access.forget()
        place = self._access.place
        saved = clear_memory(
            place.root,
            clock=place.clock,
            ids=place.ids,
            owner=place.owner,
            backup=backup,
        )
        with self._access() as store:
            self._refresh(store)
        return Cleared(saved)

    def summary(self) -> Summary:
        """Write `memory_summary.md` anew; give its state and its path."""
        try:
            with self._access() as store:
                return self._refresh(store)
        except STORE_FAILURES as error:
            self._notices.of(error)
            return summary_state(self._root, None)

    def _refresh(self, store: MemoryStore) -> Summary:
        """Refresh the summary; that it fails is told, and changes nothing else."""
        written = write_summary(self._root, store)
        if written.error:
            told = f"`memory_summary.md` cannot be written: {written.error}"
            self._notices.say("MEMORY_SUMMARY", told, cause=written.error)
        return written

    def _changed(self, change: Callable[[Writing], Given]) -> Given:
        with self._access() as store:
            with store.writing() as writing:
                found = change(writing)
            self._refresh(store)
            return found

    def _degraded(self, problem: MemoryDegradedError) -> Status:
        return Status("degraded", summary_state(self._root, None), problem=problem)


def _require(*, confirmed: bool) -> None:
    if not confirmed:
        raise MemoryRuleError(
            reason="this cannot be taken back and has to be confirmed", rule="confirm"
        )
