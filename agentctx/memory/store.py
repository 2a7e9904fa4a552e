"""The open memory of a project: the one connection, its clock and its ids (M1.0).

What a file does wrong while it is open is told as a degraded memory; whoever answers
a session goes on without it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from agentctx.clock import stamp
from agentctx.memory.names import FILE
from agentctx.memory.refusals import (
    MemoryDegradedError,
    MemoryFencedError,
)
from corpus.errors import StoreCorruptError, StoreForeignError, StoreTooNewError
from corpus.sqlite import PATIENCE, reading, store_failures, transaction
from corpus.values import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from types import TracebackType
    from typing import Self

    from agentctx.clock import Clock
    from corpus.sqlite import Db, Tx


class Ids(Protocol):
    """Makes ids; a kind is `thread`, `turn`, `job`, `candidate` or `memory`."""

    def new(self, kind: str) -> str:
        """Give `kind`, `_` and 32 hexadecimal digits."""


class RandomIds:
    """Makes ids from randomness that is given."""

    def __init__(self, random: Callable[[int], bytes]) -> None:
        self._random = random

    def new(self, kind: str) -> str:
        """Give a new id of a kind."""
        return f"{kind}_{self._random(16).hex()}"


class Writing(NamedTuple):
    """An open write transaction and all that a write needs besides its values."""

    tx: Tx
    now: datetime
    ids: Ids
    owner: str

    @property
    def stamp(self) -> str:
        """The moment of the write, as it is stored."""
        return stamp(self.now)


class Fence(NamedTuple):
    """Which state of which database somebody works for (H7)."""

    generation: int
    database_uuid: str


class MemoryStore:
    """An open memory. `owner` names who holds leases: a process, or a session.

    One thread at a time: a thread of its own opens a memory of its own.
    """

    def __init__(self, db: Db, *, root: str, path: str, clock: Clock, ids: Ids) -> None:
        self.db = db
        self.root = root
        self.path = path
        self.clock = clock
        self.ids = ids
        self.owner = ""
        self.patience = PATIENCE
        self._file = _identity(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; nothing can be asked any more."""
        self.db.close()

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """Open a write transaction; all of the block is kept, or nothing.

        `MemoryFencedError` when the file was replaced, `MemoryDegradedError` when it
        is damaged, `StoreBusyError` and `StoreUnusableError` as the system says.
        """
        if not self.is_current():
            raise MemoryFencedError(reason="its file was replaced")
        with memory_failures(), transaction(self.db, patience=self.patience) as tx:
            yield Writing(tx, self.clock(), self.ids, self.owner)

    @contextmanager
    def looking(self) -> Iterator[Db]:
        """Let every statement of the block see the same moment."""
        with memory_failures(), reading(self.db):
            yield self.db

    def is_current(self) -> bool:
        """Say whether the path still names the file that is open."""
        return _identity(self.path) == self._file


@contextmanager
def memory_failures() -> Iterator[None]:
    """Tell damage that shows while memory is open as a degraded memory (M4.10)."""
    try:
        with store_failures():
            yield
    except (StoreCorruptError, StoreForeignError, StoreTooNewError) as error:
        detail = f"`{FILE}`: {error}"
        raise MemoryDegradedError(detail=detail, problem="damaged") from None


def fence_of(db: Db) -> Fence:
    """Read which state of which database this is."""
    row = db.execute("SELECT generation, database_uuid FROM memory_meta").fetchone()
    if row is None:
        detail = f"`{FILE}` has lost its singleton"
        raise MemoryDegradedError(detail=detail, problem="meta")
    return Fence(int(row["generation"]), str(row["database_uuid"]))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - hooks do not load pathlib
    except OSError:
        return None
    return status.st_dev, status.st_ino
