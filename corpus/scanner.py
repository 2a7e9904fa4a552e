"""The outermost blocks of a Markdown text, found a line at a time.

Headings, paragraphs, fences, indented code, rules and comments are recognised here,
exactly as CommonMark does. A run of lines with lists, quotes, tables, link definitions
or HTML goes to the parser, from a line where no block is open to the next such line.
Runs that would cost the parser more than the text's size allows stay text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from corpus.blocks import MAX_NESTING, Block, parse_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAD = re.compile(
    r"""
    (?P<blank> [ \t]* \Z )
    | (?P<code> [ ]{0,3} \t | [ ]{4} )
    | [ ]{0,3} (?:
        (?P<heading> \#{1,6} (?![^ \t]) )
      | (?P<fence> `{3,} [^`]* \Z | ~{3,} )
      | (?P<rule> (?:\*[ \t]*){3,} \Z | (?:-[ \t]*){3,} \Z | (?:_[ \t]*){3,} \Z )
      | (?P<raw> < (?: !-- | \? | !\[CDATA\[ | ![A-Za-z]
                     | (?ai:script|pre|style|textarea) (?=[\s>]|\Z) ) )
      | (?P<nested> > | < | [-+*] (?![^ \t]) | [0-9]{1,9} [.)] (?![^ \t]) )
      | (?P<label> \[ (?! [^\[\]\\]+ \] (?!:) ) )
    )
    """,
    re.VERBOSE,
)
"""What a line may begin; the group that matched says which. None: plain text."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*\Z")
_DELIMITER_LINE = re.compile(r" {0,3}[-:|][-:| \t]*\Z")
_ITEM = re.compile(
    r"(?:([-*+])|[0-9]{1,9}([.)])) {1,4}(?=[^\W\d_]|\*\*\w|`[^`]|[\"'(])"
)
_WRAPPED = re.compile(r" *(?:[^\W\d_]|[\"'(])")
_INTERRUPTS = re.compile(r" {0,3}(?:>|(?:[-+*]|0{0,8}1[.)])[ \t]+[^ \t])")
_RAW_ENDS = (
    ("<!--", re.compile(r"-->")),
    ("<?", re.compile(r"\?>")),
    ("<![CDATA[", re.compile(r"\]\]>")),
    ("<!", re.compile(r">")),
    ("<", re.compile(r"</(?ai:script|pre|style|textarea)>")),
)
_LEAVES = frozenset({"heading", "fence", "rule", "raw"})

MAX_BLOCKS = 60_000
"""More than a corpus may have lines; what follows them in one text stays one block."""

_FREE_COST = 6_000
_COST_PER_CHARACTER = 0.05
_MARKERS = re.compile(r"(?:[ \t>*+-]|[0-9]{1,9}[.)])*")
"""Parser work a text may ask for, in lines times nesting: about a second a MiB."""


def scan(lines: Sequence[str], start: int = 0) -> list[Block]:
    """Give the blocks of `lines[start:]` in order; line numbers count from line 1.

    Every line that is not blank lies in exactly one of them.
    """
    scanner = _Scanner(lines)
    at = start
    while at < len(lines) and len(scanner.blocks) < MAX_BLOCKS:
        at = scanner.step(at) if lines[at] else at + 1
    rest = [at for at in range(at, len(lines)) if lines[at].strip(" \t")]
    if rest:
        scanner.blocks.append(Block("text", rest[0] + 1, rest[-1] + 1))
    return scanner.blocks


