"""The H2 sections of an artifact, and what they say besides their comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.protocol.layout import NONE

if TYPE_CHECKING:
    from corpus.markdown import Document

SECTION_LEVEL = 2
"""Required sections are H2."""


class Section(NamedTuple):
    """One H2 section: its title, its heading's line, and the lines of its body.

    `first` is greater than `last` when nothing follows the heading.
    """

    title: str
    line: int
    first: int
    last: int


def sections(document: Document) -> tuple[Section, ...]:
    """Give the H2 sections in file order; each ends before the next H1 or H2."""
    upper = [h for h in document.headings if h.level <= SECTION_LEVEL]
    ends = [h.line - 1 for h in upper[1:]] + [len(document.lines)]
    return tuple(
        Section(heading.text, heading.line, heading.last + 1, end)
        for heading, end in zip(upper, ends, strict=False)
        if heading.level == SECTION_LEVEL
    )


def section_text(document: Document, title: str) -> str | None:
    """Give what the first section of this title says, or None when it has no section.

    HTML comments are left out, blank lines at the ends too; a section without
    content is the empty string.
    """
    for section in sections(document):
        if section.title == title:
            return body_text(document, section)
    return None


def body_text(document: Document, section: Section) -> str:
    """Give a section's body without HTML comments and outer blank lines."""
    body = "\n".join(document.lines[section.first - 1 : section.last])
    return without_comments(body).strip()


def says_none(text: str | None) -> bool:
    """Say whether a section's text is missing, empty or the word NONE."""
    return (text or "").strip(" \t\n*_`-.") in {"", NONE, "None", "none"}


def without_comments(text: str) -> str:
    """Cut every `<!-- -->` out; one that is never closed runs to the end."""
    kept = []
    position = 0
    while (opening := text.find("<!--", position)) >= 0:
        kept.append(text[position:opening])
        closing = text.find("-->", opening + 4)
        if closing < 0:
            return "".join(kept)
        position = closing + 3
    kept.append(text[position:])
    return "".join(kept)
