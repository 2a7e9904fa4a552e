"""Developers with homes of their own, and clones of one repository."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from agentctx.cli.app import main
from agentctx.project import resolve_project
from agentctx.records.read import current_records
from tests.agentctx.answers import answer
from tests.agentctx.hooked import Client, context, start_hook
from tests.conftest import USER_FOLDERS, caught
from tests.gitrepos import Git
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.records.model import Record

ROOT = Path(__file__).parents[2]
DRIVER = f"{sys.executable} -P -m agentctx team merge %O %A %B"


class Told(NamedTuple):
    """One record that a session was told: how it is labelled, and its lines."""

    label: str
    title: str
    body: str


class Developer:
    """Somebody with a home, a store, and a clone; machines are folders."""

    def __init__(self, machine: Path, name: str) -> None:
        self.name = name
        self.user = machine / name
        self.user.mkdir(parents=True)
        self.home = self.user / ".agentctx"
        self.root = self.user / "weather"
        self.git = Git(self.user)

    @property
    def file(self) -> Path:
        """Where the team's file lies."""
        return self.root / ".agentctx" / "context.md"

    @property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    def clones(self, origin: Path) -> None:
        """Clone the repository, and let git merge the file by blocks."""
        self.git(self.user, "clone", "-q", str(origin), str(self.root))
        self.run("team", "install-merge-driver", "--yes")
        self.git(self.root, "config", "merge.agentctx.driver", DRIVER)

    def run(self, *words: str, status: int = 0, cwd: Path | None = None) -> Any:  # noqa: ANN401 - any JSON
        """Run `agentctx` as this person, in this process; give its JSON."""
        with self.at_home(cwd or self.root):
            return answer(caught(main, words, terminal=False), status=status)

    @contextlib.contextmanager
    def at_home(self, folder: Path) -> Iterator[None]:
        """Be this person, in a folder."""
        with pytest.MonkeyPatch.context() as patch:
            for name, below in USER_FOLDERS.items():
                patch.setenv(name, str(self.user / below))
            patch.setenv("AGENTCTX_HOME", str(self.home))
            patch.delenv("ANTHROPIC_API_KEY", raising=False)
            patch.chdir(folder)
            yield

    def decides(self, title: str, body: str, kind: str = "decision") -> str:
        """Record something and share it; give its id."""
        made = self.run("add", kind, title, "--body", body)["record"]["id"]
        self.shares(made)
        return str(made)

    def shares(self, record_id: str) -> None:
        self.run("promote", record_id, "--yes")
        self.run("team", "export")

    def edits(self, old: str, new: str) -> None:
        """Change the file by hand."""
        text = self.text
        assert text.count(old) == 1, text
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    def pushes(self, what: str) -> None:
        """Commit everything, merge what others pushed, and push."""
        self.git(self.root, "add", "-A")
        self.git(self.root, "commit", "-q", "-m", what)
        self.pulls()
        self.git(self.root, "push", "-q", "origin", "main")

    def pulls(self) -> None:
        """Merge what others pushed; git runs the driver."""
        environ = {**self.git.environ, "PYTHONPATH": str(ROOT)}
        command = [
            "git",
            "-C",
            str(self.root),
            "pull",
            "-q",
            "--no-rebase",
            "--no-edit",
        ]
        done = subprocess.run(
            [*command, "origin", "main"], env=environ, capture_output=True, check=False
        )
        assert done.returncode == 0, (done.stdout, done.stderr)

    def works(self) -> list[Told]:
        """Begin a session, let the worker take in what is new, and begin another."""
        self.begins()
        self.run("consolidate")
        return told_in(self.begins())

    def begins(self) -> str:
        """Begin a session; its hooks run in this process, and wake nobody."""
        client = Client(self.home, self.root, Ticking(datetime.now(UTC)))
        text = client.hook("session-start", source="startup")
        return context(text) if text.startswith("{") else text

    def begins_alone(self) -> str:
        """Begin a session whose hook is a process of its own; give what it is told."""
        payload = {
            "session_id": f"{self.name}-alone",
            "transcript_path": str(self.user / "none.jsonl"),
            "cwd": str(self.root),
            "permission_mode": "default",
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        done = start_hook("session-start", payload, self.home, PYTHONPATH=str(ROOT))
        assert (done.returncode, done.stderr) == (0, b"")
        return context(done.stdout.decode()) if done.stdout else ""

    def knows(self) -> dict[str, Record]:
        """Give the current records of the project by their titles."""
        project = resolve_project(self.root, environ={}).project_id
        with store_at(self.home, create=False) as store:
            found = current_records(store.db, project)
            return {one.title: one for one in found if one.type != "handover"}

    def failures(self) -> str:
        """Give what was noted of things that went wrong in the background."""
        logs = sorted(self.home.glob("*.log*"))
        return "".join(one.read_text(encoding="utf-8") for one in logs)


def told_in(text: str) -> list[Told]:
    """Take what a session was told apart; everything of a record is quoted."""
    found = []
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("["):
            quoted = []
            for below in lines[number + 1 :]:
                if not below.startswith("> "):
                    break
                quoted.append(below.removeprefix("> "))
            label = line.partition("] ")[2]
            found.append(Told(label, quoted[0], "\n".join(quoted[1:])))
    return found


def bare(folder: Path) -> Path:
    """Make the repository that everybody pushes to."""
    git = Git(folder)
    first = git.repository(folder / "first")
    origin = folder / "origin.git"
    git(folder, "clone", "-q", "--bare", str(first), str(origin))
    return origin


def processes_of(home: Path) -> list[int]:
    """Give the processes that were started with a store."""
    mark = f"AGENTCTX_HOME={home}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
    return [one for one in found if one != os.getpid()]
