"""What a reader sees in the outputs of real programs, and where nothing is seen."""

from __future__ import annotations

import pytest

from agentctx.observing.model import LONGEST_DETAIL, LONGEST_SUMMARY
from tests.agentctx.observing.labelled import Case, cases, told

CASES = cases()


@pytest.mark.requirement("A4.7")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_output_shows_what_its_label_says(case: Case) -> None:
    assert told(case.observed()) == case.seen


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_failure_is_bounded_and_has_a_detail(case: Case) -> None:
    failure = case.observed().failure
    if failure is None:
        return
    assert len(failure.summary) <= LONGEST_SUMMARY
    assert 0 < len(failure.detail) <= LONGEST_DETAIL
    assert "\n" not in failure.summary + failure.command + failure.key


def test_an_output_cut_off_anywhere_is_no_error() -> None:
    for case in CASES:
        for end in range(0, len(case.output), 41):
            case._replace(output=case.output[:end]).observed()
            case._replace(output=case.output[end:]).observed()


def test_there_are_many_cases_and_each_has_a_name_of_its_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 120
    assert sum(case.seen == ("nothing",) for case in CASES) >= 50
