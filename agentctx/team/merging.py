"""Merging two sides of a team's file block by block, so that none is lost (A8.4).

Blocks are told apart by their ids, so additions never collide. Where both sides
changed one text both stay, the second marked; where one side removed what the other
changed, the change stays. What cannot be taken apart is kept whole, both sides of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agentctx.team.blocks import (
    CONFLICT,
    MARK,
    TYPES,
    Block,
    derived_id,
    sureness,
    unescaped,
    unescaped_title,
)
from agentctx.team.layout import (
    Layout,
    Piece,
    as_text,
    canonical_heading,
    layout_lines,
    layout_of,
    ordered_headings,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Key = tuple[str, str, int]
"""A block's id, or its section and title where it has none, and which one of these."""

_ID = re.compile(r" id=([0-7][0-9A-HJKMNP-TV-Z]{25}) ")
_FIELD = re.compile(r"(valid_from|confidence)=(\S+)")


class Merge(NamedTuple):
    """The merged bytes, and what a person must look at; empty where nothing is."""

    content: bytes
    conflicts: tuple[str, ...]


def merge_contexts(base: bytes, ours: bytes, theirs: bytes) -> Merge:
    """Merge what two sides made of one file."""
    one, mine, other = plain(base), plain(ours), plain(theirs)
    if other in (mine, one):
        return _whole(ours, mine)
    if mine == one:
        return _whole(theirs, other)
    layouts = [layout_of(text) for text in (one, mine, other)]
    if any(layout.unresolved or not layout.known for layout in layouts):
        return Merge(_both_whole(mine, other, ours), (_WHOLE,))
    text, conflicts = _merged(*layouts)
    return Merge(_encoded(text, like=ours), conflicts)


_WHOLE = "the whole file"


def _whole(content: bytes, text: str) -> Merge:
    """Keep one side as it is; a conflict that it brings along is told."""
    left = layout_of(text).unresolved
    return Merge(content, (f"line {left[0]}",) if left else ())


def _both_whole(mine: str, other: str, like: bytes) -> bytes:
    """Keep two texts that cannot be taken apart, one below the other, as git would."""
    ends = [
        text if text.endswith("\n") or not text else f"{text}\n"
        for text in (mine, other)
    ]
    text = f"<<<<<<< ours\n{ends[0]}=======\n{ends[1]}>>>>>>> theirs\n"
    return _encoded(text, like=like)


def _encoded(text: str, *, like: bytes) -> bytes:
    """Write a text with the line ends that our side has."""
    returns = like.count(b"\r\n")
    if returns and returns == like.count(b"\n"):
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8", "surrogateescape")


def _merged(base: Layout, ours: Layout, theirs: Layout) -> tuple[str, tuple[str, ...]]:
    """Merge pieces, notes and preamble; name the conflicts."""
    names = _names(base, (ours, theirs))
    sides = [_keyed(layout, names) for layout in (base, ours, theirs)]
    pieces: list[tuple[Piece, Key]] = []
    follows: dict[Key, Piece] = {}
    conflicts: list[str] = []
    for key in dict.fromkeys(key for side in sides for key in side):
        found, second = _merged_piece(*(side.get(key) for side in sides))
        if found is not None:
            pieces.append((found, key))
        if second is not None:
            follows[key] = second
            conflicts.append(key[0] or key[1])
    pieces.sort(key=_order)
    placed = [
        piece
        for first, key in pieces
        for piece in (first, follows.get(key))
        if piece is not None
    ]
    preamble, torn = _merged_text(base.preamble, ours.preamble, theirs.preamble)
    conflicts += ["the text above the first heading"] if torn else []
    notes = {}
    for heading in ordered_headings({*base.notes, *ours.notes, *theirs.notes}):
        values = [layout.notes.get(heading) for layout in (base, ours, theirs)]
        note, torn = _merged_text(*(value or "" for value in values))
        conflicts += [f"the text below {heading}"] if torn else []
        if note or _stays(*values):
            notes[heading] = note
    layout = Layout(ours.version, preamble, notes, tuple(placed), ())
    return as_text(layout_lines(layout)), tuple(conflicts)


