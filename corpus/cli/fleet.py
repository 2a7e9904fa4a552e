"""What the commands over many corpora take, and how they show their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import positive_argument
from corpus.cli.render import counted
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from corpus.cli.call import Call
    from corpus.fleet import Task
    from corpus.fleetreport import FleetReport, Row

SHOWN = 3
"""How many issues, cases or skipped files of a corpus are shown in text."""


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Declare the roots, and where the work is done."""
    parser.add_argument(
        "roots",
        metavar="ROOT",
        nargs="+",
        help="a project's folder; each is one row of the answer",
    )
    parser.add_argument(
        "--executor",
        default="local",
        metavar="local|dask:ADDRESS",
        help="processes on this machine (the default), or the Dask cluster whose"
        " scheduler is at ADDRESS, such as `dask:tcp://10.0.0.5:8786`; its workers must"
        " find the same paths",
    )
    parser.add_argument(
        "--jobs",
        type=positive_argument,
        metavar="N",
        help="how many local processes (default: one for each CPU)",
    )


def run_fleet(call: Call, task: Task, executor: str, jobs: int | None) -> FleetReport:
    """Do a task where it was asked for; a corpus that fails is a row."""
    from corpus.executors import (  # noqa: PLC0415 - no page of help needs it
        Cluster,
        opened_executor,
        parse_executor,
    )
    from corpus.fleet import run  # noqa: PLC0415 - no page of help needs it

    place = parse_executor(executor, jobs=jobs)
    if jobs is not None and isinstance(place, Cluster):
        problem = "`--jobs` counts local processes; a cluster has its own workers"
        raise UsageError(problem=problem)
    with opened_executor(place) as opened:
        return run(task, opened, now=call.now, progress=call.progress)


def exit_status(value: FleetReport) -> int:
    """Give 1 when a corpus failed or has problems, or none was worked on."""
    return 0 if value.ok else 1


def as_json(value: FleetReport) -> object:
    """Give the report as one JSON object."""
    return value.as_json()


def lines(value: FleetReport) -> Iterator[str]:
    """Show a line for each corpus, what is wrong below it, then the counts."""
    for row in value.rows:
        yield from _row_lines(value.job, row)
    for root, first in value.repeated:
        yield f"{'again':<9} {root}: the same corpus as {first}, done once"
    counts = value.counts
    told = [f"{count} {_COUNTED[name]}" for name, count in counts.items() if count]
    yield f"{counted(len(value.rows), 'corpus', 'corpora')}: {', '.join(told[1:])}"


_COUNTED = {
    "corpora": "in all",
    "fine": "fine",
    "with_problems": "with problems",
    "untested": "without a dataset",
    "failed": "failed",
}


def _row_lines(job: str, row: Row) -> Iterator[str]:
    content: Mapping[str, Any] = row.content
    if row.state == "failed":
        yield f"{'failed':<9} {row.root}: error[{content['error']}] {content['detail']}"
        yield f"          hint: {content['hint']}"
    elif row.state == "untested":
        yield f"{'untested':<9} {row.root}: it has no dataset"
    else:
        state = "fine" if row.ok else "problems"
        yield f"{state:<9} {row.root}: {content['project_id']}, {_SUMS[job](content)}"
        yield from _below(*_PARTS[job](content), row.root)


def _below(shown: Sequence[str], count: int, command: str, root: str) -> Iterator[str]:
    for line in shown[:SHOWN]:
        yield f"          {line}"
    if count > min(SHOWN, len(shown)):
        left = count - min(SHOWN, len(shown))
        yield f"          … {left} more: `project-corpus {command} {root}`"


def _built(content: Mapping[str, Any]) -> str:
    sources = counted(content["source_count"], "source")
    done = f"{content['parsed']} read anew" if content["written"] else "already current"
    return f"{sources}, {counted(content['item_count'], 'passage')}, {done}"


def _examined(content: Mapping[str, Any]) -> str:
    return (
        f"{counted(content['source_count'], 'source')},"
        f" {counted(content['failures'], 'failure')},"
        f" {counted(content['warnings'], 'warning')}"
    )


def _evaluated(content: Mapping[str, Any]) -> str:
    cases = counted(content["case_count"], "case")
    told = f"{cases}, {content['failed_count']} failed"
    for name in ("recall_at_k", "mrr", "ndcg_at_10"):
        measured = content["means"][name]
        told += f", {name} {measured:.3f}" if measured is not None else ""
    return told


_SUMS = {"build": _built, "doctor": _examined, "eval": _evaluated}


def _skipped(content: Mapping[str, Any]) -> tuple[list[str], int, str]:
    named = [
        f"skipped {one['source_path']}: {one['reason']}" for one in content["skipped"]
    ]
    return named, content["skipped_count"], "context build"


def _failures(content: Mapping[str, Any]) -> tuple[list[str], int, str]:
    """Name what fails; of warnings there are counts."""
    named = [
        f"fail[{one['code']}] {one['path']}{':' if one['line'] else ''}"
        f"{one['line'] or ''} {one['detail']}"
        for one in content["issues"]
        if one["severity"] == "FAIL"
    ]
    return named, content["failures"], "context doctor"


def _cases(content: Mapping[str, Any]) -> tuple[list[str], int, str]:
    named = [
        f"FAIL {one['name']}: {', '.join(one['failed_checks'])}"
        for one in content["failed"]
    ]
    return named, content["failed_count"], "context eval --dataset FILE"


_PARTS = {"build": _skipped, "doctor": _failures, "eval": _cases}
