"""Many corpora at once: a row for each, apart from one another, the same anywhere."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import corpus
from corpus.cli.render import json_text
from corpus.fleet import DATASET, Task, Visit, perform, run
from corpus.fleetreport import MOST
from corpus.sources.providers import registered
from corpus.userdirs import user_dirs
from corpus.view import build_index
from corpus.workers import Workers
from tests.corpora import HOME, NOW, dirs_of, fixed_bytes, write, write_corpus
from tests.fleets import install_hostile, open_policy, write_fleet
from tests.published_formats import problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus.fleetreport import FleetReport, Job
    from tests.conftest import InProcess

pytestmark = pytest.mark.requirement("P20.1")

MOMENT = datetime.fromtimestamp(NOW, UTC)
JOBS: tuple[Job, ...] = ("build", "doctor", "eval")
PACKAGE = str(Path(corpus.__file__).parents[1])


class Here(Executor):
    """Does every call in this process, the last one first."""

    def __init__(self, calls: int) -> None:
        self.left = calls
        self.calls: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - any call
        future: Future[Any] = Future()
        self.calls.append((future, lambda: fn(*args, **kwargs)))
        self.left -= 1
        if self.left == 0:
            for waiting, call in reversed(self.calls):
                waiting.set_result(call())
        return future


def done_here(job: Job, *roots: str | Path, calls: int | None = None) -> FleetReport:
    task = Task(job=job, roots=tuple(map(str, roots)))
    return run(task, Here(len(roots) if calls is None else calls), now=MOMENT)


def codes(report: FleetReport) -> list[tuple[str, str, Any]]:
    return [(row.root, row.state, row.content.get("error")) for row in report.rows]


def lines_of(report: FleetReport) -> list[str]:
    """Give every job's whole answer as text, which two executors must agree on."""
    return json_text(report).splitlines()


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Write the fleet into the working directory; names are relative to it."""
    names = write_fleet(tmp_path / "fleet")
    monkeypatch.chdir(tmp_path / "fleet")
    return names


def test_each_corpus_is_a_row_in_its_place_whatever_is_wrong_with_it(
    fleet: tuple[str, ...],
) -> None:
    write(_here("a-file"), "no folder")
    write_corpus(_here("alpha/inner"), project_id="nested-one")
    roots = (*fleet, "a-file", "alpha/.project-corpus", "alpha/inner", "\0")
    built = done_here("build", *roots)
    assert codes(built) == [
        ("alpha", "done", None),
        ("bare", "done", None),
        ("broken", "failed", "POLICY_PARSE"),
        ("dangling", "done", None),
        ("missing", "failed", "ROOT_NOT_FOUND"),
        ("omega", "done", None),
        ("a-file", "failed", "ROOT_NOT_FOUND"),
        ("alpha/.project-corpus", "failed", "ROOT_NOT_FOUND"),
        ("alpha/inner", "done", None),
        ("\0", "failed", "ROOT_NOT_FOUND"),
    ]
    assert not built.ok
    examined = done_here("doctor", *fleet)
    assert [row.ok for row in examined.rows] == [True, True, False, False, False, True]
    codes_found: Any = examined.rows[3].content["codes"]
    assert codes_found == {"DANGLING_CITATION": 1}
    measured = done_here("eval", *fleet)
    assert [row.state for row in measured.rows] == [
        "done", "untested", "failed", "done", "failed", "done",
    ]  # fmt: skip
    assert measured.counts == {
        "corpora": 6, "fine": 2, "with_problems": 1, "untested": 1, "failed": 2,
    }  # fmt: skip
    assert str(_here("")) not in json_text([built, examined, measured])


def _here(name: str) -> Path:
    return Path.cwd() / name


def test_a_corpus_that_is_named_again_is_done_once_and_told(
    fleet: tuple[str, ...],
) -> None:
    _here("link").symlink_to("alpha")
    report = done_here(
        "build", "alpha", "link", "alpha/", "missing", "missing", calls=2
    )
    assert [row.root for row in report.rows] == ["alpha", "missing"]
    assert report.repeated == (
        ("link", "alpha"), ("alpha/", "alpha"), ("missing", "missing"),
    )  # fmt: skip
    assert fleet[0] == "alpha"


def test_a_row_counts_everything_and_names_little(fleet: tuple[str, ...]) -> None:
    del fleet
    status = _here("omega") / HOME / "state/STATUS.md"
    one = f"- {HOME}/reports/report-one.md"
    cited = "\n".join(one.replace("one", f"{number:03}") for number in range(99))
    text = status.read_text(encoding="utf-8")
    assert one in text
    write(status, text.replace(one, cited))
    for number in range(20):
        write(_here("omega") / HOME / f"history/{number}.md", b"caf\xe9")
    (examined,) = done_here("doctor", "omega").rows
    content: dict[str, Any] = dict(examined.content)
    assert content["codes"]["DANGLING_CITATION"] == 99
    assert {issue["severity"] for issue in content["issues"]} == {"FAIL"}
    (built,) = done_here("build", "omega").rows
    listed: Any = built.content["skipped"]
    assert (len(content["issues"]), len(listed)) == (MOST, MOST)
    assert built.content["skipped_count"] == 20
    assert built.ok


def test_an_evaluation_takes_each_corpus_s_own_dataset_and_no_other(
    fleet: tuple[str, ...], cli: InProcess
) -> None:
    stale = done_here("eval", "alpha")
    assert codes(stale) == [("alpha", "failed", "INDEX_MISSING")]
    done_here("build", *fleet)
    (_here("omega/eval.json")).unlink()
    (_here("omega/eval.json")).symlink_to("../alpha/eval.json")
    linked = done_here("eval", "alpha", "omega")
    assert codes(linked)[1] == ("omega", "failed", "CONTEXT_INPUT_PATH")
    nothing = done_here("eval", "bare")
    assert (nothing.rows[0].ok, nothing.ok) == (True, False)
    for path in ("../alpha/eval.json", str(_here("alpha/eval.json")), "", "a//b"):
        refused = cli("fleet", "eval", "bare", "--dataset", path)
        assert (refused.status, json.loads(refused.err)["error"]) == (2, "USAGE")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "USAGE"),
        (("alpha", "--executor", "dask:"), "EXECUTOR_UNKNOWN"),
        (("alpha", "--executor", "dask:host:1/../x"), "EXECUTOR_UNKNOWN"),
        (("alpha", "--executor", "cloud"), "EXECUTOR_UNKNOWN"),
        (("alpha", "--executor", "dask:127.0.0.1:1"), "EXECUTOR_MISSING"),
        (("alpha", "--executor", "dask:127.0.0.1:1", "--jobs", "2"), "USAGE"),
        (("alpha", "--jobs", "0"), "USAGE"),
    ],
)
def test_what_nobody_can_do_is_one_failure_and_no_rows(
    cli: InProcess,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: str,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    outcome = cli("fleet", "build", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert json.loads(outcome.err)["error"] == code


class Failing(Here):
    """Has an error for every call, or cannot take any."""

    def __init__(self, error: BaseException | None, *, at_once: bool = False) -> None:
        super().__init__(1)
        self.error = error
        self.at_once = at_once

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - any call
        del fn, args, kwargs
        if self.at_once and self.error is not None:
            raise self.error
        future: Future[Any] = Future()
        if self.error is None:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_exception(self.error)
        return future


@pytest.mark.parametrize(
    "executor",
    [
        Failing(BrokenExecutor(), at_once=True),
        Failing(BrokenExecutor()),
        Failing(ModuleNotFoundError("corpus")),
        Failing(None),
    ],
    ids=["broken before", "broken", "another program", "given up"],
)
def test_a_call_that_gave_nothing_is_its_corpus_s_row(
    executor: Executor, tmp_path: Path
) -> None:
    report = run(Task(job="build", roots=(str(tmp_path),)), executor, now=MOMENT)
    assert codes(report) == [(str(tmp_path), "failed", "WORKER_LOST")]


def test_a_defect_or_another_version_is_its_corpus_s_row(
    fleet: tuple[str, ...],
) -> None:
    root = str(_here(fleet[0]))
    order = Visit(job="build", root="a", path=root, dataset=DATASET, now=MOMENT)

    def no_randomness(_: int) -> bytes:
        raise ZeroDivisionError

    dirs = dirs_of(_here("nobody"))
    row = perform(order, dirs=dirs, random=no_randomness)
    facts: Any = row.content["facts"]
    assert (row.content["error"], facts["kind"]) == ("BUG", "ZeroDivisionError")
    old = Visit(
        job="build", root="a", path=root, dataset=order.dataset, now=MOMENT, version="0"
    )
    row = perform(old, dirs=dirs, random=fixed_bytes)
    assert row.content["error"] == "WORKER_LOST"


def test_one_worker_and_two_give_the_same_bytes_and_apart_indexes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[list[str]] = []
    for count in (1, 2):
        folder = tmp_path / f"with-{count}"
        names = write_fleet(folder)
        monkeypatch.chdir(folder)
        with Workers(count) as workers:
            reports = [
                run(Task(job=job, roots=names), workers, now=MOMENT) for job in JOBS
            ]
        for job, report in zip(JOBS, reports, strict=True):
            assert problems(f"fleet-{job}", report.as_json()) == []
        answers.append([line for one in reports for line in lines_of(one)])
    assert answers[0] == answers[1]
    for name in ("alpha", "omega"):
        cache = tmp_path / "with-1" / name / HOME / "cache"
        build_index(
            tmp_path / "with-1" / name,
            cache / "alone.sqlite3",
            dirs=user_dirs(),
            random=fixed_bytes,
            now=NOW,
        )
        alone = (cache / "alone.sqlite3").read_bytes()
        assert (cache / "context.sqlite3").read_bytes() == alone


def test_the_command_gives_json_or_text_and_a_status(
    fleet: tuple[str, ...], cli: InProcess
) -> None:
    built = cli("fleet", "build", *fleet, "--jobs", "1")
    assert (built.status, built.err) == (1, "")
    report = json.loads(built.out)
    assert [row["root"] for row in report["rows"]] == list(fleet)
    again = ("alpha", "alpha", "dangling", "--jobs", "1")
    told = cli("fleet", "doctor", *again, terminal=True)
    assert told.status == 1
    assert "fine      alpha: the-alpha" in told.out
    assert "problems  dangling: the-dangling" in told.out
    assert "again     alpha" in told.out
    assert cli("fleet", "eval", "omega", "--jobs", "1").status == 0


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let this process and its children find the hostile provider."""
    folder = install_hostile(tmp_path / "installed")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), PACKAGE]))
    registered.cache_clear()
    yield folder
    registered.cache_clear()


