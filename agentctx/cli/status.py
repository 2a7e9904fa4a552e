"""`agentctx status`: what is known here, what it costs, what is degraded and why."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.activity import Activity, activity, lacks, with_store
from agentctx.cli.activity import lines as activity_lines
from agentctx.cli.branching import (
    BranchCard,
    branch_card,
    branch_lines,
    standing_here,
)
from agentctx.cli.opening import (
    STORE_ERRORS,
    open_for_reading,
    problem_of,
    this_project,
)
from agentctx.cli.project import likely_lines, project_json, project_lines
from agentctx.cli.remembered import MemoryCard, memory_card, with_noted
from agentctx.cli.remembered import lines as memory_lines
from agentctx.cli.sheet import row
from agentctx.cli.teamcard import NO_TEAM, TEAM_ERRORS, TeamCard, team_card
from agentctx.cli.teamcard import lines as team_lines
from agentctx.config import Problem, environment, home, read_config
from agentctx.records.accounts import (
    Counts,
    Spent,
    records_counted,
    tokens_and_cost,
)
from agentctx.records.namespaces import NOTHING_LIKELY, Likely, likely_earlier
from agentctx.records.preferences import PLACE, are_preferences_fresh
from agentctx.records.schema import LAYOUT
from agentctx.records.store import store_path
from agentctx.records.tombstones import key_problem
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.cli.opening import Opened
    from agentctx.project import Project
    from corpus.cli.call import Call

SUMMARY = "Show what is known here, what it costs and what is degraded."
EXAMPLE = "agentctx status"

LIKE_SEARCH = Problem(
    "like-search",
    "this SQLite has no FTS5; records are searched by their letters",
    "use a Python whose SQLite has FTS5",
)
STALE_PAGE = Problem(
    "preferences-stale",
    f"{PLACE} is not what the store says",
    "make it anew with `agentctx doctor --rebuild`; its folder has to be writable",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCard:
    """The store's file; `changes` counts what was ever changed in it, None unread."""

    path: str
    exists: bool
    size: int
    changes: int | None = None

    def as_json(self) -> dict[str, object]:
        """Give the file as one JSON object."""
        return {
            "path": self.path,
            "exists": self.exists,
            "bytes": self.size,
            "layout": len(LAYOUT.migrations),
            "changes": self.changes,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The card: the project, its records, the store, what it costs, what is wrong."""

    project: Project
    home: str
    store: StoreCard
    counts: Counts
    spent: Spent
    degraded: tuple[Problem, ...]
    activity: Activity
    memory: MemoryCard
    likely: Likely = NOTHING_LIKELY
    branches: BranchCard
    team: TeamCard = NO_TEAM

    def as_json(self) -> dict[str, object]:
        """Give the card as one JSON object."""
        return {
            "project": project_json(self.project),
            "home": self.home,
            "state_dir": self.activity.sessions_dir,
            "store": self.store.as_json(),
            "records": self.counts.as_json(),
            "tokens_injected": {
                "session": self.spent.session_tokens,
                "total": self.spent.tokens,
            },
            "cost_usd": {"today": self.spent.today_usd, "total": self.spent.usd},
            "hit_rate": self.activity.hit_rate,
            "degraded": [one._asdict() for one in self.degraded],
            "earlier": [one._asdict() for one in self.likely.earlier],
            "above": None if self.likely.above is None else self.likely.above._asdict(),
            "last_errors": [one.as_json() for one in self.activity.failures],
            "worker": self.activity.worker.as_json(),
            "extraction": self.activity.extraction.as_json(),
            "proposals": self.activity.proposals,
            "memory": self.memory.as_json(),
            "branches": self.branches.as_json(),
            "team": self.team.as_json(),
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Status:
    """Look at everything; what cannot be read is told, never raised."""
    return status_of(call, this_project())


def status_of(call: Call, project: Project) -> Status:
    """Look at everything about a project, as `run` does."""
    folder = home()
    config = read_config(folder)
    degraded = list(config.problems)
    seen = activity(folder, config, environment())
    memory = memory_card(project, call, home=folder, environ=environment())
    store, counts, spent = _store_card(folder), Counts(), Spent()
    likely, team = NOTHING_LIKELY, NO_TEAM
    branches = BranchCard(standing=standing_here(project))
    try:
        with open_for_reading(call, project) as opened:
            counts = records_counted(opened.store.db, opened.project_id)
            spent = tokens_and_cost(opened.store.db, opened.project_id, now=call.now)
            if store.exists:
                store = _store_card(folder, changes=opened.store.version)
            degraded += _lacks(opened)
            likely = likely_earlier(opened.store.db, opened.project)
            seen = with_store(seen, opened, now=call.now)
            memory = with_noted(memory, opened.store.db)
            branches = branch_card(opened)
            team = team_card(opened)
    except (*STORE_ERRORS, *TEAM_ERRORS) as error:
        degraded.append(problem_of(error))
    degraded += lacks(folder, seen)
    return Status(
        project=project,
        home=folder,
        store=store,
        counts=counts,
        spent=spent,
        degraded=tuple(dict.fromkeys(degraded)),
        activity=seen,
        memory=memory,
        likely=likely,
        branches=branches,
        team=team,
    )


def lines(value: Status) -> Iterator[str]:
    """Draw the card: a label and a value a line."""
    yield from project_lines(value.project)
    yield ""
    yield from row("records", _counted(value.counts.by_type))
    yield from row("confidence", _counted(value.counts.by_confidence))
    yield from row("global", str(value.counts.global_records))
    for told in likely_lines(value.likely):
        yield from row("note", told)
    yield ""
    size = f"{value.store.size:,} bytes" if value.store.exists else "not made yet"
    yield from row("store", f"{visible(value.store.path)} ({size})")
    spent = value.spent
    yield from row(
        "injected",
        f"{spent.session_tokens:,} tokens in the last session, {spent.tokens:,} in all",
    )
    yield from row("cost", f"${spent.today_usd:.2f} today, ${spent.usd:.2f} in all")
    yield from memory_lines(value.memory)
    yield from branch_lines(value.branches)
    yield from team_lines(value.team)
    yield from activity_lines(value.activity)
    for number, one in enumerate(value.degraded):
        told = f"{one.code}: {visible(one.detail)}"
        yield from row("" if number else "degraded", told)
        yield from row("", f"hint: {visible(one.hint)}")
    if not value.degraded:
        yield from row("degraded", "nothing")


def _store_card(folder: str, *, changes: int | None = None) -> StoreCard:
    path = store_path(folder)
    try:
        size = os.stat(path).st_size  # noqa: PTH116 - text
    except OSError:
        return StoreCard(path=path, exists=os.path.lexists(path), size=0)
    return StoreCard(path=path, exists=True, size=size, changes=changes)


def _lacks(opened: Opened) -> Iterator[Problem]:
    if not opened.store.full_text:
        yield LIKE_SEARCH
    forgotten = key_problem(opened.store.home, opened.store.db)
    if forgotten is not None:
        yield problem_of(forgotten)
    if not are_preferences_fresh(opened.store):
        yield STALE_PAGE


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
