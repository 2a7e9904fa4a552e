"""The parts of a model that ask nobody: access, prices, schema, estimate, answer."""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.errors import ModelError
from agentctx.llm.access import (
    Access,
    checked_key,
    checked_place,
    is_loopback,
    key_and_place,
)
from agentctx.llm.answer import read_answer
from agentctx.llm.model import Usage
from agentctx.llm.prices import (
    AS_OF,
    DEAREST,
    PRICES,
    SOURCE,
    cost_of,
    is_price_known,
    most_cost_of,
    price_of,
)
from agentctx.llm.question import narrowed
from corpus.tokens import injection_tokens, model_tokens
from tests.agentctx.llm.asking import ASK, KEY, model_at

pytestmark = pytest.mark.requirement("A6.1")

ROOT = Path(__file__).parents[3]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    max_leaves=20,
)


def test_what_is_empty_in_the_environment_is_not_set() -> None:
    assert key_and_place({}) == Access(None, None)
    spaces = {"ANTHROPIC_API_KEY": " ", "ANTHROPIC_BASE_URL": ""}
    assert key_and_place(spaces) == Access(None, None)


def test_only_the_key_is_a_key() -> None:
    environ = {"ANTHROPIC_AUTH_TOKEN": "a-token", "ANTHROPIC_PROFILE": "somebody"}
    assert key_and_place(environ).key is None


def test_a_line_end_behind_the_key_is_no_part_of_it() -> None:
    access = key_and_place({"ANTHROPIC_API_KEY": f"{KEY}\n"})
    assert access.key == KEY
    assert KEY not in repr(access)
    assert KEY not in str(access)


@pytest.mark.parametrize("key", ["", "a b", "a\nb", "schlüssel", "k" * 5000, "a\x00"])
def test_what_no_header_can_carry_is_no_key(key: str) -> None:
    with pytest.raises(ModelError) as caught:
        checked_key(key)
    assert caught.value.code == "MODEL_KEY"
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize(
    "place",
    [
        *("nowhere", "ftp://x", "https://", "http://a b", "http://[", "http://h:99999"),
        *("https://user:word@host", "https://h/?key=1", "https://h/#x", "http://h:0"),
        *("https://ü.example", "http://" + "h" * 3000, "//host", "http://@host"),
    ],
)
def test_what_is_no_address_of_a_service_is_refused(place: str) -> None:
    with pytest.raises(ModelError) as caught:
        model_at(place)
    assert caught.value.code == "MODEL_PLACE"
    assert place not in str(caught.value)


@pytest.mark.parametrize(
    ("place", "here"),
    [
        ("http://127.0.0.1:1/v", True),
        ("http://127.9.9.9", True),
        ("http://localhost:8080", True),
        ("http://LOCALHOST.", True),
        ("http://api.localhost", True),
        ("http://[::1]:5", True),
        ("https://api.anthropic.com", False),
        ("http://localhost.example.com", False),
        ("http://10.0.0.1", False),
        ("http://0.0.0.0", False),
    ],
)
def test_this_machine_is_told_from_others(place: str, here: bool) -> None:  # noqa: FBT001 - parametrized
    assert is_loopback(checked_place(place)) is here


def test_the_table_of_prices_is_dated_and_in_order() -> None:
    assert date.fromisoformat(AS_OF) > date(2026, 1, 1)
    for name, price in PRICES.items():
        assert 0 < price.cache_read < price.read < price.cache_write < price.written
        assert price_of(name) == price
        assert DEAREST.written >= price.written


def test_the_page_shows_the_prices_of_the_table() -> None:
    page = (ROOT / "docs" / "extraction.md").read_text(encoding="utf-8")
    rows = {
        tuple(cell.strip() for cell in line.split("|")[2:6])
        for line in page.splitlines()
        if line.startswith("| `claude-")
    }
    levels = [price.at(size) for price in PRICES.values() for size in (1, 10**9)]
    assert {tuple(map(float, row)) for row in rows} == {
        (one.read, one.written, one.cache_write, one.cache_read) for one in levels
    }
    assert AS_OF in page
    assert SOURCE in page


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("claude-haiku-4-5", "claude-haiku-4-5"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("claude-sonnet-5", "claude-sonnet-5"),
        ("claude-sonnet-5-5", "claude-sonnet-5-5"),
    ],
)
def test_a_date_behind_a_name_does_not_change_the_price(name: str, row: str) -> None:
    assert price_of(name) == PRICES[row]
    assert is_price_known(name)


@pytest.mark.parametrize(
    "name", ["claude-haiku-9", "claude-sonnet-5-6", "gpt", "", "claude-haiku-4-5-x"]
)
def test_a_model_that_is_not_known_costs_what_the_dearest_does(name: str) -> None:
    assert price_of(name) == DEAREST
    assert not is_price_known(name)


