"""An index made in steps has the content of one made from scratch (P5.4)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.view import build_index, open_view
from tests.corpora import HOME, NOW, dirs_of, fixed_bytes, status_page, write_corpus

NAMES = ["alpha", "beta", "gamma", "delta"]
FOLDERS = ["history", "reports", "tasks", "history/deep"]
WORDS = st.sampled_from(
    [
        "gauge",
        "winter",
        "Регистр",
        "雨量",
        "max_tokens",
        "v2.1",
        "\n\n# Part",
        "\n\n- x",
    ]
)
SUPERSEDES = st.sampled_from(["", *(f"Supersedes: {name}" for name in NAMES)])


class Edit(NamedTuple):
    """Write a page, or remove it when there is no text."""

    path: str
    text: str | None


PATHS = st.builds("{}/{}.md".format, st.sampled_from(FOLDERS), st.sampled_from(NAMES))
TEXTS = st.builds(
    lambda head, words: (
        f"# Page\n\n{head}\nCreated-At: 2025-05-05\n\n{' '.join(words)}\n"
    ),
    SUPERSEDES,
    st.lists(WORDS, max_size=8),
)
EDITS = st.lists(st.builds(Edit, PATHS, st.none() | TEXTS), min_size=1, max_size=4)


@pytest.mark.requirement("P5.4")
@settings(max_examples=40, deadline=None)
@given(st.lists(EDITS, min_size=1, max_size=4), st.sampled_from([*NAMES, "NONE"]))
def test_steps_and_scratch_give_the_same_content(
    steps: list[list[Edit]], active: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write_corpus(Path(folder) / "one", tasks={}, reports={}, history={})
        status = root / HOME / "state/STATUS.md"
        for number, edits in enumerate(steps):
            _apply(root, edits)
            named = active if number else "NONE"
            status.write_text(
                status_page(active_task=named, evidence_references="- alpha-beta"),
                "utf-8",
            )
            _build(root)
        stepwise = open_view(root, dirs=dirs_of(root)).rows
        shutil.rmtree(root / HOME / "cache")
        _build(root)
        assert open_view(root, dirs=dirs_of(root)).rows == stepwise


def _build(root: Path) -> None:
    build_index(root, dirs=dirs_of(root), random=fixed_bytes, now=NOW)


def _apply(root: Path, edits: list[Edit]) -> None:
    for edit in edits:
        path = root / HOME / edit.path
        if edit.text is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(edit.text, "utf-8")
