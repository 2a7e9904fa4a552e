"""A developer's machine on which whole days pass: real processes, real files, real git.

Claude Code is played: it has settings that `agentctx init` has written into, runs the
commands they hold through a shell, gives them what it would give, and writes
transcripts line by line. The model is a server of its own on this machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import agentctx
from agentctx.clock import stamp
from agentctx.project import resolve_project
from agentctx.records.model import GLOBAL
from agentctx.records.read import current_records
from agentctx.records.spans import yields_of
from corpus.tokens import injection_tokens
from tests.agentctx.hooked import context
from tests.agentctx.llm.fakeapi import running
from tests.agentctx.spoken import Transcript
from tests.gitrepos import Git
from tests.recorded import store_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentctx.records.model import Record
    from tests.agentctx.llm.fakeapi import FakeApi, Running

PATIENCE = 60.0
"""Seconds after which something that has to happen will not."""

SETTINGS = """\
{
    "model": "opus",  "includeCoAuthoredBy": false,
    "hooks": {
        "Stop": [ { "hooks": [ {"type": "command", "command": "true"} ] } ]
    },
    "permissions": {"allow": ["Bash(git:*)"]}
}
"""
ACCOUNT = '{\n  "numStartups": 12,\n  "mcpServers": {},\n  "theme": "dark"\n}'

KEY = "story-key"  # no key of any service


class Hooked(NamedTuple):
    """What a client has got from the hooks of one event."""

    text: str
    tokens: int


class Machine:
    """One user's home, a repository in it, and Claude Code beside them."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "user"
        self.user.mkdir()
        self.home = self.user / ".agentctx"
        self.claude = self.user / ".claude"
        self.claude.mkdir()
        self.settings = self.claude / "settings.json"
        self.settings.write_text(SETTINGS, encoding="utf-8")
        self.account = self.user / ".claude.json"
        self.account.write_text(ACCOUNT, encoding="utf-8")
        self.git = Git(self.user)
        self.repository = self.git.repository(self.user / "weather")
        self.api: FakeApi | Running | None = None
        self.given: list[Hooked] = []
        self.questions: list[str] = []
        self._path = os.pathsep.join((_programs(folder), "/usr/bin", "/bin"))

    def environ(self, *, key: bool = True) -> dict[str, str]:
        """Give the environment a client starts its hooks in."""
        found = {
            "PATH": self._path,
            "HOME": str(self.user),
            "AGENTCTX_HOME": str(self.home),
            "PYTHONPATH": str(Path(agentctx.__file__).parents[1]),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        if key and self.api is not None:
            found |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.api.url}
        return found

    @contextlib.contextmanager
    def model(self, folder: Path, script: Mapping[str, object]) -> Iterator[Running]:
        """Let a model answer as a script says, as long as the context lasts."""
        with running(script, folder) as api:
            self.api = api
            try:
                yield api
                self.questions += [one.text for one in api.asked()]
            finally:
                self.api = None

    def run(self, *words: str, status: int = 0, cwd: Path | None = None) -> Any:  # noqa: ANN401 - any JSON
        """Run `agentctx` as a person would; give its JSON."""
        return self.program("agentctx", *words, status=status, cwd=cwd)

    def program(
        self, name: str, *words: str, status: int = 0, cwd: Path | None = None
    ) -> Any:  # noqa: ANN401 - any JSON
        """Run a program in the repository, or elsewhere; give its JSON."""
        done = subprocess.run(
            [name, *words, "--format", "json"],
            env=self.environ(),
            cwd=cwd or self.repository,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            executable=_found(name, self._path),
        )
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return json.loads(done.stdout)

    def records(self, kind: str) -> dict[str, Record]:
        """Give the current records of a type, everywhere and here, by their titles."""
        project = resolve_project(self.repository, environ={}).project_id
        with store_at(self.home, create=False) as store:
            return {
                record.title: record
                for place in (GLOBAL, project)
                for record in current_records(store.db, place, record_type=kind)
            }

    def became(self, session: str) -> dict[str, int]:
        """Give what became of everything a model found in a session."""
        with store_at(self.home, create=False) as store:
            return yields_of(store.db, session)

    @contextlib.contextmanager
    def server(
        self, name: str = "agentctx", **more: str
    ) -> Iterator[Callable[[str, object], Any]]:
        """Run a server that is registered with the client; give how to ask it."""
        account = json.loads(self.account.read_text(encoding="utf-8"))
        entry = account["mcpServers"][name]
        with subprocess.Popen(
            [_found(entry["command"], self._path), *entry["args"]],
            env=self.environ() | {"CLAUDE_PROJECT_DIR": str(self.repository)} | more,
            cwd=self.repository,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            sent, got = process.stdin, process.stdout

            def ask(method: str, given: object) -> Any:  # noqa: ANN401 - any JSON
                asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
                sent.write(json.dumps(asked) + "\n")
                sent.flush()
                return json.loads(got.readline())["result"]

            yield ask
            sent.close()
            process.wait(PATIENCE)

    def status(self) -> Any:  # noqa: ANN401 - any JSON
        """Give what `agentctx status` says."""
        return self.run("status")

    def work(self) -> Any:  # noqa: ANN401 - any JSON
        """Do what waits, at once, and see that every worker comes to its end."""
        done = self.run("work", "--now", "--max-seconds", "45")
        self.rest()
        return done

    def rest(self) -> None:
        """Wait until no process of ours is left."""
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                _wait_for(process)
        assert self.processes() == []

    def processes(self) -> list[int]:
        """Give the processes of ours on this machine."""
        mark = f"AGENTCTX_HOME={self.home}".encode()
        found = []
        for place in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if place.name.isdigit() and mark in _fields(place / "environ"):
                    found.append(int(place.name))
        return [one for one in found if one != os.getpid()]

    def close(self) -> None:
        """Let no process of ours outlive the story, however it ended."""
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def kill_worker(self) -> None:
        """End the worker at work as the system does when it has no memory left."""
        process = int(self.status()["worker"]["pid"])
        waiting = os.pidfd_open(process)
        os.kill(process, signal.SIGKILL)
        select.select([waiting], [], [], PATIENCE)
        os.close(waiting)

    def let_be_gone(self, session: Session) -> None:
        """Let an hour pass in which nothing is heard of a session that crashed."""
        now = time.time()
        os.utime(session.transcript.path, (now - 3600, now - 3600))
        at = stamp(datetime.fromtimestamp(now - 7200, UTC))
        with store_at(self.home, create=False) as store, store.writing() as tx:
            tx.execute(
                "UPDATE transcripts SET heard_at = ?, settled_at = ?"
                " WHERE session_id = ?",
                (at, at, session.name),
            )

    def let_retry(self) -> None:
        """Let the time pass that somebody waits before asking a model again."""
        with store_at(self.home, create=False) as store, store.writing() as tx:
            long_ago = stamp(store.clock())  # a clock that stands in the past
            tx.execute("UPDATE spans SET due_at = ?", (long_ago,))
            tx.execute(
                "UPDATE transcripts SET retry_at = ? WHERE retry_at IS NOT NULL",
                (long_ago,),
            )

    def said_anywhere(self, words: str) -> list[str]:
        """Give our files, and the questions to a model, that hold some words."""
        held = words.encode()
        found = [
            str(path.relative_to(self.home))
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and held in path.read_bytes()
        ]
        return found + ["a question" for text in self.questions if words in text]


class Session:
    """One session of Claude Code in a folder; `key` says whether it has one."""

    def __init__(
        self, machine: Machine, name: str, cwd: Path | None = None, *, key: bool = True
    ) -> None:
        self.machine = machine
        self.name = name
        self.cwd = cwd or machine.repository
        self.key = key
        self.tools = 0
        folder = machine.claude / "projects" / str(self.cwd).replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        self.transcript = Transcript(folder / f"{name}.jsonl", self.cwd, name)

    def start(self, source: str = "startup") -> str:
        """Let the session begin, or begin again; give what it is told."""
        return self._told("SessionStart", source=source, model="claude-opus-4-8")

    def asks(self, prompt: str, answer: str = "Done.", *, goes_on: bool = False) -> str:
        """Let the developer ask and the agent answer; give what hooks added."""
        told = self._told("UserPromptSubmit", prompt=prompt)
        self.transcript.says(prompt)
        self.transcript.answers(answer)
        if not goes_on:
            self.stop(answer)
        return told

    def uses(self, tool: str, given: object, response: object) -> None:
        """Let the agent use a tool, which works."""
        self._used("PostToolUse", tool, given, tool_response=response)

    def fails(self, command: str, error: str) -> None:
        """Let a command of the agent's fail."""
        given = {"command": command}
        self._used("PostToolUseFailure", "Bash", given, error=error, is_interrupt=False)

    def stop(self, answer: str = "Done.") -> None:
        """Let a turn end."""
        assert self.hook("Stop", stop_hook_active=False, last_assistant_message=answer)

    def compacts(self) -> str:
        """Let the client compact the conversation; give what the session is told."""
        self.hook("PreCompact", trigger="auto", custom_instructions="")
        self.transcript.says(
            "This session is being continued from a previous conversation that ran out"
            " of context. We decided that the archive is kept in CSV files.",
            isCompactSummary=True,
        )
        return self.start("compact")

    def ends(self, reason: str = "prompt_input_exit") -> None:
        """Let the session end."""
        self.hook("SessionEnd", reason=reason)

    def hook(self, event: str, tool: str = "", /, **more: object) -> list[str]:
        """Run every command that is registered for an event; give what each printed."""
        payload = {
            "session_id": self.name,
            "transcript_path": str(self.transcript.path),
            "cwd": str(self.cwd),
            "permission_mode": "default",
            "hook_event_name": event,
            **more,
        }
        printed = []
        settings = json.loads(self.machine.settings.read_text(encoding="utf-8"))
        for group in settings["hooks"].get(event, ()):
            if tool and tool not in group.get("matcher", tool).split("|"):
                continue
            for handler in group["hooks"]:
                assert handler["type"] == "command"
                printed.append(self._ran(handler, payload))
        return printed

    def _ran(self, handler: Mapping[str, Any], payload: object) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", handler["command"]],
            input=json.dumps(payload).encode(),
            env={
                **self.machine.environ(key=self.key),
                "CLAUDE_PROJECT_DIR": str(self.machine.repository),
            },
            cwd=self.cwd,
            capture_output=True,
            timeout=handler.get("timeout", 60),
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), (handler, done.stderr)
        return done.stdout.decode()

    def _told(self, event: str, **more: object) -> str:
        text = "".join(self.hook(event, **more))
        told = context(text) if text else ""
        self.machine.given.append(Hooked(told, injection_tokens(told)))
        if told:
            self._shows(event, told)
        return told

    def _shows(self, event: str, told: str) -> None:
        """Write into the transcript what hooks have added, in both forms known."""
        attachment = {
            "type": "hook_additional_context",
            "content": [told],
            "hookName": event,
            "hookEvent": event,
        }
        self.transcript.raw(
            json.dumps({"type": "attachment", "attachment": attachment})
        )
        reminder = f"{event} hook additional context: {told}"
        self.transcript.says(
            f"<system-reminder>\n{reminder}\n</system-reminder>", isMeta=True
        )

    def _used(self, event: str, tool: str, given: object, **more: object) -> None:
        self.tools += 1
        key = f"toolu_{self.name}_{self.tools}"
        answered: Sequence[dict[str, object]] = [
            {"name": tool, "input": given, "tool_use_id": key}
        ]
        self.transcript.answers("I look at it.", answered)
        more |= {"tool_name": tool, "tool_input": given, "tool_use_id": key}
        printed = self.hook(event, tool, **more)
        assert printed == [""]


def until(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    ends = time.monotonic() + PATIENCE
    never = threading.Event()
    while not is_so():
        assert time.monotonic() < ends
        never.wait(0.1)


def _wait_for(process: int) -> None:
    """Wait for the end of a process that is nobody's child."""
    waiting = os.pidfd_open(process)
    try:
        ended, _, _ = select.select([waiting], [], [], PATIENCE)
        assert ended, process
    finally:
        os.close(waiting)


def _programs(folder: Path) -> str:
    """Make the programs that a PATH needs: those of the packages under test."""
    made = folder / "programs"
    made.mkdir()
    for name, start in (
        ("agentctx", "-m agentctx"),
        ("project-corpus", "-c 'from corpus.cli.app import run; run()'"),
    ):
        path = made / name
        line = f"exec '{sys.executable}' -P {start} \"$@\""
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)
    return str(made)


def _found(name: str, path: str) -> str:
    places = (Path(folder) / name for folder in path.split(os.pathsep))
    return str(next(place for place in places if place.exists()))


def _fields(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\0")