def open_corpora(folder: Path, *names: str) -> list[Path]:
    return [
        write_corpus(
            folder / name, project_id=f"the-{name}", policy=open_policy(f"the-{name}")
        )
        for name in names
    ]


def test_a_killed_worker_costs_its_own_corpus_and_a_hung_provider_too(
    tmp_path: Path, hostile: Path, monkeypatch: pytest.MonkeyPatch, cli: InProcess
) -> None:
    del hostile
    monkeypatch.chdir(tmp_path)
    roots = open_corpora(tmp_path, "hanging", "after", "deadly", "later")
    names = [root.name for root in roots]
    assert done_here("build", *names).ok
    write(roots[0] / "hang", "")
    write(roots[2] / "die", "")
    done = cli("fleet", "doctor", *names, "--jobs", "1")
    assert (done.status, done.err) == (1, "")
    rows = json.loads(done.out)["rows"]
    assert [row["state"] for row in rows] == ["done", "done", "failed", "done"]
    assert rows[2]["error"] == "WORKER_LOST"
    told = [rows[at]["report"]["codes"] for at in (0, 1, 3)]
    assert told == [{"PROVIDER_FAILED": 1}, {}, {}]


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_command_however_it_ends(
    tmp_path: Path,
    hostile: Path,
    program_command: tuple[str, ...],
    ended_by: signal.Signals,
) -> None:
    del hostile
    (root,) = open_corpora(tmp_path, "waiting")
    for name in ("here", "go"):
        os.mkfifo(root / name)
    process = subprocess.Popen(
        [*program_command, "fleet", "doctor", str(root), str(tmp_path / "none")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with (root / "here").open("rb") as here:
        worker = int(here.readline())
        if ended_by == signal.SIGINT:  # a terminal tells the whole group
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.kill()
            with (root / "go").open("wb"):
                pass  # the worker may go on, and finds that nobody waits
        assert here.read() == b""  # its end is open as long as it lives
    out, err = process.communicate(timeout=60)
    assert out == b""
    if ended_by == signal.SIGINT:
        assert process.returncode == 130
        assert json.loads(err)["error"] == "INTERRUPTED"
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
    else:
        assert err == b""


def test_a_worker_that_died_between_two_calls_is_replaced() -> None:
    with Workers(1) as workers:
        first = workers.submit(os.getpid).result()
        os.kill(first, signal.SIGKILL)
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert workers.submit(os.getpid).result() not in {first, os.getpid()}


def test_workers_that_were_ended_take_no_more_calls() -> None:
    workers = Workers(1)
    with contextlib.suppress(KeyboardInterrupt), workers:
        raise KeyboardInterrupt
    with pytest.raises(RuntimeError):
        workers.submit(os.getpid)
