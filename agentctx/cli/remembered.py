"""How the project's memory is, as a card of `agentctx status`; looking never fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentctx.cli.sheet import row
from agentctx.memory.names import FOLDER
from agentctx.memory.notices import STORE_FAILURES
from agentctx.memory.opening import open_memory
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import MARK, VARIABLE, memory_root, why_off
from agentctx.memory.tally import tally
from agentctx.memory.verdict import Absent, judge
from agentctx.records.memories import memory_at
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentctx.memory.switch import Off
    from agentctx.memory.tally import Tally
    from agentctx.memory.telling import State
    from agentctx.project import Project
    from corpus.cli.call import Call
    from corpus.sqlite import Db

OWNER = "status"
UNFINISHED = ("pending", "leased", "retry", "failed")
_WHY: dict[Off, str] = {
    "no_folder": f"this project has no `{FOLDER}/`; `agentctx memory on` makes it",
    "environment": f"`{VARIABLE}` says so",
    "setting": "the setting `memory` is false",
    "off": f"`{FOLDER}/{MARK}` says so; `agentctx memory on` removes it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard:
    """Whether conversations are remembered here, and what the worker has to do.

    `waits` is the code of what keeps the worker from it, `retry_at` until when;
    `problem` is the code of why memory cannot be read, `detail` says more.
    """

    root: str
    off: Off | None
    state: State = "absent"
    tally: Tally | None = None
    waits: str | None = None
    retry_at: str | None = None
    problem: str | None = None
    detail: str | None = None

    def as_json(self) -> dict[str, object]:
        """Give the card as one JSON object."""
        jobs = None if self.tally is None else self.tally.jobs
        return {
            "on": self.off is None,
            "why": self.off,
            "root": self.root,
            "state": self.state,
            "items": None if self.tally is None else self.tally.items["active"],
            "open_turns": None if self.tally is None else self.tally.open_turns,
            "jobs": None if jobs is None else {one: jobs[one] for one in UNFINISHED},
            "waits": self.waits,
            "retry_at": self.retry_at,
            "problem": self.problem,
            "detail": self.detail,
        }


def memory_card(
    project: Project, call: Call, *, home: str, environ: Mapping[str, str]
) -> MemoryCard:
    """Look at the memory of a project; what is wrong with it is told in the card."""
    root = memory_root(project)
    card = MemoryCard(root=root, off=why_off(root, home=home, environ=environ))
    if card.off is not None or isinstance(judge(root), Absent):
        return card
    ids = RandomIds(call.random)
    try:
        with (
            open_memory(root, clock=call.clock, ids=ids, owner=OWNER) as memory,
            memory.looking() as db,
        ):
            return replace(card, state="healthy", tally=tally(db))
    except STORE_FAILURES as error:
        return replace(card, state="degraded", problem=error.code, detail=str(error))


def with_noted(card: MemoryCard, db: Db) -> MemoryCard:
    """Add what the store of records knows of a memory."""
    found = memory_at(db, card.root)
    if found is None:
        return card
    return replace(card, waits=found.problem, retry_at=found.retry_at)


def why_empty(value: MemoryCard) -> str:
    """Say why there is nothing to look at in a memory that was not opened."""
    if value.off is not None:
        return f"off: {_WHY[value.off]}"
    return value.detail or "on; nothing was said yet"


def lines(value: MemoryCard) -> Iterator[str]:
    """Draw the card: a label and a value a line."""
    if value.off is not None:
        yield from row("memory", why_empty(value))
        return
    if value.tally is None:
        yield from row("memory", visible(why_empty(value)))
    else:
        told = f"on, {counted(value.tally.items['active'], 'item')}"
        yield from row("memory", told)
        jobs = [
            f"{value.tally.jobs[name]} {name}"
            for name in UNFINISHED
            if value.tally.jobs[name]
        ]
        if jobs:
            yield from row("", f"jobs: {', '.join(jobs)}")
    if value.waits is not None:
        until = "" if value.retry_at is None else f" until {value.retry_at[:16]}"
        yield from row("", f"waits because of {visible(value.waits)}{until}")
