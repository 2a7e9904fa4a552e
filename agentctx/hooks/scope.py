"""The files of the project that a prompt names, whatever its size (M1.6, C12).

Its ends are looked at, and so many words of them. What is not there, lies outside the
project or is our own folder, also behind a link, is no scope.
"""

from __future__ import annotations

import os
import stat

from agentctx.memory.model import MAX_SCOPE_PATHS
from agentctx.memory.names import FOLDER
from agentctx.records.graph import repo_path
from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOKED_AT = 8_000
"""Characters of each end of a prompt."""

MOST_PATHS, MOST_WORDS = 128, 64
"""Words looked up that are written like a path, and others."""

_NOT_SCOPE = frozenset({FOLDER, ".git"})
_WORD = pattern(r"[^\s`\"'<>()\[\]{},;|*?]{1,400}")
_QUOTED = pattern(r"`([^`\n]{1,400})`|\"([^\"\n]{1,400})\"")
_PLACE = pattern(r"(?::\d+(?::\d+)?(?:-\d+)?|#L\d+(?:-L?\d+)?)$")
_AROUND = ".,:!…。，、"


def named_paths(prompt: str, *, cwd: str, root: str) -> tuple[str, ...]:
    """Give the paths that a prompt names, from `root`, in the order of naming.

    A name counts from the session's folder and from the project's root.
    """
    text = prompt
    if len(prompt) > 2 * LOOKED_AT:
        text = f"{prompt[:LOOKED_AT]}\n{prompt[-LOOKED_AT:]}"
    bases = dict.fromkeys((cwd, root))
    found: dict[str, None] = {}
    for word in _candidates(text):
        for base in bases:
            name = _inside(base, word, root)
            if name is not None:
                found.setdefault(name)
                break
        if len(found) == MAX_SCOPE_PATHS:
            break
    return tuple(found)


def _candidates(text: str) -> Iterator[str]:
    """Give what may be a path: what is written like one comes first."""
    plain: dict[str, None] = {}
    others: dict[str, None] = {}
    spaced = (at[1] or at[2] for at in _QUOTED.finditer(text))
    words = (at[0] for at in _WORD.finditer(text))
    for one in (*words, *(name for name in spaced if " " in name)):
        word = _PLACE.sub("", one.removeprefix("@").rstrip(_AROUND))
        word = word.replace("\\", "/") if os.sep == "\\" else word
        if not word.strip("./"):
            continue
        is_like = "/" in word or "." in word
        (plain if is_like else others).setdefault(word)
    yield from list(plain)[:MOST_PATHS]
    yield from list(others)[:MOST_WORDS]


def _inside(base: str, word: str, root: str) -> str | None:
    """Give a name from the root where it is there and a scope; a bare one is a file."""
    try:
        path = os.path.join(base, word)  # noqa: PTH118 - text
        os.lstat(path)  # most words are no path
        whole = os.path.realpath(path)
        mode = os.stat(whole).st_mode  # noqa: PTH116 - text
        name = repo_path(os.path.relpath(whole, root))
    except (OSError, ValueError):
        return None
    is_bare_folder = stat.S_ISDIR(mode) and "/" not in word
    if name is None or is_bare_folder or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return None
    parts = {part.casefold() for part in name.split("/")}
    return None if parts & _NOT_SCOPE else name
