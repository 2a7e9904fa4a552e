"""What many sessions leave behind: no process of ours, and nothing that was lost.

Every hook is a process as a client starts it, every transcript a file that grows line
by line while its session goes on. A session says one thing, changes one file, says
another thing and ends; so what has to be there afterwards can be counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.failures import last_failures
from agentctx.hooks.app import EVENTS
from agentctx.records.store import open_store
from tests.agentctx.spoken import transcript
from tests.speed.bench import heading, row
from tests.speed.measure import agentctx_command, agentctx_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.speed.bench import Bench

SESSIONS, AT_ONCE, PROJECTS = 1_000, 2, 4
PATIENCE = 60.0
"""Seconds after the last session in which the last of our processes has to end."""

HOOK_SECONDS = 30
PROCESSES = Path("/proc")
_LOOK = 0.1


class Lived(NamedTuple):
    """What so many sessions left: counts that have to be 0, and how long it took.

    `left` are processes of ours that still run; `missing` sessions that have no row,
    `unended` those whose end is not noted, `unsettled` those whose transcript was not
    read to its end, `unseen` those whose change of a file was not kept. `seconds` are
    those of all sessions, `after` those until the last of our processes ended,
    `longest` those of the longest hook. `failures` are the codes in the log, `said`
    what hooks wrote that no client wants.
    """

    sessions: int
    seconds: float
    after: float
    longest: float
    left: int
    missing: int
    unended: int
    unsettled: int
    unseen: int
    failures: tuple[str, ...]
    said: tuple[str, ...]

    @property
    def lost(self) -> int:
        """How many things are not there that have to be."""
        return self.missing + self.unended + self.unsettled + self.unseen


class Machine(NamedTuple):
    """Where sessions run: their folder, how `agentctx` is started, in which world."""

    folder: Path
    command: Sequence[str]
    env: Mapping[str, str]

    @property
    def home(self) -> Path:
        """The user's folder, where the store is."""
        return Path(self.env["AGENTCTX_HOME"])

    def project(self, number: int) -> Path:
        """Give the project a session is in; it is made before the first one."""
        return self.folder / f"project-{number % PROJECTS}"


def sessions(bench: Bench) -> None:
    """Measure a thousand sessions, two at a time."""
    heading("1,000 sessions: s in all, s until nobody is left; ms of the longest hook")
    if not PROCESSES.is_dir():
        sys.stdout.write(
            "processes cannot be found here by what they were started in\n"
        )
        return
    folder = bench.folder / "sessions"
    folder.mkdir()
    env = agentctx_environment(bench.env, folder / "home")
    lived = live(Machine(folder, agentctx_command(), env), SESSIONS)
    row("ours", lived.seconds, lived.after, 1000 * lived.longest)
    for told in (*lived.failures, *lived.said):
        sys.stdout.write(f"{told}\n")
    bench.target("sessions: processes left", lived.left, 0)
    bench.target("sessions: s until nobody is left", lived.after, PATIENCE, "s")
    bench.target("sessions: lost", lived.lost, 0)
    count = len(lived.failures) + len(lived.said)
    bench.target("sessions: failures and output", count, 0)


def live(machine: Machine, count: int) -> Lived:
    """Let so many sessions live, and count what they leave."""
    for number in range(PROJECTS):
        (machine.project(number) / ".agentctx").mkdir(parents=True)
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        parties = [_Session(machine, number) for number in range(count)]
        for done in [pool.submit(one.live) for one in parties]:
            done.result()
    seconds = time.monotonic() - began
    after = _until_nobody_is_left(machine.home)
    return Lived(
        sessions=count,
        seconds=seconds,
        after=after,
        longest=max(one.longest for one in parties),
        left=len(processes_of(machine.home)),
        **_counts(machine.home, count),
        failures=tuple(
            f"{one.where}: {one.code} {one.detail}".strip()
            for one in last_failures(str(machine.home))
        ),
        said=tuple(dict.fromkeys(said for one in parties for said in one.said)),
    )