def test_prices_of_the_settings_come_first_where_they_are_prices() -> None:
    mine = price_of("claude-haiku-4-5", (2.0, 8.0))
    assert (mine.read, mine.written) == (2.0, 8.0)
    assert (mine.cache_write, mine.cache_read) == (2.5, 0.2)
    assert is_price_known("whatever", (2.0, 8.0))
    for wrong in ((-1.0, 2.0), (math.nan, 1.0), (1.0, math.inf)):
        assert price_of("whatever", wrong) == DEAREST
        assert not is_price_known("whatever", wrong)


def test_a_long_prompt_makes_every_token_dearer_cached_ones_too() -> None:
    price = PRICES["claude-haiku-5-5"]
    at_most = cost_of(Usage(0, 10, 100_000, 0), price)
    above = cost_of(Usage(0, 10, 100_000, 1), price)
    assert at_most == pytest.approx((100_000 * 0.01 + 10 * 0.50) / 1e6)
    assert above == pytest.approx((100_000 * 0.05 + 0.625 + 10 * 2.50) / 1e6)


@given(
    st.sampled_from(sorted(PRICES)),
    st.lists(st.integers(0, 300_000), min_size=4, max_size=4),
)
def test_no_answer_costs_more_than_the_most(name: str, counts: list[int]) -> None:
    usage = Usage(*counts)
    most = most_cost_of(usage.prompt_tokens, usage.output_tokens, PRICES[name])
    assert cost_of(usage, PRICES[name]) <= most * (1 + 1e-9)


def test_the_most_counts_an_attempt_that_is_lost() -> None:
    place = "https://models.example.invalid"
    once = model_at(place, retries=0).most_cost(ASK)
    assert model_at(place).most_cost(ASK) == pytest.approx(2 * once)
    longer = ASK._replace(max_tokens=ASK.max_tokens + 1_000_000)
    more = model_at(place, retries=0).most_cost(longer) - once
    assert more == pytest.approx(0.50)


@given(st.text(alphabet=st.characters(codec=None)))
def test_the_estimate_for_models_is_never_below_the_one_for_injections(
    text: str,
) -> None:
    assert model_tokens(text) >= injection_tokens(text)
    assert model_tokens(text) <= 1 + 2.6 * len(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 2),
        ("a" * 400, 130),
        ("1" * 400, 390),
        ("漢" * 100, 130),
        ("я" * 200, 130),
        ("😀" * 10, 26),
        ("a1漢я😀", 6),
    ],
)
def test_the_estimate_follows_its_formula(text: str, tokens: int) -> None:
    assert model_tokens(text) == tokens


def test_a_schema_is_told_in_the_words_the_api_takes() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "Facts",
        "properties": {
            "minimum": {"type": "integer", "minimum": 1, "description": "the least"},
            "facts": {
                "type": "array",
                "maxItems": 5,
                "items": {"type": "object", "properties": {}, "minProperties": 1},
            },
        },
        "$defs": {"kind": {"anyOf": [{"type": "string", "maxLength": 9}, True]}},
    }
    assert narrowed(schema) == {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "description": "the least (minimum: 1)"},
            "facts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {},
                    "additionalProperties": False,
                    "description": "(minProperties: 1)",
                },
                "description": "(maxItems: 5)",
            },
        },
        "$defs": {
            "kind": {
                "anyOf": [{"type": "string", "description": "(maxLength: 9)"}, True]
            }
        },
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n{"a": 1}\n',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```\n',
        '```json\r\n{"a": 1}\r\n```',
    ],
)
def test_one_fence_around_json_is_no_harm(text: str) -> None:
    answer = read_answer(message(text), limit=9)
    assert answer.problem is None
    assert answer.value == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        'Here you are:\n```json\n{"a": 1}\n```',
        '```json\n{"a": 1}',
        "``````",
        "```",
        '{"a": 1} {"a": 2}',
    ],
)
def test_more_than_json_is_no_answer(text: str) -> None:
    problem = read_answer(message(text), limit=9).problem
    assert problem is not None
    assert problem.code == "MODEL_REPLY"


@given(st.binary() | JSON.map(lambda one: json.dumps(one).encode()))
def test_no_body_makes_the_reader_fail(body: bytes) -> None:
    assert read_answer(body, limit=9).problem is not None


@given(JSON, JSON, JSON, JSON)
def test_no_field_of_a_message_makes_the_reader_fail(
    content: object, reason: object, usage: object, model: object
) -> None:
    fields = {"content": content, "stop_reason": reason, "usage": usage, "model": model}
    body = json.dumps({"type": "message", **fields}).encode()
    assert read_answer(body, limit=9).problem is not None


def message(text: str) -> bytes:
    """Give a message of the API with one block of text."""
    block = {"type": "text", "text": text}
    whole = {"type": "message", "stop_reason": "end_turn", "content": [block]}
    return json.dumps(whole).encode()
