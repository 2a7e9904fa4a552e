"""The figures that finding records must reach, where the judged sets are at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.quality.records import peps, precision, quiet, recall
from tests.quality.recordsets import DATA, strangers
from tests.quality.smalltalk import HELD_OUT, SMALL_TALK

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the judged documents are not here"
)


@pytest.mark.requirement("A3.4", "A3.1")
def test_what_a_prompt_brings_up_is_what_was_asked_for(tmp_path: Path) -> None:
    ours = precision(tmp_path / "ours", "this")
    assert ours.of_all >= 0.95
    assert ours.of_cases >= 0.95
    assert ours.empty == 1.0
    assert ours.recall >= 0.62
    for name in ("fts5", "bm25"):
        plain = precision(tmp_path / name, name)
        assert plain.of_all < ours.of_all / 2
        assert plain.empty < 1.0


@pytest.mark.requirement("A3.4")
@pytest.mark.parametrize(("language", "least"), [("en", 0.88), ("zh", 0.92)])
def test_what_was_said_is_found_again(
    tmp_path: Path, language: str, least: float
) -> None:
    found = recall(tmp_path, language)
    assert found["this"].mean >= least
    assert found["this"].without_one >= least - 0.02
    assert found["this"].mean > max(found["fts5"].mean, found["bm25"].mean)


@pytest.mark.requirement("A3.4", "A3.1")
@pytest.mark.parametrize(("size", "related"), [(200, 0.75), (10_000, 0.92)])
def test_small_talk_and_strangers_find_nothing_among_real_texts(
    tmp_path: Path, size: int, related: float
) -> None:
    filled, cases = peps(tmp_path, size)
    found = quiet(filled, cases, "this")
    filled.store.close()
    assert found.small_talk == 0.0
    assert found.held_out <= 0.05
    assert found.strangers <= 0.05
    assert found.related >= related


def test_the_lists_are_as_large_as_they_are_said_to_be() -> None:
    said = [one for some in SMALL_TALK.values() for one in some]
    assert len(set(said)) >= 120
    assert all(len(set(some)) == len(some) for some in SMALL_TALK.values())
    assert len(SMALL_TALK) == 8
    assert not set(said) & set(HELD_OUT)
    assert len(strangers()) >= 90
