"""Measure speed and memory, beside the published peer where it is installed.

    python tests/speed/run.py [--rounds 5] [--peer COMMAND] [--only PART ...]

Both programs work on the same made-up corpus in the same run, by turns. CPU time is
that of the whole process, user and system together; a target is judged by the least of
the rounds, and the median is shown beside it. Exit status 1 when a target is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if __package__ in {None, ""}:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.speed.adversarial import CORPORA, common_words, many_terms
from tests.speed.bench import ROOT, Bench, heading, row
from tests.speed.fleet import fleet
from tests.speed.hooks import consolidate, hooks
from tests.speed.measure import (
    Costs,
    UnexpectedStatusError,
    our_command,
    own_environment,
)
from tests.speed.memoryserver import memory_server
from tests.speed.provided import provided
from tests.speed.recall import recall
from tests.speed.recordserver import records_command, served_records
from tests.speed.recordset import queries as record_queries
from tests.speed.sessions import sessions
from tests.speed.shared import shared
from tests.speed.trusted import served, trusted, write_steps
from tests.speed.writers import Writing, write_at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


PEER = ROOT / ".venv-peer" / "bin" / "project-corpus"
CACHE = Path(".project-corpus") / "cache"
EDITED = Path(".project-corpus") / "reports" / "report-00007.md"
QUERIES = (
    "which fifold or magiction was glopicic before the dock",
    "report 1204 retry_limit_17",
    "подмирнием и узловая схема",
)

SLOWEST_ANSWER = 1.0
SLOWEST_EVAL = 120.0
CASES = 1_000
HELP_OVER_PYTHON = 0.060
INDEX_TO_SOURCES = 2.0
TWICE_THE_INPUT = 2.8
SECONDS_A_MEBIBYTE = 2.0
SERVER_START = 0.9
RECORDS_CALL = 0.005


def start_up(bench: Bench) -> None:
    """Measure `--help` over an interpreter that does nothing."""
    helped = Costs()
    bare = bench.bare_python(rounds=2 * bench.rounds + 1)
    for _ in range(2 * bench.rounds + 1):
        helped.add(bench.our("--help"))
    heading("start-up, CPU ms")
    row("python -c pass", 1000 * bare.cpu, 1000 * bare.median_cpu)
    row("project-corpus --help", 1000 * helped.cpu, 1000 * helped.median_cpu)
    bench.target("--help over python", helped.cpu - bare.cpu, HELP_OVER_PYTHON, "s")


def large_corpus(bench: Bench) -> None:
    """Measure every command on the 2,000 sources, ours and the peer's by turns."""
    root = bench.folder / "tree"
    bench.make("tree.py", str(root))
    ours: dict[str, Costs] = {}
    theirs: dict[str, Costs] = {}
    for number in range(bench.rounds):
        for name, ask in _steps(root, number).items():
            commands = ask(bench.ours, root / CACHE / "context.sqlite3")
            ours.setdefault(name, Costs()).add(bench.mean_of(commands))
            if bench.peer is not None:
                commands = ask(bench.peer, root / CACHE / "peer.sqlite3")
                theirs.setdefault(name, Costs()).add(bench.mean_of(commands))
    _show_large(bench, ours, theirs)
    _judge_large(bench, root, ours, theirs)


