"""The words of a heading, without its markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADING_CHARACTERS = 300
"""A longer heading is shown cut in heading paths, and its lines are a passage too."""


def heading_text(lines: Sequence[str], first: int, last: int) -> tuple[str, bool]:
    """Give a heading's words without markup, and whether they are all there."""
    if last > first:
        text = " ".join(line.strip() for line in lines[first - 1 : last - 1])
    else:
        text = lines[first - 1].strip().lstrip("#").strip()
        if text.endswith("#"):
            open_text = text.rstrip("#")
            if not open_text or open_text[-1].isspace():
                text = open_text.rstrip()
    complete = len(text) <= HEADING_CHARACTERS
    text = text[:HEADING_CHARACTERS]
    if _MARKS.search(text):
        text = _MARKUP.sub(lambda match: match[1] or match[2] or "", text)
    return text, complete


def heading_at(lines: Sequence[str], line: int) -> str:
    """Give the text of the heading that begins on `line`."""
    last = line
    if not lines[line - 1].lstrip().startswith("#"):
        while last < len(lines) and not _UNDERLINE.fullmatch(lines[last - 1]):
            last += 1
    return heading_text(lines, line, last)[0]


_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_MARKS = re.compile(r"[*_`\\]")
_MARKUP = re.compile(
    r"`([^`]*)`"
    r"|\\([!-/:-@\[-`{-~])"
    r"|`"
    r"|(?<!\*)\*++(?!\s|\Z)|(?<=[^\s*])\*++"
    r"|(?<!\w)_++(?=\w)|(?<=[^\W_])_++(?!\w)"
)
