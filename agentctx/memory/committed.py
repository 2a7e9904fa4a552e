"""Whether a repository brings a memory with it: such a one is somebody else's.

A memory is never committed. One that is would speak to whoever clones it, and have its
jobs paid for by them.
"""

from __future__ import annotations

from agentctx.smallfile import small_bytes

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of a repository's index that are looked through."""

_NAME = b"memory.db\0"
"""How the index ends the name of an entry, in every version of its format."""

SENTENCE = (
    "`memory.db` is committed in this repository and may be anybody's; if it is yours,"
    " take it out of there with `git rm --cached .agentctx/memory.db`"
)


def is_committed(root: str) -> bool:
    """Say whether git carries the memory of the project at `root`.

    An index that cannot be read, or is larger than any, is taken to carry none.
    """
    index = small_bytes(f"{root}/.git/index", limit=MOST_BYTES)
    return index is not None and _NAME in index
