"""Many corpora on a real Dask cluster: two processes of this machine, on loopback."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

import corpus
from corpus import executors
from corpus.sources.providers import registered
from tests.corpora import write, write_corpus
from tests.fleets import install_hostile, open_policy, write_fleet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import InProcess

distributed = pytest.importorskip(
    "distributed", reason="the extra `dask` is not installed"
)

pytestmark = pytest.mark.requirement("P20.1")

LOOPBACK = "127.0.0.1:0"

SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.admin.tick.limit": "1h",
    "distributed.worker.memory.terminate": False,
}
"""A call that killed a worker is not tried again; a busy machine is no news."""


class Cluster(Protocol):
    scheduler_address: str


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster whose workers find the hostile provider, too."""
    import dask  # noqa: PLC0415 - only where it is installed

    folder = tmp_path_factory.mktemp("cluster")
    installed = install_hostile(folder / "installed")
    with pytest.MonkeyPatch.context() as patch, dask.config.set(SETTINGS):
        patch.syspath_prepend(installed)
        package = str(Path(corpus.__file__).parents[1])
        patch.setenv("PYTHONPATH", os.pathsep.join([str(installed), package]))
        registered.cache_clear()
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=LOOPBACK,
            worker_dashboard_address=LOOPBACK,
            local_directory=str(folder / "scratch"),
            silence_logs="CRITICAL",
        ) as started:
            yield started
    registered.cache_clear()


def test_a_cluster_gives_the_bytes_that_this_machine_gives(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, cli: InProcess
) -> None:
    answers = []
    for executor in ("local", f"dask:{cluster.scheduler_address}"):
        folder = tmp_path / executor[:4]
        names = write_fleet(folder)
        monkeypatch.chdir(folder)
        where = ("--jobs", "1") if executor == "local" else ("--executor", executor)
        done = [
            cli("fleet", job, *names, *where) for job in ("build", "doctor", "eval")
        ]
        assert [one.err for one in done] == ["", "", ""]
        answers.append([(one.status, one.out) for one in done])
    assert answers[0] == answers[1]
    assert json.loads(answers[1][2][1])["counts"]["fine"] == 2


def test_a_worker_of_the_cluster_that_dies_costs_its_corpus_alone(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, cli: InProcess
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("first", "deadly")
    for name in names:
        policy = open_policy(f"the-{name}")
        write_corpus(tmp_path / name, project_id=f"the-{name}", policy=policy)
    write(tmp_path / "deadly/die", "")
    executor = f"dask:{cluster.scheduler_address}"
    done = cli("fleet", "doctor", *names, "--executor", executor)
    rows = json.loads(done.out)["rows"]
    assert [row["state"] for row in rows] == ["done", "failed"]
    assert rows[1]["error"] == "WORKER_LOST"
    assert (done.status, done.err) == (1, "")
    after = cli("fleet", "build", "first", "--executor", executor)
    assert json.loads(after.out)["counts"]["fine"] == 1


def test_a_cluster_without_workers_or_none_at_all_is_one_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: InProcess
) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 1)
    with distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address=LOOPBACK
    ) as empty:
        executor = f"dask:{empty.scheduler_address}"
        refused = cli("fleet", "build", str(tmp_path), "--executor", executor)
    assert json.loads(refused.err)["facts"]["reason"] == "it has no worker"
    gone = cli("fleet", "build", str(tmp_path), "--executor", "dask:127.0.0.1:1")
    assert (gone.status, json.loads(gone.err)["error"]) == (2, "EXECUTOR_UNREACHABLE")
