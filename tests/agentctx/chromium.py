"""A Chromium that a test looks at a page with: its own protocol over two pipes."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 60.0
"""Seconds that one answer may take on a busy machine."""

_START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for place, end in enumerate(ends, start=3):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads from its third stream and writes to its fourth."""


class Browser:
    """One page of a headless Chromium, and everything it has told so far."""

    def __init__(self, reads: int, writes: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._reads, self._writes = reads, writes
        self._number = 0
        self._held = b""
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime", "Accessibility"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Give the answer of the browser; what it tells meanwhile is kept."""
        self._number += 1
        message: dict[str, object] = {
            "id": self._number,
            "method": method,
            "params": params,
        }
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            told = self._told()
            if told.get("id") != self._number:
                self.events.append(told)
                continue
            assert "error" not in told, told["error"]
            result: dict[str, Any] = told["result"]
            return result

    def open(self, path: Path) -> None:
        """Open a page as a screen shows it, and wait until it is whole."""
        self.ask("Emulation.setEmulatedMedia", media="", features=[])
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while "Page.loadEventFired" not in self.told():
            self.events.append(self._told())

    def told(self) -> list[str]:
        """Name what the browser told since the page was opened."""
        return [str(one.get("method")) for one in self.events]

    def value(self, expression: str) -> Any:  # noqa: ANN401 - any JSON
        """Give the value of an expression in the page."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"]["value"]

    def _told(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._reads], [], [], PATIENCE)
            assert ready, "the browser says nothing"
            assert time.monotonic() < until, "the browser does not come to an end"
            block = os.read(self._reads, 1 << 20)
            assert block, "the browser is gone"
            self._held += block
        message, _, self._held = self._held.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start a Chromium of our own, with nobody's settings, and end it."""
    assert PROGRAM is not None
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    command = [
        *(sys.executable, "-S", "-c", _START, str(theirs_in), str(theirs_out), PROGRAM),
        *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-dev-shm-usage", "--remote-debugging-pipe"),
        f"--user-data-dir={profile}",
    ]
    with subprocess.Popen(
        command,
        pass_fds=(theirs_in, theirs_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            one = Browser(ours_in, ours_out)
            yield one
            one._session = None  # noqa: SLF001 - the browser itself is asked
            one.ask("Browser.close")
        finally:
            os.close(ours_out)
            os.close(ours_in)
            process.terminate()
