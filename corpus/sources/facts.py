"""What one source says about itself: its facts and its passages, parsed once.

The facts are what the index keeps of a source besides its postings, so that a later
build need not parse it again. A `Supersedes` target is kept as keyed hashes of the
names it could mean, never as the words that were written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.blocks import Block
from corpus.markdown import decode, parse_markdown
from corpus.passages import heading_text
from corpus.protocol.citations import target_forms
from corpus.protocol.layout import TASK_STATUSES
from corpus.protocol.metadata import instant, read_metadata
from corpus.sources.declared import declares_itself_past

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from corpus.markdown import Document
    from corpus.protocol.metadata import Metadata
    from corpus.sources.scan import Source

PIECE_CHARACTERS = 2_400
"""No passage is longer: longer ones are cut at line, sentence or word ends, so the
cost of showing or comparing one is bounded whatever the file looks like."""

_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_BREAK = re.compile(r"[.!?;:。!?;、,]\s|[。!?]|\s")


class Reference(NamedTuple):
    """One `Supersedes` target: its line, and hashes of the names it could mean."""

    line: int
    names: tuple[int, ...]


class Facts(NamedTuple):
    """What the index keeps of one source."""

    path: str
    kind: str
    sha256: str
    size: int
    nonblank_lines: int
    timestamp: str | None
    task_status: str | None
    declared_past: bool
    supersedes: tuple[Reference, ...]


class Piece(NamedTuple):
    """A passage as it is ranked: whole lines, or a part of one very long line.

    `begin` and `end` are character offsets into line `first`, both 0 when the piece
    is made of whole lines. `headings` are the line numbers of the heading path,
    outermost first.
    """

    first: int
    last: int
    begin: int
    end: int
    headings: tuple[int, ...]


class Parsed(NamedTuple):
    """One source, parsed."""

    facts: Facts
    document: Document
    metadata: Metadata
    pieces: tuple[Piece, ...]


def parse_source(source: Source, name_hash: Callable[[str], int]) -> Parsed:
    """Parse one source into facts and pieces; never raises for any text."""
    document = parse_markdown(decode(source.content))
    metadata = read_metadata(document)
    written = metadata.timestamp()
    status = (metadata.get("Task-Status") or "").strip()
    facts = Facts(
        path=source.path,
        kind=source.kind,
        sha256=source.sha256,
        size=len(source.content),
        nonblank_lines=sum(1 for line in document.lines if line and not line.isspace()),
        timestamp=written if written and instant(written) else None,
        task_status=status
        if source.kind == "task" and status in TASK_STATUSES
        else None,
        declared_past=declares_itself_past(document),
        supersedes=tuple(
            Reference(line, tuple(map(name_hash, target_forms(target, source.path))))
            for target, line in metadata.supersedes()
        ),
    )
    return Parsed(facts, document, metadata, tuple(_pieces(document)))


def piece_text(lines: Sequence[str], piece: Piece) -> str:
    """Give the text of a piece, its lines joined by a newline."""
    if piece.end:
        return lines[piece.first - 1][piece.begin : piece.end]
    return "\n".join(lines[piece.first - 1 : piece.last])


def heading_at(lines: Sequence[str], line: int) -> str:
    """Give the text of the heading that begins on `line`."""
    last = line
    if not lines[line - 1].lstrip().startswith("#"):
        while last < len(lines) and not _UNDERLINE.fullmatch(lines[last - 1]):
            last += 1
    return heading_text(lines, Block("heading", line, last))[0]


def _pieces(document: Document) -> Iterator[Piece]:
    lines = document.lines
    for passage in document.passages:
        first, size = passage.first, 0
        for number in range(passage.first, passage.last + 1):
            length = len(lines[number - 1]) + 1
            if size and size + length > PIECE_CHARACTERS:
                yield Piece(first, number - 1, 0, 0, passage.headings)
                first, size = number, 0
            if length > PIECE_CHARACTERS:
                yield from _cut_line(lines[number - 1], number, passage.headings)
                first, size = number + 1, 0
            else:
                size += length
        if size:
            yield Piece(first, passage.last, 0, 0, passage.headings)


def _cut_line(line: str, number: int, headings: tuple[int, ...]) -> Iterator[Piece]:
    begin = 0
    while len(line) - begin > PIECE_CHARACTERS:
        end = begin + _best_cut(line[begin : begin + PIECE_CHARACTERS])
        yield Piece(number, number, begin, end, headings)
        begin = end
    yield Piece(number, number, begin, len(line), headings)


def _best_cut(window: str) -> int:
    """Find the last sentence end in the second half of `window`, else a word end."""
    best = {1: 0, 2: 0}
    for match in _BREAK.finditer(window, len(window) // 2):
        best[1 if match.group().isspace() else 2] = match.end()
    return best[2] or best[1] or len(window)
