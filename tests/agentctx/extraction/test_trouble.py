"""What went wrong with a model is told by its own code (A4.1, A6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.failures import last_failures
from agentctx.records.transcripts import Source, hear, heard
from tests.agentctx.extraction.conftest import decision, found
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from tests.agentctx.extraction.conftest import Sessions

SAID = "Let's store readings in UTC everywhere."


@pytest.mark.requirement("A4.1", "A6.1", "A6.3")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        pytest.param(fails(400), "MODEL_INPUT", id="a question that is refused"),
        pytest.param(fails(429, retry_after="9999"), "MODEL_BUSY", id="a busy service"),
        pytest.param(Says(text="No."), "MODEL_REPLY", id="no JSON"),
        pytest.param(
            Says(text="{", stop_reason="max_tokens"), "MODEL_TRUNCATED", id="cut"
        ),
        pytest.param(Says({"hello": 1}), "REPLY_SHAPE", id="another shape"),
    ],
)
def test_a_failure_of_the_model_is_in_the_log_and_on_the_session(
    sessions: Sessions, answer: Says, code: str
) -> None:
    said = sessions.session().turn(SAID)
    with FakeApi([answer]) as api:
        sessions.ask(api)
        sessions.hear(said, ended=True)
        done = sessions.work(seconds=5)
    assert set(done.problems) == {code}
    assert [one.code for one in last_failures(str(sessions.home))] == [code]
    with sessions.store() as store:
        known = heard(store.db, said.session)
    assert known is not None
    assert known.problem == code


@pytest.mark.requirement("A6.7", "A2.6")
def test_a_session_read_late_does_not_replace_the_handover_of_later_work(
    sessions: Sessions,
) -> None:
    work = {
        "current_task": "Mend the rain gauge",
        "blockers": [],
        "next_steps": [],
        "open_questions": [],
    }
    late = sessions.session("late").turn("Please mend the rain gauge")
    early = sessions.session("early").turn(SAID)
    before = sessions.clock()
    with FakeApi([Says(found(active_work=work))]) as api:
        sessions.ask(api)
        sessions.hear(late, ended=True)
        sessions.work()
    other = {**work, "current_task": "Store readings"}
    answer = found(decisions=[decision("Store readings in UTC")], active_work=other)
    with FakeApi([Says(answer)]) as api:
        sessions.ask(api)
        source = Source(
            "early", sessions.project.project_id, str(early.cwd), str(early.path)
        )
        with sessions.store() as store, store.writing() as tx:
            hear(tx, source, now=before, ended=True)
        sessions.work()
    assert sessions.yields("early") == {"handover_kept": 1, "stored": 1}
    (kept,) = sessions.records("handover")
    assert kept.session_id == "late"