class _Session:
    """One session: what its client starts, and what stands in its transcript."""

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine = machine
        self.name = f"session-{number:04}"
        self.number = number
        self.cwd = machine.project(number)
        self.file = transcript(machine.folder, self.cwd, self.name)
        self.longest = 0.0
        self.said: list[str] = []

    def live(self) -> None:
        """Begin, say and do something, and end, as a client does."""
        self._hook("session-start", source="startup")
        self._prompt(f"Write the importer of table {self.number}")
        changed = self._change(f"src/table_{self.number}.py")
        self.file.answers("The importer is written.")
        self._hook("stop", stop_hook_active=False)
        self._prompt("And let it retry three times when the database is locked")
        self.file.answers("It retries three times.")
        self._hook("stop", stop_hook_active=False)
        self._ended(*changed)
        self._hook("session-end", reason="prompt_input_exit")

    def _prompt(self, text: str) -> None:
        self._hook("user-prompt-submit", prompt=text)
        self.file.says(text)

    def _change(self, path: str) -> tuple[subprocess.Popen[bytes], float]:
        """Let the agent write a file; the client does not wait for this hook."""
        written = {"file_path": str(self.cwd / path), "content": "ROWS = 50\n"}
        tool: dict[str, object] = {"name": "Write", "input": written}
        self.file.answers("I write it.", [tool])
        process = self._start(
            "post-tool-use",
            tool_name="Write",
            tool_input=written,
            tool_response={"type": "create", "filePath": written["file_path"]},
        )
        return process, time.monotonic()

    def _hook(self, event: str, **more: object) -> None:
        began = time.monotonic()
        self._ended(self._start(event, **more), began)

    def _start(self, event: str, **more: object) -> subprocess.Popen[bytes]:
        payload = {
            "session_id": self.name,
            "transcript_path": str(self.file.path),
            "cwd": str(self.cwd),
            "hook_event_name": EVENTS[event][1],
            **more,
        }
        process = subprocess.Popen(
            [*self.machine.command, "hook", event],
            cwd=self.cwd,
            env=self.machine.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        process.stdin = None
        return process

    def _ended(self, process: subprocess.Popen[bytes], began: float) -> None:
        """Wait for a hook; a client is given status 0, and JSON or nothing."""
        out, err = process.communicate(timeout=HOOK_SECONDS)
        self.longest = max(self.longest, time.monotonic() - began)
        if process.returncode or err or out[:1] not in {b"", b"{"}:
            self.said.append(f"{process.returncode}: {(err or out).decode()[-400:]}")


def processes_of(home: Path) -> list[int]:
    """Find the processes that were started for a user's folder."""
    wanted = f"AGENTCTX_HOME={home}".encode()
    return [
        number for number, environ in _environs() if wanted in environ.split(b"\x00")
    ]


def _environs() -> Iterator[tuple[int, bytes]]:
    for entry in PROCESSES.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            yield int(entry.name), (entry / "environ").read_bytes()
        except OSError:  # it has ended, or is somebody else's
            continue


def _until_nobody_is_left(home: Path) -> float:
    """Wait for the last of our processes, not for ever; give the seconds it took."""
    began = time.monotonic()
    while processes_of(home) and time.monotonic() - began < PATIENCE:
        time.sleep(_LOOK)
    return time.monotonic() - began


def _counts(home: Path, count: int) -> dict[str, int]:
    """Count what is not there, by what each session has to have left."""

    def clock() -> datetime:
        return datetime.now(UTC)

    with open_store(str(home), clock=clock, random=os.urandom, create=False) as store:

        def number(query: str) -> int:
            return int(store.db.execute(query).fetchone()[0])

        return {
            "missing": count - number("SELECT count(*) FROM sessions"),
            "unended": count
            - number("SELECT count(*) FROM sessions WHERE ended_at IS NOT NULL"),
            "unsettled": count - _settled(store.db.execute(_TRANSCRIPTS).fetchall()),
            "unseen": count
            - number(
                "SELECT count(DISTINCT session_id) FROM observations"
                " WHERE kind = 'file'"
            ),
        }


_TRANSCRIPTS = """
SELECT path, place FROM transcripts
 WHERE ended_at IS NOT NULL AND settled_at >= MAX(heard_at, ended_at)
   AND problem IS NULL
"""


def _settled(rows: Sequence[Sequence[object]]) -> int:
    """Count the transcripts that were read to their last byte."""
    return sum(Path(str(path)).stat().st_size == place for path, place in rows)