def _steps(
    root: Path, number: int
) -> dict[str, Callable[[Sequence[str], Path], list[list[str]]]]:
    """Give the steps of one round, in order; each prepares itself when asked."""

    def call(program: Sequence[str], index: Path, *words: str) -> list[str]:
        return [*program, "context", *words, "--index", str(index)]

    def from_scratch(program: Sequence[str], index: Path) -> list[list[str]]:
        index.unlink(missing_ok=True)
        return [call(program, index, "build", str(root))]

    def after_an_edit(program: Sequence[str], index: Path) -> list[list[str]]:
        with (root / EDITED).open("a", encoding="utf-8") as source:
            source.write(f"\nEdited for {index.stem} in round {number}.\n")
        return [call(program, index, "build", str(root))]

    def unchanged(program: Sequence[str], index: Path) -> list[list[str]]:
        return [call(program, index, "build", str(root))]

    def query(program: Sequence[str], index: Path) -> list[list[str]]:
        return [call(program, index, "query", str(root), words) for words in QUERIES]

    def bundle(program: Sequence[str], index: Path) -> list[list[str]]:
        return [call(program, index, "bundle", str(root), words) for words in QUERIES]

    def doctor(program: Sequence[str], index: Path) -> list[list[str]]:
        return [call(program, index, "doctor", str(root))]

    return {
        "build from scratch": from_scratch,
        "build after one edit": after_an_edit,
        "build, nothing changed": unchanged,
        "query": query,
        "bundle": bundle,
        "doctor": doctor,
    }


def _show_large(
    bench: Bench, ours: Mapping[str, Costs], theirs: Mapping[str, Costs]
) -> None:
    heading("2,000 sources: CPU s least and median, memory MiB")
    if bench.peer is not None:
        sys.stdout.write(f"{'':<26}{'ours':>24}{'peer':>26}  ratio\n")
    bare = bench.bare_python(rounds=3).cpu
    for name, own in ours.items():
        text = f"{name:<26}{own.cpu:>8.3f}{own.median_cpu:>8.3f}{own.memory:>8.0f}"
        if bench.peer is not None:
            peer = theirs[name]
            text += f"  {peer.cpu:>8.3f}{peer.median_cpu:>8.3f}{peer.memory:>8.0f}"
            text += f"  {own.cpu / peer.cpu:.3f}"
        else:
            text += f"  {own.cpu / bare:.1f} times `python -c pass`"
        sys.stdout.write(f"{text}\n")


def _judge_large(
    bench: Bench,
    root: Path,
    ours: Mapping[str, Costs],
    theirs: Mapping[str, Costs],
) -> None:
    sources = sum(path.stat().st_size for path in root.rglob("*.md"))
    index = (root / CACHE / "context.sqlite3").stat().st_size
    sys.stdout.write(f"index {index:,} bytes, sources {sources:,} bytes\n")
    bench.target("index bytes / source bytes", index / sources, INDEX_TO_SOURCES)
    if bench.peer is None:
        return
    scratch = theirs["build from scratch"].cpu

    def ratio(name: str, most: float) -> None:
        bench.target(f"{name}, CPU / peer's", ours[name].cpu / theirs[name].cpu, most)

    ratio("query", 1 / 6)
    memory = ours["query"].memory / theirs["query"].memory
    bench.target("query, memory / peer's", memory, 1 / 2)
    ratio("build from scratch", 1.5)
    edited = ours["build after one edit"].cpu / scratch
    bench.target("build after one edit, CPU / peer's build", edited, 1 / 5)
    ratio("doctor", 1 / 5)


def adversaries(bench: Bench) -> None:
    """Measure queries and bundles on corpora that are made to be slow."""
    heading("made to be slow, CPU s: build, 2 queries, 2 bundles; memory MiB")
    for name in CORPORA:
        try:
            slowest = _slowest_answer(bench, name)
        except UnexpectedStatusError as error:
            sys.stdout.write(f"{name:<24}{error}\n")
            slowest = math.inf
        bench.target(f"slowest answer, {name}", slowest, SLOWEST_ANSWER, "s")


def _slowest_answer(bench: Bench, name: str) -> float:
    root = bench.folder / name.replace(" ", "-").replace(",", "")
    bench.make("adversarial.py", name, str(root))
    built = bench.our("context", "build", str(root))
    answers = [
        bench.our("context", "query", str(root), words, "--limit", "100")
        for words in (common_words(name), many_terms())
    ]
    for words in (common_words(name), many_terms()[:1_000]):
        command = ("context", "bundle", str(root), words, "--max-tokens", "20000")
        answers.append(bench.our(*command))
    shutil.rmtree(root)
    figures = "".join(f"{answer.cpu:>8.2f}" for answer in answers)
    memory = max(answer.memory for answer in answers)
    sys.stdout.write(f"{name:<24}{built.cpu:>8.2f}{figures}{memory:>8.0f}\n")
    sys.stdout.flush()
    return max(answer.cpu for answer in answers)


