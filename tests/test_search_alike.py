"""What reads alike is repetition, or evidence against each other (P7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus.search import search
from tests.corpora import live_view_of_corpus, write_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.hits import Hit
    from corpus.view import View


def view_with(folder: Path, **history: str) -> View:
    """Open a corpus with these pages of history (`_` in a name becomes `-`)."""
    pages = {name.replace("_", "-"): text for name, text in history.items()}
    return live_view_of_corpus(write_corpus(folder / "one", history=pages))


def stems(hits: tuple[Hit, ...]) -> list[str]:
    return [hit.facts.path.rpartition("/")[2].removesuffix(".md") for hit in hits]


@pytest.mark.requirement("P7.6")
def test_exact_duplicates_are_suppressed_and_counted(tmp_path: Path) -> None:
    text = "The reservoir holds water for a month.\n"
    pages = {f"copy-{n}": f"# Page {n}\n\n{text}" for n in range(7)}
    root = write_corpus(tmp_path / "one", history=pages)
    found = search(live_view_of_corpus(root), "reservoir water month").hits
    assert len(found) == 1
    assert found[0].as_json("demo-one")["duplicates_suppressed"] == 6


@pytest.mark.requirement("P7.6")
def test_many_duplicates_never_hide_a_different_answer(tmp_path: Path) -> None:
    same = "Reservoir water month. " * 3
    pages = {f"copy-{n:03}": f"# Page\n\n{same}\n" for n in range(300)}
    pages["other"] = "# Other\n\nThe reservoir is dry.\n"
    root = write_corpus(tmp_path / "one", history=pages)
    found = search(live_view_of_corpus(root), "reservoir water month").hits
    assert sorted(stems(found)) == ["copy-000", "other"]


@pytest.mark.requirement("P7.6")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("after 30 minutes", "after 45 minutes", id="number"),
        pytest.param("which is safe", "which is not safe", id="negation"),
        pytest.param("on server Apollo", "on server Hermes", id="name"),
    ],
)
def test_passages_that_contradict_are_both_kept_and_point_at_each_other(
    tmp_path: Path, one: str, other: str
) -> None:
    start = "The upload session of the public gateway is closed by the old worker"
    view = view_with(
        tmp_path, a=f"# A\n\n{start} {one}.\n", b=f"# B\n\n{start} {other}.\n"
    )
    first, second = search(view, "upload session public gateway worker").hits[:2]
    assert first.conflicts == (second.item_id,)
    assert second.conflicts == (first.item_id,)


@pytest.mark.requirement("P7.6")
def test_near_duplicates_that_agree_are_suppressed(tmp_path: Path) -> None:
    words = "gauge rain valley station reading hourly total publish monthly archive"
    view = view_with(
        tmp_path,
        a=f"# A\n\nEvery day {words} check and store.\n",
        b=f"# B\n\nEvery day, {words}; check and store!\n",
    )
    found = search(view, words).hits
    assert len([hit for hit in found if hit.facts.kind == "history"]) == 1


@pytest.mark.requirement("P7.6")
def test_long_passages_that_differ_in_many_numbers_contradict(tmp_path: Path) -> None:
    words = " ".join(f"station{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(80))
    first = " ".join(str(n) for n in range(100, 110))
    second = " ".join(str(n) for n in range(200, 210))
    view = view_with(
        tmp_path, a=f"# A\n\n{words} {first}\n", b=f"# B\n\n{words} {second}\n"
    )
    hits = search(view, "stationaa stationba stationca").hits[:2]
    assert [len(hit.conflicts) for hit in hits] == [1, 1]


@pytest.mark.requirement("P7.6")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "The payment worker retries failed jobs automatically.",
            "The payment worker does not retry failed jobs automatically.",
            id="negation and inflection",
        ),
        pytest.param(
            "The otter quota is ten.", "The otter quota is twenty.", id="number words"
        ),
        pytest.param(
            "Die Frist beträgt 30 Tage.", "Die Frist beträgt 45 Tage.", id="short"
        ),
    ],
)
def test_short_passages_that_contradict_point_at_each_other(
    tmp_path: Path, one: str, other: str
) -> None:
    view = view_with(tmp_path, a=f"# A\n\n{one}\n", b=f"# B\n\n{other}\n")
    first, second = search(view, one).hits[:2]
    assert first.conflicts == (second.item_id,)
    assert second.conflicts == (first.item_id,)


@pytest.mark.requirement("P7.6")
@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("Retries: 3", "Retries: 5", True, id="setting"),
        pytest.param("Port 8080", "Port 9090", True, id="port"),
        pytest.param("1. Install it", "2. Install it", False, id="list ordinal"),
    ],
)
def test_the_shortest_contradictions(
    tmp_path: Path, one: str, other: str, *, expected: bool
) -> None:
    view = view_with(tmp_path, a=f"# A\n\n{one}\n", b=f"# B\n\n{other}\n")
    hits = search(view, one).hits
    assert any(hit.conflicts for hit in hits) == expected
