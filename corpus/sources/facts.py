"""What is known of one source: its facts, its standing, its pieces.

The facts are what the index keeps of a source besides its postings, so that a later
build need not parse it again. A `Supersedes` target is kept as keyed hashes of the
names it could mean, never as the words that were written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Verdict = Literal["VALID", "INVALID", "CYCLE", "ORPHAN", "UNCITED"]


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


class Relation(NamedTuple):
    """One `Supersedes`, resolved: `target` is empty when nothing has that name."""

    source: str
    line: int
    target: str
    verdict: Verdict


class Standing(NamedTuple):
    """One source's authority class and temporal class."""

    authority: str
    temporal: str


def piece_text(lines: Sequence[str], piece: Piece) -> str:
    """Give the text of a piece, its lines joined by a newline."""
    if piece.end:
        return lines[piece.first - 1][piece.begin : piece.end]
    return "\n".join(lines[piece.first - 1 : piece.last])
