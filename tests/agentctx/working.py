"""Somebody who holds the worker's lease, and processes of the worker's."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agentctx.records.leases import WORKER, Holder, give_back, holder, take
from tests.agentctx.hooked import environment
from tests.recorded import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 30.0
"""Seconds that a process has to come to its work."""

RUN = "import sys; from agentctx.start import run; run()"


def wall() -> datetime:
    """Give the time of day, as processes see it."""
    return datetime.fromtimestamp(time.time(), UTC)


@contextmanager
def at_work(home: Path) -> Iterator[None]:
    """Hold the worker's lease."""
    with store_at(home) as store:
        with store.writing() as tx:
            assert take(tx, WORKER, "somebody", now=wall())
        try:
            yield
        finally:
            with store.writing() as tx:
                give_back(tx, WORKER, "somebody")


def start(home: Path, cwd: Path, *words: str, **more: str) -> subprocess.Popen[bytes]:
    """Start `agentctx` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", RUN, *words],
        cwd=cwd,
        env=environment(home, PYTHONPATH=sys.path[0] or ".", **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def who_holds(home: Path) -> Holder | None:
    """Say who holds the worker's lease now."""
    with store_at(home) as store:
        return holder(store.db, WORKER, now=wall())


def came_to_work(home: Path, process: subprocess.Popen[bytes]) -> bool:
    """Wait until a process holds the lease; False where it ended before."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and process.poll() is None:
        held = who_holds(home)
        if held is not None and held.process == process.pid:
            return True
    return False
