"""Whatever several programs do to one memory, the promises of M1 to M3 hold."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.agentctx.memory.api.programs import Answering, Silent, program
from tests.agentctx.memory.memories import memory_at
from tests.recorded import Ticking

if TYPE_CHECKING:
    from agentctx.memory import Memory
    from agentctx.memory.model import Turn

OWNERS = ("first", "second", "third")
SESSIONS = ("s1", "s2")


class Programs(RuleBasedStateMachine):
    """Several programs, their sessions, a clock that jumps, and what was said."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="agentctx-programs-"))
        self.clock = Ticking()
        self.programs: dict[str, Memory] = {}
        self.turns: dict[str, list[Turn]] = {}
        self.said: dict[str, str] = {}
        self.completed: dict[str, str] = {}
        self.number = 0

    @initialize()
    def start(self) -> None:
        for owner in OWNERS:
            self.open(owner)

    def open(self, owner: str) -> None:
        pipeline = Answering() if owner == "first" else Silent()
        self.programs[owner] = program(
            self.folder, self.clock, owner=owner, pipeline=pipeline
        )
        self.turns.setdefault(owner, [])

    @rule(
        owner=st.sampled_from(OWNERS),
        session=st.sampled_from(SESSIONS),
        paths=st.lists(st.sampled_from("abcdefghijklmnop"), max_size=16),
    )
    def begin(self, owner: str, session: str, paths: list[str]) -> None:
        self.number += 1
        text = f"What is number {self.number}?"
        turn = self.programs[owner].begin_turn(
            f"{owner} {session}", "ordinary", "chat", text, paths
        )
        assert turn is not None
        assert turn.scope_paths == tuple(dict.fromkeys(paths))[:10]
        self.turns[owner].append(turn)
        self.said[turn.id] = text

    @rule(owner=st.sampled_from(OWNERS), data=st.data())
    def complete(self, owner: str, data: st.DataObject) -> None:
        turn = self._some_turn(owner, data)
        if turn is not None:
            answer = f"It is {turn.user_text[15:]}"
            ended = self.programs[owner].complete_turn(turn, answer)
            if ended is not None:
                assert turn.id not in self.completed
                self.completed[turn.id] = answer

    @rule(owner=st.sampled_from(OWNERS), data=st.data())
    def fail(self, owner: str, data: st.DataObject) -> None:
        turn = self._some_turn(owner, data)
        if turn is not None:
            self.programs[owner].fail_turn(turn, "FAILED")

    @rule(owner=st.sampled_from(OWNERS), data=st.data())
    def ask(self, owner: str, data: st.DataObject) -> None:
        turn = self._some_turn(owner, data)
        if turn is None:
            return
        with self.programs[owner].open_request(turn) as request:
            if not request.is_open:
                return
            known = [one.turn_id for one in request.history()]
            with memory_at(self.folder, self.clock, owner="looker") as store:
                rows = store.db.execute(
                    "SELECT id FROM turns WHERE thread_id = ?"
                    " AND state = 'completed' ORDER BY sequence",
                    (turn.thread_id,),
                ).fetchall()
            assert known == [row["id"] for row in rows]

    @rule(owner=st.sampled_from(OWNERS))
    def renew(self, owner: str) -> None:
        assert self.programs[owner].renew(f"{owner} s1") in {0, 1}

    @rule(owner=st.sampled_from(OWNERS))
    def begin_anew(self, owner: str) -> None:
        made = self.programs[owner].new_thread(wait=0)
        assert made.thread_id != made.archived_thread_id

    @precondition(lambda self: self.number > 3)
    @rule(owner=st.sampled_from(OWNERS))
    def clear(self, owner: str) -> None:
        self.programs[owner].clear(confirm=True, backup=False)
        self.said.clear()
        self.completed.clear()

    @rule(owner=st.sampled_from(OWNERS))
    def crash(self, owner: str) -> None:
        self.programs[owner].close()
        self.open(owner)

    @rule(minutes=st.sampled_from((-120, -1, 1, 31, 600)))
    def jump(self, minutes: int) -> None:
        self.clock.tick(timedelta(minutes=minutes))

    @rule()
    def work(self) -> None:
        self.programs["first"].flush(deadline=20)

    @rule(owner=st.sampled_from(OWNERS))
    def recover(self, owner: str) -> None:
        self.programs[owner].recover()

    @invariant()
    def holds(self) -> None:
        if not self.programs:
            return
        with memory_at(self.folder, self.clock, owner="looker") as store:
            threads = store.db.execute(
                "SELECT count(*) FROM threads WHERE status = 'active'"
            ).fetchone()[0]
            rows = store.db.execute("SELECT * FROM turns ORDER BY rowid").fetchall()
            queued = store.db.execute(
                "SELECT turn_id FROM memory_jobs WHERE kind = 'extraction'"
            ).fetchall()
            requests = store.db.execute(
                "SELECT count(*) FROM memory_requests"
            ).fetchone()[0]
        assert threads == 1
        assert {row["id"]: row["user_text"] for row in rows} == self.said
        done = {
            row["id"]: row["assistant_text"]
            for row in rows
            if row["state"] == "completed"
        }
        assert done == self.completed
        ended = [row["id"] for row in rows if row["state"] != "open"]
        assert sorted(row["turn_id"] for row in queued) == sorted(ended)
        open_sessions = [row["session_id"] for row in rows if row["state"] == "open"]
        assert len(open_sessions) == len(set(open_sessions))
        places = [(row["thread_id"], row["sequence"]) for row in rows]
        assert len(places) == len(set(places))
        assert requests == 0

    def teardown(self) -> None:
        for one in self.programs.values():
            one.close()
        shutil.rmtree(self.folder)

    def _some_turn(self, owner: str, data: st.DataObject) -> Turn | None:
        known = self.turns[owner]
        return data.draw(st.sampled_from(known)) if known else None


@pytest.mark.requirement(
    "M1.0(c)",
    "M1.5(a)",
    "M1.5(b)",
    "M1.6(a)",
    "M2.0(a)",
    "M2.0(b)",
    "M2.3(a)",
    "M3.0(c)",
    "M4.0(a)",
    "C5",
)
def test_the_promises_hold_whatever_programs_do() -> None:
    from hypothesis.stateful import run_state_machine_as_test  # noqa: PLC0415

    run_state_machine_as_test(
        Programs,
        settings=settings(max_examples=12, stateful_step_count=25, deadline=None),
    )
