"""`project-corpus fleet eval`: measure retrieval in many corpora, each by its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.fleet import add_fleet, as_json, exit_status, lines, run_fleet
from corpus.errors import UsageError
from corpus.refs import RelPath, name_problem

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from corpus.cli.call import Call
    from corpus.fleetreport import FleetReport

__all__ = ["EXAMPLE", "SUMMARY", "as_json", "configure", "exit_status", "lines", "run"]

SUMMARY = "Measure retrieval in many corpora, each with a dataset of its own."
EXAMPLE = "project-corpus fleet eval ~/projects/*/ --dataset tests/eval.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_fleet(parser)
    parser.add_argument(
        "--dataset",
        metavar="PATH",
        default="eval.json",
        type=inside_argument,
        help="where every ROOT keeps its judged queries, a path inside it (default:"
        " %(default)s); a ROOT that has none is a row that says so",
    )


def inside_argument(text: str) -> RelPath:
    """Read a path inside every root; UsageError when it could lead out of one."""
    if any(map(name_problem, text.split("/"))):
        problem = f"`--dataset` is a path inside every ROOT, not `{text[:60]}`"
        raise UsageError(problem=problem)
    return RelPath(text)


def run(
    call: Call,
    *,
    roots: Sequence[str],
    executor: str,
    jobs: int | None,
    dataset: RelPath,
) -> FleetReport:
    """Evaluate every corpus that has a dataset; failed cases are the answer."""
    from corpus.fleet import Task  # noqa: PLC0415 - no page of help needs it

    task = Task(job="eval", roots=tuple(roots), dataset=dataset)
    return run_fleet(call, task, executor, jobs)