def evaluation(bench: Bench) -> None:
    """Measure a dataset of 1,000 cases on the 2,000 sources."""
    root = bench.folder / "tree"
    if not root.is_dir():
        bench.make("tree.py", str(root))
    bench.our("context", "build", str(root))
    dataset = root / "eval.json"
    cases = [_case(root, number) for number in range(CASES)]
    value = {"schema_version": "1", "cases": cases}
    dataset.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    command = ("context", "eval", str(root), "--dataset", str(dataset))
    cost = bench.our(*command, accept=(0, 1))
    heading("evaluation, 1,000 cases")
    row("CPU s, wall s", cost.cpu, cost.wall)
    bench.target("1,000 cases", cost.cpu, SLOWEST_EVAL, "s")


def _case(root: Path, number: int) -> dict[str, object]:
    path = f".project-corpus/reports/report-{number * 1_997 // CASES:05}.md"
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    return {
        "name": f"case {number}",
        "query": lines[11][:120],
        "expected_source_paths": [path],
        "expected_top_k_paths": [path],
        "top_k": 5,
    }


def server(bench: Bench) -> None:
    """Measure the MCP server's start and its calls on the 2,000 sources."""
    tree = bench.folder / "tree"
    if not tree.is_dir():
        bench.make("tree.py", str(tree))
    heading("MCP server on 2,000 sources: CPU s of a start, wall ms of a call")
    own = served(trusted(bench.ours, tree, "ours", bench.env), QUERIES, ours=True)
    row("ours", own.start_cpu, 1000 * own.call)
    bench.target("server start to exit, CPU", own.start_cpu, SERVER_START, "s")
    if bench.peer is None:
        return
    place = trusted(bench.peer, tree, "peer", bench.env)
    peer = served(place, QUERIES, ours=False)
    row("peer", peer.start_cpu, 1000 * peer.call)
    bench.target("context_query, wall / peer's", own.call / peer.call, 1 / 5)


def records_server(bench: Bench) -> None:
    """Measure the server of records: its start, and searches in 10,000 records."""
    home, project = bench.folder / "records-home", bench.folder / "records-project"
    bench.make("recordset.py", str(home), str(project))
    env = {**bench.env, "AGENTCTX_HOME": str(home), "CLAUDE_PROJECT_DIR": str(project)}
    found = served_records(records_command(bench.ours), record_queries(), env)
    heading("server of 10,000 records: CPU s of a start, wall ms of a ctx_search")
    slowest = 1000 * max(found.calls)
    row("ours; median, slowest", found.start_cpu, 1000 * found.call, slowest)
    bench.target("records server start, CPU", found.start_cpu, SERVER_START, "s")
    bench.target("ctx_search, median wall", found.call, RECORDS_CALL, "s")


def writes(bench: Bench) -> None:
    """Measure a controlled write of STATUS, ours and the peer's by turns."""
    tree = bench.folder / "small"
    bench.make("tree.py", str(tree), "--sources", "60")
    bench.our("validate", str(tree))
    ours, theirs = Costs(), Costs()
    own = write_steps(trusted(bench.ours, tree, "ours", bench.env))
    peer = None
    if bench.peer is not None:
        place = trusted(bench.peer, tree, "peer", bench.env)
        place.run("runtime", "init", "--trust", str(place.grant))
        peer = write_steps(place)
    for _ in range(bench.rounds):
        ours.add(bench.run(*own()))
        if peer is not None:
            theirs.add(bench.run(*peer()))
    heading("a controlled write: CPU s least, wall s least")
    row("ours", ours.cpu, min(run.wall for run in ours.runs))
    if peer is None:
        return
    wall = min(run.wall for run in theirs.runs)
    row("peer", theirs.cpu, wall)
    ratio = min(run.wall for run in ours.runs) / wall
    bench.target("controlled write, wall / peer's", ratio, 1.2)
    bench.target("controlled write, CPU / peer's", ours.cpu / theirs.cpu, 1.2)


