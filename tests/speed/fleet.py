"""What a second worker brings where there are many corpora (P20.1).

    python tests/speed/fleet.py FOLDER [--corpora 50] [--sources 100]

writes them below the folder.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.speed.bench import heading, row
from tests.speed.measure import Costs
from tests.speed.tree import SEED, write_tree

if TYPE_CHECKING:
    from tests.speed.bench import Bench
    from tests.speed.measure import Cost

CORPORA = 50
SOURCES = 100
GAIN = 1.7
"""So many times faster two workers are at least than one."""


def fleet(bench: Bench) -> None:
    """Build 50 corpora from scratch with one worker and with two, by turns.

    It is wall time, so anything else that runs on the machine is in it; it is judged by
    the least of the rounds. Beside it stand the CPU time, which says what the second
    worker costs, and what the machine gives two commands that share nothing.
    """
    folder = bench.folder / "fleet"
    bench.make("fleet.py", str(folder))
    roots = sorted(folder.iterdir())
    costs = {1: Costs(), 2: Costs()}
    halves = []
    for _ in range(bench.rounds):
        for jobs, known in costs.items():
            known.add(_built(bench, roots, jobs))
        halves.append(_halves(bench, roots))
    heading("50 corpora of 100 sources built, s: wall least, CPU least")
    walls = {}
    for jobs, known in costs.items():
        walls[jobs] = min(run.wall for run in known.runs)
        row(f"workers: {jobs}", walls[jobs], known.cpu)
    row("two commands, a half each", min(halves))
    if (os.cpu_count() or 1) > 1:
        gain = walls[1] / walls[2]
        row("times faster", gain)
        bench.target("fleet build, wall of 2 workers / of 1", 1 / gain, 1 / GAIN)


def _built(bench: Bench, roots: list[Path], jobs: int) -> Cost:
    for root in roots:
        (root / ".project-corpus/cache/context.sqlite3").unlink(missing_ok=True)
    cost = bench.our("fleet", "build", *map(str, roots), "--jobs", str(jobs))
    assert json.loads(cost.out)["counts"]["fine"] == len(roots)
    return cost


def _halves(bench: Bench, roots: list[Path]) -> float:
    """Give the wall seconds of two commands at once, each with half of the corpora."""
    with ThreadPoolExecutor(2) as both:
        began = time.perf_counter()
        list(both.map(lambda half: _built(bench, half, 1), (roots[::2], roots[1::2])))
        return time.perf_counter() - began


def write_corpora(folder: Path, *, corpora: int, sources: int) -> None:
    """Write corpora of different words below `folder`."""
    for number in range(corpora):
        root = folder / f"corpus-{number:02}"
        write_tree(root, sources=sources, seed=SEED + number)


def main() -> None:
    """Write the corpora into the folder named on the command line."""
    parser = argparse.ArgumentParser(description="Make the corpora of a fleet")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", type=int, default=CORPORA)
    parser.add_argument("--sources", type=int, default=SOURCES)
    asked = parser.parse_args()
    write_corpora(asked.folder, corpora=asked.corpora, sources=asked.sources)


if __name__ == "__main__":
    main()
