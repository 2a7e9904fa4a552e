"""What goes wrong with the service: a retry, an end, or no claim used at all."""

from __future__ import annotations

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from agentctx.config import write_setting
from agentctx.errors import ContextProfileError
from agentctx.extraction.asking import Caps
from agentctx.extraction.memory.opening import open_pipeline
from agentctx.memory.jobs import LEASE, count_call
from agentctx.memory.running import run_pipeline
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails
from tests.agentctx.memory.memories import files, memory_at, say, take
from tests.agentctx.memory.pipeline.minds import (
    Mind,
    extracted,
    minding,
    remembering,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.extraction.memory.modelled import ModelPipeline
    from agentctx.memory.store import MemoryStore
    from agentctx.records.store import Store
    from tests.recorded import Ticking

LATER = timedelta(seconds=10)


@pytest.mark.requirement("M4.7(a)", "M4.7(b)", "M10.2(a)", "M10.2(b)", "M10.3(b)")
@pytest.mark.parametrize(
    ("answer", "named", "rule"),
    [
        (fails(529), "provider_transient", "model_busy"),
        (fails(429), "provider_transient", "model_busy"),
        (fails(500), "provider_transient", "model_down"),
        (fails(409), "provider_transient", "model_down"),
        (Says(extracted(), cut=20), "provider_transient", "model_reply"),
        (Says(body="{}"), "provider_transient", "model_reply"),
        (Says(body="<p>gateway</p>"), "provider_transient", "model_reply"),
    ],
    ids=["529", "429", "500", "409", "cut off", "no message", "no JSON"],
)
def test_what_may_pass_is_tried_once_more_and_then_ended(
    memory: MemoryStore,
    store: Store,
    clock: Ticking,
    answer: Says,
    named: str,
    rule: str,
) -> None:
    say(memory)
    with minding(memory, store, [answer]) as mind:
        ran = mind.run()
        assert (ran.retrying, ran.failed, len(mind.asked)) == (1, 0, 1)
        assert mind.diagnosis() == ("retry_wait", named, "call", "primary", rule)
        clock.tick(LATER)
        ran = mind.run()
        assert (ran.retrying, ran.failed, len(mind.asked)) == (0, 1, 2)
        assert mind.diagnosis() == ("failed", named, "call", "primary", rule)
        assert mind.jobs("completed_at IS NULL, claim_count") == [(0, 2)]
        clock.tick(LATER)
        assert mind.run().failed == 0
        assert len(mind.asked) == 2


@pytest.mark.requirement("M10.2(b)")
def test_the_next_run_takes_up_what_waited(
    memory: MemoryStore, store: Store, clock: Ticking
) -> None:
    answers = iter([fails(529)])
    say(memory)
    with minding(
        memory, store, lambda asked: next(answers, None) or remembering(asked)
    ) as mind:
        assert mind.run().retrying == 1
        clock.tick(LATER)
        assert mind.run().succeeded == 2


@pytest.mark.requirement("M4.7(a)")
def test_our_own_time_limit_is_told_as_such(memory: MemoryStore, store: Store) -> None:
    say(memory)
    with minding(memory, store, [Says(hang=True)]) as mind:
        mind.settings |= {"timeout": 0.3, "attempt": 0.3}
        assert mind.run().retrying == 1
        assert mind.diagnosis()[1] == "provider_timeout"


@pytest.mark.requirement("M10.3(a)")
@pytest.mark.parametrize(
    ("status", "ends"),
    [(400, None), (413, None), (401, "MODEL_KEY"), (402, "MODEL_MONEY")],
)
def test_what_will_not_pass_ends_the_job_at_once(
    memory: MemoryStore,
    store: Store,
    status: int,
    ends: str | None,
) -> None:
    say(memory, "One.", "s1")
    say(memory, "Two.", "s2")
    with minding(memory, store, [fails(status, message="too long")]) as mind:
        ran = mind.run()
        named = [row[0] for row in mind.jobs("failure_class")]
    assert ran.failed == (1 if ends else 2)
    assert ran.waiting == ends
    assert named == ["provider_permanent", None if ends else "provider_permanent"]


@pytest.mark.requirement("M4.6(a)", "M4.7(b)")
def test_a_job_asks_three_times_at_most_and_is_mended_once(
    memory: MemoryStore, store: Store, clock: Ticking
) -> None:
    say(memory)
    with minding(memory, store, [fails(529), Says([])]) as mind:
        assert mind.run().retrying == 1
        clock.tick(LATER)
        assert mind.run().failed == 1
        assert len(mind.asked) == 3
        assert mind.diagnosis()[1:4] == ("contract_structure", "parse", "repair")
        assert mind.jobs("claim_count, provider_calls") == [(2, 3)]


def test_a_job_that_was_mended_in_a_lost_claim_is_not_mended_again(
    memory: MemoryStore, store: Store, clock: Ticking
) -> None:
    say(memory)
    batch = take(memory)
    for _ in range(2):
        with memory.writing() as writing:
            count_call(writing, batch)
    clock.tick(LEASE + LATER)
    with minding(memory, store, [Says([])]) as mind:
        assert mind.run().failed == 1
        assert len(mind.asked) == 1
        assert mind.diagnosis()[1:4] == ("contract_structure", "parse", "primary")


def test_waiting_for_work_writes_nothing(
    project: Path, memory: MemoryStore, store: Store
) -> None:
    pauses: list[float] = []
    with minding(memory, store) as mind:
        before = files(project)
        mind.run(waits=True, stops=lambda: len(pauses) > 3, pause=pauses.append)
    assert files(project) == before


def test_while_waiting_what_is_said_is_taken_up_when_it_is_due(
    memory: MemoryStore, store: Store, clock: Ticking
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        if not pauses:
            say(memory)
        pauses.append(seconds)
        clock.tick(LATER)

    with minding(memory, store) as mind:
        ran = mind.run(waits=True, stops=lambda: len(pauses) > 6, pause=pause)
    assert ran.succeeded == 2


def unused_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_service_that_cannot_be_reached_uses_no_claim(
    memory: MemoryStore, store: Store
) -> None:
    say(memory, "One.", "s1")
    say(memory, "Two.", "s2")
    for _ in range(4):
        ran = Mind(memory, store, unused_port()).run()
        assert ran.waiting == "MODEL_DOWN"
    mind = Mind(memory, store, "")
    assert mind.jobs("status, claim_count, provider_calls") == [("pending", 0, 0)] * 2


@pytest.mark.parametrize(
    ("caps", "code"),
    [
        (Caps(10.0, 0.0001), "SPEND_DAY"),
        (Caps(0.0001, 10.0), "SPEND_SESSION"),
    ],
    ids=["day", "session"],
)
def test_at_a_cap_jobs_stay_as_they_are(
    memory: MemoryStore, store: Store, caps: Caps, code: str
) -> None:
    say(memory, "One.", "s1")
    say(memory, "Two.", "s2")
    with minding(memory, store) as mind:
        mind.caps = caps
        for _ in range(3):
            ran = mind.run()
            assert (ran.succeeded, ran.failed, ran.waiting) == (0, 0, code)
        assert mind.asked == ()
    assert mind.jobs("status, claim_count, provider_calls") == [("pending", 0, 0)] * 2


def test_one_cap_holds_for_records_and_memory(
    memory: MemoryStore, store: Store
) -> None:
    say(memory)
    with minding(memory, store) as mind:
        mind.run()
        query = "SELECT purpose, outcome, session_id, cost_usd > 0 FROM model_calls"
        assert [tuple(row) for row in store.db.execute(f"{query} ORDER BY at")] == [
            ("memory_extract", "answered", "s1", 1),
            ("memory_consolidate", "answered", "s1", 1),
        ]


def test_a_session_at_its_cap_holds_up_no_other(
    memory: MemoryStore, store: Store
) -> None:
    with minding(memory, store, [Says(extracted())]) as mind:
        say(memory, "Something to spend on.", "s1")
        mind.run()
        spent = store.db.execute("SELECT sum(cost_usd) FROM model_calls").fetchone()[0]
        say(memory, "More of the same.", "s1")
        say(memory, "Another session.", "s2")
        mind.caps = Caps(_most(mind) + spent / 2, 10.0)
        ran = mind.run()
    assert ran.empty == 1
    assert [row[0] for row in mind.jobs("status")] == [
        "succeeded_no_output",
        "pending",
        "succeeded_no_output",
    ]


def _most(mind: Mind) -> float:
    """Give what a question of this size is reserved for, with a little room."""
    from agentctx.extraction.memory.modelled import (  # noqa: PLC0415 - its one use
        EXTRACTION_FORM,
    )
    from tests.agentctx.llm.asking import model_at  # noqa: PLC0415 - the same

    ask = EXTRACTION_FORM._replace(text=max(one.text for one in mind.asked))
    return model_at(mind.api, retries=0).most_cost(ask) * 1.002


def test_a_lease_that_ran_out_in_the_middle_is_taken_up_with_its_counts(
    memory: MemoryStore, store: Store, clock: Ticking
) -> None:
    say(memory)
    take(memory)
    clock.tick(LEASE + LATER)
    with minding(memory, store) as mind:
        assert mind.run().succeeded == 2
        assert mind.jobs("claim_count")[0] == (2,)


def test_without_a_key_or_a_known_model_there_is_no_pipeline(
    tmp_path: Path, clock: Ticking
) -> None:
    home = tmp_path / "home"

    def opened(**environ: str) -> ModelPipeline | None:
        return open_pipeline(str(home), environ, clock=clock, random=os.urandom)

    assert opened() is None
    assert opened(ANTHROPIC_API_KEY="a key") is None
    assert opened(ANTHROPIC_API_KEY="sk-x", ANTHROPIC_BASE_URL="ftp://x") is None
    assert opened(ANTHROPIC_API_KEY="sk-x") is not None
    write_setting(str(home), "model", "a-model-of-nobody")
    with pytest.raises(ContextProfileError):
        opened(ANTHROPIC_API_KEY="sk-x")
    write_setting(str(home), "llm", value=False)
    assert opened(ANTHROPIC_API_KEY="sk-x") is None


@pytest.mark.requirement("M10.1")
def test_a_pipeline_of_the_settings_may_be_used_by_another_thread(
    memory: MemoryStore, project: Path, tmp_path: Path, clock: Ticking
) -> None:
    say(memory)
    home = str(tmp_path / "home")
    with FakeApi(remembering) as api, ThreadPoolExecutor() as pool:
        pipeline = open_pipeline(
            home,
            {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": api.url},
            clock=clock,
            random=os.urandom,
        )
        assert pipeline is not None

        def work() -> int:
            with memory_at(project, clock) as own:
                return run_pipeline(own, pipeline).succeeded

        assert pool.submit(work).result() == 2
        assert all(one.body["max_tokens"] == 8_192 for one in api.asked)
