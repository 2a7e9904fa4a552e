"""What it costs to write the team's file and to take it in, with 2,000 blocks (A8.2).

    python tests/speed/shared.py HOME PROJECT [--records 2000]

writes a store whose records are all shared, the same at every run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.speed.bench import heading, row
from tests.speed.measure import (
    Costs,
    agentctx_command,
    agentctx_environment,
    measure,
)

if TYPE_CHECKING:
    from tests.speed.bench import Bench
    from tests.speed.measure import Cost

RECORDS = 2_000
ROUND_TRIP = 1.0
"""Seconds of CPU that an export and an import take together, without their starts."""


def shared(bench: Bench) -> None:
    """Measure both commands: one writes the file, one who has nothing takes it in."""
    root, home = bench.folder / "team", bench.folder / "team-home"
    bench.make("shared.py", str(home), str(root), "--records", str(RECORDS))
    costs = {"--version": Costs(), "export": Costs(), "import": Costs()}
    for _ in range(bench.rounds):
        costs["--version"].add(bench.run(*agentctx_command(), "--version"))
        for name, cost in round_trip(bench, home, root).items():
            costs[name].add(cost)
    heading(f"the team's file, {RECORDS:,} blocks: CPU ms least, median")
    for name, found in costs.items():
        row(name, 1000 * found.cpu, 1000 * found.median_cpu)
    both = costs["export"].cpu + costs["import"].cpu - 2 * costs["--version"].cpu
    bench.target("export and import of 2,000, over --version", both, ROUND_TRIP, "s")


def round_trip(bench: Bench, home: Path, root: Path) -> dict[str, Cost]:
    """Write the file anew, and read it into a store that is not there yet."""
    reader = bench.folder / "reader-home"
    shutil.rmtree(reader, ignore_errors=True)
    (root / ".agentctx" / "context.md").unlink(missing_ok=True)
    wrote = _run(bench, home, root, "export")
    read = _run(bench, reader, root, "import", "--yes")
    assert len(json.loads(read.out)["added"]) == json.loads(wrote.out)["blocks"]
    return {"export": wrote, "import": read}


def _run(bench: Bench, home: Path, root: Path, *words: str) -> Cost:
    env = agentctx_environment(bench.env, home)
    return measure((*agentctx_command(), "team", *words), cwd=root, env=env)


def write_shared(home: Path, root: Path, *, records: int) -> None:
    """Make the project and the store of somebody who shares everything."""
    from agentctx.project import resolve_project  # noqa: PLC0415 - large: see `measure`
    from agentctx.records.store import open_store  # noqa: PLC0415
    from tests.agentctx.team.many import fill  # noqa: PLC0415

    (root / ".agentctx").mkdir(parents=True)
    project = resolve_project(root, environ={})
    start = datetime(2026, 1, 10, tzinfo=UTC)
    with open_store(str(home), clock=lambda: start, random=os.urandom) as store:
        fill(store, project.project_id, records)


def main() -> None:
    """Write the store."""
    parser = argparse.ArgumentParser(description="Write a store of shared records.")
    parser.add_argument("home", type=Path)
    parser.add_argument("project", type=Path)
    parser.add_argument("--records", type=int, default=RECORDS)
    asked = parser.parse_args()
    write_shared(asked.home, asked.project, records=asked.records)


if __name__ == "__main__":
    main()
