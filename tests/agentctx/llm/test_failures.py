"""Every way in which a model can fail, as one of our errors, within its time."""

from __future__ import annotations

import os
import time
import traceback
from typing import TYPE_CHECKING

import pytest

from agentctx.llm.model import Usage
from tests.agentctx.llm.asking import (
    ANSWER,
    ASK,
    KEY,
    SECRET_WORDS,
    Waits,
    failure,
    model_at,
)
from tests.agentctx.llm.fakeapi import Asked, FakeApi, Says, fails

if TYPE_CHECKING:
    from agentctx.errors import ModelError

pytestmark = pytest.mark.requirement("A6.1")

ECHO = f"{KEY} said {SECRET_WORDS} of output_config"
"""What a hostile or clumsy service may write into its answer."""

STATUSES = [
    (301, "MODEL_REPLY", 1),
    (307, "MODEL_REPLY", 1),
    (400, "MODEL_INPUT", 3),  # in two plainer forms
    (401, "MODEL_KEY", 1),
    (402, "MODEL_MONEY", 1),
    (403, "MODEL_KEY", 1),
    (404, "MODEL_UNKNOWN", 1),
    (408, "MODEL_DOWN", 3),
    (409, "MODEL_DOWN", 3),
    (413, "MODEL_INPUT", 1),
    (418, "MODEL_INPUT", 1),
    (422, "MODEL_INPUT", 3),
    (429, "MODEL_BUSY", 3),
    (500, "MODEL_DOWN", 3),
    (503, "MODEL_DOWN", 3),
    (529, "MODEL_BUSY", 3),
    (599, "MODEL_DOWN", 3),
]


def told(error: ModelError) -> str:
    """Give everything that an error says of itself, and of what it came from."""
    chain = "".join(traceback.format_exception(error))
    return f"{error!r} {error} {error.facts} {error.hint} {vars(error)} {chain}"


@pytest.mark.parametrize(("status", "code", "requests"), STATUSES)
def test_a_status_has_its_error_and_is_tried_again_where_that_may_help(
    status: int, code: str, requests: int
) -> None:
    answer = Says(status=status, message=ECHO, headers={"location": "/elsewhere"})
    with FakeApi([answer]) as api:
        error = failure(model_at(api, model="claude-haiku-4-5"))
    assert error.code == code
    assert len(api.asked) == requests
    assert error.cost_usd == 0
    assert error.retryable == (code in {"MODEL_BUSY", "MODEL_DOWN", "MODEL_REPLY"})
    assert KEY not in told(error)
    assert SECRET_WORDS not in told(error)
    assert error.__context__ is None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Says(ANSWER, text="certainly! {}"), id="prose"),
        pytest.param(Says(ANSWER, text=""), id="no text"),
        pytest.param(Says(ANSWER, text='{"a": NaN}'), id="NaN"),
        pytest.param(Says(ANSWER, text='{"a": 1, "a": 2}'), id="a repeated key"),
        pytest.param(Says(ANSWER, text="[" * 5000), id="too deep"),
        pytest.param(Says(ANSWER, text='"\\ud800"'), id="half a surrogate"),
        pytest.param(Says(ANSWER, text="9" * 400), id="a number without end"),
        pytest.param(Says("x" * (1024 * 1024)), id="too large"),
        pytest.param(Says(ANSWER, stop_reason=None), id="no reason to stop"),
        pytest.param(Says(ANSWER, stop_reason="tool_use"), id="a tool"),
        pytest.param(Says(ANSWER, stop_reason="pause_turn"), id="a pause"),
    ],
)
def test_an_answer_that_is_no_use_has_cost_all_the_same(answer: Says) -> None:
    usage = {"input_tokens": 10, "output_tokens": 20}
    with FakeApi([answer._replace(usage=usage)]) as api:
        error = failure(model_at(api))
    assert error.code == "MODEL_REPLY"
    assert error.usage == Usage(10, 20, 0, 0)
    assert error.cost_usd == pytest.approx((10 * 0.10 + 20 * 0.50) / 1e6)
    assert len(api.asked) == 1


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("max_tokens", "MODEL_TRUNCATED"),
        ("refusal", "MODEL_REFUSED"),
        ("model_context_window_exceeded", "MODEL_INPUT"),
    ],
)
def test_why_it_stopped_is_looked_at_before_what_it_says(
    reason: str, code: str
) -> None:
    with FakeApi([Says(ANSWER, stop_reason=reason)]) as api:
        error = failure(model_at(api))
    assert error.code == code
    assert not error.retryable
    assert error.cost_usd > 0
    assert Usage(*error.usage).output_tokens > 0


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        "null",
        "[]",
        '"text"',
        '{"type": "message"',
        '{"type": "error", "error": {"message": "no"}}',
        '{"type": "message", "content": {}, "stop_reason": "end_turn"}',
        (
            '{"type": "message", "content": [1, null, {"type": "text", "text": 5}],'
            ' "stop_reason": "end_turn", "usage": []}'
        ),
        '{"type": "message", "content": [], "stop_reason": ["end_turn"]}',
        "[" * 100_000,
        "\x00\x01\x02",
    ],
    ids=range(12),
)
def test_a_body_that_is_no_message_costs_what_it_may_have_cost(body: str) -> None:
    with FakeApi([Says(body=body)]) as api:
        model = model_at(api)
        error = failure(model)
    assert error.code == "MODEL_REPLY"
    assert 0 < error.cost_usd <= model.most_cost(ASK)


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"input_tokens": -1, "output_tokens": 1},
        {"input_tokens": True, "output_tokens": 1},
        {"input_tokens": "7", "output_tokens": 1},
        {"input_tokens": 10**18, "output_tokens": 1},
        {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 0.5},
    ],
    ids=range(6),
)
def test_counts_that_cannot_be_are_replaced_by_the_most(
    counts: dict[str, object],
) -> None:
    with FakeApi([Says(ANSWER, usage=counts)]) as api:
        model = model_at(api, retries=0)
        reply = model.complete(ASK)
    assert reply.usage == Usage(0, 0, 0, 0)
    assert reply.cost_usd == pytest.approx(model.most_cost(ASK))


