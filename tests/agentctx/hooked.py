"""Hooks as a client calls them: in this process, or as a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agentctx.hooks.app import EVENTS
from agentctx.hooks.here import Here, Outside
from tests.recorded import Counted, Ticking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SESSION = "3d0c9a4e-session"


class Client:
    """A client in a folder, with a home for the store; it counts who was woken."""

    def __init__(self, home: Path, cwd: Path, clock: Ticking | None = None) -> None:
        self.home = home
        self.cwd = cwd
        self.clock = clock or Ticking()
        self.random = Counted()
        self.woken = 0
        self.environ: dict[str, str] = {}

    def payload(self, event: str, **more: object) -> dict[str, object]:
        """Give what the client would send for an event."""
        return {
            "session_id": SESSION,
            "transcript_path": str(self.cwd / "none.jsonl"),
            "cwd": str(self.cwd),
            "hook_event_name": EVENTS[event][1],
            **more,
        }

    def hook(self, event: str, **more: object) -> str:
        """Call a hook in this process; give the context it adds."""
        payload = self.payload(event, **more)
        here = Here(event, payload, self.outside())
        try:
            return str(import_module(EVENTS[event][0]).answer(here))
        finally:
            here.finish()

    def outside(self) -> Outside:
        """Give the world a hook of this client stands on."""
        return Outside(
            str(self.home), self.environ, self.clock, self.random, self._wake
        )

    def _wake(self, environ: Mapping[str, str]) -> bool:
        del environ
        self.woken += 1
        return True


def start_hook(
    event: str, payload: object, home: Path, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `agentctx hook` as a client does."""
    content = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return subprocess.run(
        [sys.executable, "-P", "-m", "agentctx", "hook", event],
        input=content,
        capture_output=True,
        timeout=30,
        check=False,
        env=environment(home, **more),
    )


def environment(home: Path, **more: str) -> dict[str, str]:
    """Give the environment of a process of ours, with no key unless one is given."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ANTHROPIC_", "CLAUDE_", "AGENTCTX_"))
    }
    return {**kept, "AGENTCTX_HOME": str(home), "HOME": str(home.parent), **more}


def context(text: str) -> str:
    """Give what a hook's output adds to the context, checked for its shape."""
    value: dict[str, Any] = json.loads(text)
    assert set(value) == {"hookSpecificOutput"}
    inner = value["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext"}
    return str(inner["additionalContext"])


def quoted(text: str) -> list[str]:
    """Give the lines of a context that quote stored text, without their mark."""
    return [line[2:] for line in text.split("\n") if line.startswith("> ")]


def became(is_so: Callable[[], bool]) -> bool:
    """Wait until something is so, for a bounded time."""
    ends = time.monotonic() + 20
    while not is_so():
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True
