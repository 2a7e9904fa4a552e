"""What tests share: a home of their own, and the program run in and out of process."""

from __future__ import annotations

import gc
import io
import os
import runpy
import subprocess
import sys
import tempfile
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

import corpus
from corpus.cli.app import main, run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PROBES = Path(__file__).parent / "probes"
"""A program of one command, whose module does what a test asks for."""

USER_FOLDERS = {
    "HOME": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
}


LONGEST = (
    "tests/test_demo.py",
    "tests/faults/test_write_kills.py",
    "tests/faults/test_write_faults.py",
    "tests/mcp/test_hostile.py",
    "tests/agentctx/test_many_sessions.py",
    "tests/stories/test_ten_sessions.py",
    "tests/mcp/test_public_checks.py",
    "tests/test_speed.py",
    "tests/faults/test_reader_races.py",
    "tests/stories/test_remembered.py",
    "tests/test_wheel.py",
    "tests/test_markdown.py",
    "tests/agentctx/test_client_faults.py",
)
"""Files that take long: they begin first, so that two processes end together.

Those that start children by the hundred gain twice: a process is small yet.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files begin, and every other one keep its place."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda one: places.get(one.nodeid.partition("::")[0], len(places)))


def pytest_collection_finish() -> None:
    """Look for garbage no more in what is collected: it stays to the end.

    Thousands of tests are more to look through than what any of them makes.
    """
    gc.collect()
    gc.freeze()


class Outcome(NamedTuple):
    """What one run of a program left: status and both streams, as text."""

    status: int
    out: str
    err: str


class InProcess(Protocol):
    """`cli(*arguments, cwd=None, terminal=False)`: run `main` in this process."""

    def __call__(
        self, *arguments: str, cwd: Path | None = None, terminal: bool = False
    ) -> Outcome: ...


class OutOfProcess(Protocol):
    """`program(*arguments, …)`: run the command as a process of its own."""

    def __call__(
        self,
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        python: tuple[str, ...] = (),
    ) -> Outcome: ...


class StartProbe(Protocol):
    """`probe_process(*arguments, stdout=PIPE, env=None)`: start the probe."""

    def __call__(
        self,
        *arguments: str,
        stdout: int = subprocess.PIPE,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]: ...


class FakeTerminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="session")
def user_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a new folder at each step.

    `mktemp` looks through all there are before it makes one, at each of our tests.
    """
    folder = tmp_path_factory.mktemp("homes")

    def made() -> Iterator[Path]:
        for number in count():
            home = folder / str(number)
            home.mkdir(mode=0o700)
            yield home

    return made()


@pytest.fixture(autouse=True)
def user_home(user_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a user of its own, so that none meets a person's real files."""
    home = next(user_homes)
    for name, folder in USER_FOLDERS.items():
        monkeypatch.setenv(name, str(home / folder))
    return home


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """Give a folder on a disk: another implementation refuses one in memory."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name).resolve()


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """Run `project-corpus` in this process and catch what it writes."""

    def run(
        *arguments: str, cwd: Path | None = None, terminal: bool = False
    ) -> Outcome:
        with monkeypatch.context() as patch:
            if cwd is not None:
                patch.chdir(cwd)
            return caught(main, arguments, terminal=terminal)

    return run


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """Run the probe program in this process and catch what it writes."""
    monkeypatch.syspath_prepend(PROBES)
    program = runpy.run_path(str(PROBES / "run_probe.py"))["PROBE"]

    def run(
        *arguments: str, cwd: Path | None = None, terminal: bool = False
    ) -> Outcome:
        del cwd
        return caught(partial(run_program, program), arguments, terminal=terminal)

    return run


def caught(
    entry: Callable[[tuple[str, ...]], int],
    arguments: tuple[str, ...],
    *,
    terminal: bool,
) -> Outcome:
    """Run an entry point with streams that keep what is written to them."""
    kind = FakeTerminal if terminal else io.TextIOWrapper
    out, err = io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", kind(out, encoding="ascii"))
        patch.setattr(sys, "stderr", kind(err, encoding="ascii"))
        status = entry(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
        return Outcome(status, out.getvalue().decode(), err.getvalue().decode())


@pytest.fixture
def program_command() -> tuple[str, ...]:
    """Give the words that start `project-corpus` with the package under test."""
    code = "import sys; from corpus.cli.app import run; run()"
    return (sys.executable, "-W", "error", "-c", code)


@pytest.fixture
def program_env() -> dict[str, str]:
    """Give the environment in which a child finds the package under test."""
    return {**os.environ, "PYTHONPATH": str(Path(corpus.__file__).parents[1])}


@pytest.fixture
def program(
    program_command: tuple[str, ...], program_env: dict[str, str]
) -> OutOfProcess:
    """Run `project-corpus` as a process of its own, its output caught."""

    def run(
        *arguments: str,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        python: tuple[str, ...] = (),
    ) -> Outcome:
        executable, *rest = program_command
        done = subprocess.run(
            [executable, *python, *rest, *arguments],
            cwd=cwd,
            env={**program_env, **(env or {})},
            capture_output=True,
            check=False,
            timeout=100,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def probe_process(program_env: dict[str, str]) -> StartProbe:
    """Start the probe program as a process of its own."""

    def start(
        *arguments: str,
        stdout: int = subprocess.PIPE,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, str(PROBES / "run_probe.py"), *arguments],
            env={**program_env, **(env or {})},
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    return start
