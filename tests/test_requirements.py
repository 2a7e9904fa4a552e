"""The contract and the tests know each other, in both directions."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
_TABLES = runpy.run_path(str(TESTS / "requirements.py"))
REQUIREMENTS: dict[str, str] = _TABLES["REQUIREMENTS"]
PENDING: dict[str, str] = _TABLES["PENDING"]


@pytest.fixture(scope="module")
def named_by() -> dict[str, list[str]]:
    """Read all tests, once and only where these run."""
    found: dict[str, list[str]] = _TABLES["tests_by_requirement"]()
    return found


def test_every_requirement_that_does_not_wait_has_a_test(
    named_by: dict[str, list[str]],
) -> None:
    missing = {
        requirement: about
        for requirement, about in REQUIREMENTS.items()
        if requirement not in PENDING and requirement not in named_by
    }
    assert missing == {}


def test_no_test_names_a_requirement_that_does_not_exist(
    named_by: dict[str, list[str]],
) -> None:
    unknown = {
        requirement: tests
        for requirement, tests in named_by.items()
        if requirement not in REQUIREMENTS
    }
    assert unknown == {}


def test_what_waits_is_a_requirement_with_a_reason() -> None:
    assert [name for name in PENDING if name not in REQUIREMENTS] == []
    assert all(PENDING.values())
