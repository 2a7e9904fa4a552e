"""What goes on out of sight, for `agentctx status`: hooks, worker, model, failures."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.briefing.state import FOLDER as STATES
from agentctx.cli.sheet import row
from agentctx.config import Problem
from agentctx.failures import Failure, last_failures
from agentctx.records.leases import WORKER, holder
from agentctx.records.memories import waiting_memories
from agentctx.records.proposals import open_proposals
from agentctx.records.sessions import hit_rate
from agentctx.records.transcripts import waiting
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from agentctx.cli.opening import Opened
    from agentctx.config import Config

KEY_VARIABLE = "ANTHROPIC_API_KEY"

HOME_READ_ONLY = Problem(
    "home-read-only",
    "nothing can be written to the store's folder: no session is remembered",
    "let it be writable for you, and see that its disk is not full",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """The process at work, if one is, and the sessions and memories that wait."""

    running: bool = False
    process: int | None = None
    waiting: int = 0
    memories: int = 0
    problems: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the worker as one JSON object."""
        return {
            "running": self.running,
            "pid": self.process,
            "waiting": self.waiting,
            "memories": self.memories,
            "problems": list(self.problems),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracts:
    """Whether a model reads sessions, which, and what it may cost."""

    on: bool
    wanted: bool
    why: str
    model: str
    session_cap: float
    day_cap: float

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "on": self.on,
            "why": self.why,
            "model": self.model,
            "spend_per_session": self.session_cap,
            "spend_per_day": self.day_cap,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """Everything that hooks and the worker did, as far as the store knows it."""

    sessions_dir: str
    extraction: Extracts
    failures: tuple[Failure, ...] = ()
    worker: Worker = Worker()
    hit_rate: float | None = None
    proposals: int = 0


def activity(home: str, config: Config, environ: Mapping[str, str]) -> Activity:
    """Say what is known without the store."""
    return Activity(
        sessions_dir=f"{home}/{STATES}",
        extraction=extraction_of(config, environ),
        failures=tuple(last_failures(home)),
    )


def with_store(value: Activity, opened: Opened, *, now: datetime) -> Activity:
    """Add what the store knows."""
    db = opened.store.db
    at_work = holder(db, WORKER, now=now)
    found = waiting(db)
    problems = dict.fromkeys(one.problem for one in found if one.problem)
    return Activity(
        sessions_dir=value.sessions_dir,
        extraction=value.extraction,
        failures=value.failures,
        worker=Worker(
            running=at_work is not None,
            process=None if at_work is None else at_work.process,
            waiting=len(found),
            memories=sum(not one.is_settled for one in waiting_memories(db)),
            problems=tuple(problems),
        ),
        hit_rate=hit_rate(db, opened.project_id),
        proposals=len(open_proposals(db, opened.project_id)),
    )


def extraction_of(config: Config, environ: Mapping[str, str]) -> Extracts:
    """Say whether a model reads sessions, and if not, why."""
    has_key = bool(environ.get(KEY_VARIABLE, "").strip())
    wanted = config.flag("llm")
    why = "a key is set" if has_key else f"`{KEY_VARIABLE}` is not set"
    if not wanted:
        why = "`llm` is false"
    return Extracts(
        on=has_key and wanted,
        wanted=wanted,
        why=why,
        model=config.text("model"),
        session_cap=config.number("spendPerSession"),
        day_cap=config.number("spendPerDay"),
    )


def lacks(home: str, value: Activity) -> Iterator[Problem]:
    """Say what is degraded out of sight."""
    if not value.extraction.on:
        hint = "let one with `agentctx config --llm`"
        if value.extraction.wanted:
            hint = f"set `{KEY_VARIABLE}` where the client is started"
        yield Problem(
            "no-llm", f"no model reads sessions: {value.extraction.why}", hint
        )
    if os.path.isdir(home) and not os.access(home, os.W_OK | os.X_OK):  # noqa: PTH112 - any text
        yield HOME_READ_ONLY


def extraction_told(told: Extracts) -> str:
    """Say whether a model reads sessions, and which or why not."""
    if not told.on:
        return f"off: {told.why}"
    caps = f"at most ${told.session_cap:g} a session, ${told.day_cap:g} a day"
    return f"{told.model}, {caps}"


def lines(value: Activity) -> Iterator[str]:
    """Draw it: a label and a value a line."""
    rate = "not known yet"
    if value.hit_rate is not None:
        rate = f"{value.hit_rate:.0%} of the records shown were then read whole"
    yield from row("used", rate)
    yield from row("extraction", visible(extraction_told(value.extraction)))
    at_work = value.worker
    state = f"running as {at_work.process}" if at_work.running else "not running"
    told_waiting = counted(at_work.waiting, "session")
    if at_work.memories:
        told_waiting += f" and {counted(at_work.memories, 'memory', 'memories')}"
    yield from row("worker", f"{state}, {told_waiting} waiting")
    for code in at_work.problems:
        yield from row("", f"waits because of {visible(code)}")
    if value.proposals:
        told_proposals = "see `agentctx consolidate`"
        yield from row("proposals", f"{value.proposals}; {told_proposals}")
    for number, one in enumerate(value.failures):
        detail = f" ({visible(one.detail)})" if one.detail else ""
        text = f"{one.at[:16]} {visible(one.where)}: {visible(one.code)}{detail}"
        yield from row("" if number else "failures", text)
    yield from row("sessions", visible(value.sessions_dir))
