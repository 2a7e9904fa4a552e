"""The end of a request, whatever the other side does.

A client's own timeouts bound each wait; a service that sends a byte now and then is
never late for one. When the time is over, the connection is cut, and whoever waits on
it wakes up.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

_DONE = ".complete"


class Deadline:
    """Cut the connections of one request after some seconds; a context manager.

    `note` is what a connection pool tells of each of its steps (the extension `trace`
    of a request), which is how connections become known.
    """

    def __init__(self, seconds: float) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._over = False
        self._timer = threading.Timer(max(seconds, 0.0), self._cut)
        self._timer.daemon = True

    @property
    def over(self) -> bool:
        """Say whether the time ran out."""
        return self._over

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._sockets.clear()

    def note(self, step: str, told: Mapping[str, object]) -> None:
        """Take notice of a connection that was made."""
        if not step.endswith(_DONE):
            return
        known = getattr(told.get("return_value"), "get_extra_info", None)
        made = known("socket") if callable(known) else None
        if not isinstance(made, socket.socket):
            return
        with self._lock:
            self._sockets.append(made)
            if self._over:
                _cut(made)

    def _cut(self) -> None:
        with self._lock:
            self._over = True
            for one in self._sockets:
                _cut(one)


def _cut(made: socket.socket) -> None:
    """End both directions; the descriptor stays its owner's to close."""
    with contextlib.suppress(OSError):  # it is closed already
        socket.socket.shutdown(made, socket.SHUT_RDWR)