def _stays(base: str | None, ours: str | None, theirs: str | None) -> bool:
    """Say whether a heading without text is still there: neither side removed it."""
    if base is None:
        return True
    return ours is not None and theirs is not None


def _names(base: Layout, sides: Iterable[Layout]) -> Mapping[tuple[str, str], str]:
    """Find which blocks without an id got one on a side: the one that all derive."""
    ids = {_id_in(piece) for side in sides for piece in side.pieces}
    found = {}
    for piece in base.pieces:
        if _id_in(piece):
            continue
        derived = _derived(piece)
        if derived in ids:
            found[piece.section, piece.title] = derived
    return found


def _derived(piece: Piece) -> str:
    section = canonical_heading(piece.section)
    block = Block(
        TYPES.get(section, ""), unescaped_title(piece.title), unescaped(piece.text)
    )
    return derived_id(block)


def _keyed(layout: Layout, names: Mapping[tuple[str, str], str]) -> dict[Key, Piece]:
    """Give every piece its key; of several with one id each has its own."""
    found: dict[Key, Piece] = {}
    for piece in layout.pieces:
        name = _id_in(piece) or names.get((piece.section, piece.title), "")
        first = (name, "") if name else (f"{piece.section}", piece.title)
        number = 0
        key = (first[0], first[1], number)
        while key in found:
            number += 1
            key = (first[0], first[1], number)
        found[key] = piece
    return found


def _id_in(piece: Piece) -> str:
    found = _ID.search(piece.comment)
    return "" if found is None else found[1]


def _order(placed: tuple[Piece, Key]) -> tuple[str, str, Key]:
    piece, key = placed
    title = unescaped_title(piece.title)
    return title.casefold(), title, key


def _merged_piece(
    base: Piece | None, ours: Piece | None, theirs: Piece | None
) -> tuple[Piece | None, Piece | None]:
    """Merge one block; give what stands, and the other text of a conflict."""
    if ours is None or theirs is None:
        kept = ours or theirs
        if kept is None or (base is not None and _says(kept) == _says(base)):
            return None, None
        return kept, None
    said, mine, other = (
        (None if base is None else _says(base)),
        _says(ours),
        _says(theirs),
    )
    comment = _merged_comment(base, ours, theirs)
    section = ours.section
    if base is not None and ours.section == base.section:
        section = theirs.section
    if mine in (other, said):
        return theirs._replace(comment=comment, section=section), None
    if other == said:
        return ours._replace(comment=comment, section=section), None
    second = theirs._replace(comment=_marked(theirs.comment), section=section)
    return ours._replace(section=section), second


def _says(piece: Piece) -> tuple[str, str]:
    return piece.title, piece.text


def _marked(comment: str) -> str:
    """Mark a block as the other text of a conflict."""
    if not comment:
        return f"{MARK} {CONFLICT} -->"
    if " conflict: " in comment:
        return comment
    return f"{comment.removesuffix('-->').rstrip()} {CONFLICT} -->"


def _merged_comment(base: Piece | None, ours: Piece, theirs: Piece) -> str:
    """Merge what two comments say of one block: whoever changed it counts.

    Where both did, a text that one side changed takes its comment along; else the
    later date and the surer word.
    """
    mine, other = ours.comment, theirs.comment
    said = "" if base is None else base.comment
    if other in (mine, said):
        return mine
    if mine == said:
        return other
    if base is not None and _says(ours) != _says(theirs):
        return mine if _says(theirs) == _says(base) else other
    return max(mine, other, key=_weight)


def _weight(comment: str) -> tuple[str, int, str]:
    fields = dict(_FIELD.findall(comment))
    word = fields.get("confidence", "")
    return fields.get("valid_from", ""), sureness(word), comment


def _merged_text(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    """Merge free text whole; give it, and whether both sides had changed it."""
    if ours in (theirs, base):
        return theirs, False
    if theirs == base:
        return ours, False
    parts = [part for part in (ours, theirs) if part]
    return f"\n\n{MARK} {CONFLICT} -->\n\n".join(parts), len(parts) > 1