class _Scanner:
    """One pass over a text; each step takes the index of a line and gives the next."""

    __slots__ = ("_cost_left", "_lines", "_plain_until", "blocks")

    def __init__(self, lines: Sequence[str]) -> None:
        self.blocks: list[Block] = []
        self._lines = lines
        self._plain_until = 0
        self._cost_left = -1.0

    def step(self, at: int) -> int:
        """Read the block that begins at index `at`, where no block is open."""
        line = self._lines[at]
        if not line[:1].isalpha():
            match = _LEAD.match(line)
            kind = match.lastgroup if match else None
            if kind == "blank":
                return at + 1
            if kind == "code":
                return self._indented(at)
            if kind == "nested":
                return self._simple_list(at) or self._nested(at)
            if kind == "label":
                return self._nested(at)
            if match is not None:
                if self._may_be_table(at):
                    return self._nested(at)
                return self._leaf(at, match)
        return self._paragraph(at)

    def _add(self, block: Block) -> int:
        self.blocks.append(block)
        return block.last

    def _leaf(self, at: int, match: re.Match[str]) -> int:
        """Read a heading, fence, rule or raw HTML with an end of its own."""
        if match.lastgroup == "heading":
            level = len(match["heading"])
            return self._add(Block("heading", at + 1, at + 1, level))
        if match.lastgroup == "rule":
            return self._add(Block("text", at + 1, at + 1))
        if match.lastgroup == "fence":
            last = self._fence_end(at)
            return self._add(Block("code", at + 1, last, hidden=((at + 1, last),)))
        last = self._raw_end(at)
        return self._add(Block("html", at + 1, last, hidden=((at + 1, last),)))

    def _fence_end(self, at: int) -> int:
        opening = _FENCE.match(self._lines[at])
        assert opening is not None
        marks = opening[1]
        for index in range(at + 1, len(self._lines)):
            line = self._lines[index]
            if marks in line:
                closing = _FENCE.match(line)
                if (
                    closing is not None
                    and closing[1].startswith(marks)
                    and not line[closing.end() :].strip(" \t")
                ):
                    return index + 1
        return self._last_text(len(self._lines))

    def _raw_end(self, at: int) -> int:
        opening = self._lines[at].lstrip(" ")
        end = next(end for start, end in _RAW_ENDS if opening.startswith(start))
        for index in range(at, len(self._lines)):
            if end.search(self._lines[index]):
                return index + 1
        return self._last_text(len(self._lines))

    def _last_text(self, end: int) -> int:
        """Give the number of the last line before index `end` that is not blank."""
        while not self._lines[end - 1].strip(" \t"):
            end -= 1
        return end

    def _indented(self, at: int) -> int:
        last = at
        for index in range(at + 1, len(self._lines)):
            match = _LEAD.match(self._lines[index])
            if match is None or match.lastgroup not in {"blank", "code"}:
                break
            if match.lastgroup == "code":
                last = index
        return self._add(Block("code", at + 1, last + 1, hidden=((at + 1, last + 1),)))

    def _paragraph(self, at: int) -> int:
        """Read a paragraph, or the setext heading it turns out to be."""
        lines = self._lines
        index = at + 1
        while index < len(lines):
            line = lines[index]
            if line[:1].isalpha():
                index += 1
                continue
            match = _LEAD.match(line)
            kind = match.lastgroup if match else None
            if kind == "blank":
                break
            if kind != "code":
                if "|" in lines[index - 1] and _DELIMITER_LINE.match(line):
                    return self._nested(at)
                if _UNDERLINE.match(line):
                    level = 1 if "=" in line else 2
                    return self._add(Block("heading", at + 1, index + 1, level))
                if kind is not None and (ends := self._ends_paragraph(index, kind)):
                    if ends == "unclear":
                        return self._nested(at)
                    break
            index += 1
        return self._add(Block("text", at + 1, index))

    def _ends_paragraph(self, at: int, kind: str) -> Literal["yes", "unclear"] | None:
        line = self._lines[at]
        if self._may_be_table(at):
            return "unclear"
        if kind in _LEAVES or _INTERRUPTS.match(line):
            return "yes"
        return "unclear" if line.lstrip(" ")[0] == "<" else None

    def _simple_list(self, at: int) -> int | None:
        """Read a list of plain paragraphs with one kind of marker, or refuse.

        Most lists are so simple, and so short that the parser's start would cost more
        than the list.
        """
        lines = self._lines
        opening = _ITEM.match(lines[at])
        if opening is None or at < self._plain_until:
            return None
        marker, last, blank = opening[opening.lastindex or 0], at, False
        items: list[tuple[int, int]] = []
        for index in range(at, len(lines)):
            line = lines[index]
            item = _ITEM.match(line)
            if item is not None and item[item.lastindex or 0] == marker:
                items.append((1, index + 1))
            elif not line:
                blank = True
                continue
            elif blank:
                lead = _LEAD.match(line)
                if lead is not None and lead.lastgroup not in _LEAVES:
                    return None
                if line[0] == " ":
                    return None
                break
            elif not _WRAPPED.match(line):
                return None
            last, blank = index, False
        return self._add(Block("list", at + 1, last + 1, cuts=tuple(items)))

    def _may_be_table(self, at: int) -> bool:
        return (
            "|" in self._lines[at]
            and at + 1 < len(self._lines)
            and _DELIMITER_LINE.match(self._lines[at + 1]) is not None
        )

    def _nested(self, at: int) -> int:
        """Let the parser read the run of lines that begins at index `at`."""
        if at < self._plain_until:
            return self._plain(at)
        end = self._run_end(at)
        last = self._last_text(end)
        run = self._lines[at:last]
        found = parse_blocks(run, at + 1) if self._affordable(run) else None
        if found is None:
            self._plain_until = end
            return self._plain(at)
        tail = found[-1]
        if tail.kind in {"code", "html"} and tail.last == last:
            match = _LEAD.match(self._lines[tail.first - 1])
            if match is not None and match.lastgroup in {"fence", "raw"}:
                # It may go on after the blank line the run was cut at.
                self.blocks += found[:-1]
                return self._leaf(tail.first - 1, match)
        self.blocks += found
        return end

    def _run_end(self, at: int) -> int:
        """Find the next line, after a blank one, that closes whatever is open.

        Only an unfinished fence or raw HTML outlives an unindented line there.
        """
        blank = False
        for index in range(at + 1, len(self._lines)):
            line = self._lines[index]
            if blank and line[:1] not in {"", " ", "\t"}:
                match = _LEAD.match(line)
                if match is None or match.lastgroup not in {"nested", "label"}:
                    return index
            blank = not line.strip(" \t")
        return len(self._lines)

    def _plain(self, at: int) -> int:
        """Read the run the parser could not, up to a heading or a fence, as text."""
        match = _LEAD.match(self._lines[at])
        if match is not None and match.lastgroup in _LEAVES:
            return self._leaf(at, match)
        hidden: list[tuple[int, int]] = []
        index = at
        while index < self._plain_until:
            line = self._lines[index]
            match = _LEAD.match(line)
            if match is not None and match.lastgroup in _LEAVES:
                break
            if line.lstrip(" ").startswith((">", "<")):
                hidden.append((index + 1, index + 1))
            index += 1
        last = self._last_text(index)
        return self._add(Block("text", at + 1, last, hidden=tuple(hidden)))

    def _affordable(self, run: Sequence[str]) -> bool:
        """Say whether the parser may read these lines, and put it on the bill."""
        if self._cost_left < 0:
            size = sum(map(len, self._lines)) + len(self._lines)
            self._cost_left = _FREE_COST + size * _COST_PER_CHARACTER
        cost = len(run)
        if cost <= self._cost_left:
            cost = sum(map(_line_cost, run))
        if cost > self._cost_left:
            return False
        self._cost_left -= cost
        return True


def _line_cost(line: str) -> int:
    """Estimate how many lists and quotes the parser opens or keeps for a line."""
    if line[:1].isalpha():
        return 1
    markers = _MARKERS.match(line)
    assert markers is not None
    lead = markers[0]
    inside = len(lead.split()) + lead.count(">")
    return max(
        1, min(inside + (len(lead) - len(lead.lstrip(" "))) // 2, 2 * MAX_NESTING)
    )
