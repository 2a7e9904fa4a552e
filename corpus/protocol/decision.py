"""What a decision record says of its own standing, and of the records around it.

Decision records state this in many words: a status line, a status section, front
matter, `Supersedes [title](0001-title.md)`, `superseded by ADR-2`. Only the top of a
record and its status section are read; further down, such words are prose.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import section_text, sections
from corpus.refs import is_markdown_name, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from corpus.markdown import Document

TOP = 40
"""How many lines count as the top of a record."""

_STATUS = "Status"
_STATUS_LINE = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?[*_]*status[*_]*[ \t]*:(.{0,100})", re.IGNORECASE
)
_RELATION = re.compile(
    r"(?<!not )(?<!never )\b(superseded[ \t_-]+by|supersedes)\b", re.IGNORECASE
)
_LINK = re.compile(r"\]\([ \t]*<?([^()<>\s]+)")
_WORD = re.compile(r"[^\s,;:()\[\]<>`'\"*|]+")
_NUMBERED = re.compile(r"\bADR[-_ #]{0,2}([0-9]{1,5})(?![0-9])", re.IGNORECASE)
_LEADING = re.compile(r"[\s:#*_`\[\"']*([0-9]{1,5})(?![0-9]|[-/.][0-9])")
_STEM = re.compile(r"(?:adr[-_]?)?([0-9]{1,5})(?:[-_.]|\Z)", re.IGNORECASE)
_DATED = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?![0-9])")
_MADE = re.compile(r"[0-9-]")
"""What a word must hold to be a file's name rather than prose."""

_LINE = 2000


class Relation(NamedTuple):
    """One record superseding another, as one of them says it.

    `others` are the targets as written: links, paths, names, or `#3` for a number.
    """

    by_other: bool
    others: tuple[str, ...]


def stated_status(document: Document) -> str:
    """Give what a record says of its own status, or nothing."""
    stated = read_metadata(document).get(_STATUS)
    if stated:
        return stated
    section = section_text(document, _STATUS)
    if section:
        return section.partition("\n")[0]
    for line in document.lines[:TOP]:
        match = _STATUS_LINE.match(line)
        if match:
            return match[1]
    return ""


def stated_relations(document: Document) -> tuple[Relation, ...]:
    """Give each statement that this record supersedes another or is superseded."""
    metadata = read_metadata(document)
    found = [
        Relation(by_other=False, others=(target,))
        for target, _ in metadata.supersedes()
    ]
    found += [
        Relation(by_other=True, others=_others(entry.value))
        for entry in metadata.all("Superseded-By")
    ]
    for line in _spoken_lines(document):
        marks = list(_RELATION.finditer(line))
        ends = [mark.start() for mark in marks[1:]] + [len(line)]
        for mark, end in zip(marks, ends, strict=False):
            others = _others(line[mark.end() : end])
            found.append(Relation(by_other="by" in mark[1].lower(), others=others))
    return tuple(dict.fromkeys(found))


def superseded_sources(
    relations: Mapping[str, Iterable[Relation]],
) -> dict[str, tuple[str, ...]]:
    """Give each newer file the files it supersedes, sorted, from what all of them say.

    The keys of `relations` are the paths of every known file; what names none of them
    is left out, and so are two files that claim to supersede each other.
    """
    records = _Records(relations)
    pairs: set[tuple[str, str]] = set()
    for path, stated in relations.items():
        for relation in stated:
            for written in relation.others:
                other = records.find(written, path)
                if other is not None and other != path:
                    pairs.add((other, path) if relation.by_other else (path, other))
    older: dict[str, list[str]] = {}
    for newer, old in sorted(pairs):
        if (old, newer) not in pairs:
            older.setdefault(newer, []).append(old)
    return {newer: tuple(found) for newer, found in older.items()}


class _Records:
    """The known files, by path and, within a folder, by name and by number."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._found: dict[tuple[str, str], set[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            self._add("", path, path)
            self._add(folder, stem(name), path)
            number = None if _DATED.match(name) else _STEM.match(stem(name))
            if number is not None:
                self._add(folder, f"#{int(number[1])}", path)

    def _add(self, folder: str, form: str, path: str) -> None:
        self._found.setdefault((folder, form.casefold()), set()).add(path)

    def find(self, written: str, base: str) -> str | None:
        """Find the one file that the file `base` means by what it wrote."""
        folder = base.rpartition("/")[0]
        written = written.partition("#")[0] or written
        if is_markdown_name(written):
            near = posixpath.normpath(posixpath.join(folder, written))
            forms = [("", near.lstrip("/")), ("", written.lstrip("/"))]
        else:
            forms = [(folder, written)]
        for place, form in forms:
            paths = self._found.get((place, form.casefold()), set())
            if len(paths) == 1:
                return next(iter(paths))
        return None


def _spoken_lines(document: Document) -> Iterator[str]:
    """Give the front matter, the top and the status section, without code."""
    front = document.front_matter
    numbers = set(range(front.first, front.last + 1)) if front else set()
    numbers.update(document.plain_lines(1, min(TOP, len(document.lines))))
    for section in sections(document):
        if section.title.casefold() == _STATUS.casefold():
            numbers.update(document.plain_lines(section.first, section.last))
    for number in sorted(numbers):
        yield document.lines[number - 1][:_LINE]


def _others(text: str) -> tuple[str, ...]:
    """Give what the words after `supersedes` may name, links first."""
    found = [match[1] for match in _LINK.finditer(text)]
    found += [f"#{int(match[1])}" for match in _NUMBERED.finditer(text)]
    leading = _LEADING.match(text)
    if leading:
        found.append(f"#{int(leading[1])}")
    words = (match[0].rstrip(".") for match in _WORD.finditer(text))
    found += [word for word in words if is_markdown_name(word) or _MADE.search(word)]
    return tuple(dict.fromkeys(found))
