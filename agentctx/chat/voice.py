"""What a chat shows, whatever shows it; and words of a model made safe as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from corpus.visible import begun, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from corpus.errors import CodedError


class Answered(NamedTuple):
    """How a turn ended: the text that was shown whole, and where it was kept."""

    state: Literal["completed", "interrupted"]
    text: str
    turn_id: str | None = None


class Voice(Protocol):
    """Shows a chat to a person, or writes it for a program."""

    def words(self, text: str) -> None:
        """Show a piece of an answer, as it comes."""

    def answered(self, answered: Answered) -> None:
        """Show that a turn ended."""

    def lines(self, name: str, lines: Iterable[str]) -> None:
        """Show what a command of the chat says."""

    def notice(self, code: str, text: str) -> None:
        """Have something told that is no answer; from any thread."""

    def tell(self) -> None:
        """Tell the notices that came meanwhile."""

    def failure(self, error: CodedError) -> None:
        """Tell that something failed."""


class Shown:
    """Takes words of a model as they come, and shows what can be seen of them.

    `text` is exactly what was shown. An escape sequence that comes in two pieces is
    waited for; nothing of it reaches a terminal.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._held = ""
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """What was shown up to now."""
        return "".join(self._parts)

    def take(self, piece: str) -> None:
        """Show a piece, but for what may be the beginning of an escape sequence."""
        whole = self._held + piece
        end = begun(whole)
        self._held = whole[end:]
        self._put(whole[:end])

    def end(self) -> None:
        """Show what was held back."""
        held, self._held = self._held, ""
        self._put(held)

    def part(self) -> None:
        """Begin a paragraph, after words and before others."""
        self.end()
        if self.text and not self.text.endswith("\n"):
            self._put("\n\n")

    def _put(self, text: str) -> None:
        safe = visible(text)
        if safe:
            self._parts.append(safe)
            self._show(safe)
