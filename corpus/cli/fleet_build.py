"""`project-corpus fleet build`: bring the indexes of many corpora up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.fleet import add_fleet, as_json, exit_status, lines, run_fleet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from corpus.cli.call import Call
    from corpus.fleetreport import FleetReport

__all__ = ["EXAMPLE", "SUMMARY", "as_json", "configure", "exit_status", "lines", "run"]

SUMMARY = "Bring the indexes of many corpora up to date, several at once."
EXAMPLE = "project-corpus fleet build ~/projects/*/"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_fleet(parser)


def run(
    call: Call, *, roots: Sequence[str], executor: str, jobs: int | None
) -> FleetReport:
    """Build every index; a corpus that fails is a row."""
    from corpus.fleet import Task  # noqa: PLC0415 - no page of help needs it

    task = Task(job="build", roots=tuple(roots))
    return run_fleet(call, task, executor, jobs)
