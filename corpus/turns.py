"""The queue of a store's writers: each comes when it is its turn, and none in between.

The queue is a lock on an empty file beside the store. The system keeps the order in
which it was asked for and forgets a process that dies. It is a courtesy: where there
is none, writers still exclude each other, only not in order.
"""

from __future__ import annotations

import _thread
import os
import time
from contextlib import suppress

_FLAGS = (
    os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
)


def take_turn(path: str, *, deadline: float) -> int | None:
    """Wait to be the first in the queue; give what `leave` takes.

    None when the deadline, a moment of `time.monotonic`, has passed, or where there
    can be no queue.
    """
    try:
        import fcntl  # noqa: PLC0415 - absent on Windows

        place = os.open(path, _FLAGS, 0o600)  # noqa: TID251 - a file of the user's own
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _wait_for(place, deadline)
    except OSError:  # a file system without locks
        os.close(place)
        return None
    return place


def leave(place: int | None) -> None:
    """Let the next one in."""
    if place is not None:
        os.close(place)


def _wait_for(place: int, deadline: float) -> int | None:
    """Wait until the deadline; the system itself would wait for ever.

    A thread waits for us. When it comes too late, it lets go what it gets.
    """
    import fcntl  # noqa: PLC0415 - absent on Windows

    reached, decision = _thread.allocate_lock(), _thread.allocate_lock()
    reached.acquire()

    def wait() -> None:
        with suppress(OSError):
            fcntl.flock(place, fcntl.LOCK_EX)
        if decision.acquire(blocking=False):
            reached.release()
        else:
            os.close(place)

    in_time = False
    try:
        _thread.start_new_thread(wait, ())
        in_time = reached.acquire(timeout=max(0.0, deadline - time.monotonic()))
    finally:
        if not in_time and not decision.acquire(blocking=False):
            os.close(place)  # the thread came just now
    return place if in_time else None
