"""Final successors are found once each, however the relations are woven."""

from __future__ import annotations

import pytest

from corpus.sources.facts import Relation
from corpus.succession import MOST_SUCCESSORS, final_successors


def names(edges: list[tuple[str, str]]) -> list[Relation]:
    return [Relation(source, 1, target, "VALID") for source, target in edges]


@pytest.mark.requirement("P7.4")
def test_a_chain_ends_at_its_last_successor() -> None:
    found = final_successors(names([("b", "a"), ("c", "b"), ("d", "c")]))
    assert found == {"a": ("d",), "b": ("d",), "c": ("d",)}


@pytest.mark.requirement("P7.4")
def test_branches_give_every_end_once_in_order() -> None:
    edges = [("c", "a"), ("b", "a"), ("d", "b"), ("d", "c"), ("e", "c")]
    assert final_successors(names(edges))["a"] == ("d", "e")


@pytest.mark.requirement("P7.4")
def test_a_relation_that_is_not_valid_says_nothing() -> None:
    orphan = Relation("b", 1, "a", "CYCLE")
    assert final_successors([orphan]) == {}


@pytest.mark.requirement("P7.9")
def test_a_long_chain_and_a_dense_weave_are_settled() -> None:
    chain = [(f"n{n + 1:05}", f"n{n:05}") for n in range(50_000)]
    assert final_successors(names(chain))["n00000"] == ("n50000",)
    weave = [(f"n{m:03}", f"n{n:03}") for m in range(700) for n in range(m)]
    assert final_successors(names(weave))["n000"] == ("n699",)
    fan = [(f"s{n:04}", "old") for n in range(2_000)]
    assert len(final_successors(names(fan))["old"]) == MOST_SUCCESSORS
