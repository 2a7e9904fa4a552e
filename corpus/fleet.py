"""Build, examine or evaluate many corpora, on whatever executor there is (P20).

Each corpus is one call of `visit`: a path goes in, a row comes out, both plain values,
so that a process beside us and a cluster's worker on another machine do the same work.
A worker opens the path itself, with the key and the grants of the user it runs as; on
another machine the same paths must lead to the same corpora.

Corpora are apart: a visit opens one folder and gives one row, and nothing a worker
keeps from one visit to the next reaches the answers of another. What goes wrong with a
corpus is its row, whatever it is; the other rows stay as they are. Rows stand in the
order the corpora were named in, whichever was done first.
"""

from __future__ import annotations

import os
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Future,
    as_completed,
)
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from corpus import __version__
from corpus.defect import defect
from corpus.errors import CodedError, InputPathError, RootNotFoundError
from corpus.fleetreport import (
    FleetReport,
    built_row,
    evaluated_row,
    examined_row,
    failed_row,
    untested_row,
)
from corpus.protocol.layout import is_corpus
from corpus.refs import RelPath
from corpus.refusals import WorkerLostError
from corpus.userdirs import user_dirs

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from datetime import datetime

    from corpus.fleetreport import Job, Row
    from corpus.userdirs import UserDirs

    Progress = Callable[[int, int, str], None]

DATASET = RelPath("eval.json")
"""Where a corpus keeps its judged queries, unless another place is named."""

_DOING = {
    "build": "building corpora",
    "doctor": "examining corpora",
    "eval": "evaluating corpora",
}
_DIED = ("BrokenExecutor", "BrokenProcessPool", "KilledWorker")
"""The kinds of error by which executors say that a worker died."""

_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be done with each corpus; `dataset` is a path inside each of them."""

    job: Job
    roots: tuple[str, ...]
    dataset: RelPath = DATASET


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One corpus's part of a task, as a worker is told it.

    `root` is the folder as it was given, `path` the same absolute and without links.
    `version` is that of the program which asks.
    """

    job: Job
    root: str
    path: str
    dataset: RelPath
    now: datetime
    version: str = __version__


def run(
    task: Task,
    executor: Executor,
    *,
    now: datetime,
    progress: Progress | None = None,
) -> FleetReport:
    """Do a task to every corpus and give their rows; `now` is UTC.

    A corpus that is named twice, be it through a link, is done once. Raises nothing
    about a corpus; an interrupt takes back what no worker has begun.
    """
    visits, repeated = _visits(task, now)
    calls = [_handed_over(executor, each) for each in visits]
    try:
        for done, _ in enumerate(as_completed(calls), start=1):
            if progress is not None:
                progress(done, len(calls), _DOING[task.job])
    finally:
        for call in calls:
            call.cancel()
    rows = (_row(each, call) for each, call in zip(visits, calls, strict=True))
    return FleetReport(job=task.job, rows=tuple(rows), repeated=repeated)


def visit(order: Visit) -> Row:
    """Do one corpus's part, as a worker; every failure is the row's.

    A worker that has several threads still does one corpus at a time: what a process
    keeps, such as stemmers, is not made for more, and threads would not be faster.
    """
    with _ONE_AT_A_TIME:
        return perform(order, dirs=user_dirs(), random=os.urandom)


def perform(order: Visit, *, dirs: UserDirs, random: Callable[[int], bytes]) -> Row:
    """Do one corpus's part with the user's folders and the randomness given."""
    try:
        if order.version != __version__:
            reason = f"its worker has version {__version__}, not {order.version}"
            raise WorkerLostError(reason=reason)  # noqa: TRY301 - a row like others
        return _done(order, dirs, random)
    except RootNotFoundError:  # whoever raised it knows the folder by another name
        return failed_row(order.root, RootNotFoundError(root=order.root))
    except CodedError as error:
        return failed_row(order.root, error)
    except Exception as error:  # noqa: BLE001 - the net below every corpus of a fleet
        return failed_row(order.root, defect(error))


