"""Markdown as headings and passages, each with its exact lines.

A passage is what search ranks: a run of whole blocks below one heading, about 1,200
characters long (P6.1). Every line that is not blank lies in exactly one passage or is
the heading of one, so nothing in a text is unfindable.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.blocks import Block
from corpus.frontmatter import FrontMatter, read_front_matter
from corpus.lines import decode, split_lines
from corpus.passages import Heading, Passage, PassageCutter
from corpus.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Document",
    "FrontMatter",
    "Heading",
    "Passage",
    "decode",
    "parse_markdown",
    "split_lines",
    "visible",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text's lines (without line ends) and its structure; lines count from 1.

    `hidden` are the spans of code, quotes, raw HTML, comments and front matter, in
    order; one span may lie in another.
    """

    lines: tuple[str, ...]
    headings: tuple[Heading, ...]
    passages: tuple[Passage, ...]
    front_matter: FrontMatter | None
    hidden: tuple[tuple[int, int], ...]

    @property
    def plain(self) -> frozenset[int]:
        """The lines outside every `hidden` span: what the text itself says."""
        return frozenset(self.plain_lines(1, len(self.lines)))

    def plain_lines(self, first: int, last: int) -> list[int]:
        """Give the plain ones of the lines `first` to `last`, in order."""
        numbers: list[int] = []
        at = first
        for start, end in self.hidden:
            if start > last:
                break
            numbers.extend(range(at, start))
            at = max(at, end + 1)
        numbers.extend(range(at, last + 1))
        return numbers

    def heading_path(self, passage: Passage) -> tuple[str, ...]:
        """Give the texts of a passage's headings, outermost first."""
        return tuple(self.heading_at(line).text for line in passage.headings)

    def heading_at(self, line: int) -> Heading:
        """Give the heading on `line` (any of its lines); there must be one."""
        return self.headings[bisect_right(self.headings, line, key=_line) - 1]


def _line(heading: Heading) -> int:
    return heading.line


def parse_markdown(text: str) -> Document:
    """Read the structure of a Markdown text.

    Never raises, whatever the text; takes time linear in its size.
    """
    lines = split_lines(text.removeprefix("\ufeff"))
    matter = read_front_matter(lines) if text.startswith(("---", "\ufeff---")) else None
    start = matter.last if matter is not None else 0
    blocks = scan(lines, start)
    hidden = [span for block in blocks for span in block.hidden]
    if "<!--" in text:
        hidden += _inline_comments(lines, blocks)
        hidden.sort()
    if matter is not None:
        hidden.insert(0, (matter.first, matter.last))
    cutter = PassageCutter(lines)
    if matter is not None:
        cutter.add(Block("text", matter.first, matter.last))
        cutter.flush()
    for block in blocks:
        if block.kind == "heading":
            cutter.begin_section(block)
        else:
            cutter.add(block)
    cutter.finish()
    return Document(
        lines=tuple(lines),
        headings=tuple(cutter.headings),
        passages=tuple(cutter.passages),
        front_matter=matter,
        hidden=tuple(hidden),
    )


def visible(line: str) -> str:
    """Give a line without the comments that begin and end on it."""
    start = line.find("<!--")
    if start < 0:
        return line
    kept: list[str] = []
    at = 0
    while start >= 0:
        end = line.find("-->", start + 4)
        if end < 0:
            break
        kept.append(line[at:start])
        at = end + 3
        start = line.find("<!--", at)
    kept.append(line[at:])
    return "".join(kept)


def _inline_comments(
    lines: Sequence[str], blocks: Sequence[Block]
) -> list[tuple[int, int]]:
    """Find comments that begin inside a paragraph's line and end on a later one."""
    spans: list[tuple[int, int]] = []
    for block in blocks:
        if block.kind in {"code", "html"}:
            continue
        opened = 0
        for number in range(block.first, block.last + 1):
            line = visible(lines[number - 1])
            if opened and "-->" in line:
                spans.append((opened + 1, number))
                opened = 0
            elif opened and not line.strip():
                opened = 0
            if "<!--" in line.rpartition("-->")[2] and "`<!--" not in line:
                opened = opened or number
    return spans
