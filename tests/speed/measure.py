"""What one run of a command costs: the whole process, as the system accounts it."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RSS_UNIT = 1024 if sys.platform != "darwin" else 1
"""`ru_maxrss` counts KiB on Linux, bytes on macOS."""


class Cost(NamedTuple):
    """CPU seconds (user and system), wall seconds and peak memory in MiB of a run."""

    cpu: float
    wall: float
    memory: float
    status: int
    out: str
    err: str


class Costs:
    """The costs of several runs of the same thing."""

    def __init__(self) -> None:
        self.runs: list[Cost] = []

    def add(self, cost: Cost) -> None:
        """Count one more run."""
        self.runs.append(cost)

    @property
    def cpu(self) -> float:
        """The least CPU seconds: what the work takes when nothing is in its way."""
        return min(run.cpu for run in self.runs)

    @property
    def median_cpu(self) -> float:
        """The median of the CPU seconds."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def memory(self) -> float:
        """The median of the peak memory, in MiB."""
        return statistics.median(run.memory for run in self.runs)


def mean(costs: Sequence[Cost]) -> Cost:
    """Give the mean of several runs; of memory the most."""
    return costs[-1]._replace(
        cpu=statistics.fmean(cost.cpu for cost in costs),
        wall=statistics.fmean(cost.wall for cost in costs),
        memory=max(cost.memory for cost in costs),
    )


class UnexpectedStatusError(Exception):
    """A measured command failed, so its cost says nothing."""


def measure(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    accept: Sequence[int] = (0,),
    given: bytes | None = None,
) -> Cost:
    """Run a command to its end; `UnexpectedStatusError` when its status is not one.

    `given` is its standard input; without it the command has the one of the caller.

    The memory of the caller counts as a floor, because a child begins as its copy: keep
    large data out of this process.
    """
    with ExitStack() as stack:
        out, err, entered = (
            stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)
        )
        entered.write(given or b"")
        entered.seek(0)
        read = None if given is None else entered
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=read, stdout=out, stderr=err
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
    if process.returncode not in accept:
        shown = " ".join(part[:40] for part in command[-4:])
        said = texts[1].strip()[-400:]
        message = f"`… {shown}` ended with {process.returncode}: {said}"
        raise UnexpectedStatusError(message)
    return Cost(
        cpu=used.ru_utime + used.ru_stime,
        wall=wall,
        memory=used.ru_maxrss * RSS_UNIT / 2**20,
        status=process.returncode,
        out=texts[0],
        err=texts[1],
    )


def our_command() -> tuple[str, ...]:
    """Find the installed command beside this interpreter, else run the source tree."""
    installed = Path(sys.executable).with_name("project-corpus")
    if installed.is_file():
        return (str(installed),)
    tree = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; sys.path.append({tree!r});from corpus.cli.app import run; run()"
    )
    return (sys.executable, "-c", code)


def agentctx_command() -> tuple[str, ...]:
    """Give the words that start `agentctx`, as a client starts it where it can be."""
    installed = Path(sys.executable).with_name("agentctx")
    if installed.is_file():
        return (str(installed),)
    return (sys.executable, "-P", "-m", "agentctx")


def agentctx_environment(env: Mapping[str, str], home: Path) -> dict[str, str]:
    """Give the environment of a session: a store of its own, and no key of anybody's.

    The source tree can be imported in it where nothing is installed.
    """
    foreign = ("AGENTCTX_", "ANTHROPIC_", "CLAUDE_")
    kept = {name: text for name, text in env.items() if not name.startswith(foreign)}
    if len(agentctx_command()) > 1:
        kept["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    return {**kept, "AGENTCTX_HOME": str(home)}


def own_environment(home: Path) -> dict[str, str]:
    """Give the environment of a user whose folders are empty.

    Compiled modules are kept in it, as they are after an installation, whatever the
    environment we run in says.
    """
    folders = {
        "HOME": "",
        "XDG_CONFIG_HOME": ".config",
        "XDG_STATE_HOME": ".local/state",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
    }
    places = {name: str(home / folder) for name, folder in folders.items()}
    env = {**os.environ, **places, "PYTHONPYCACHEPREFIX": str(home / "compiled")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return env
