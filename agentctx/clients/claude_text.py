"""A long text of a turn, kept in bounded memory: its head and its tail."""

from __future__ import annotations

MOST_TEXT = 200_000
"""The most characters kept, the cut and the newest paragraphs included."""

CUT = "\n[…]\n"
"""What stands where the middle of a long text was left out."""

_HALF = (MOST_TEXT - len(CUT)) // 2


class HeadAndTail:
    """A text that grows by paragraphs, without its middle once it is long."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._tail: list[str] = []
        self._room = _HALF
        self._in_tail = 0
        self._lost = False

    def add(self, text: str) -> None:
        """Put a paragraph at the end."""
        if self._head:
            text = f"\n\n{text}"
        head, tail = text[: self._room], text[self._room :]
        if head:
            self._head.append(head)
            self._room -= len(head)
        if tail:
            self._tail.append(tail)
            self._in_tail += len(tail)
        if self._in_tail > MOST_TEXT:
            self._shorten()

    def text(self) -> str:
        """Give what was kept."""
        if self._in_tail > _HALF:
            self._shorten()
        middle = CUT if self._lost else ""
        return "".join(self._head) + middle + "".join(self._tail)

    def _shorten(self) -> None:
        kept = "".join(self._tail)[-_HALF:]
        self._tail, self._in_tail, self._lost = [kept], len(kept), True
