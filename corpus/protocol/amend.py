"""Change one thing in an artifact and leave every other byte as it is.

Byte order mark, line ends, indentation, comments, quotes and the newline at the end, or
its absence, stay. What was changed is read again with the readers everybody uses: where
they do not find exactly the change that was asked for, nothing is given back.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from corpus.markdown import decode, parse_markdown, split_lines
from corpus.protocol.layout import NONE
from corpus.protocol.metadata import SUPERSEDES, read_metadata
from corpus.protocol.sections import SECTION_LEVEL, sections
from corpus.refusals import AmendmentError
from corpus.visible import deceives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.markdown import Document, Heading
    from corpus.protocol.metadata import Metadata, MetadataEntry
    from corpus.protocol.sections import Section
    from corpus.refs import RelPath


def with_value(content: bytes, path: RelPath, key: str, value: str) -> bytes:
    """Give the artifact with another value of a metadata key that is there once.

    Where front matter and text both have the key, both change. The style of a YAML
    value stays: plain, in single or in double quotes. Raises `AmendmentError` when the
    key is missing, given twice or written in a form that is not changed in place, and
    when the result would not read as the same artifact with that value.
    """
    try:
        text = _Text.read(content)
        return _with_value(text, key, value)
    except _ImpossibleError as problem:
        raise AmendmentError(path=path, key=key, reason=problem.reason) from None


def with_section(content: bytes, path: RelPath, heading: str, body: str) -> bytes:
    """Give the artifact with another text in the H2 section of this title.

    Comments and blank lines at the beginning and the end of the section stay. `body`
    gets the file's line ends; one that is blank is the word NONE. Raises
    `AmendmentError` when the section is missing or stands twice, and when the text
    would begin a section or hide one.
    """
    try:
        text = _Text.read(content)
        return _with_section(text, heading, body)
    except _ImpossibleError as problem:
        raise AmendmentError(path=path, key=heading, reason=problem.reason) from None


class _ImpossibleError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Text(NamedTuple):
    """A file: what stands before its first line, its lines with ends, its structure."""

    lead: str
    lines: tuple[str, ...]
    document: Document
    metadata: Metadata

    @classmethod
    def read(cls, content: bytes) -> _Text:
        try:
            text = decode(content)
        except UnicodeDecodeError:
            raise _ImpossibleError(_NOT_TEXT) from None
        document = parse_markdown(text)
        whole = content.decode("utf-8")
        rest = text.removeprefix("\ufeff")
        return cls(
            lead=whole[: len(whole) - len(rest)],
            lines=tuple(_LINE.findall(rest)),
            document=document,
            metadata=read_metadata(document),
        )

    def replaced(self, lines: Sequence[str]) -> _Text:
        """Give the file with other lines, read anew."""
        try:
            return _Text.read((self.lead + "".join(lines)).encode("utf-8"))
        except UnicodeEncodeError:
            raise _ImpossibleError(_NOT_TEXT) from None

    def encoded(self) -> bytes:
        return (self.lead + "".join(self.lines)).encode("utf-8")


_NOT_TEXT = "it is not UTF-8 text"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_END = re.compile(r"[\r\n]*\Z")
_ENTRY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}:")
_YAML_ENTRY = re.compile(
    r"""[ ]*(?:"[A-Za-z0-9_ -]*"|'[A-Za-z0-9_ -]*'|[A-Za-z0-9_-]+)[ \t]*:(?=[ \t]|\Z)"""
)
_YAML_VALUE = re.compile(
    r"""[ \t]+(?P<value>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'"""
    r"""|[^\s"'#,\[\]{}&*!|>%@`](?:[^\s#]|[ \t]+(?=[^\s#])|(?<=\S)\#)*)"""
    r"(?P<rest>[ \t]*(?:[ \t]\#.*)?)\Z"
)
_YAML_NOTHING = re.compile(r"[ \t]*(?:[ \t]#.*)?\Z")


