"""The artifact an imported file becomes: its id, title, date and text (P1.7).

What is generated is metadata and the sections a report owes, nothing that a search
would find in every import alike. The rest is the file's own text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus.canonical import sha256
from corpus.protocol.layout import NONE, PROTOCOL_VERSION, REPORT
from corpus.protocol.metadata import instant, read_metadata
from corpus.protocol.sections import SECTION_LEVEL, section_text
from corpus.refs import is_id, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus.markdown import Document, Heading

IMPORTED_FROM = "Imported-From"
"""The metadata key that names the original."""

_FORM = "Report Form"
"""The title above the sections a report owes."""

_HEADER = 40
"""Where a date may stand: in this many first lines."""

_TITLE = 200
_ID_LENGTH = 64
_ID_HEAD = 36
_ID_TAIL = 20
_DIGEST = 6
_GENERIC = frozenset(
    {"spec", "specification", "design", "tasks", "task", "proposal", "plan", "readme"}
    | {"index", "requirements", "research", "notes", "overview", "summary"}
    | {"quickstart", "checklist", "data-model"}
)
"""File names and titles that say nothing without the folder."""

_DATE_LINE = re.compile(
    r"[ \t|*+_-]*(?:(?:decision[ \t]+)?date|created(?:[ -](?:at|on))?|decided(?: on)?)"
    r"[*_ \t]*[:|](.{0,60})",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?<![0-9])([0-9]{4})([-/.]?)([0-9]{2})\2([0-9]{2})(?![0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a new artifact is made of, besides its place."""

    title: str
    project_id: str
    created: str
    source: str
    body: str

    def report(self, artifact_id: str, supersedes: Sequence[str] = ()) -> str:
        """Give the text of a report.

        The sections that are owed stand under a title of their own: below the file's,
        a search for its words would find them first.
        """
        owed = "".join(f"## {title}\n\n{NONE}\n\n" for title in REPORT.sections)
        return (
            f"# {self.title}\n\n"
            f"Protocol-Version: {PROTOCOL_VERSION}\n"
            f"Project-ID: {self.project_id}\n"
            f"Report-ID: {artifact_id}\n"
            f"Task-ID: {NONE}\n"
            f"Created-At: {self.created}\n"
            "Result: INFO\n"
            f"{self._origin(supersedes)}\n"
            f"# {_FORM}\n\n{owed}"
            f"# {self.title}\n\n{self.body}"
        )

    def history(self, supersedes: Sequence[str] = ()) -> str:
        """Give the text of a history file."""
        return (
            f"# {self.title}\n\n"
            f"Project-ID: {self.project_id}\n"
            f"Created-At: {self.created}\n"
            f"{self._origin(supersedes)}\n"
            f"## Imported Text\n\n{self.body}"
        )

    def _origin(self, supersedes: Sequence[str]) -> str:
        lines = [f"{IMPORTED_FROM}: {self.source}\n"]
        lines += [f"Supersedes: {path}\n" for path in supersedes]
        return "".join(lines)


def make_page(path: str, document: Document, *, project_id: str, mtime_ns: int) -> Page:
    """Make the page of the file at `path`, last changed at `mtime_ns`."""
    title = _title(path, document)
    return Page(
        title=title,
        project_id=project_id,
        created=_created(path, document, mtime_ns=mtime_ns),
        source=path,
        body=_body(document, title),
    )


def make_id(path: str, taken: set[str]) -> str:
    """Make an id of a path that is not in `taken`, and add it there.

    An id begins as the path does, so that numbers and dates keep their order. One that
    would be too long, or is taken, loses its middle and ends with a hash of the path.
    """
    slug = re.sub(r"[^a-z0-9._]+", "-", path.rpartition(".")[0].lower())
    slug = slug.strip("-._").removeprefix("docs-").removeprefix("doc-")
    slug = slug.lstrip("-._")
    chosen = slug if is_id(slug[:_ID_LENGTH]) else f"imported-{slug}".rstrip("-")
    base, digest = chosen, sha256(path.encode("utf-8"))
    size = _DIGEST
    while chosen in taken or len(chosen) > _ID_LENGTH:
        chosen = _shortened(base, digest[:size])
        size += 1
    taken.add(chosen)
    return chosen