def linear(bench: Bench) -> None:
    """Measure each reader of text on its hardest inputs and on twice as much."""
    script = str(ROOT / "tests" / "speed" / "linear.py")
    rows = json.loads(bench.run(sys.executable, script).out)
    heading("hardest inputs: CPU s at n and 2n, ratio, s a MiB")
    for found in rows:
        name, rate = found["name"], found["rate"]
        figures = (found["once"], found["twice"], found["ratio"])
        row(name, *figures, *(() if rate is None else (rate,)))
        bench.target(f"twice the input, {name}", found["ratio"], TWICE_THE_INPUT)
        if rate is not None:
            bench.target(f"a MiB, {name}", rate, SECONDS_A_MEBIBYTE, "s")


def records_writers(bench: Bench) -> None:
    """Measure many processes that write records at once; by the best of the rounds.

    First as fast as they can, which says how much there is; then at 500 records a
    second in all, which says what each waits for.
    """
    heading("records written at once: records/s, waits in ms: median, p95, longest")
    full: list[Writing] = []
    paced: list[Writing] = []
    for number in range(bench.rounds):
        for found, rate in ((full, 0), (paced, 500)):
            folder = bench.folder / f"writers-{number}-{rate}"
            folder.mkdir()
            found.append(write_at_once(folder, writers=32, records=50, rate=rate))
            name = f"32 writers at {rate}/s" if rate else "32 writers, no pause"
            row(name, *found[-1][:4])
    most = max(one.rate for one in full)
    bench.target("32 writers: seconds for 500 records", 500 / most, 1.0, "s")
    p95 = min(one.p95 for one in paced)
    bench.target("32 writers at 500/s: p95 of waits", p95, 50.0, "ms")
    lost = sum(one.lost for one in (*full, *paced))
    bench.target("32 writers: lost records", lost, 0)


def extraction(bench: Bench) -> None:
    """Measure what a long session costs, in this process."""
    from tests.speed import extraction as part  # noqa: PLC0415 - large: see `measure`

    part.extraction(bench)


PARTS: dict[str, Callable[[Bench], None]] = {
    "start": start_up,
    "large": large_corpus,
    "eval": evaluation,
    "slow": adversaries,
    "server": server,
    "records-server": records_server,
    "writes": writes,
    "records-writers": records_writers,
    "fleet": fleet,
    "hooks": hooks,
    "consolidate": consolidate,
    "sessions": sessions,
    "extraction": extraction,
    "linear": linear,
    "recall": recall,
    "memory-server": memory_server,
    "shared": shared,
    "provided": lambda bench: provided(bench, (*record_queries()[:3], QUERIES[0])),
}


def main() -> int:
    """Run the parts asked for; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description="Measure speed and memory.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", type=Path, default=PEER)
    parser.add_argument("--only", nargs="*", choices=tuple(PARTS), default=tuple(PARTS))
    asked = parser.parse_args()
    peer = (str(asked.peer),) if asked.peer.is_file() else None
    with tempfile.TemporaryDirectory(prefix="project-corpus-speed-") as name:
        folder = Path(name).resolve()
        bench = Bench(
            folder=folder,
            ours=our_command(),
            peer=peer,
            rounds=asked.rounds,
            env=own_environment(folder / "home"),
        )
        machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"
        sys.stdout.write(f"Python {platform.python_version()}, {machine}\n")
        if peer is None:
            sys.stdout.write("the peer is not installed; only bounds without it\n")
        for part in asked.only:
            PARTS[part](bench)
        heading(f"{'target':<44}{'found':>9}{'at most':>9}")
        for target in bench.targets:
            sys.stdout.write(f"{target.line()}\n")
    return 0 if all(target.met for target in bench.targets) else 1


if __name__ == "__main__":
    sys.exit(main())