def _with_value(text: _Text, key: str, value: str) -> bytes:
    if not value or not value.isprintable() or value != value.strip():
        reason = "the new value is not one line of printable characters"
        raise _ImpossibleError(reason)
    entries = text.metadata.all(key)
    matter = text.document.front_matter
    last = matter.last if matter is not None else 0
    places = {"front": [e for e in entries if e.line <= last]}
    places["text"] = [e for e in entries if e.line > last]
    if not entries:
        reason = "the key is missing"
        raise _ImpossibleError(reason)
    if entries[0].key == SUPERSEDES or max(map(len, places.values())) > 1:
        reason = "the key has more than one value"
        raise _ImpossibleError(reason)
    if entries[0].value != entries[-1].value:
        reason = "front matter and text differ"
        raise _ImpossibleError(reason)
    lines = list(text.lines)
    for entry in entries:
        amend = _yaml_line if entry.line <= last else _text_line
        whole = lines[entry.line - 1]
        end = _END.search(whole)
        assert end is not None
        lines[entry.line - 1] = amend(whole[: end.start()], entry, value) + end[0]
    changed = text.replaced(lines)
    _require_only_value(text, changed, entries, value)
    return changed.encoded()


def _require_only_value(
    before: _Text, after: _Text, entries: Sequence[MetadataEntry], value: str
) -> None:
    expected = tuple(
        entry._replace(value=value) if entry in entries else entry
        for entry in before.metadata.entries
    )
    if after.metadata.entries != expected:
        reason = "the new value would not read as written"
        raise _ImpossibleError(reason)
    if (
        after.document.headings != before.document.headings
        or after.document.hidden != before.document.hidden
        or after.metadata.problems != before.metadata.problems
    ):
        reason = "the rest of the file would read otherwise"
        raise _ImpossibleError(reason)


def _text_line(line: str, entry: MetadataEntry, value: str) -> str:
    """Change a `Key: value` line, in which comments may stand anywhere."""
    seen = _outside_comments(line)
    shown = "".join(line[at] for at in seen)
    match = _ENTRY.match(shown)
    assert match is not None
    if not entry.value:
        colon = seen[match.end() - 1] + 1
        return f"{line[:colon]} {value}{line[colon:]}"
    first = shown.index(entry.value, match.end())
    start, end = seen[first], seen[first + len(entry.value) - 1] + 1
    if line[start:end] != entry.value:
        reason = "a comment stands inside the value"
        raise _ImpossibleError(reason)
    return line[:start] + value + line[end:]


def _outside_comments(line: str) -> list[int]:
    """Give the places of the characters that `corpus.markdown.visible` shows."""
    places: list[int] = []
    at = 0
    while (start := line.find("<!--", at)) >= 0:
        end = line.find("-->", start + 4)
        if end < 0:
            break
        places += range(at, start)
        at = end + 3
    return [*places, *range(at, len(line))]


def _yaml_line(line: str, entry: MetadataEntry, value: str) -> str:
    """Change a `key: value` line of front matter, in the style it has."""
    match = _YAML_ENTRY.match(line)
    if match is None:
        raise _ImpossibleError(_NOT_SIMPLE)
    head, rest = line[: match.end()], line[match.end() :]
    if not entry.value and _YAML_NOTHING.match(rest):
        return f"{head} {value}{rest}"
    found = _YAML_VALUE.match(rest)
    if found is None:
        raise _ImpossibleError(_NOT_SIMPLE)
    quote = found["value"][0]
    if quote == '"':
        written = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    elif quote == "'":
        written = "'" + value.replace("'", "''") + "'"
    else:
        written = value
    gap = rest[: found.start("value")]
    return head + gap + written + found["rest"]


_NOT_SIMPLE = "the front matter writes it in a form that is not changed in place"


def _with_section(text: _Text, heading: str, body: str) -> bytes:
    found = [each for each in sections(text.document) if each.title == heading]
    if len(found) != 1:
        reason = "the section stands twice" if found else "the section is missing"
        raise _ImpossibleError(reason)
    section = found[0]
    lines = _trimmed(body)
    if deceives("\n".join(lines)):
        reason = "the text holds characters that control or reorder what is seen"
        raise _ImpossibleError(reason)
    line_end = _line_end(text.lines, section.line)
    if section.last < len(text.lines):
        end = line_end * 2
    else:
        end = line_end if text.lines[-1].endswith(("\r", "\n")) else ""
    new = _new_body(
        "".join(text.lines[section.first - 1 : section.last]),
        line_end.join(lines or [NONE]),
        line_end=line_end,
        end=end,
    )
    before = list(text.lines[: section.first - 1])
    if before and not before[-1].endswith(("\r", "\n")):
        before[-1] += line_end
    changed = text.replaced(before + _LINE.findall(new) + [*text.lines[section.last :]])
    _require_only_section(text, changed, section)
    _require_open_end(changed)
    return changed.encoded()