def test_a_page_instead_of_json_is_not_the_service_and_costs_nothing() -> None:
    portal = Says(body="<html>log in</html>", content_type="text/html; charset=utf-8")
    with FakeApi([portal]) as api:
        error = failure(model_at(api))
    assert (error.code, error.cost_usd) == ("MODEL_REPLY", 0)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Says(body="x" * (5 * 1024 * 1024)), id="an endless answer"),
        pytest.param(
            Says(status=500, body="x" * (5 * 1024 * 1024)), id="an endless failure"
        ),
        pytest.param(Says(ANSWER, headers={"content-encoding": "gzip"}), id="packed"),
    ],
)
def test_no_more_is_read_than_an_answer_can_have(answer: Says) -> None:
    with FakeApi([answer]) as api:
        assert failure(model_at(api)).code == "MODEL_REPLY"


def test_an_answer_that_breaks_off_is_asked_for_once_more() -> None:
    with FakeApi([Says(ANSWER, cut=20)]) as api:
        model = model_at(api)
        error = failure(model)
    assert error.code == "MODEL_REPLY"
    assert len(api.asked) == 2
    assert error.cost_usd == pytest.approx(model.most_cost(ASK))


def test_an_attempt_that_was_lost_is_part_of_what_the_answer_cost() -> None:
    usage = {"input_tokens": 0, "output_tokens": 0}
    with FakeApi([Says(ANSWER, cut=20), Says(ANSWER, usage=usage)]) as api:
        model = model_at(api)
        reply = model.complete(ASK)
    assert reply.value == ANSWER
    assert reply.cost_usd == pytest.approx(model.most_cost(ASK) / 2)


def test_nobody_there_is_tried_again_and_costs_nothing() -> None:
    waits = Waits()
    with FakeApi([Says(ANSWER)]) as api:
        gone = api.url
    error = failure(model_at(gone, waits))
    assert (error.code, error.cost_usd) == ("MODEL_DOWN", 0)
    assert waits.seconds == [0.5, 1.0]


@pytest.mark.parametrize(
    "slow",
    [
        pytest.param(Says(hang=True), id="no answer"),
        pytest.param(Says(ANSWER, drip=0.05), id="a byte of the body now and then"),
        pytest.param(Says(ANSWER, drip_head=0.05), id="a byte of the head"),
    ],
)
def test_the_time_of_an_attempt_ends_whatever_the_service_does(slow: Says) -> None:
    with FakeApi([slow]) as api:
        model = model_at(api, attempt=0.3, retries=0)
        began = time.monotonic()
        error = failure(model)
        lasted = time.monotonic() - began
    assert error.code == "MODEL_TIMEOUT"
    assert error.cost_usd == pytest.approx(model.most_cost(ASK))
    assert lasted < 6  # the SDK's import may be part of it


