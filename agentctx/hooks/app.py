"""The edge of `agentctx hook`: one JSON object in, one out, exit status 0 (A4.1).

A session never sees a failure: what goes wrong is kept in the log that `agentctx
status` reads. The process ends at its own deadline, inside the one of the client, and
says nothing then. An event that is not ours is one that we have nothing to say to.
"""

from __future__ import annotations

import _thread
import json
import os
import time
from datetime import UTC, datetime
from importlib import import_module

from agentctx.config import environment, home
from agentctx.errors import PayloadError
from agentctx.failures import note_failure, told
from agentctx.hooks.here import PATIENCE, Here, Outside
from corpus.errors import CodedError
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

EVENTS = {
    "session-start": ("agentctx.hooks.session_start", "SessionStart"),
    "user-prompt-submit": ("agentctx.hooks.user_prompt_submit", "UserPromptSubmit"),
    "stop": ("agentctx.hooks.stop", "Stop"),
    "stop-failure": ("agentctx.hooks.stop_failure", "StopFailure"),
    "pre-compact": ("agentctx.hooks.pre_compact", "PreCompact"),
    "post-tool-use": ("agentctx.hooks.post_tool_use", "PostToolUse"),
    "post-tool-use-failure": ("agentctx.hooks.post_tool_use", "PostToolUseFailure"),
    "subagent-start": ("agentctx.hooks.subagent_start", "SubagentStart"),
    "session-end": ("agentctx.hooks.session_end", "SessionEnd"),
    "cwd-changed": ("agentctx.hooks.cwd_changed", "CwdChanged"),
}
"""Every event that is heard: its module, and the name the client gives it."""

DEADLINE = 5.0
"""Seconds after which a hook ends itself; the client waits ten."""

DEADLINE_FOR = {
    "session-end": 1.4,
    "post-tool-use": 20.0,
    "post-tool-use-failure": 20.0,
}
"""What a client allows all hooks of a session's end is 1.5 seconds; nobody waits for
those of a tool's use."""

PATIENCE_FOR = {
    "session-start": 1.0,
    "user-prompt-submit": 1.0,
    "subagent-start": 1.0,
    "session-end": 0.4,
}
"""Seconds that the events a session waits for wait for other writers."""

MOST_BYTES = 64 * 1024 * 1024
_BLOCK = 1 << 20


def run(event: str) -> NoReturn:
    """Be the process of one hook."""
    known = event if event in EVENTS else "unknown"
    limit = DEADLINE_FOR.get(known, DEADLINE)
    _thread.start_new_thread(_end_in_time, (known, limit))
    try:
        if event in EVENTS:
            _respond(event)
    except CodedError as error:
        _fails(event, error.code)
    except Exception as error:  # noqa: BLE001 - a session is never told
        _fails(event, "BUG", told(error))
    os._exit(0)


def _respond(event: str) -> None:
    """Do what an event asks for: print first, for the session waits, then keep."""
    environ = environment()
    outside = Outside(home(environ), environ, _clock, os.urandom)
    here = Here(event, _payload(_input()), outside)
    module, name = EVENTS[event]
    try:
        text = import_module(module).answer(here)
        if text:
            _write(output(name, text))
    finally:
        here.finish(PATIENCE_FOR.get(event, PATIENCE))


def output(name: str, text: str) -> str:
    """Write what is added to a session's context as the client reads it."""
    value = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    return json.dumps(value, ensure_ascii=True)


def _clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the edge


def _input() -> bytes:
    found = bytearray()
    while len(found) <= MOST_BYTES:
        block = os.read(0, _BLOCK)
        if not block:
            return bytes(found)
        found += block
    raise PayloadError(reason=f"it has more than {MOST_BYTES} bytes")


def _payload(content: bytes) -> Mapping[str, object]:
    try:
        value = json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        raise PayloadError(reason="it is not JSON") from None
    if not isinstance(value, dict):
        raise PayloadError(reason="it is not one JSON object")
    return value


def _write(text: str) -> None:
    rest = memoryview(text.encode())
    while rest:
        rest = rest[os.write(1, rest) :]


def _end_in_time(event: str, seconds: float) -> None:
    time.sleep(seconds)
    _fails(event, "HOOK_DEADLINE", f"after {seconds:g} s")
    os._exit(0)


def _fails(event: str, code: str, detail: str = "") -> None:
    note_failure(home(environment()), event, code, detail, now=_clock())
