"""What tests share: a home of their own, and the program run in and out of process."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

import corpus
from corpus.cli.app import main

if TYPE_CHECKING:
    from collections.abc import Mapping

USER_FOLDERS = {
    "HOME": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
}


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


class FakeTerminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def user_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give every test a user of its own, so that none meets a person's real files."""
    home = tmp_path_factory.mktemp("home")
    for name, folder in USER_FOLDERS.items():
        monkeypatch.setenv(name, str(home / folder))
    return home


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    """Run `project-corpus` in this process and catch what it writes."""

    def run(
        *arguments: str, cwd: Path | None = None, terminal: bool = False
    ) -> Outcome:
        kind = FakeTerminal if terminal else io.TextIOWrapper
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patch:
            if cwd is not None:
                patch.chdir(cwd)
            patch.setattr(sys, "stdout", kind(out, encoding="ascii"))
            patch.setattr(sys, "stderr", kind(err, encoding="ascii"))
            status = main(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
            written = out.getvalue().decode(), err.getvalue().decode()
        return Outcome(status, *written)

    return run


@pytest.fixture
def program_command() -> tuple[str, ...]:
    """Give the words that start `project-corpus` with the package under test."""
    code = "import sys; from corpus.cli.app import main; sys.exit(main())"
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
