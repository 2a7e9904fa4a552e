"""The worked examples of what is said of many corpora at once."""

from __future__ import annotations

import contextlib
import json
from concurrent.futures import Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any

from corpus.fleet import Task, perform, run
from tests.corpora import fixed_bytes, write, write_corpus

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from corpus.fleetreport import Job
    from corpus.userdirs import UserDirs

ROOTS = ("parcel-lockers", "rain-gauges", "no-such-corpus", "parcel-lockers/")


class Owner(Executor):
    """Does every call at once, as the user whose folders are given."""

    def __init__(self, dirs: UserDirs) -> None:
        self.perform = partial(perform, dirs=dirs, random=fixed_bytes)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - any call
        del fn
        future: Future[Any] = Future()
        future.set_result(self.perform(*args, **kwargs))
        return future


def write_neighbours(folder: Path, dataset: dict[str, Any]) -> None:
    """Write another corpus beside the sample, and a dataset into the sample.

    One of its cases fails; the other corpus has none.
    """
    write_corpus(folder / "rain-gauges", project_id="rain-gauges")
    failing = {
        "name": "a word that nobody wrote",
        "query": "how do cabinets receive commands",
        "must_contain": ["carrier pigeon"],
    }
    judged = {**dataset, "cases": [*dataset["cases"], failing]}
    write(folder / "parcel-lockers" / "eval.json", json.dumps(judged))


def fleet_example(
    job: Job, folder: Path, *, dirs: UserDirs, now: datetime
) -> dict[str, object]:
    """Do one job to the corpora below `folder`."""
    with contextlib.chdir(folder):
        report = run(Task(job=job, roots=ROOTS), Owner(dirs), now=now)
    rows: list[dict[str, Any]] = [row.as_json() for row in report.rows]
    for row in rows:
        if "guarantee_level" in row.get("report", {}):
            row["report"]["guarantee_level"] = "openat2"
    return {**report.as_json(), "rows": rows}
