"""Who writes behind a session, one after the other, in the order of asking.

A place in the line is a file that its process holds locked: however the process ends,
its place is free then. The session's state names the last place; who comes next waits
for that one alone.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from agentctx.briefing.state import FOLDER, session_state, state_path
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Self

SUFFIX = ".wait"
PATIENCE = 180.0
"""Seconds that one waits for whoever is before it; then it goes on all the same."""

_PAUSE = 0.02
_LONGEST = 100
_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Place(NamedTuple):
    """One place: its file, what holds it, and the name of the place before."""

    home: str
    path: str
    descriptor: int
    before: str

    def wait(self, patience: float = PATIENCE) -> None:
        """Wait until the place before is free."""
        ends = time.monotonic() + patience
        while is_busy(self.home, self.before) and time.monotonic() < ends:
            time.sleep(_PAUSE)

    def close(self) -> None:
        """Leave the place to the process that was made with it."""
        os.close(self.descriptor)

    def free(self) -> None:
        """Let whoever comes next begin."""
        with suppress(OSError):  # who is gone holds nothing
            os.unlink(self.path)  # noqa: PTH108 - hooks do not load pathlib
        self.close()

    @classmethod
    def take(cls, home: str, session_id: str | None) -> Self | None:
        """Stand behind the last of a session; None where there can be no line."""
        if session_id is None:
            return None
        path = f"{state_path(home, session_id)}.{os.getpid()}{SUFFIX}"
        with session_state(home, session_id) as state:
            descriptor = _held(path)
            if descriptor is None:
                return None
            name = os.path.basename(path)  # noqa: PTH119 - hooks do not load pathlib
            before = "" if state.line == name else state.line
            state.line = name
        return cls(home, path, descriptor, before)


def is_busy(home: str, name: str) -> bool:
    """Say whether the process of a place still writes."""
    if not name.endswith(SUFFIX) or len(name) > _LONGEST or "/" in name:
        return False
    try:
        descriptor = os.open(f"{home}/{FOLDER}/{name}", _FLAGS)  # noqa: TID251 - our own
    except OSError:
        return False
    try:
        return not _locked(descriptor)
    finally:
        os.close(descriptor)


def _held(path: str) -> int | None:
    try:
        descriptor = os.open(path, _FLAGS | os.O_CREAT, 0o600)  # noqa: TID251 - our own
    except OSError:
        return None
    if _locked(descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _locked(descriptor: int) -> bool:
    """Take the lock; where a system has none, nobody else has it."""
    try:
        import fcntl  # noqa: PLC0415 - absent on Windows
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
