"""The files of a project that a message names: what its turn is about (C12)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from agentctx.memory.model import MAX_SCOPE_PATHS
from agentctx.memory.rawtext import is_inside

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_WORDS = 2_000
"""Words of a message that are looked at."""

_WORD = re.compile(r"[^\s`'\"<>()\[\]{}|;,*?]{1,400}")


def named_paths(root: str, text: str) -> tuple[str, ...]:
    """Give the paths below `root` that a text names and that are there.

    What leads outside, or into our own folder, also through a link, is none.
    """
    found: dict[str, None] = {}
    for word in _words(text):
        if is_inside(word) and _is_there(root, word):
            found.setdefault(word)
        if len(found) == MAX_SCOPE_PATHS:
            break
    return tuple(found)


def _words(text: str) -> Iterator[str]:
    for number, match in enumerate(_WORD.finditer(text)):
        if number == MOST_WORDS:
            return
        word = re.sub(r":\d+(?::\d+)?\Z", "", match[0].rstrip(".:!"))
        yield word.removeprefix("./").rstrip("/")


def _is_there(root: str, path: str) -> bool:
    """Say whether a path leads to a file or folder inside the project."""
    real_root = os.path.realpath(root)
    real = os.path.realpath(os.path.join(real_root, path))  # noqa: PTH118 - any text
    below = os.path.relpath(real, real_root)
    return is_inside(below) and below != "." and _lies(real)


def _lies(path: str) -> bool:
    try:
        os.stat(path)  # noqa: PTH116 - any text
    except (OSError, ValueError):
        return False
    return True