def _shortened(slug: str, digest: str) -> str:
    if len(slug) + 1 + len(digest) <= _ID_LENGTH:
        return f"{slug}-{digest}"
    head, tail = slug[:_ID_HEAD], slug[-_ID_TAIL:]
    whole = head.rpartition("-")[0] if slug[_ID_HEAD] != "-" else head
    head = whole if len(whole) > _ID_TAIL else head
    tail = tail.partition("-")[2] or tail
    tail = tail[: _ID_LENGTH - _ID_HEAD - len(digest) - 2]
    return f"{head.rstrip('-._')}-{tail.strip('-._')}-{digest}"


def _title(path: str, document: Document) -> str:
    """Give the first H1; the path says it where there is none or it says nothing."""
    folder, _, name = path.rpartition("/")
    titles = (h.text.strip() for h in document.headings if h.level == 1)
    title = next(filter(None, titles), stem(name))
    if title.casefold().replace(" ", "-") in _GENERIC and folder:
        title = f"{folder.rpartition('/')[2]}: {title}"
    printable = "".join(c if c.isprintable() else " " for c in title)
    return " ".join(printable.split())[:_TITLE] or "Untitled"


def _created(path: str, document: Document, *, mtime_ns: int) -> str:
    """Give the date the file states, one in its path, or when it last changed."""
    stated = read_metadata(document).timestamp()
    if stated and instant(stated):
        return stated
    header = document.plain_lines(1, min(_HEADER, len(document.lines)))
    for number in header:
        match = _DATE_LINE.match(document.lines[number - 1])
        day = _day(match[1]) if match else None
        if day is not None:
            return day
    day = _day((section_text(document, "Date") or "").partition("\n")[0])
    if day is not None:
        return day
    for part in reversed(path.split("/")):
        match = _DAY.match(part)
        day = _day(match[0]) if match and match[2] in {"", "-"} else None
        if day is not None:
            return day
    moment = datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(text: str) -> str | None:
    """Give the first day a text names, as `2026-01-31`, if a calendar has it."""
    match = _DAY.search(text)
    day = f"{match[1]}-{match[3]}-{match[4]}" if match else ""
    return day if instant(day) else None


def _body(document: Document, title: str) -> str:
    """Give the text as it can stand below an H2 of our own.

    Front matter becomes a code block, an H2 named as a section that is owed goes one
    level down, and a first H1 that the title repeats is left out.
    """
    lines = list(document.lines)
    for heading in document.headings:
        if heading.level == SECTION_LEVEL and heading.text in REPORT.sections:
            _demote(lines, heading)
    _leave_out_title(lines, document, title)
    front = document.front_matter
    if front is not None:
        fence = "`" * (3 + max(map(_ticks, lines[front.first - 1 : front.last])))
        lines[front.first - 1] = f"{fence}yaml"
        lines[front.last - 1] = fence
    return "\n".join(lines).strip("\n") + "\n"


def _leave_out_title(lines: list[str], document: Document, title: str) -> None:
    """Blank the first heading when nothing but front matter stands above it."""
    first = next(iter(document.headings), None)
    if first is None or first.level != 1 or not title.endswith(first.text.strip()):
        return
    front = document.front_matter
    start = front.last if front is not None else 0
    if not any(line.strip() for line in lines[start : first.line - 1]):
        lines[first.line - 1 : first.last] = [""] * (first.last - first.line + 1)


def _demote(lines: list[str], heading: Heading) -> None:
    """Turn one H2 into an H3; an underlined one loses its underline."""
    at = heading.line - 1
    if heading.last == heading.line:
        lines[at] = f"#{lines[at].lstrip()}"
        return
    words = (line.strip() for line in lines[at : heading.last - 1])
    lines[at : heading.last] = [f"### {' '.join(words)}"] + [""] * (
        heading.last - heading.line
    )


def _ticks(line: str) -> int:
    """Count the longest run of backticks in a line."""
    return max(map(len, re.findall(r"`+", line)), default=0)
