"""A correction that recurs in three findings and two files is a soft preference."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentctx.memory.repetition import FINDINGS, _bind
from tests.agentctx.memory.heard import meaning, quoting, turn, verdict, window

if TYPE_CHECKING:
    from agentctx.memory.model import Turn

SAID = (
    "Add a docstring here, please.",
    "The docstring is missing, add a docstring.",
    "Again: add a docstring.",
)
KEYS = (("r:1",), ("r:2",), ("r:3",))
PATHS = (("a.py",), ("b.py",), ("a.py",))


def reviewed(
    said: tuple[str, ...] = SAID,
    keys: tuple[tuple[str, ...], ...] = KEYS,
    paths: tuple[tuple[str, ...], ...] = PATHS,
) -> tuple[Turn, ...]:
    rows = zip(itertools.count(1), said, keys, paths, strict=False)
    return tuple(
        turn(at, text, profile="review", keys=key, paths=path)
        for at, text, key, path in rows
    )


def judge(turns: tuple[Turn, ...], *after: Turn) -> str:
    said = meaning("Add a docstring.")._replace(
        strength="soft", origin="inferred_repetition"
    )
    sources = [(one.sequence, "user", one.user_text) for one in turns]
    heard = window(turns[-1], *after, evidence=turns[:-1])
    return verdict(quoting(said, *sources), heard)  # type: ignore[arg-type] # roles


@pytest.mark.requirement("M5.5(a)", "M5.5(c)", "M5.4(c)")
def test_three_findings_in_two_files_make_a_soft_preference() -> None:
    assert judge(reviewed()) == "admitted"


@pytest.mark.requirement("M5.5(c)")
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ((("r:1",), ("r:1",), ("r:3",)), "too_few_repetitions"),
        ((("r:1", "r:2"), ("r:1", "r:2"), ("r:1", "r:2")), "too_few_repetitions"),
        ((("r:1",), ("r:1", "r:2"), ("r:2", "r:3")), "admitted"),
        ((("r:1",), ("r:2",), ()), "too_few_repetitions"),
        ((("r:1", "r:2", "r:3"), ("r:1",), ("r:1",)), "too_few_repetitions"),
    ],
)
def test_each_turn_has_a_finding_of_its_own(
    keys: tuple[tuple[str, ...], ...], expected: str
) -> None:
    assert judge(reviewed(keys=keys)) == expected


@pytest.mark.requirement("M5.5(a)", "M5.5(c)")
def test_less_than_three_turns_or_two_files_is_no_habit() -> None:
    assert judge(reviewed(SAID[:2])) == "too_few_repetitions"
    assert judge(reviewed(paths=(("a.py",),) * 3)) == "too_few_paths"


@pytest.mark.requirement("M5.5(c)")
def test_a_quote_about_something_else_is_refused() -> None:
    assert judge(reviewed((*SAID[:2], "Rename the field."))) == "anchor_not_shared"


@pytest.mark.requirement("M5.5(a)")
@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ("Do not add a docstring.", "counter_example"),
        ("Never add a docstring.", "counter_example"),
        ("Should I not add a docstring?", "admitted"),
        ("Do not rename the field.", "admitted"),
        ("Add a docstring.", "admitted"),
    ],
)
def test_a_later_clause_to_the_contrary_refuses_it(later: str, expected: str) -> None:
    assert judge(reviewed(), turn(9, later)) == expected


@pytest.mark.requirement("M5.5(a)")
def test_a_quote_to_the_contrary_refuses_it() -> None:
    assert judge(reviewed((*SAID[:2], "No, no docstring."))) == "counter_example"


@pytest.mark.requirement("M5.5(c)")
@given(
    st.lists(
        st.lists(st.sampled_from(["r:1", "r:2", "r:3", "r:4"]), max_size=3),
        min_size=FINDINGS,
        max_size=FINDINGS,
    )
)
def test_halls_condition_is_that_different_keys_can_be_chosen(
    keys: list[list[str]],
) -> None:
    turns = [turn(at, "x", keys=tuple(some)) for at, some in enumerate(keys)]
    chosen = any(len({*pick}) == FINDINGS for pick in itertools.product(*keys))
    assert _bind(turns) is chosen