def _done(order: Visit, dirs: UserDirs, random: Callable[[int], bytes]) -> Row:
    if not is_corpus(order.path):
        raise RootNotFoundError(root=order.root)
    if order.job == "build":
        return _built(order, dirs, random)
    if order.job == "doctor":
        return _examined(order, dirs, random)
    return _evaluated(order, dirs)


def _built(order: Visit, dirs: UserDirs, random: Callable[[int], bytes]) -> Row:
    from corpus.view import build_index  # noqa: PLC0415 - parses Markdown

    report = build_index(
        Path(order.path), dirs=dirs, random=random, now=order.now.timestamp()
    )
    return built_row(order.root, report)


def _examined(order: Visit, dirs: UserDirs, random: Callable[[int], bytes]) -> Row:
    from corpus.examination import Examined, examine  # noqa: PLC0415 - loads it all
    from corpus.sources.providers import forget_busy  # noqa: PLC0415

    forget_busy()  # what hung on one corpus says nothing of another
    what = Examined(root=Path(order.path))
    report = examine(what, dirs=dirs, random=random, now=order.now)
    return examined_row(order.root, report)


def _evaluated(order: Visit, dirs: UserDirs) -> Row:
    from corpus.authority import JSON_BYTES  # noqa: PLC0415 - only workers need these
    from corpus.confined.reader import (  # noqa: PLC0415
        NOT_FOUND,
        Unreadable,
        open_root,
    )
    from corpus.evaldata import read_dataset  # noqa: PLC0415
    from corpus.evaluate import evaluate  # noqa: PLC0415
    from corpus.jsoninput import parse_json  # noqa: PLC0415
    from corpus.view import open_view  # noqa: PLC0415

    root = Path(order.path)
    with open_root(root) as opened:
        try:
            content = opened.read(order.dataset, limit=JSON_BYTES).content
        except Unreadable as problem:
            if problem.reason == NOT_FOUND:
                return untested_row(order.root)
            raise InputPathError(path=order.dataset, reason=problem.reason) from None
    cases = read_dataset(parse_json(content, name=order.dataset))
    view = open_view(root, dirs=dirs)
    return evaluated_row(order.root, evaluate(view, cases, now=order.now))


def _visits(
    task: Task, now: datetime
) -> tuple[list[Visit], tuple[tuple[str, str], ...]]:
    """Give a visit for each corpus, and the names that name one of them again."""
    visits: list[Visit] = []
    repeated: list[tuple[str, str]] = []
    first: dict[object, str] = {}
    for root in task.roots:
        path, folder = _place(root)
        if folder in first:
            repeated.append((root, first[folder]))
            continue
        first[folder] = root
        visits.append(
            Visit(job=task.job, root=root, path=path, dataset=task.dataset, now=now)
        )
    return visits, tuple(repeated)


def _place(root: str) -> tuple[str, object]:
    """Give a folder's real path, and what it and no other folder is known by."""
    try:
        path = os.path.realpath(root)
        status = os.stat(path)  # noqa: PTH116 - text, as it came
    except ValueError:  # a NUL: no path at all
        return root, root
    except OSError:
        return path, path
    return path, (status.st_dev, status.st_ino)


def _handed_over(executor: Executor, order: Visit) -> Future[Row]:
    """Let the executor have one visit; one that is broken for good fails it."""
    try:
        return executor.submit(visit, order)
    except BrokenExecutor as error:
        refused: Future[Row] = Future()
        refused.set_exception(error)
        return refused


def _row(order: Visit, call: Future[Row]) -> Row:
    """Give the row of a call that ended; one that gave none is its corpus's alone."""
    try:
        error = call.exception()
    except CancelledError:
        return _lost(order, "the executor gave it up")
    if error is None:
        return call.result()
    kinds = [kind.__name__ for kind in type(error).__mro__]
    if any(kind in _DIED for kind in kinds):
        return _lost(order, "its worker died")
    return _lost(order, f"its worker answered {kinds[0]}")


def _lost(order: Visit, reason: str) -> Row:
    return failed_row(order.root, WorkerLostError(reason=reason))
