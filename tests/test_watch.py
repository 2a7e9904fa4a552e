from __future__ import annotations

import json
import queue
import shutil
import signal
import subprocess
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from corpus.errors import IndexMissingError, IndexPathError
from corpus.index.build import BuildReport
from corpus.watch import Told, Watched, watch
from tests.corpora import NOW, dirs_of, fixed_bytes, report_page, write, write_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DEADLINE = 40.0
"""Seconds until a line that does not come is missed."""


class Watching:
    """A running watch and the lines it writes, each a JSON object."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> dict[str, Any]:
        line = self._lines.get(timeout=DEADLINE)
        assert line is not None, self.stopped_with()
        value: dict[str, Any] = json.loads(line)
        return value

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            line = self.next()
            if wanted(line):
                return line
        pytest.fail("the line did not come")

    def stopped_with(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)


@pytest.fixture
def start(
    program_command: tuple[str, ...], program_env: dict[str, str]
) -> Iterator[Callable[..., Watching]]:
    """Start a watch as a process of its own; all are stopped in the end."""
    started: list[subprocess.Popen[str]] = []

    def run(root: Path, *options: str) -> Watching:
        process = subprocess.Popen(
            [*program_command, "context", "watch", str(root), *options],
            env=program_env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        started.append(process)
        return Watching(process)

    yield run
    for process in started:
        process.kill()
        process.communicate()


def reports(root: Path) -> Path:
    return root / ".project-corpus/reports"


def swap(path: Path, text: str) -> None:
    """Put new content in place at once, as editors do."""
    write(path.with_suffix(".new"), text).replace(path)


def counts(sources: int) -> Callable[[dict[str, Any]], bool]:
    return lambda line: line.get("source_count") == sources


@pytest.mark.requirement("P17.1")
@pytest.mark.parametrize("options", [(), ("--poll",)], ids=["notified", "polling"])
def test_a_new_report_is_indexed_without_a_command(
    tmp_path: Path, start: Callable[..., Watching], options: tuple[str, ...]
) -> None:
    root = write_corpus(tmp_path / "corpus")
    watching = start(root, *options)
    first = watching.next()
    assert (first["state"], first["source_count"]) == ("built", 5)
    write(reports(root) / "report-two.md", report_page("report-two"))
    second = watching.next()
    assert (second["state"], second["source_count"]) == ("built", 6)
    assert second["parsed"] == 1


@pytest.mark.requirement("P17.1")
def test_a_burst_of_changes_ends_in_an_index_that_holds_them_all(
    tmp_path: Path, start: Callable[..., Watching]
) -> None:
    root = write_corpus(tmp_path / "corpus")
    watching = start(root)
    watching.next()
    for number in range(100):
        name = f"burst-{number:03}"
        write(reports(root) / f"{name}.md", report_page(name))
    assert watching.until(counts(105))["state"] == "built"


@pytest.mark.requirement("P17.1")
def test_a_renamed_source_is_indexed_under_its_new_name(
    tmp_path: Path, start: Callable[..., Watching]
) -> None:
    root = write_corpus(tmp_path / "corpus")
    watching = start(root)
    before = watching.next()["source_snapshot_digest"]
    (reports(root) / "report-one.md").rename(reports(root) / "report-new.md")
    after = watching.next()
    assert after["source_count"] == 5
    assert after["source_snapshot_digest"] != before


@pytest.mark.requirement("P17.1")
@pytest.mark.parametrize("folder", [".project-corpus/reports", ".project-corpus"])
def test_a_folder_that_is_deleted_and_made_again_is_still_watched(
    tmp_path: Path, start: Callable[..., Watching], folder: str
) -> None:
    root = write_corpus(tmp_path / "corpus")
    kept = tmp_path / "kept"
    shutil.copytree(root / folder, kept)
    watching = start(root)
    watching.next()
    shutil.rmtree(root / folder)
    watching.next()
    shutil.copytree(kept, root / folder)
    watching.until(counts(5))
    write(reports(root) / "report-two.md", report_page("report-two"))
    watching.until(counts(6))


@pytest.mark.requirement("P17.1")
def test_an_invalid_state_is_told_once_and_survived(
    tmp_path: Path, start: Callable[..., Watching]
) -> None:
    root = write_corpus(tmp_path / "corpus")
    policy = root / ".project-corpus/policy.toml"
    good = policy.read_text("utf-8")
    watching = start(root)
    watching.next()
    swap(policy, "this is no policy")
    failed = watching.next()
    assert (failed["state"], failed["error"]) == ("failed", "POLICY_PARSE")
    write(reports(root) / "report-two.md", report_page("report-two"))
    swap(policy, good)
    again = watching.next()
    assert (again["state"], again["source_count"]) == ("built", 6)


@pytest.mark.requirement("P17.1", "P18.3")
def test_an_interrupt_ends_the_watch_with_130_and_no_traceback(
    tmp_path: Path, start: Callable[..., Watching]
) -> None:
    watching = start(write_corpus(tmp_path / "corpus"))
    watching.next()
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(timeout=DEADLINE) == 130
    assert json.loads(watching.stopped_with())["error"] == "INTERRUPTED"


@pytest.mark.requirement("P17.1")
def test_the_watch_does_not_answer_its_own_writing(
    tmp_path: Path, start: Callable[..., Watching]
) -> None:
    root = write_corpus(tmp_path / "corpus")
    watching = start(root)
    watching.next()
    write(root / ".project-corpus/cache/other.sqlite3", b"not ours")
    write(reports(root) / "report-two.md", report_page("report-two"))
    assert watching.next()["source_count"] == 6
    (reports(root) / "report-two.md").unlink()
    assert watching.next()["source_count"] == 5


@pytest.mark.requirement("P17.1", "P5.1")
def test_an_index_that_may_not_lie_there_is_refused_at_once(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "corpus")
    with pytest.raises(IndexPathError):
        watch(
            Watched(root=root, index=tmp_path / "outside.sqlite3"),
            lambda _: pytest.fail("nothing may be told"),
            dirs=dirs_of(root),
            random=fixed_bytes,
            clock=lambda: pytest.fail("no check may run"),
        )


def test_a_line_of_the_watch_names_the_build_or_the_failure() -> None:
    at = datetime.fromtimestamp(NOW, UTC)
    report = BuildReport(
        project_id="demo-one",
        source_count=3,
        item_count=9,
        parsed=1,
        written=True,
        source_snapshot_digest="0" * 64,
        guarantee_level="walk",
        skipped=(),
    )
    built = Told(state="built", at=at, report=report).as_json()
    assert (built["at"], built["ok"]) == ("2026-01-01T00:00:00Z", True)
    error = IndexMissingError(path="index")
    failed = Told(state="failed", at=at, error=error).as_json()
    assert (failed["ok"], failed["error"]) == (False, "INDEX_MISSING")
