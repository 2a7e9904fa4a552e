"""Wake the worker: a process of its own that outlives the hook that wanted it (A1.1).

It is started only where something waits and nobody is at work. It has no terminal, no
open file of its parent and no working directory, and its life is bounded.
"""

from __future__ import annotations

import os
import sys

from agentctx.records.leases import WORKER, holder
from agentctx.records.memories import is_memory_waiting
from agentctx.records.transcripts import is_waiting
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from corpus.sqlite import Db

LIFE = 900
"""Seconds that a worker woken by a hook may live."""

_NOT_INHERITED = ("CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "CLAUDE_ENV_FILE")
_DETACHED = 0x00000008 | 0x00000200
"""DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP of Windows."""


def is_wanted(db: Db, *, now: datetime) -> bool:
    """Say whether something waits for a worker now, and none is at work."""
    waits = is_waiting(db, now=now) or is_memory_waiting(db, now=now)
    return waits and holder(db, WORKER, now=now) is None


def wake(environ: Mapping[str, str]) -> bool:
    """Start a worker and let it go; False where the system does not let us."""
    # -P: our folder is somebody's project, and no module of ours comes from there
    arguments = [sys.executable, "-P", "-m", "agentctx", "work"]
    arguments += ["--max-seconds", str(LIFE)]
    kept = {name: text for name, text in environ.items() if name not in _NOT_INHERITED}
    if kept.get("PYTHONPATH"):  # from where we are now; the worker is nowhere
        parts = filter(None, kept["PYTHONPATH"].split(os.pathsep))
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, parts))
    try:
        if os.name == "nt":
            return _start_on_windows(arguments, kept)
        return _start(arguments, kept)
    except OSError:
        return False


def _start(arguments: list[str], environ: Mapping[str, str]) -> bool:
    """Fork twice: the system adopts the worker, and nobody has to wait for it."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) == 0
    try:  # in the child: nothing may return from here
        os.setsid()
        os.chdir("/")
        if os.fork():
            os._exit(0)
        nowhere = os.open(os.devnull, os.O_RDWR)  # noqa: TID251 - no file of anybody's
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.closerange(3, _MOST_OPEN)
        os.execve(arguments[0], arguments, environ)  # noqa: S606 - our own program
    finally:
        os._exit(1)


_MOST_OPEN = 256


def _start_on_windows(arguments: list[str], environ: Mapping[str, str]) -> bool:
    import subprocess  # noqa: PLC0415 - other systems fork

    nothing = subprocess.DEVNULL
    subprocess.Popen(  # noqa: S603 - our own program
        arguments,
        env=dict(environ),
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        creationflags=_DETACHED,
        close_fds=True,
    )
    return True
