"""What records add to the cost of a query and of a bundle (P16.1)."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING

from tests.speed.bench import ROOT, heading, row
from tests.speed.measure import Costs, measure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.speed.bench import Bench
    from tests.speed.measure import Cost

MORE = 1.2
"""A query with 10,000 records may cost this much of one without."""

RECORDS = 10_000
POLICY = ".project-corpus/policy.toml"
OFFERED = '"corpus.context", "corpus.records"'
CODE = "from corpus.cli.app import run; run()"


def provided(bench: Bench, questions: tuple[str, ...]) -> None:
    """Measure both commands on 2,000 sources, with records and without, by turns."""
    root, home = bench.folder / "joined", bench.folder / "joined-home"
    bench.make("tree.py", str(root))
    bench.make("recordset.py", str(home), str(root), "--records", str(RECORDS))
    policy = root / POLICY
    without = policy.read_text("utf-8")
    given = without.replace('"corpus.context"', OFFERED)
    assert given != without
    env = _environment(bench, home)
    _run(bench, env, "build", str(root))
    costs: dict[tuple[str, bool], Costs] = {}
    for _ in range(bench.rounds):
        for name in ("query", "bundle"):
            for joined, text in ((False, without), (True, given)):
                policy.write_text(text, "utf-8")
                cost = costs.setdefault((name, joined), Costs())
                for question in questions:
                    cost.add(_run(bench, env, name, str(root), question))
    found = _run(bench, env, "query", str(root), questions[0]).out
    assert "agentctx:records/" in found, "the questions must be ones records answer"
    heading("with 10,000 records, CPU ms: without, with")
    for name in ("query", "bundle"):
        alone, both = costs[name, False].cpu, costs[name, True].cpu
        row(name, 1000 * alone, 1000 * both)
        bench.target(f"{name} with records / without", both / alone, MORE)


def _run(bench: Bench, env: Mapping[str, str], *words: str) -> Cost:
    command = (sys.executable, "-c", CODE, "context", *words)
    return measure(command, cwd=bench.folder, env=env)


def _environment(bench: Bench, home: Path) -> dict[str, str]:
    """Run the source tree, registered as an installation would register it."""
    package = bench.folder / "site" / "agentctx_corpus-0.dist-info"
    package.mkdir(parents=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = ["[corpus.providers]"]
    entries = project["entry-points"]["corpus.providers"]
    rows += [f"{name} = {target}" for name, target in entries.items()]
    (package / "entry_points.txt").write_text("\n".join(rows) + "\n", "utf-8")
    (package / "METADATA").write_text("Name: agentctx-corpus\nVersion: 0\n", "utf-8")
    path = f"{ROOT}:{package.parent}"
    return {**bench.env, "PYTHONPATH": path, "AGENTCTX_HOME": str(home)}
