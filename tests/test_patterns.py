"""Regular expressions that every Python we promise to run on can run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

MODULES = sorted((Path(__file__).parents[1] / "corpus").rglob("*.py"))
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+")


@pytest.mark.requirement("P6.2")
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_group_is_repeated_possessively(path: Path) -> None:
    """CPython 3.11.0 to 3.11.4 may loop for ever on one (gh-106052)."""
    texts = [
        node.value
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [text for text in texts if POSSESSIVE_GROUP.search(text)] == []
