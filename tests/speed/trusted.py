"""What the server and the controlled writes cost, beside the published peer.

Both work on copies of the same made-up project, each under a grant of its own. The
server is spoken to in lines over its pipes, as a client does; a call's time is from
the request's last byte to the answer's, with the server's start behind it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

STARTS = 3
CALLS = 15
READING = ("corpus.context", "mcp.stdio")
STATUS = ".project-corpus/state/STATUS.md"
VERSION = "2025-06-18"

POLICY = """\
policy_version = "2.0"
project_id = "{project_id}"
profile = "SAFE_EDIT"

[capabilities]
allow = ["corpus.read", "corpus.context", "mcp.stdio", "state.update"]

[scopes]
read = [".project-corpus/**"]
write = [".project-corpus/state/STATUS.md"]

[requirements]
expected_hash = true
verified_readback = true
audit_receipt = true
"""


class Served(NamedTuple):
    """What a server cost: CPU seconds of a start, wall seconds of each call."""

    start_cpu: float
    calls: tuple[float, ...]

    @property
    def call(self) -> float:
        """The median call."""
        return statistics.median(self.calls)


class Server:
    """A server as a process, spoken to in JSON lines."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def initialize(self) -> None:
        """Shake hands."""
        self.ask(
            "initialize",
            protocolVersion=VERSION,
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Send a request and give its answer."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method}
        self._send({**request, "params": params})
        assert self._process.stdout is not None
        while True:
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            if answer.get("id") == self._number:
                return answer

    def end(self) -> float:
        """Close its input, wait, and give the CPU seconds of its whole life."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        _, _, used = os.wait4(self._process.pid, 0)
        self._process.returncode = 0
        return used.ru_utime + used.ru_stime

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


class Trusted(NamedTuple):
    """A project, the grant for it, and the program that works on it."""

    program: Sequence[str]
    root: Path
    grant: Path
    env: Mapping[str, str]

    def run(self, *arguments: str) -> str:
        """Run the program to its end and give what it printed."""
        done = subprocess.run(
            [*self.program, *arguments],
            env=self.env,
            check=True,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        return done.stdout


def trusted(
    program: Sequence[str], tree: Path, name: str, env: Mapping[str, str]
) -> Trusted:
    """Copy a project, let its policy offer what is measured, and grant it."""
    root = tree.with_name(f"{tree.name}-{name}")
    shutil.copytree(tree, root)
    policy = root / ".project-corpus/policy.toml"
    project_id = policy.read_text(encoding="utf-8").split('project_id = "')[1]
    text = POLICY.format(project_id=project_id.split('"')[0])
    policy.write_text(text, encoding="utf-8")
    audit = root / ".project-corpus/audit"
    audit.mkdir(exist_ok=True)
    (audit / ".gitkeep").touch()
    grant_file = root.with_name(f"{root.name}-grant") / "grant.toml"
    place = Trusted(program, root, grant_file, env)
    allow = [word for one in (*READING, "state.update") for word in ("--allow", one)]
    transports = ("--transport", "cli", "--transport", "stdio-mcp")
    grant = ("--trust", str(place.grant))
    place.run("trust", "create", str(root), *grant, *allow, *transports)
    return place


def served(place: Trusted, queries: Sequence[str], *, ours: bool) -> Served:
    """Start the server for its start alone, a few times, then once for its calls.

    The first start compiles the libraries, as an installation does.
    """
    allow = [word for one in READING for word in ("--allow", one)]
    root = (str(place.root),) if ours else ()
    command = [*place.program, "mcp", *root, "--trust", str(place.grant), *allow]
    starts = []
    for _ in range(STARTS + 1):
        with Server(command, place.env) as server:
            server.initialize()
            starts.append(server.end())
    calls = []
    with Server(command, place.env) as server:
        server.initialize()
        for number in range(CALLS + 1):
            query = queries[number % len(queries)]
            arguments = {"query": query, "limit": 20}
            began = time.perf_counter()
            answer = server.ask(
                "tools/call", name="corpus.context_query", arguments=arguments
            )
            calls.append(time.perf_counter() - began)
            assert not answer["result"].get("isError"), answer
    return Served(min(starts[1:]), tuple(calls[1:]))


def write_steps(place: Trusted) -> Callable[[], list[str]]:
    """Give what makes the command of the next controlled write of STATUS."""
    status = place.root / STATUS
    new = place.root.with_name(f"{place.root.name}-status.md")

    def command() -> list[str]:
        content = status.read_bytes()
        new.write_bytes(content + b"\nOne line more.\n")
        expected = hashlib.sha256(content).hexdigest()
        words = ("--input", str(new), "--expected-sha256", expected)
        grant = ("--trust", str(place.grant))
        return [*place.program, "state", "update", *grant, *words]

    return command
