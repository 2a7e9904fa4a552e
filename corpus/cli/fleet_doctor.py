"""`project-corpus fleet doctor`: diagnose many corpora; repair nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.fleet import add_fleet, as_json, exit_status, lines, run_fleet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from corpus.cli.call import Call
    from corpus.fleetreport import FleetReport

__all__ = ["EXAMPLE", "SUMMARY", "as_json", "configure", "exit_status", "lines", "run"]

SUMMARY = "Diagnose many corpora and their indexes, several at once."
EXAMPLE = "project-corpus fleet doctor ~/projects/*/ --jobs 4"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_fleet(parser)


def run(
    call: Call, *, roots: Sequence[str], executor: str, jobs: int | None
) -> FleetReport:
    """Examine every corpus; what is wrong with one is in its row."""
    from corpus.fleet import Task  # noqa: PLC0415 - no page of help needs it

    task = Task(job="doctor", roots=tuple(roots))
    return run_fleet(call, task, executor, jobs)
