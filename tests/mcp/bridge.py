"""A small HTTP face for a server on stdio, for checks that speak HTTP alone.

Each session is a server process of its own. The bridge adds nothing of its own but
what HTTP demands: session ids, status codes and the refusal of strange hosts.
"""

from __future__ import annotations

import itertools
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.mcp.wires import Hands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LOCAL = {"localhost", "127.0.0.1", "[::1]", "::1"}


class Sessions:
    """The running servers, by session id."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str]) -> None:
        self._words = words
        self._env = env
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._open: dict[str, Hands] = {}

    def begin(self) -> str:
        """Start a server and give its session's id."""
        name = f"session-{next(self._numbers)}"
        with self._lock:
            self._open[name] = Hands(self._words, self._env)
        return name

    def find(self, name: str | None) -> Hands | None:
        """Give the server of a session."""
        return self._open.get(name or "")

    def end(self, name: str) -> None:
        """End one session."""
        with self._lock:
            hands = self._open.pop(name, None)
        if hands is not None:
            with hands:
                hands.end()

    def end_all(self) -> None:
        """End every session."""
        for name in list(self._open):
            self.end(name)


@contextmanager
def bridged(words: Sequence[str], env: Mapping[str, str]) -> Iterator[str]:
    """Serve over HTTP on a free port and give the address."""
    sessions = Sessions(words, env)

    class Handler(_Handler):
        open_sessions = sessions

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        sessions.end_all()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    open_sessions: Sessions
    sending = threading.Lock()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self._is_local():
            self._answer(403, {"error": "unknown host"})
            return
        message = json.loads(body)
        name = self.headers.get("Mcp-Session-Id")
        if message.get("method") == "initialize":
            name = self.open_sessions.begin()
        hands = self.open_sessions.find(name)
        if hands is None:
            self._answer(404, {"error": "no such session"})
            return
        with self.sending:
            hands.send(message)
        if "id" not in message or "method" not in message:
            self._answer(202, None)
            return
        self._answer(200, hands.answer_to(message["id"]), session=name)

    def do_GET(self) -> None:
        self._answer(405 if self._is_local() else 403, None)

    def do_DELETE(self) -> None:
        self.open_sessions.end(self.headers.get("Mcp-Session-Id", ""))
        self._answer(200, None)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401
        """Say nothing."""

    def _is_local(self) -> bool:
        host = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        origin = self.headers.get("Origin")
        return host in LOCAL and (origin is None or urlsplit(origin).hostname in LOCAL)

    def _answer(
        self, status: int, value: object, *, session: str | None = None
    ) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if session is not None:
            self.send_header("Mcp-Session-Id", session)
        self.end_headers()
        self.wfile.write(body)
