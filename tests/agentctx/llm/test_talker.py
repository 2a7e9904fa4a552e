"""A talk with a real server: words as they come, tools, costs, and what goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentctx.errors import ModelError, ModelInputError
from agentctx.llm.model import Usage
from agentctx.llm.talk import (
    Called,
    Results,
    Spoken,
    Talk,
    TalkStoppedError,
    Tool,
    ToolCall,
    ToolResult,
    overflows,
)
from agentctx.llm.talker import open_talker
from tests.agentctx.llm.asking import KEY, MODEL, USUAL, Waits
from tests.agentctx.llm.fakeapi import FakeApi, Says, fails

if TYPE_CHECKING:
    from typing import Any

    from agentctx.llm.talk import Talker

LOOK = Tool(
    "look",
    "Look for something.",
    {"type": "object", "properties": {"what": {"type": "string"}}},
)
TALK = Talk("You talk.", (Spoken("user", "Hello."),), (LOOK,), 500, "test")
COUNTS = {
    "input_tokens": 1000,
    "output_tokens": 100,
    "cache_read_input_tokens": 5000,
    "cache_creation_input_tokens": 2000,
}


def talker_at(api: FakeApi | str, waits: Waits | None = None, **changed: Any) -> Talker:  # noqa: ANN401 - fields of settings
    """Give a model that talks at this API and does not wait between attempts."""
    url = api if isinstance(api, str) else api.url
    pace = (Waits() if waits is None else waits).pace
    return open_talker(USUAL._replace(**changed), key=KEY, base_url=url, pace=pace)


def nobody(text: str) -> None:
    del text


def failure(talker: Talker, talk: Talk = TALK) -> ModelError:
    with pytest.raises(ModelError) as caught:
        talker.answer(talk, nobody)
    return caught.value


def test_words_are_heard_as_they_come_and_counted_at_the_end() -> None:
    heard: list[str] = []
    with FakeApi([Says(text="One two three four", usage=COUNTS)]) as api:
        said = talker_at(api).answer(TALK, heard.append)
    assert heard == ["One two", " three ", "four"]
    assert (said.text, said.calls, said.cut) == ("One two three four", (), False)
    assert said.usage == Usage(1000, 100, 5000, 2000)
    assert said.model == MODEL
    dollars = (1000 * 0.10 + 100 * 0.50 + 5000 * 0.01 + 2000 * 0.125) / 1e6
    assert said.cost_usd == pytest.approx(dollars)


def test_what_is_sent_is_what_was_said_in_order() -> None:
    call = ToolCall("call_7", "look", {"what": "tabs"})
    spoken = (
        Spoken("user", "Half \ud800 a mark"),
        Spoken("assistant", "Yes.", keep=True),
        Spoken("user", "Look."),
        Called("", (call,)),
        Results((ToolResult("call_7", "nothing", is_error=True),)),
    )
    with FakeApi([Says(text="I see.")], key=KEY) as api:
        talker_at(api).answer(TALK._replace(messages=spoken, may_call=False), nobody)
    (asked,) = api.asked
    kept = {"cache_control": {"type": "ephemeral"}}
    assert asked.body["system"] == [{"type": "text", "text": "You talk.", **kept}]
    assert asked.body["tools"] == [
        {"name": "look", "description": LOOK.about, "input_schema": LOOK.schema}
    ]
    assert asked.body["tool_choice"] == {"type": "none"}
    assert asked.body["thinking"] == {"type": "disabled"}
    assert asked.body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Half ? a mark"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes.", **kept}]},
        {"role": "user", "content": [{"type": "text", "text": "Look."}]},
        {
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": "call_7",
                    "name": "look",
                    "input": {"what": "tabs"},
                }
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "call_7",
                    "content": "nothing",
                    "is_error": True,
                }
            ],
        },
    ]
    assert KEY not in str(asked.body)


def test_calls_come_with_their_arguments_and_without_what_is_none() -> None:
    calls: list[tuple[str, object]] = [
        ("look", {"what": "tabs, \u00fcberall"}),
        ("look", "{broken"),
        ("look", "[1]"),
        ("look", ""),
    ]
    with FakeApi([Says(text="Wait.", thinking="Hm.", calls=calls)]) as api:
        said = talker_at(api).answer(TALK, nobody)
    assert said.text == "Wait."
    assert said.calls == (
        ToolCall("call_0", "look", {"what": "tabs, \u00fcberall"}),
        ToolCall("call_1", "look", None),
        ToolCall("call_2", "look", None),
        ToolCall("call_3", "look", {}),
    )


def test_an_answer_that_reaches_its_limit_is_cut_and_not_lost() -> None:
    long = Says(text="On and on", stop_reason="max_tokens")
    full = Says(text="On and", stop_reason="model_context_window_exceeded")
    with FakeApi([long, full, full._replace(text="")]) as api:
        talker = talker_at(api)
        assert talker.answer(TALK, nobody).cut
        assert talker.answer(TALK, nobody).cut
        error = failure(talker)
    assert isinstance(error, ModelInputError)
    assert overflows(error)


@pytest.mark.parametrize("said", [fails(529, retry_after="3"), fails(500)])
def test_what_costs_nothing_is_asked_again(said: Says) -> None:
    waits = Waits()
    with FakeApi([said, said, Says(text="Now.")]) as api:
        assert talker_at(api, waits).answer(TALK, nobody).text == "Now."
    assert len(waits.seconds) == 2
    with FakeApi([said]) as api:
        assert failure(talker_at(api)).cost_usd == 0
        assert len(api.asked) == 3


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (Says(text="Half of it", cut=700), "MODEL_REPLY"),
        (Says(text="Half of it", trouble="overloaded_error"), "MODEL_BUSY"),
        (Says(text="Half of it", trouble="api_error"), "MODEL_DOWN"),
        (Says(text="Half of it", trouble="rate_limit_error"), "MODEL_BUSY"),
        (Says(text="x", stop_reason="pause_turn"), "MODEL_REPLY"),
        (Says(text="x", stop_reason="tool_use"), "MODEL_REPLY"),
        (Says(text="x", stop_reason="refusal"), "MODEL_REFUSED"),
        (Says(body="event: message_start\ndata: {oops\n\n"), "MODEL_REPLY"),
        (Says(body='event: message_stop\ndata: {"a": 1}\n\n'), "MODEL_REPLY"),
        (Says(body=""), "MODEL_REPLY"),
    ],
)
def test_what_may_have_cost_is_counted_and_not_asked_again(
    said: Says, code: str
) -> None:
    with FakeApi([said]) as api:
        error = failure(talker_at(api))
        assert (error.code, len(api.asked)) == (code, 1)
    assert error.cost_usd > 0


def test_an_error_of_the_question_is_no_words_of_it() -> None:
    said = fails(400, message=f"prompt is too long: {KEY}")
    with FakeApi([said]) as api:
        error = failure(talker_at(api))
    assert isinstance(error, ModelInputError)
    assert overflows(error)
    assert KEY not in f"{error} {error.facts}"


def test_a_service_that_knows_no_thinking_is_asked_without_it() -> None:
    with FakeApi([Says(text="Yes.")], unknown=["thinking"]) as api:
        talker = talker_at(api)
        assert talker.answer(TALK, nobody).text == "Yes."
        assert talker.answer(TALK, nobody).text == "Yes."
    assert ["thinking" in one.body for one in api.asked] == [True, False, False]


def test_whoever_cannot_be_reached_is_no_cost() -> None:
    error = failure(talker_at("http://127.0.0.1:1"))
    assert (error.code, error.cost_usd, error.reached) == ("MODEL_DOWN", 0, "nobody")


def test_what_is_stopped_costs_what_was_heard() -> None:
    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with FakeApi([Says(text="A long story.")]) as api:
        talker = talker_at(api)
        with pytest.raises(TalkStoppedError) as caught:
            talker.answer(TALK._replace(max_tokens=100_000), stop)
        most = talker.most_cost(TALK._replace(max_tokens=100_000))
    assert 0 < caught.value.cost_usd < most / 10


def test_an_answer_that_hangs_is_ended() -> None:
    with FakeApi([Says(text="Wait for", stall=True)]) as api:
        heard: list[str] = []
        talker = talker_at(api, timeout=0.5, retries=0)
        with pytest.raises(ModelError) as caught:
            talker.answer(TALK, heard.append)
    assert (caught.value.code, heard) == ("MODEL_TIMEOUT", ["Wait fo", "r"])
    assert caught.value.cost_usd == pytest.approx(talker.most_cost(TALK))


def test_an_answer_that_is_no_stream_is_refused() -> None:
    body = '{"type": "message"}'
    said = Says(body=body, headers={"content-type": "application/json"})
    with FakeApi([said]) as api:
        assert failure(talker_at(api)).code == "MODEL_REPLY"
