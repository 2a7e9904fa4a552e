"""What many processes writing records at once wait for: rate, waits, nothing lost.

    python tests/speed/writers.py [WRITERS] [RECORDS] [RATE]

Without a rate each process writes one record after another, as fast as it can, and a
wait is the time of one call. With a rate, of records a second in all, each write is
due at its moment, and a wait is counted from there.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from agentctx.records.model import NewRecord
from agentctx.records.store import open_store
from agentctx.records.write import add_record

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier

    from agentctx.records.store import Store

    Spans = tuple[float, float, list[float]]

PROJECT = "c" * 64
BODY = (
    "Worker {worker} keeps lease {number} in the store and renews it every ten"
    " seconds, since a killed worker must not hold a job for longer than half a"
    " minute; the figure was measured in March and stands in the table of timeouts."
)


class Writing(NamedTuple):
    """Records a second in all, waits in milliseconds, and records that are missing."""

    rate: float
    median: float
    p95: float
    longest: float
    lost: int


def write_at_once(
    folder: Path, *, writers: int, records: int, rate: float = 0
) -> Writing:
    """Let so many processes write so many records each; `rate` 0 is without pauses."""
    home = str(folder / "agentctx")
    _store(home).close()
    start = multiprocessing.get_context("fork")
    gate = start.Barrier(writers)
    with start.Pool(writers, _begin, (gate,)) as pool:
        work = [
            (home, worker, records, writers / rate if rate else 0.0)
            for worker in range(writers)
        ]
        spans = pool.starmap(_write, work, chunksize=1)
    waits = sorted(wait for _, _, each in spans for wait in each)
    took = max(end for _, end, _ in spans) - min(begun for begun, _, _ in spans)
    with _store(home) as store:
        query = "SELECT count(*) FROM records WHERE project_id = ?"
        (held,) = store.db.execute(query, (PROJECT,)).fetchone()
    return Writing(
        rate=len(waits) / took,
        median=1000 * waits[len(waits) // 2],
        p95=1000 * waits[len(waits) * 95 // 100],
        longest=1000 * waits[-1],
        lost=writers * records - held,
    )


_gates: list[Barrier] = []


def _begin(gate: Barrier) -> None:
    _gates.append(gate)


def _store(home: str) -> Store:
    return open_store(home, clock=lambda: datetime.now(UTC), random=os.urandom)


def _write(home: str, worker: int, records: int, pause: float) -> Spans:
    waits = []
    with _store(home) as store:
        warm = NewRecord(type="discovery", title="Warm", body=BODY, source="mcp_tool")
        add_record(store, f"{worker:064}", warm)  # what is loaded late is loaded now
        _gates[0].wait()
        begun = time.perf_counter()
        for number in range(records):
            new = NewRecord(
                type="discovery",
                title=f"Lease {number} of worker {worker}",
                body=BODY.format(worker=worker, number=number),
                source="mcp_tool",
                trust="model",
            )
            called = time.perf_counter()
            if pause:
                due = begun + pause * (number + worker % 32 / 32)
                time.sleep(max(0.0, due - called))
                called = due
            add_record(store, PROJECT, new)
            waits.append(time.perf_counter() - called)
        return begun, time.perf_counter(), waits


def main() -> None:
    """Print one line."""
    given = [int(word) for word in sys.argv[1:]]
    writers, records, rate = [*given, *(32, 50, 0)[len(given) :]]
    with tempfile.TemporaryDirectory() as folder:
        found = write_at_once(Path(folder), writers=writers, records=records, rate=rate)
    sys.stdout.write(
        f"{writers} writers: {found.rate:.0f} records/s, wait {found.median:.1f} ms"
        f" (p95 {found.p95:.1f}, most {found.longest:.1f}), {found.lost} lost\n"
    )


if __name__ == "__main__":
    main()
