"""Team files as tests write them: blocks of a few words, by hand or as the program."""

from __future__ import annotations

from agentctx.team.blocks import (
    HEADINGS,
    Block,
    block_order,
    comment_of,
    escaped,
    escaped_title,
    normal,
)
from agentctx.team.layout import PREAMBLE, Layout, Piece, as_text, layout_lines

SINCE = "2026-01-10T12:00:00.000Z"


def block(number: int, text: str = "", *, kind: str = "decision") -> Block:
    """Give a block whose id and title tell its number."""
    return Block(
        type=kind,
        title=f"Rule {number:04}",
        body=text or f"What rule {number} says, in full.",
        id=f"01KBA{number:021}",
        valid_from=SINCE,
    )


def page(*blocks: Block, preamble: str = PREAMBLE) -> str:
    """Write a file as an export does."""
    pieces = tuple(
        Piece(
            HEADINGS[one.type],
            escaped_title(one.title),
            "" if one.id is None else comment_of(one),
            escaped(normal(one.body)),
            0,
        )
        for one in sorted(blocks, key=block_order)
    )
    return as_text(layout_lines(Layout("1", preamble, {}, pieces, ())))