def test_after_a_timeout_the_question_is_asked_once_more() -> None:
    with FakeApi([Says(hang=True), Says(ANSWER)]) as api:
        assert model_at(api, attempt=0.3).complete(ASK).value == ANSWER
        api_asked = len(api.asked)
    assert api_asked == 2


def test_no_other_form_is_tried_when_the_time_is_over() -> None:
    waits = Waits()

    def slowly(_: Asked) -> Says:
        waits.now += 40
        return fails(400)

    with FakeApi(slowly) as api:
        assert failure(model_at(api, waits)).code == "MODEL_TIMEOUT"
    assert len(api.asked) == 1


def test_waits_grow_and_are_no_longer_than_the_whole_may_last() -> None:
    waits = Waits()
    with FakeApi([fails(503)]) as api:
        failure(model_at(api, waits, retries=20, timeout=20.0))
    assert waits.seconds == [0.5, 1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("asked", "waited", "told_later"),
    [
        pytest.param("3", [3.0, 3.0], 3.0, id="seconds"),
        pytest.param("0.25", [0.25, 0.25], 0.25, id="part of one"),
        pytest.param("0", [0.5, 1.0], None, id="none"),
        pytest.param("-5", [0.5, 1.0], None, id="less than none"),
        pytest.param("nan", [0.5, 1.0], None, id="no number"),
        pytest.param("soon", [0.5, 1.0], None, id="a word"),
        pytest.param("Mon, 30 Nov 2026 18:01:99 GMT", [0.5, 1.0], None, id="no moment"),
        pytest.param("3600", [], 3600.0, id="too long to wait here"),
        pytest.param("inf", [], 86400.0, id="for ever"),
    ],
)
def test_a_busy_service_says_when_to_come_back(
    asked: str, waited: list[float], told_later: float | None
) -> None:
    waits = Waits()
    with FakeApi([fails(429, retry_after=asked)]) as api:
        error = failure(model_at(api, waits))
    assert waits.seconds == waited
    assert error.retry_after == told_later


def test_a_moment_to_come_back_counts_from_the_services_own_clock() -> None:
    headers = {
        "retry-after": "Mon, 30 Nov 2026 18:00:07 GMT",
        "date": "Mon, 30 Nov 2026 18:00:00 GMT",
    }
    waits = Waits()
    cut = Says(status=429, headers=headers, cut=0)  # no second date of the server's own
    with FakeApi([cut._replace(cut=10_000), Says(ANSWER)]) as api:
        model_at(api, waits).complete(ASK)
    assert waits.seconds == [7.0]


def test_a_service_that_says_not_to_try_again_is_obeyed() -> None:
    answer = Says(status=529, headers={"x-should-retry": "false"})
    with FakeApi([answer]) as api:
        assert failure(model_at(api)).code == "MODEL_BUSY"
    assert len(api.asked) == 1


def test_an_account_without_credit_is_no_bad_question() -> None:
    message = "Your credit balance is too low to access the API"
    with FakeApi([fails(400, message=message)]) as api:
        assert failure(model_at(api)).code == "MODEL_MONEY"
    assert len(api.asked) == 1


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(f"X Odd: {KEY}", id="a name with a space"),
        pytest.param(f"X-Odd: {KEY}\r{KEY}", id="a line end"),
        pytest.param(os.fsdecode(b"X-Odd: \xff") + KEY, id="no text"),
    ],
)
def test_a_header_that_cannot_be_sent_is_told_without_it(
    monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", header)
    with FakeApi([Says(ANSWER)]) as api:
        error = failure(model_at(api))
    assert error.code == "MODEL_DOWN"
    assert KEY not in told(error)


@pytest.mark.parametrize(
    "body",
    [
        "[1]",
        "null",
        '"words"',
        '{"error": "words"}',
        '{"error": {"type": [1], "message": {"a": 1}, "details": [[]]}}',
        '{"error": {"details": {"error_code": 5}}}',
        '{"error":' * 900 + "1" + "}" * 900,
        '{"error": {"details": ' + '{"error_code":' * 900 + "1" + "}" * 902,
        "[" * 100_000,
        "\ud7ff\x00",
    ],
    ids=range(10),
)
def test_a_failure_in_any_words_is_the_failure_of_its_status(body: str) -> None:
    with FakeApi([Says(status=403, body=body)]) as api:
        assert failure(model_at(api)).code == "MODEL_KEY"


def test_a_status_below_all_others_is_no_answer() -> None:
    with FakeApi([Says(status=204, body="")]) as api:
        assert failure(model_at(api)).code == "MODEL_REPLY"
