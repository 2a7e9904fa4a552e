"""The figures retrieval must reach on the judged documents, where they are at hand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from corpus.search import search
from corpus.userdirs import UserDirs
from corpus.view import build_index, open_view
from tests.quality.judged import SHARED, load_peps, load_repository
from tests.quality.run import Tally, document_ranks, superseded_paths

if TYPE_CHECKING:
    from pathlib import Path

    from tests.quality.judged import JudgedCorpus

pytestmark = pytest.mark.skipif(
    not (SHARED / "data").is_dir(), reason="the judged documents are not here"
)


def tallies(corpus: JudgedCorpus, folder: Path) -> dict[str, Tally]:
    dirs = UserDirs(folder / "state", folder / "trust")
    build_index(corpus.root, dirs=dirs, random=os.urandom, now=0.0)
    view = open_view(corpus.root, dirs=dirs)
    superseded = superseded_paths(view)
    found: dict[str, Tally] = {}
    for judged in corpus.queries:
        hits = search(view, judged.text).hits
        ranked = document_ranks(hit.facts.path for hit in hits)
        tally = found.setdefault(judged.group, Tally())
        tally.add(judged, ranked, superseded)
    return found


@pytest.mark.requirement("P7.2", "P7.4")
def test_the_enhancement_proposals_reach_their_figures(tmp_path: Path) -> None:
    found = tallies(load_peps(tmp_path), tmp_path / "user")
    citations, natural = found["citations"], found["natural"]
    number = found["temporal-by-number"]
    assert citations.recall[1] / citations.queries >= 0.92
    assert natural.recall[1] / natural.queries >= 0.97
    assert number.recall[0] / number.queries >= 0.95
    known = [tally for tally in found.values() if tally.known]
    assert all(tally.known_first == tally.known for tally in known)


@pytest.mark.requirement("P6.3")
def test_a_japanese_repository_is_searched_better_than_by_words(
    tmp_path: Path,
) -> None:
    source = SHARED / "data" / "corpora" / "domain-typed-lisp"
    found = tallies(load_repository(source, tmp_path), tmp_path / "user")["ja"]
    assert found.recall[1] / found.queries >= 0.55
