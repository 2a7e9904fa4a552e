"""The worker of memory beside a chat: a thread that ends when it is told to (H5)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from agentctx.chat.remembering import OFF
from corpus.errors import CodedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentctx.chat.remembering import Remembering

_KNOWN = frozenset({"no_pipeline", OFF})
"""What keeps a model from being asked and is told elsewhere."""


class Background:
    """Works on what was said while the chat goes on; `tell` hears what hinders it.

    `words` are those for the codes of what keeps a model from being asked.
    """

    def __init__(
        self,
        memory: Remembering,
        tell: Callable[[str, str], None],
        words: Mapping[str, str],
    ) -> None:
        self._memory = memory
        self._tell = tell
        self._words = words
        self._told: set[str] = set()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Let the worker work, unless it does."""
        alive = self._thread is not None and self._thread.is_alive()
        if not alive and not self._stop.is_set():
            self._thread = threading.Thread(
                target=self._work, name="memory-worker", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Let it begin nothing more; closing memory waits for what is under way."""
        self._stop.set()

    def _work(self) -> None:
        try:
            ran = self._memory.worker("watch", self._stop.is_set)
        except CodedError as error:
            self._say(error.code, f"{error}; {error.hint}")
            return
        code = ran.waiting
        if code is not None and code not in _KNOWN and not self._stop.is_set():
            self._say("MEMORY_WAITING", f"memory waits: {self._words.get(code, code)}")

    def _say(self, code: str, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._tell(code, text)
