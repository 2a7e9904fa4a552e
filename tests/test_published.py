"""The files that ship with the program are found wherever it is installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import corpus
from corpus.published import published_names, read_published

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("kind", ["templates", "exports"])
def test_what_ships_is_what_the_repository_holds(kind: str) -> None:
    assert kind in {"templates", "exports"}
    folder = ROOT / kind
    kept = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
    )
    names = published_names(kind)  # type: ignore[arg-type]
    assert list(names) == kept
    for name in names:
        text = (folder / name).read_text(encoding="utf-8")
        assert read_published(kind, *name.split("/")) == text  # type: ignore[arg-type]


def test_the_suite_runs_against_the_installed_wheel_when_it_says_so() -> None:
    if "PROJECT_CORPUS_TEST_INSTALLED" not in os.environ:
        pytest.skip("the tests run against the source tree; `make test` installs")
    place = Path(corpus.__file__)
    assert "site-packages" in place.parts
    assert ROOT / "corpus" not in place.parents
