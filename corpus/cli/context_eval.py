"""`project-corpus context eval`: measure retrieval against judged queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index, open_current
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.evalreport import EvalReport

SUMMARY = "Measure retrieval against a dataset of judged queries."
EXAMPLE = "project-corpus context eval --dataset eval.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--dataset",
        metavar="FILE",
        required=True,
        help="the judged queries, a JSON file inside the project",
    )
    parser.add_argument(
        "--baseline",
        metavar="FILE",
        help="an earlier report: also say which cases got better or worse",
    )
    add_index(parser)


def run(
    call: Call,
    *,
    root: str | None,
    dataset: str,
    baseline: str | None,
    index: str | None,
) -> EvalReport:
    """Run every case against one opened index; failed cases are the answer."""
    from corpus.confined.reader import open_root  # noqa: PLC0415 - no help needs it
    from corpus.evaldata import read_dataset  # noqa: PLC0415 - loads the word lists
    from corpus.evalreport import compare  # noqa: PLC0415 - no help needs it
    from corpus.evaluate import evaluate  # noqa: PLC0415 - loads the word lists
    from corpus.jsoninput import (  # noqa: PLC0415 - no page of help needs it
        read_json_anywhere,
        read_json_inside,
    )

    project = call.root(root)
    with open_root(project) as opened:
        cases = read_dataset(read_json_inside(opened, project, dataset))
    earlier = read_json_anywhere(baseline) if baseline is not None else None
    view = open_current(call, root, index)
    report = evaluate(view, cases, now=call.now, progress=call.progress)
    if baseline is not None:
        report = replace(report, baseline=compare(report, earlier))
    return report


def exit_status(value: EvalReport) -> int:
    """Give 1 when a case fails."""
    return 0 if value.ok else 1


def lines(value: EvalReport) -> Iterator[str]:
    """Show the failed cases with their reasons, the means, then what changed."""
    for result in value.results:
        if result.passed:
            continue
        yield f"FAIL {result.name}"
        for failed in result.failed:
            yield f"  {failed.check}: expected {failed.expected}, got {failed.got}"
    failures = sum(not result.passed for result in value.results)
    cases = counted(len(value.results), "case")
    yield f"{value.project_id}: {cases}, {failures} failed"
    for name, measured in value.means.items():
        shown = f"{measured:.3f}" if isinstance(measured, float) else measured or "-"
        yield f"  {name:<15} {shown}"
    if value.baseline is not None:
        change = value.baseline
        counts = f"{len(change.better)} better, {len(change.worse)} worse"
        yield f"since the baseline: {counts}"
        for name in change.worse:
            yield f"  worse: {name}"
        for name in change.better:
            yield f"  better: {name}"
        for name, difference in change.means.items():
            yield f"  {name:<15} {difference:+.3f}"
