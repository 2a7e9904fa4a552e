"""A question asked at a real server: what is sent, and what comes of the answer."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentctx.llm.claude import open_model
from agentctx.llm.model import ModelSettings, Usage
from tests.agentctx.llm.asking import ANSWER, ASK, KEY, MODEL, SCHEMA, failure, model_at
from tests.agentctx.llm.fakeapi import Asked, FakeApi, Says

pytestmark = pytest.mark.requirement("A6.1")

ROOT = Path(__file__).parents[3]
COUNTS = {
    "input_tokens": 1000,
    "output_tokens": 100,
    "cache_read_input_tokens": 5000,
    "cache_creation_input_tokens": 2000,
}


def test_an_answer_is_json_with_what_it_cost() -> None:
    with FakeApi([Says(ANSWER, usage=COUNTS)]) as api:
        reply = model_at(api).complete(ASK)
    assert reply.value == ANSWER
    assert reply.usage == Usage(1000, 100, 5000, 2000)
    assert reply.model == MODEL
    dollars = (1000 * 0.10 + 100 * 0.50 + 5000 * 0.01 + 2000 * 0.125) / 1e6
    assert reply.cost_usd == pytest.approx(dollars)


def test_the_rules_end_with_a_mark_to_keep_them() -> None:
    with FakeApi([Says(ANSWER)]) as api:
        model_at(api).complete(ASK)
    (asked,) = api.asked
    assert asked.body["system"] == [
        {"type": "text", "text": ASK.system, "cache_control": {"type": "ephemeral"}}
    ]
    assert asked.body["max_tokens"] == ASK.max_tokens
    assert asked.body["thinking"] == {"type": "disabled"}
    assert asked.body["output_config"] == {
        "effort": "low",
        "format": {
            "type": "json_schema",
            "schema": {**SCHEMA, "additionalProperties": False},
        },
    }


def test_effort_is_not_asked_of_a_model_that_knows_none() -> None:
    with FakeApi([Says(ANSWER)]) as api:
        model_at(api, model="claude-haiku-4-5-20251001").complete(ASK)
    assert "effort" not in str(api.asked[0].body["output_config"])


def test_the_key_is_in_one_header_and_nowhere_else() -> None:
    with FakeApi([Says(ANSWER)], key=KEY) as api:
        model_at(api).complete(ASK)
    (asked,) = api.asked
    holders = [name for name, value in asked.headers.items() if KEY in value]
    assert holders == ["authorization"]
    assert KEY not in str(asked.body)


def test_the_key_given_wins_over_every_other_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another-key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "a-token")
    monkeypatch.setenv("ANTHROPIC_PROFILE", "somebody")
    monkeypatch.setenv(
        "ANTHROPIC_CUSTOM_HEADERS", "authorization: Bearer a-third\nX-Team: weather"
    )
    with FakeApi([Says(ANSWER)]) as api:
        model_at(api).complete(ASK)
    assert api.asked[0].key == KEY
    assert api.asked[0].headers["x-team"] == "weather"


def test_thoughts_before_the_answer_are_no_part_of_it() -> None:
    with FakeApi([Says(ANSWER, thinking='{"facts": ["none"]}')]) as api:
        assert model_at(api).complete(ASK).value == ANSWER


@pytest.mark.parametrize(
    "unknown",
    [
        pytest.param(["effort"], id="effort"),
        pytest.param(["thinking"], id="thinking"),
        pytest.param(["format"], id="the schema"),
        pytest.param(["output_config"], id="both of output_config"),
        pytest.param(["output_config", "thinking"], id="every one"),
    ],
)
def test_a_field_that_a_gateway_does_not_know_is_left_out_from_then_on(
    unknown: list[str],
) -> None:
    with FakeApi([Says(ANSWER)], unknown=unknown) as api:
        model = model_at(api)
        assert model.complete(ASK).value == ANSWER
        learning = len(api.asked)
        assert model.complete(ASK).value == ANSWER
        assert len(api.asked) == learning + 1
    last = api.asked[-1]
    assert ("thinking" in last.body) == ("thinking" not in unknown)
    has_schema = "format" in str(last.body.get("output_config"))
    assert has_schema == (not {"format", "output_config"} & set(unknown))
    assert ("JSON Schema" in last.system) == (not has_schema)


def test_a_gateway_that_does_not_say_which_field_gets_the_plain_form() -> None:
    def older(asked: Asked) -> Says:
        fancy = {"output_config", "thinking"} & set(asked.body)
        return Says(status=422, body="no") if fancy else Says(ANSWER)

    with FakeApi(older) as api:
        model = model_at(api)
        assert model.complete(ASK).value == ANSWER
        assert model.complete(ASK).value == ANSWER
    assert len(api.asked) == 3


def test_a_question_that_no_form_helps_changes_nothing_for_the_next() -> None:
    def picky(asked: Asked) -> Says:
        return Says(ANSWER) if "good" in asked.text else Says(status=400, body="no")

    with FakeApi(picky) as api:
        model = model_at(api)
        assert failure(model).code == "MODEL_INPUT"
        assert model.complete(ASK._replace(text="good")).value == ANSWER
    assert "output_config" in api.asked[-1].body


def test_a_prompt_that_is_too_long_is_asked_only_once() -> None:
    long = Says(status=400, message="prompt is too long: 250000 tokens > 200000")
    with FakeApi([long]) as api:
        assert failure(model_at(api)).code == "MODEL_INPUT"
    assert len(api.asked) == 1


def test_half_a_surrogate_is_sent_as_a_question_mark() -> None:
    with FakeApi([Says(ANSWER)]) as api:
        ask = ASK._replace(system="a\ud800b", text="c\udfffd")
        assert model_at(api).complete(ask).value == ANSWER
    assert (api.asked[0].system, api.asked[0].text) == ("a?b", "c?d")


def test_four_at_once_get_each_its_own_answer() -> None:
    def echo(asked: Asked) -> Says:
        return Says({"facts": [asked.text]}, wait=0.02)

    with FakeApi(echo) as api, ThreadPoolExecutor(8) as threads:
        model = model_at(api)
        asks = [ASK._replace(text=f"question {number}") for number in range(32)]
        replies = list(threads.map(model.complete, asks))
    assert [reply.value for reply in replies] == [{"facts": [ask.text]} for ask in asks]


def test_a_model_that_is_nearly_retired_is_asked_without_a_word() -> None:
    with FakeApi([Says(ANSWER)]) as api:  # a warning would be an error here
        assert model_at(api, model="claude-sonnet-4-5").complete(ASK).value == ANSWER


def test_nothing_is_printed_whatever_the_environment_says() -> None:
    with FakeApi([Says(ANSWER)]) as api:
        run = subprocess.run(
            [sys.executable, "-W", "always", "-c", _ONE_QUESTION],
            cwd=ROOT,
            env={
                **os.environ,
                "ANTHROPIC_LOG": "debug",
                "ANTHROPIC_API_KEY": KEY,
                "ANTHROPIC_AUTH_TOKEN": "a-token",
                "ANTHROPIC_BASE_URL": api.url,
                "PYTHONPATH": str(ROOT),
            },
            capture_output=True,
            check=True,
            timeout=60,
        )
    assert (run.stdout, run.stderr) == (b"", b"")
    assert api.asked[0].key == KEY


def test_the_sdk_is_not_loaded_before_the_first_question() -> None:
    code = (
        "import sys, agentctx.llm.claude as c; from agentctx.llm.model import *;"
        "c.open_model(ModelSettings('m'), key='k');"
        "print({'anthropic', 'httpx', 'httpx2'} & set(sys.modules))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert (run.stdout, run.stderr) == (b"set()\n", b"")


def test_the_loopback_is_never_reached_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _only_proxy(monkeypatch, "http://127.0.0.1:9")
    with FakeApi([Says(ANSWER)]) as api:
        assert model_at(api).complete(ASK).value == ANSWER


def test_another_place_is_reached_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with FakeApi([Says(ANSWER)]) as api:
        _only_proxy(monkeypatch, api.url)
        model = model_at("http://models.example.invalid")
        assert model.complete(ASK).value == ANSWER
    assert api.asked[0].headers["host"] == "models.example.invalid"


@pytest.mark.parametrize(
    "proxy", ["nonsense://somewhere:1", "http://[", "socks5://127.0.0.1:9"]
)
def test_a_proxy_that_cannot_be_used_is_a_failure_that_does_not_name_it(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    _only_proxy(monkeypatch, proxy)
    error = failure(model_at("http://models.example.invalid"))
    assert error.code == "MODEL_DOWN"
    assert proxy not in str(error)
    assert error.__context__ is None


def test_the_model_says_its_name_and_hides_its_key() -> None:
    with FakeApi([Says(ANSWER)]) as api:
        model = model_at(api)
        model.complete(ASK)
    assert model.name == MODEL
    assert KEY not in repr(model)


def test_without_another_place_it_is_the_public_one() -> None:
    model = open_model(ModelSettings(MODEL), key=KEY)
    assert model.most_cost(ASK) > 0


def _only_proxy(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, url)


_ONE_QUESTION = """
from agentctx.config import environment
from agentctx.llm.access import key_and_place
from agentctx.llm.claude import open_model
from agentctx.llm.model import Ask, ModelSettings

key, place = key_and_place(environment())
model = open_model(ModelSettings("claude-sonnet-4-5"), key=key, base_url=place)
model.complete(Ask("rules", "text", {"type": "object"}, 100, "test"))
"""
