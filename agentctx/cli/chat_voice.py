"""How a chat is shown: as text that comes word by word, or as one JSON object a line.

Answers, and what commands say, go to stdout; notices and failures to stderr. In JSON a
failure of a turn is an object on stdout too, in its place among the answers.
"""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentctx.chat.voice import Answered
    from corpus.cli.render import Screen
    from corpus.errors import CodedError


class _Told:
    """Notices that wait to be told, from whichever thread they come."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()

    def notice(self, code: str, text: str) -> None:
        """Have it told at the next pause: it never breaks into an answer."""
        self._waiting.put((code, text))

    def taken(self) -> Iterable[tuple[str, str]]:
        """Give what waits, once."""
        while not self._waiting.empty():
            yield self._waiting.get()


class TextVoice(_Told):
    """Shows a chat to a person."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen
        self._midline = False

    def words(self, text: str) -> None:
        """Show a piece of an answer, as it comes; its escapes are out already."""
        self._screen.write(text)
        self._midline = not text.endswith("\n")

    def answered(self, answered: Answered) -> None:
        """End the answer's line, and say where it was stopped."""
        self._end_line()
        if answered.state == "interrupted":
            self._screen.tell("interrupted\n")

    def lines(self, name: str, lines: Iterable[str]) -> None:
        """Show what a command of the chat says."""
        del name
        self._screen.write_lines(lines)

    def tell(self) -> None:
        """Tell the notices that came meanwhile."""
        for code, text in self.taken():
            self._screen.tell(f"note[{code}]: {text}\n")

    def failure(self, error: CodedError) -> None:
        """Tell that something failed, on a line of its own."""
        self._end_line()
        self._screen.tell_failure(error, as_json=False)

    def _end_line(self) -> None:
        if self._midline:
            self._screen.write("\n")
            self._midline = False


class JsonVoice(_Told):
    """Writes a chat for a program, one JSON object a line."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def words(self, text: str) -> None:
        """Wait for the whole answer."""

    def answered(self, answered: Answered) -> None:
        """Write the answer."""
        self._screen.write_json({"event": "answer", **answered._asdict()}, indent=None)

    def lines(self, name: str, lines: Iterable[str]) -> None:
        """Write what a command of the chat says."""
        said = {"event": "command", "name": name, "lines": list(lines)}
        self._screen.write_json(said, indent=None)

    def value(self, name: str, value: object) -> None:
        """Write what a command of `agentctx` gave."""
        said = {"event": "command", "name": name, "value": value}
        self._screen.write_json(said, indent=None)

    def tell(self) -> None:
        """Write the notices that came meanwhile."""
        for code, text in self.taken():
            said = {"event": "notice", "code": code, "text": text}
            self._screen.write_json(said, indent=None)

    def failure(self, error: CodedError) -> None:
        """Write that something failed."""
        told = {
            "event": "failure",
            "error": error.code,
            "detail": str(error),
            "hint": error.hint,
            "facts": error.facts,
        }
        self._screen.write_json(told, indent=None)