def _require_open_end(text: _Text) -> None:
    """Refuse a text that would swallow what is written below it some day."""
    after = text.replaced([*text.lines, "\n\n", "## End\n"])
    if not any(heading.text == "End" for heading in after.document.headings[-1:]):
        reason = "the text opens something that it does not close"
        raise _ImpossibleError(reason)


def _trimmed(body: str) -> list[str]:
    lines = split_lines(body)
    filled = [number for number, line in enumerate(lines) if line.strip(" \t")]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _line_end(lines: Sequence[str], number: int) -> str:
    """Give the line end of the heading, else the file's first one, else LF."""
    for line in (lines[number - 1], lines[0]):
        match = _END.search(line)
        if match is not None and match[0]:
            return match[0]
    return "\n"


def _new_body(old: str, text: str, *, line_end: str, end: str) -> str:
    """Put the text where the old one was, between what stays.

    Where there was none, a blank line stands above the text and `end` below it.
    """
    first = _head(old)
    last = _tail(old, first)
    if first < last:
        return old[:first] + text + old[last:]
    head = old[:first]
    ends = _LINE.findall(head)
    if ends and not ends[-1].endswith(("\r", "\n")):
        head += line_end
    if not ends or ends[-1].strip(_SPACE):
        head += line_end
    return head + text + end


def _head(old: str) -> int:
    """Say where the blank lines and comments at the beginning end."""
    at = 0
    while at < len(old):
        end = _blanks(old, at)
        if old.startswith("<!--", end):
            closing = old.find("-->", end + 4)
            if closing < 0:
                return at
            end = _blanks(old, closing + 3)
        if end < len(old) and old[end] not in "\r\n":
            return at
        end += 2 if old.startswith("\r\n", end) else 1
        at = min(end, len(old))
    return at


def _tail(old: str, first: int) -> int:
    """Say where the text ends: at a line end, before closing comments and blanks."""
    comments: list[tuple[int, int]] = []
    at = first
    while (start := old.find("<!--", at)) >= 0:
        closing = old.find("-->", start + 4)
        if closing < 0:
            break
        at = closing + 3
        comments.append((start, at))
    last = len(old)
    for start, end in reversed(comments):
        begins = max(old.rfind("\n", 0, start), old.rfind("\r", 0, start)) + 1
        if old[end:last].strip(_SPACE) or old[begins:start].strip(_SPACE):
            break
        last = begins
    filled = len(old[first:last].rstrip(_SPACE)) + first
    return _blanks(old, filled)


_SPACE = " \t\r\n"


def _blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _require_only_section(before: _Text, after: _Text, section: Section) -> None:
    """Hold the rest of the file to what it was, moved by as many lines as were added.

    Below the heading nothing may begin a section, and nothing may reach out of it.
    """
    moved = len(after.lines) - len(before.lines)
    if after.metadata != before.metadata:
        reason = "the metadata would read otherwise"
        raise _ImpossibleError(reason)
    last = section.last + moved
    inner = [h for h in after.document.headings if section.first <= h.line <= last]
    if any(h.level <= SECTION_LEVEL for h in inner):
        reason = "the text holds a heading of level 1 or 2"
        raise _ImpossibleError(reason)
    kept, outer = (
        [h for h in document.headings if not section.first <= h.line <= end]
        for document, end in ((before.document, section.last), (after.document, last))
    )
    same = all(
        old is not None and new is not None and _same_heading(old, new, section, moved)
        for old, new in zip_longest(kept, outer)
    )
    hidden = _outside(before.document, section.first, section.last, moved)
    if not same or hidden != _outside(after.document, section.first, last, 0):
        reason = "the text would reach beyond its section"
        raise _ImpossibleError(reason)


def _same_heading(old: Heading, new: Heading, section: Section, moved: int) -> bool:
    by = moved if old.line > section.last else 0
    place = (old.line + by, old.last + by, old.level, old.text)
    return place == (new.line, new.last, new.level, new.text)


def _outside(
    document: Document, first: int, last: int, moved: int
) -> list[tuple[int, int]]:
    """Give the hidden spans that are not wholly in the section, in their new places."""
    return [
        (start + moved, end + moved) if start > last else (start, end)
        for start, end in document.hidden
        if end < first or end > last
    ]
