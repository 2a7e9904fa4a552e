"""Parse one source into its facts and its pieces, once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.markdown import decode, parse_markdown
from corpus.protocol.citations import target_forms
from corpus.protocol.layout import TASK_STATUSES
from corpus.protocol.metadata import instant, read_metadata
from corpus.sources.declared import declares_itself_past
from corpus.sources.facts import Facts, Piece, Reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus.markdown import Document
    from corpus.protocol.metadata import Metadata
    from corpus.sources.scan import Source

PIECE_CHARACTERS = 2_400
"""No passage is longer: longer ones are cut at line, sentence or word ends, so the
cost of showing or comparing one is bounded whatever the file looks like."""

_BREAK = re.compile(r"[.!?;:。!?;、,]\s|[。!?]|\s")


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


def cut_text(text: str) -> str:
    """Give as much of a long text as one passage holds."""
    return text[: _best_cut(text[: PIECE_CHARACTERS - len(" …")])]


def _best_cut(window: str) -> int:
    """Find the last sentence end in the second half of `window`, else a word end."""
    best = {1: 0, 2: 0}
    for match in _BREAK.finditer(window, len(window) // 2):
        best[1 if match.group().isspace() else 2] = match.end()
    return best[2] or best[1] or len(window)
