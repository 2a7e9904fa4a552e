"""Whether a developer's own words say what a model took from them (A6.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.extraction.likeness import are_alike
from agentctx.extraction.support import LONGEST_QUOTE, Speaker

SAID = [
    "Let's store readings in UTC everywhere.",
    "don't use tabs, use spaces for indentation in python files",
    "we switched from MySQL to PostgreSQL 16 because of the JSON support",
    "我们以后用 pnpm，不要用 npm。日志保留 30 天。",
    "テストには pytest を使う。unittest は使わない。",
    "Мы больше не используем Redis, вместо него Valkey",
    "테스트는 pytest로 작성하고 unittest는 쓰지 않는다",
    "should we move to kubernetes?",
    "timeouts are 30 seconds, never more",
    "Wir speichern Preise in Cent, nicht in Euro.",
    "Avoid global state in the parser. Keep functions pure.",
    "Replace moment.js with date-fns in the frontend",
    "never commit directly to main; open a pull request instead",
    "the CI runner has 4 cores",
]

SUPPORTED = [
    "Store all readings in UTC",
    "Readings are stored in UTC",
    "Use spaces, not tabs, for indentation in Python files",
    "Indent Python files with spaces",
    "Use PostgreSQL 16 instead of MySQL",
    "PostgreSQL 16 for the JSON support",
    "使用 pnpm",
    "日志保留 30 天",
    "テストは pytest を使う",
    "Не использовать Redis",
    "Valkey вместо Redis",
    "Timeouts are 30 seconds",
    "Preise in Cent speichern",
    "Avoid global state in the parser",
    "Functions in the parser are kept pure",
    "Use date-fns instead of moment.js in the frontend",
    "Do not commit directly to main",
    "The CI runner has 4 cores",
]

NOT_SUPPORTED = [
    "Use tabs for indentation in Python files",
    "Use MySQL for the JSON support",
    "Use PostgreSQL 15",
    "使用 npm",
    "日志保留 90 天",
    "テストは unittest を使う",
    "Использовать Redis",
    "Timeouts are 60 seconds",
    "Preise in Euro speichern",
    "Use moment.js in the frontend",
    "Commit directly to main",
    "The CI runner has 8 cores",
    "Deploy on AWS with terraform",
    "The developer likes functional programming",
    "Use Redux for state management",
    "部署在阿里云",
    "Кэшировать ответы в памяти",
]


@pytest.mark.requirement("A6.5")
@pytest.mark.parametrize("statement", SUPPORTED)
def test_what_the_developer_said_is_supported_by_their_words(statement: str) -> None:
    support = Speaker(SAID).supports(statement)
    assert support is not None
    assert any(support.quote in said for said in SAID)
    assert len(support.quote) <= LONGEST_QUOTE


@pytest.mark.requirement("A6.5")
@pytest.mark.parametrize("statement", NOT_SUPPORTED)
def test_what_nobody_said_is_not_supported(statement: str) -> None:
    assert Speaker(SAID).supports(statement) is None


@pytest.mark.requirement("A6.5")
def test_two_adjacent_turns_support_together_and_others_do_not() -> None:
    split = ["the exporter writes parquet", "and compresses it with zstd level 9"]
    statement = "The exporter writes parquet compressed with zstd level 9"
    assert Speaker(split).supports(statement) is not None
    far = [split[0], "thanks", split[1]]
    assert Speaker(far).supports(statement) is None


@pytest.mark.requirement("A6.5")
def test_a_question_is_known_as_one() -> None:
    support = Speaker(SAID).supports("Move to kubernetes")
    assert support is not None
    assert support.asks


@pytest.mark.requirement("A6.5")
@given(st.lists(st.text(), max_size=5), st.text())
def test_any_text_can_be_compared(turns: list[str], statement: str) -> None:
    support = Speaker(turns).supports(statement)
    assert support is None or any(support.quote in turn for turn in turns)


@pytest.mark.requirement("A6.5", "A2.3")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Readings are stored in UTC", "All readings are stored in UTC time"),
        ("Use four spaces for indentation", "For indentation use four spaces."),
        ("日志写入本地时区", "日志都写入本地时区"),
        ("Кэш живёт пять минут", "Кэш живёт ровно пять минут"),
    ],
)
def test_near_identical_wordings_are_one_fact(one: str, other: str) -> None:
    assert are_alike(one, other)
    assert are_alike(other, one)


@pytest.mark.requirement("A6.5", "A2.3")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Timeouts are 30 s in the uploader", "Timeouts are 60 s in the uploader"),
        ("Do not store secrets in the logs", "Store secrets in the logs"),
        ("Readings are stored in UTC", "Readings are stored in local time"),
        ("Use SQLite for the ledger", "Use Postgres for the ledger of invoices"),
        (
            "We use Memcached for caching sessions",
            "We use Redis for caching sessions",
        ),
        ("Package manager is npm", "Package manager is pnpm"),
        ("Log levels default to debug in the API", "Log levels default to info in API"),
        ("Sessions end after one hour idle", "Sessions end after two hours idle"),
        ("Alice reviews the parser changes", "Bob reviews the parser changes"),
        ("缓存会话使用 Memcached", "缓存会话使用 Redis"),
        ("日志写入本地时区", "日志写入标准时区"),
    ],
)
def test_another_number_or_a_denial_is_another_fact(one: str, other: str) -> None:
    assert not are_alike(one, other)
