"""A server as a process, and bare hands on its pipes."""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "hands", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
"""What every request of the newer era carries."""

PATIENCE = 60


class Ended(NamedTuple):
    """How a server ended, and everything it said."""

    status: int
    answers: list[dict[str, Any]]
    err: str


class Hands:
    """A server process whose pipes a test holds."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            words,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self._err = b""
        self._arrived = threading.Condition()
        self._readers = [
            threading.Thread(target=self._listen, daemon=True),
            threading.Thread(target=self._listen_aside, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:  # what was not yet written has no reader any more
                continue

    def send(self, *lines: bytes | Mapping[str, Any]) -> None:
        """Send lines; a mapping is sent as JSON."""
        assert self._process.stdin is not None
        for line in lines:
            text = line if isinstance(line, bytes) else json.dumps(line).encode()
            self._process.stdin.write(text + b"\n")
        self._process.stdin.flush()

    def send_raw(self, content: bytes) -> None:
        """Send bytes as they are."""
        assert self._process.stdin is not None
        self._process.stdin.write(content)
        self._process.stdin.flush()

    def begin(self, **capabilities: object) -> dict[str, Any]:
        """Shake hands as the older era does."""
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": "hands", "version": "1"},
        }
        answer = self.ask("initialize", hello, named="begin")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def ask(
        self, method: str, params: Mapping[str, Any], *, named: str | int
    ) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        request = {"jsonrpc": "2.0", "id": named, "method": method, "params": params}
        self.send(request)
        return self.answer_to(named)

    def answer_to(self, named: str | int) -> dict[str, Any]:
        """Wait for the answer to the request of this id."""
        seen = 0
        with self._arrived:
            while True:
                for line in self.lines[seen:]:
                    value = json.loads(line)
                    if value.get("id") == named and "method" not in value:
                        return dict(value)
                seen = len(self.lines)
                there = self._arrived.wait(PATIENCE)
                assert there or len(self.lines) > seen, f"no answer to {named}"
                assert self._process.poll() is None or len(self.lines) > seen

    def signal(self, number: int) -> None:
        """Send the process a signal."""
        self._process.send_signal(number)

    def stop_listening(self) -> None:
        """Close our end of what the server says."""
        assert self._process.stdout is not None
        self._process.stdout.close()

    def end(self, *, close: bool = True) -> Ended:
        """Close the server's input and wait for its end."""
        assert self._process.stdin is not None
        if close:
            self._process.stdin.close()
        status = self._process.wait(PATIENCE)
        for reader in self._readers:
            reader.join()
        return Ended(status, list(self.answers()), self._err.decode())

    def answers(self) -> Iterator[dict[str, Any]]:
        """Give what was said so far; every line must be JSON-RPC."""
        for line in self.lines:
            value = json.loads(line.decode("utf-8"))
            assert isinstance(value, dict), line[:200]
            assert value["jsonrpc"] == "2.0", line[:200]
            assert ("result" in value) + ("error" in value) + ("method" in value) == 1
            yield value

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._arrived:
                self.lines.append(line)
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()

    def _listen_aside(self) -> None:
        assert self._process.stderr is not None
        self._err = self._process.stderr.read()
