"""Read what is left of a memory that has lost a row it cannot work without (C7).

The tables are all there, so people can still see and export what was said. A private
copy is read; the file stays as it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentctx.memory.refusals import MemoryDegradedError
from agentctx.memory.schema import Bootstrap, layout
from agentctx.memory.store import MemoryStore, memory_failures
from agentctx.memory.verdict import memory_path, private_copy
from corpus.errors import StoreUnusableError
from corpus.sqlite import loaded_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.memory.access import Place

_WHOLE_BUT_FOR_ROWS = ("meta", "active_thread")


@contextmanager
def readable(place: Place) -> Iterator[MemoryStore]:
    """Open memory as it is now, or a copy of it where only its first rows are gone."""
    try:
        store = place.opened()
    except MemoryDegradedError as error:
        if error.facts["problem"] not in _WHOLE_BUT_FOR_ROWS:
            raise
        with _copy(place) as copy:
            yield copy
        return
    with store:
        yield store


@contextmanager
def _copy(place: Place) -> Iterator[MemoryStore]:
    path = memory_path(place.root)
    unused = Bootstrap("", "", "")
    try:
        with private_copy(path) as copied, memory_failures():
            db = loaded_copy(copied, layout(unused))
    except OSError as error:
        raise StoreUnusableError(reason=error.strerror or "EIO") from None
    with MemoryStore(
        db, root=place.root, path=path, clock=place.clock, ids=place.ids
    ) as store:
        yield store
