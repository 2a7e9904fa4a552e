"""What a Markdown file of instructions says: its statements, and what it imports.

A statement is what a person would change at once: a list item, a paragraph, a row, a
heading, a line of code. Comments and front matter state nothing. One pass over the
lines, whatever they are.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Literal, NamedTuple

Kind = Literal["text", "item", "row", "heading", "code"]

MOST_IMPORTS = 200
_MOST_INDENT = 4
_LONGEST_LEAD = 400


class Statement(NamedTuple):
    """Lines `first` to `last`, from 1, as one text without markers of lists or quotes.

    `headings` are the ones above it, outermost first; `lead` is what introduces it: the
    line that ends in a colon before a list, or the items it lies in. `section` tells
    the statements below one heading from the others.
    """

    kind: Kind
    first: int
    last: int
    text: str
    headings: tuple[str, ...]
    lead: str
    section: int


class Outline(NamedTuple):
    """The statements of a text in order, and the paths that it imports.

    `notes` are the comments that are a line of their own, with their lines from 1.
    `is_open` says that a fence or a comment has no end: what is appended falls into it.
    """

    statements: tuple[Statement, ...]
    imports: tuple[str, ...]
    notes: tuple[tuple[int, str], ...]
    is_open: bool


def outline_of(text: str) -> Outline:
    """Read the structure of a text; lines are counted as git counts them."""
    reader = _Reader()
    lines = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines[_front_matter(lines) :], _front_matter(lines)):
        reader.take(number + 1, line.rstrip("\r").expandtabs(4))
    reader.close()
    found = tuple(reader.found)
    prose = (one.text for one in found if one.kind != "code")
    paths = [path for text in prose for path in imports_in(text)]
    imports = tuple(dict.fromkeys(paths))[:MOST_IMPORTS]
    return Outline(found, imports, tuple(reader.notes), reader.is_open)


def imports_in(text: str) -> tuple[str, ...]:
    """Give the paths that a text imports: `@path` outside code spans."""
    if "@" not in text:
        return ()
    found = _IMPORT.findall(_without_code(text))
    return tuple(path.replace("\\ ", " ") for path in found)


class _Reader:
    """Takes a line at a time; `found` are the statements that are complete."""

    def __init__(self) -> None:
        self.found: list[Statement] = []
        self.notes: list[tuple[int, str]] = []
        self._headings: list[tuple[int, str]] = []
        self._items: list[tuple[int, str]] = []
        self._lead = ""
        self._section = 0
        self._kind: Kind = "text"
        self._first = self._last = 0
        self._parts: list[str] = []
        self._fence = ""
        self._deepest = 0
        self._quoted = False
        self._comment = False
        self._blank = True

    @property
    def is_open(self) -> bool:
        return bool(self._fence) or self._comment

    def take(self, number: int, line: str) -> None:
        if self._fence and self._quoted and _QUOTE.match(line) is None:
            self._fence = ""  # the quote ends, and what is open in it
        if self._fence:
            self._in_fence(number, line)
            return
        if not self._comment and _NOTE.fullmatch(line):
            self.notes.append((number, line.strip()))
        line = self._without_comments(line)
        if not line.strip():
            self._end_unit()
            self._blank = True
            return
        opened = _FENCE.match(line)
        heading = _HEADING.match(line)
        if opened and not self._is_indented_code(line):
            self._end_unit()
            self._open_fence(opened)
        elif heading:
            self._end_unit()
            self._enter(len(heading[1]), heading[2], number, number)
        elif self._parts and self._kind == "text" and _UNDERLINE.fullmatch(line):
            self._underlined(1 if "=" in line else 2, number)
        elif self._is_indented_code(line):
            self._single("code", number, line.strip())
        else:
            self._prose(number, line)
        self._blank = False

    def close(self) -> None:
        self._end_unit()

    def _open_fence(self, opened: re.Match[str]) -> None:
        self._fence, place = opened[1], opened.start(1)
        self._quoted = ">" in opened[0][:place]
        inside = place > _MOST_INDENT - 1
        self._deepest = _MOST_INDENT - 1 + (place if inside else 0)

    def _in_fence(self, number: int, line: str) -> None:
        if self._quoted:
            line = _QUOTE.sub("", line, count=1)
        mark = line.strip()
        closes = mark.startswith(self._fence) and not mark.strip(self._fence[0])
        if closes and len(line) - len(line.lstrip()) <= self._deepest:
            self._fence = ""
        elif mark:
            self._single("code", number, mark)

    def _prose(self, number: int, line: str) -> None:
        bare = _QUOTE.sub("", line, count=1)
        item = _ITEM.match(bare)
        if item:
            self._end_unit()
            indent = len(item[1])
            while self._items and self._items[-1][0] >= indent:
                self._items.pop()
            self._begin("item", number, item[2])
            self._items.append((indent, item[2][:_LONGEST_LEAD]))
        elif bare.lstrip().startswith("|"):
            self._end_unit()
            if not _RULE_OF_TABLE.fullmatch(bare):
                self._single("row", number, bare.strip().strip("|").replace("|", " "))
        elif self._parts:
            self._parts.append(bare.strip())
            self._last = number
        elif not _RULE.fullmatch(bare):
            if len(bare) - len(bare.lstrip()) < 2:  # noqa: PLR2004 - the text of an item
                self._items.clear()
                self._lead = ""
            self._begin("text", number, bare.strip())

    def _begin(self, kind: Kind, number: int, text: str) -> None:
        self._kind, self._first, self._last = kind, number, number
        self._parts = [text.strip()]

    def _single(self, kind: Kind, number: int, text: str) -> None:
        self._end_unit()
        self._begin(kind, number, text)
        self._end_unit()

    def _end_unit(self) -> None:
        if not self._parts:
            return
        text = " ".join(filter(None, self._parts))
        self._parts = []
        above = [item for _, item in self._items]
        if self._kind == "item":
            above = above[:-1]
        lead = " ".join([self._lead, *above[-2:]]).strip()
        if text:
            titles = tuple(title for _, title in self._headings)
            span = self._first, self._last
            self.found.append(
                Statement(self._kind, *span, text, titles, lead, self._section)
            )
        if self._kind == "text" and text.endswith((":", "：", "**:", ":**")):
            self._lead = text[-_LONGEST_LEAD:]

    def _enter(self, level: int, title: str, first: int, last: int) -> None:
        """Begin a section; its heading is a statement of the section above."""
        text = title.strip().rstrip("#").strip()
        self._items.clear()
        self._lead = ""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._section += 1
        self._kind, self._first, self._last = "heading", first, last
        self._parts = [text]
        self._end_unit()
        self._headings.append((level, text[:_LONGEST_LEAD]))

    def _underlined(self, level: int, number: int) -> None:
        title, first = " ".join(self._parts), self._first
        self._parts = []
        self._enter(level, title, first, number)

    def _is_indented_code(self, line: str) -> bool:
        deep = len(line) - len(line.lstrip()) >= _MOST_INDENT
        return deep and self._blank and not self._items and not self._parts

    def _without_comments(self, line: str) -> str:
        if not self._comment and "<!--" not in line:
            return line
        kept: list[str] = []
        at = ticks = 0
        while at < len(line):
            mark = "-->" if self._comment else "<!--"
            place = line.find(mark, at)
            end = len(line) if place < 0 else place
            ticks += line.count("`", at, end)
            if not self._comment:
                kept.append(line[at:end])
            if place < 0:
                break
            if not self._comment and ticks % 2 and place < line.rfind("`"):
                kept.append(mark)
            else:
                self._comment = not self._comment
            at = place + len(mark)
        return "".join(kept)


_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,}) *")
_FENCE = re.compile(r" *(?:[-*+] +|[0-9]{1,9}[.)] +)?(?:> ?)?(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r"( *)(?:[-*+]|[0-9]{1,9}[.)]) +(?:\[[ xX]\] +)?(.*)")
_QUOTE = re.compile(r" {0,3}(?:> ?)+")
_RULE = re.compile(r" {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})")
_RULE_OF_TABLE = re.compile(r"[ |:-]+")
_IMPORT = re.compile(r"(?:^|(?<=\s))@((?:[^\s\\]|\\ )+)")
_TICKS = re.compile("`+")
_NOTE = re.compile(r" {0,3}<!--(?:(?!-->).)*--> *")
_LONGEST_MATTER = 200


def _front_matter(lines: list[str]) -> int:
    """Give how many lines of front matter a text begins with."""
    if lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:_LONGEST_MATTER], 2):
        if line.rstrip() in {"---", "..."}:
            return number
    return 0


def _without_code(text: str) -> str:
    """Give a text with a blank in place of each code span."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text)]
    closers: dict[int, deque[int]] = {}
    for index, (start, end) in enumerate(runs):
        closers.setdefault(end - start, deque()).append(index)
    kept: list[str] = []
    at, index = 0, 0
    while index < len(runs):
        start, end = runs[index]
        same = closers[end - start]
        while same and same[0] <= index:
            same.popleft()
        if not same:
            index += 1
            continue
        kept.append(text[at:start])
        at = runs[same[0]][1]
        index = same[0] + 1
    kept.append(text[at:])
    return "x".join(kept)
