"""A record store of a test's own, with a clock that a test turns on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from agentctx.records.store import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.store import Store

START = datetime(2026, 1, 10, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Ticking:
    """A clock that goes a second on at every look, and any span when told to."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += SECOND
        return self.now

    def tick(self, span: timedelta = timedelta(days=1)) -> datetime:
        """Let time pass."""
        self.now += span
        return self.now


class Counted:
    """Randomness that counts: the same run makes the same ids."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, size: int) -> bytes:
        self.number += 1
        return self.number.to_bytes(size, "big")


def store_at(home: Path, clock: Ticking | None = None, *, create: bool = True) -> Store:
    """Open the store in `home`, made when it is missing."""
    return open_store(
        str(home), clock=clock or Ticking(), random=Counted(), create=create
    )
