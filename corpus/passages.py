"""Blocks grouped below their headings into passages, the unit that is ranked (P6.1)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple

from corpus.headings import heading_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from corpus.blocks import Block

PASSAGE_CHARACTERS = 1_200
CODE_CHARACTERS = 2_400
"""A fence up to this long is one passage; a longer one is divided between lines."""


class Heading(NamedTuple):
    """An outermost heading: its text without markup, and its lines `line` to `last`.

    Only a setext heading, with its underline, has more than one line.
    """

    level: int
    text: str
    line: int
    last: int


class Passage(NamedTuple):
    """Lines `first` to `last` below the headings on the lines `headings`.

    The outermost heading comes first; there is none above a text's first heading.
    """

    first: int
    last: int
    headings: tuple[int, ...]

    @property
    def section_line(self) -> int:
        """The line of the nearest heading, 0 above the first one."""
        return self.headings[-1] if self.headings else 0


class PassageCutter:
    """Takes a text's blocks in order and gives its `headings` and `passages`."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.headings: list[Heading] = []
        self.passages: list[Passage] = []
        self._lines = lines
        self._ends = list(accumulate(map(len, lines), initial=0))
        self._path: list[Heading] = []
        self._path_lines: tuple[int, ...] = ()
        self._bare: Heading | None = None
        self._first = 0
        self._last = 0

    def begin_section(self, block: Block) -> None:
        """End the passage at hand; what follows stands below this heading."""
        self.flush()
        text, complete = heading_text(self._lines, block.first, block.last)
        heading = Heading(block.level, text, block.first, block.last)
        if self._bare is not None and self._bare.level >= heading.level:
            self._emit_heading(self._bare)
        while self._path and self._path[-1].level >= heading.level:
            self._path.pop()
        self._path.append(heading)
        self._path_lines = tuple([above.line for above in self._path])
        self.headings.append(heading)
        self._bare = heading if complete else None
        if not complete:
            self._emit_heading(heading)

    def add(self, block: Block) -> None:
        """Add a block to the passage at hand, or begin the next one with it."""
        self._bare = None
        first, last = block.first, block.last
        if self._first:
            if self._size(self._first, last) <= PASSAGE_CHARACTERS:
                self._last = last
                return
            self.flush()
        limit = CODE_CHARACTERS if block.kind == "code" else PASSAGE_CHARACTERS
        if self._size(first, last) > limit:
            *whole, rest = self._divided(block)
            for piece in whole:
                self._emit(*piece)
            first, last = rest
        self._first, self._last = first, last

    def flush(self) -> None:
        """End the passage at hand, if there is one."""
        if self._first:
            self._emit(self._first, self._last)
            self._first = 0

    def finish(self) -> None:
        """End the last passage; a heading nothing stands below becomes its own."""
        self.flush()
        if self._bare is not None:
            self._emit_heading(self._bare)
            self._bare = None

    def _emit_heading(self, heading: Heading) -> None:
        """Emit a heading's own lines, divided where a setext heading is long."""
        for first, last in self._with_text(self._by_lines(heading.line, heading.last)):
            self._emit(first, last)

    def _emit(self, first: int, last: int) -> None:
        self.passages.append(Passage(first, last, self._path_lines))

    def _size(self, first: int, last: int) -> int:
        """Give the characters of the lines `first` to `last`, line ends included."""
        return self._ends[last] - self._ends[first - 1] + last - first + 1

    def _divided(self, block: Block) -> Iterator[tuple[int, int]]:
        """Divide a long block: at its outermost items or rows, then inner ones."""
        levels = [
            [line for _, line in cuts]
            for _, cuts in groupby(sorted(block.cuts), key=lambda cut: cut[0])
        ]
        yield from self._with_text(self._packed(block.first, block.last, levels))

    def _with_text(
        self, pieces: Iterable[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Give the pieces that have text, from its first line to its last."""
        for first, last in pieces:
            texts = [n for n in range(first, last + 1) if self._has_text(n)]
            if texts:
                yield texts[0], texts[-1]

    def _packed(
        self, first: int, last: int, levels: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, int]]:
        """Put parts together as long as they fit; divide those too long alone."""
        if not levels:
            yield from self._by_lines(first, last)
            return
        inside = levels[0][
            bisect_right(levels[0], first) : bisect_right(levels[0], last)
        ]
        at = first
        for part, end in zip(
            (first, *inside), (*(cut - 1 for cut in inside), last), strict=True
        ):
            if self._size(at, end) <= PASSAGE_CHARACTERS:
                continue
            if at < part:
                yield at, part - 1
                at = part
            if self._size(part, end) > PASSAGE_CHARACTERS:
                yield from self._packed(part, end, levels[1:])
                at = end + 1
        if at <= last:
            yield at, last

    def _by_lines(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Divide between lines, where a sentence ends if that is not far back."""
        start, best = first, 0
        for line in range(first, last + 1):
            while line > start and self._size(start, line) > PASSAGE_CHARACTERS:
                near = best >= start and 2 * self._size(start, best)
                cut = best if near >= PASSAGE_CHARACTERS else line - 1
                yield start, cut
                start = cut + 1
            text = self._lines[line - 1].rstrip(_AFTER_SENTENCE)
            if not text or text[-1] in _SENTENCE_ENDS:
                best = line
        yield start, last

    def _has_text(self, line: int) -> bool:
        return bool(self._lines[line - 1].strip(" \t"))


_SENTENCE_ENDS = frozenset(".!?…。！？")
_AFTER_SENTENCE = " \t\"'”’»)]*_`"
