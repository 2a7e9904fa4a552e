"""Sessions that a worker reads, with a model that is told what to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agentctx.config import write_setting
from agentctx.extraction.worker import Worked, World, work
from agentctx.project import resolve_project
from agentctx.records.read import current_records
from agentctx.records.spans import spans_of, yields_of
from agentctx.records.transcripts import Source, hear
from tests.agentctx.spoken import Transcript, transcript
from tests.recorded import Counted, store_at

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from agentctx.records.model import Record
    from agentctx.records.spans import Span
    from agentctx.records.store import Store
    from tests.agentctx.llm.fakeapi import FakeApi
    from tests.recorded import Ticking

EMPTY: dict[str, Any] = {
    "decisions": [],
    "preferences": [],
    "conventions": [],
    "active_work": {
        "current_task": "",
        "blockers": [],
        "next_steps": [],
        "open_questions": [],
    },
    "gotchas": [],
    "flush_ok": False,
}

NOTHING_REMEMBERED = {"AGENTCTX_MEMORY": "0"}
"""Records alone are looked at: conversation memory is off."""


def found(**more: object) -> dict[str, Any]:
    """Give an answer of the model's with some entries."""
    return {**EMPTY, **more}


def decision(what: str, **more: object) -> dict[str, object]:
    """Give a decision as the model writes it."""
    usual = {"rationale": "", "supersedes": None, "confidence": "explicit"}
    return {"what": what, **usual, **more}


class Sessions:
    """A project whose sessions are read by a worker."""

    def __init__(self, home: Path, cwd: Path, clock: Ticking) -> None:
        self.home = home
        self.cwd = cwd
        self.clock = clock
        self.random = Counted()
        self.environ = dict(NOTHING_REMEMBERED)
        self.project = resolve_project(cwd, environ={})
        self.seconds = 0.0

    def ask(self, api: FakeApi) -> None:
        """Let a model be asked."""
        self.environ["ANTHROPIC_API_KEY"] = "sk-x"
        self.environ["ANTHROPIC_BASE_URL"] = api.url

    def remember(self) -> None:
        """Let conversation memory be on in the project."""
        del self.environ["AGENTCTX_MEMORY"]

    def set(self, key: str, value: float | str | bool) -> None:  # noqa: FBT001 - any setting
        write_setting(str(self.home), key, value)

    def session(self, name: str = "s1") -> Transcript:
        return transcript(self.cwd, self.cwd, name)

    def hear(self, said: Transcript, *, ended: bool = False) -> datetime:
        """Note that a session said something, as the hooks do."""
        now = self.clock()
        source = Source(
            said.session,
            self.project.project_id,
            str(said.cwd),
            str(said.path),
            "ANTHROPIC_API_KEY" in self.environ,
        )
        with self.store() as store, store.writing() as tx:
            hear(tx, source, now=now, ended=ended)
        return now

    def work(self, *, seconds: float = 900, hurry: bool = False) -> Worked:
        """Be the worker; waiting takes no time but the clock's."""
        return work(self.world(), seconds=seconds, hurry=hurry)

    def world(self) -> World:
        return World(
            str(self.home),
            self.environ,
            self.clock,
            self.random,
            self._pause,
            lambda: self.seconds,
        )

    def _pause(self, seconds: float) -> None:
        from datetime import timedelta  # noqa: PLC0415 - its one use

        self.seconds += seconds
        self.clock.tick(timedelta(seconds=seconds))

    def store(self) -> Store:
        return store_at(self.home, self.clock)

    def records(self, kind: str | None = None) -> list[Record]:
        with self.store() as store:
            return [
                one
                for project in (self.project.project_id, "_global")
                for one in current_records(store.db, project)
                if kind is None or one.type == kind
            ]

    def spans(self, name: str = "s1") -> list[Span]:
        with self.store() as store:
            return spans_of(store.db, name)

    def yields(self, name: str = "s1") -> dict[str, int]:
        with self.store() as store:
            return yields_of(store.db, name)

    def cost(self) -> float:
        with self.store() as store:
            query = "SELECT COALESCE(sum(cost_usd), 0) FROM model_calls"
            return float(store.db.execute(query).fetchone()[0])


@pytest.fixture
def sessions(tmp_path: Path, project: Path, clock: Ticking) -> Sessions:
    """Give a project whose sessions are read; the store exists."""
    one = Sessions(tmp_path / "home", project, clock)
    one.store().close()
    return one
