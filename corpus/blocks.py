"""The blocks that markdown-it finds in a run of lines, with exact line numbers.

Only whole lines are reported, never the parser's own copies of the text: what it
drops (content nested too deep) or hides (link definitions) still has its lines.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

Kind = Literal["heading", "text", "list", "table", "code", "quote", "html", "loose"]

MAX_NESTING = 20
"""Quotes and lists inside one another that are told apart; deeper ones are text."""


class Block(NamedTuple):
    """Lines `first` to `last` (from 1, included) that belong together.

    `level` is a heading's. `cuts` are the places a long block may best be divided at:
    (nesting, line) of each list item or table row. `hidden` are the spans of code,
    quotes and raw HTML in it, where text is shown and not said.
    """

    kind: Kind
    first: int
    last: int
    level: int = 0
    cuts: tuple[tuple[int, int], ...] = ()
    hidden: tuple[tuple[int, int], ...] = ()


def parse_blocks(lines: Sequence[str], first: int) -> list[Block] | None:
    """Give the outermost blocks of `lines`, the first of which has number `first`.

    None when the parser failed or the nesting is deeper than it keeps. Every line that
    is not blank lies in exactly one of the blocks, which come in order.
    """
    try:
        tokens = _parser().parse("\n".join(lines) + "\n")
    except Exception:  # noqa: BLE001 - whatever a third party does with odd text
        return None
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        return None
    return _cover(_outermost(tokens, lines, first), lines, first)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - start-up time

    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
    parser.core.ruler.disable(["inline", "text_join"])
    parser.enable("table")
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return parser


_KINDS: dict[str, Kind] = {
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "blockquote_open": "quote",
}
_HIDDEN = frozenset({"fence", "code_block", "html_block", "blockquote_open"})


def _outermost(
    tokens: Sequence[Token], lines: Sequence[str], first: int
) -> list[Block]:
    """Fold the flat tokens into one block for each outermost one."""
    blocks: list[Block] = []
    cuts: list[tuple[int, int]] = []
    hidden: list[tuple[int, int]] = []
    for token in reversed(tokens):  # children come before their parent
        if token.map is None or token.type == "inline":
            continue
        start, end = token.map
        while end > start + 1 and not lines[end - 1].strip(" \t"):
            end -= 1
        if token.type in _HIDDEN:
            hidden.append((first + start, first + end - 1))
        if token.type == "list_item_open":
            cuts.append((token.level, first + start))
        elif token.type == "table":
            cuts.extend(
                (token.level, first + row) for row in range(end - 1, start + 1, -1)
            )
        if token.level:
            continue
        kind = _KINDS.get(token.type, "text")
        level = int(token.tag[1:]) if kind == "heading" else 0
        blocks.append(
            Block(
                kind,
                first + start,
                first + end - 1,
                level,
                tuple(reversed(cuts)),
                tuple(reversed(hidden)),
            )
        )
        cuts.clear()
        hidden.clear()
    blocks.reverse()
    return blocks


def _cover(blocks: list[Block], lines: Sequence[str], first: int) -> list[Block]:
    """Add the lines no block holds (link definitions) as text of their own."""
    whole: list[Block] = []
    at = first
    for block in (*blocks, Block("text", first + len(lines), first + len(lines))):
        for line in range(at, block.first):
            if not lines[line - first].strip(" \t"):
                continue
            if whole and whole[-1].kind == "loose" and whole[-1].last == line - 1:
                whole[-1] = whole[-1]._replace(last=line)
            else:
                whole.append(Block("loose", line, line))
        whole.append(block)
        at = block.last + 1
    whole.pop()
    return whole


_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_BORDER = re.compile(r"(?<!\\)\|")


def _table(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the parser's signature
    """Recognise a table by its lines alone.

    The parser's own rule makes three tokens for each cell and fills short rows up, so
    a few kilobytes become seconds of work; the lines are all that is used here.
    """
    if first + 2 > end or not _is_table_head(state, first):
        return False
    if silent:
        return True
    outer = state.parentType
    state.parentType = "table"
    enders = state.md.block.ruler.getRules("blockquote")
    line = first + 2
    while line < end:
        if state.sCount[line] < state.blkIndent or state.isEmpty(line):
            break
        if state.is_code_block(line):
            break
        if any(rule(state, line, end, True) for rule in enders):  # noqa: FBT003
            break
        line += 1
    state.push("table", "table", 0).map = [first, line]
    state.parentType = outer
    state.line = line
    return True


def _is_table_head(state: StateBlock, first: int) -> bool:
    """Say whether this line and the next are the head row and its delimiters."""
    below = first + 1
    if state.sCount[below] < state.blkIndent or state.is_code_block(below):
        return False
    marks = _line(state, below)
    if len(marks) < 2 or marks[:2] in {"- ", "-\t"}:  # noqa: PLR2004 - a lone mark
        return False
    if not _DELIMITERS.fullmatch(marks.rstrip(" \t")):
        return False
    head = _line(state, first).strip()
    if "|" not in head or state.is_code_block(first):
        return False
    return _columns(head) == _columns(marks.strip())


def _columns(row: str) -> int:
    borders = len(_BORDER.findall(row))
    closed = row.endswith("|") and not row.endswith("\\|")
    return borders + 1 - row.startswith("|") - closed


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
