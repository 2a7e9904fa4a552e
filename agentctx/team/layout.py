"""The team's file as pieces of text, whatever they say: nothing of it is ever lost.

Pieces are told apart by their headings alone. What they mean is read elsewhere; git
merges the pieces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.team.blocks import HEADINGS, MARK, SECTION, TITLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VERSION = 1
HEADER = f"{MARK} context version={VERSION} -->"

PREAMBLE = """\
# What this team holds true

Records that somebody here chose to share, one below each heading. Edit or remove the
text as you like and add headings of your own; leave the comment lines as they are.
`agentctx team import` reads the file, `agentctx team export` writes it."""

_HEADER = re.compile(r"<!--\s*agentctx:\s*context\s+version=(\S+)\s*-->\s*")


class Piece(NamedTuple):
    """One block as it is written: its heading, its comment if it has one, the rest."""

    section: str
    title: str
    comment: str
    text: str
    line: int


class Layout(NamedTuple):
    """A file in pieces. `version` None is a file without a header.

    `notes` are what stands below a section's heading before its first block.
    `unresolved` are the lines that git marked as a conflict.
    """

    version: str | None
    preamble: str
    notes: Mapping[str, str]
    pieces: tuple[Piece, ...]
    unresolved: tuple[int, ...]

    @property
    def known(self) -> bool:
        """Whether this program knows the format."""
        return self.version in {None, str(VERSION)}


def plain(content: bytes) -> str:
    """Give the text of a file: without byte-order mark, its lines ended by LF.

    Bytes that are no text come back as lone surrogates, and go out as they were.
    """
    text = content.decode("utf-8-sig", "surrogateescape")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def layout_of(text: str) -> Layout:
    """Take a text apart."""
    lines = text.split("\n")
    version, start = _header(lines)
    preamble: list[str] = []
    notes: dict[str, list[str]] = {}
    found: list[tuple[str, str, int, list[str]]] = []
    section, current = "", preamble
    for number, line in enumerate(lines[start:], start + 1):
        if _is_heading(line, SECTION):
            section = canonical_heading(line[len(SECTION) :])
            current = notes.setdefault(section, [])
        elif _is_heading(line, TITLE):
            current = []
            found.append((section, line[len(TITLE) :].strip(), number, current))
        else:
            current.append(line)
    return Layout(
        version,
        _trimmed(preamble),
        {name: _trimmed(some) for name, some in notes.items()},
        tuple(_piece(*one) for one in found),
        tuple(_unresolved(lines)),
    )


def layout_lines(layout: Layout) -> Iterator[str]:
    """Put pieces together, in the order given within each section."""
    yield HEADER
    yield ""
    if layout.preamble:
        yield layout.preamble
        yield ""
    below: dict[str, list[Piece]] = {}
    for piece in layout.pieces:
        below.setdefault(piece.section, []).append(piece)
    for section in ordered_headings({*below, *layout.notes}):
        note, pieces = layout.notes.get(section, ""), below.get(section, [])
        if section in _KNOWN and not note and not pieces:
            continue
        if section:
            yield f"{SECTION}{section}"
            yield ""
        if note:
            yield note
            yield ""
        for piece in pieces:
            yield from piece_lines(piece)


def piece_lines(piece: Piece) -> Iterator[str]:
    """Write one piece, and the blank line after it."""
    yield f"{TITLE}{piece.title}".rstrip()
    yield ""
    for part in (piece.comment, piece.text):
        if part:
            yield part
            yield ""


def as_text(lines: Iterable[str]) -> str:
    """Join lines to a file: one line feed at its end."""
    return "\n".join(lines).rstrip("\n") + "\n"


def canonical_heading(text: str) -> str:
    """Give a section's heading as we write it, where it is one of ours."""
    said = " ".join(text.strip().rstrip("#").split())
    return _CALLED.get(said.casefold(), said)


def ordered_headings(headings: Iterable[str]) -> list[str]:
    """Order sections: what stands in none, ours, then any others by their names."""
    return sorted(
        set(headings),
        key=lambda one: (bool(one), _KNOWN.get(one, len(_KNOWN)), one),
    )


def _header(lines: list[str]) -> tuple[str | None, int]:
    """Give the version that the first line with anything on it names."""
    for number, line in enumerate(lines):
        if line.strip():
            found = _HEADER.fullmatch(line)
            return (None, 0) if found is None else (found[1], number + 1)
    return None, 0


def _is_heading(line: str, mark: str) -> bool:
    return line.startswith(mark) or line.rstrip() == mark.rstrip()


def _piece(section: str, title: str, number: int, lines: list[str]) -> Piece:
    text = _trimmed(lines)
    first, _, rest = text.partition("\n")
    if first.startswith(MARK):
        return Piece(section, title, first, _trimmed(rest.split("\n")), number)
    return Piece(section, title, "", text, number)


def _trimmed(lines: list[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _unresolved(lines: Iterable[str]) -> Iterator[int]:
    """Give the lines from where git began a conflict to where it ended it."""
    inside = False
    for number, line in enumerate(lines, 1):
        inside = inside or line == _BEGIN or line.startswith(f"{_BEGIN} ")
        ends = line == _END or line.startswith(f"{_END} ")
        if inside or ends:
            yield number
        inside = inside and not ends


_BEGIN, _END = "<" * 7, ">" * 7
_KNOWN = {heading: place for place, heading in enumerate(HEADINGS.values())}
_CALLED = {
    word.casefold(): heading
    for name, heading in HEADINGS.items()
    for word in (name, heading)
}
