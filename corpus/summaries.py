"""PROJECT, STATUS and the active task in short: what a cold start cannot do without.

A summary is the metadata, then `Section: text` for every required section the file
has (P8.4). Where room is short the sections are shortened evenly, at sentence or word
ends; where it is very short the metadata goes first, then all but the leading sections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.excerpt import shorten
from corpus.markdown import decode, parse_markdown
from corpus.protocol.layout import (
    BLOCKERS,
    NEXT_ACTION,
    PROJECT,
    PROJECT_PATH,
    STATUS,
    STATUS_PATH,
    TASK,
)
from corpus.protocol.metadata import read_metadata
from corpus.protocol.sections import sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from corpus.markdown import Document
    from corpus.protocol.layout import Requirements
    from corpus.protocol.sections import Section
    from corpus.view import View

PrimaryKind = Literal["project", "status", "task"]

GOOD_TEXT, FAIR_TEXT, LEAST_TEXT = 60, 30, 12
"""The bytes of text each section must get beside all metadata, beside the essential
metadata, and beside none."""

LONGEST_VALUE = 200
"""The bytes of one metadata value that are shown."""

EMPTY = "(empty)"
LEFT_OUT = "…"

_REQUIRED: dict[PrimaryKind, Requirements] = {
    "project": PROJECT,
    "status": STATUS,
    "task": TASK,
}
_ESSENTIAL = {
    "project": ("Project-ID", "Logical-Name"),
    "status": ("Lifecycle-Status", "Active-Task-ID"),
    "task": ("Task-ID", "Task-Status"),
}
_LEADING = {
    "project": ("Objective", "Invariants"),
    "status": (NEXT_ACTION, BLOCKERS),
    "task": ("Objective", "Acceptance Criteria"),
}


class Stated(NamedTuple):
    """One metadata key and its value, on one line."""

    key: str
    value: str
    line: int


class Part(NamedTuple):
    """One section: its text without comments and blank lines, and where it is."""

    title: str
    required: str
    heading: int
    text: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """A source that must be read whole before anything is claimed about it."""

    kind: PrimaryKind
    path: str
    metadata: tuple[Stated, ...]
    parts: tuple[Part, ...]
    opening: Part

    @property
    def required_sections(self) -> tuple[str, ...]:
        """The required sections the file has, as it writes them."""
        return tuple(part.title for part in self.parts)

    def part(self, required: str) -> Part | None:
        """Give the required section of that name."""
        return next((part for part in self.parts if part.required == required), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The short form of a primary source; the lines it was made of, and lies between.

    `shown` are the lines that stand in it whole.
    """

    primary: Primary
    text: str
    first: int
    last: int
    shown: frozenset[int]


def read_primaries(view: View) -> tuple[Primary, ...]:
    """Read PROJECT, STATUS and the active task, if there is one in scope."""
    found = [_primary(view, "project", PROJECT_PATH)]
    found.append(_primary(view, "status", STATUS_PATH))
    for facts, standing in zip(view.rows.facts, view.rows.standings, strict=True):
        if standing.authority == "ACTIVE_TASK":
            found.append(_primary(view, "task", facts.path))
    return tuple(found)


def summarize(primaries: Sequence[Primary], room: int) -> tuple[Summary, ...]:
    """Write the summaries in at most `room` UTF-8 bytes together."""
    drafts = _fitting(primaries, room)
    left = room - sum(draft.fixed for draft in drafts)
    texts = [part.text for draft in drafts for part in draft.parts]
    cut = iter(shorten_evenly(texts, left))
    return tuple(
        _written(draft, [next(cut) for _ in draft.parts], room) for draft in drafts
    )


def lead(primary: Primary, room: int) -> Summary:
    """Write the one section of a primary that matters most: of STATUS, what is next."""
    ranked = [primary.part(name) for name in _LEADING[primary.kind]]
    part = next(filter(None, ranked), primary.opening)
    draft = _Draft(primary=primary, metadata=(), parts=(part,))
    (text,) = shorten_evenly([part.text], room - draft.fixed)
    return _written(draft, [text], room)


def shorten_evenly(texts: Sequence[str], room: int) -> list[str]:
    """Shorten texts to `room` bytes together: the long ones alike, the short not.

    What a cut at a sentence end leaves unused goes to the texts that follow.
    """
    sizes = [len(text.encode()) for text in texts]
    cap = _level(sizes, room)
    waiting = sum(size > cap for size in sizes)
    spare = room - sum(min(size, cap) for size in sizes)
    found = []
    for text, size in zip(texts, sizes, strict=True):
        if size <= cap:
            found.append(text)
            continue
        most = cap + spare // waiting
        short = shorten(text, most) or (
            LEFT_OUT if len(LEFT_OUT.encode()) <= most else ""
        )
        spare += cap - len(short.encode())
        waiting -= 1
        found.append(short)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What of a primary is to be shown, before its texts are cut."""

    primary: Primary
    metadata: tuple[Stated, ...]
    parts: tuple[Part, ...]

    @property
    def fixed(self) -> int:
        """The bytes of everything but the sections' texts."""
        titles = sum(len(f"{part.title}: \n".encode()) for part in self.parts)
        return titles + len(_metadata_line(self.metadata).encode()) + 1

    def least(self, text: int) -> int:
        """Count the bytes needed to show each section with `text` bytes or whole."""
        sizes = (len(part.text.encode()) for part in self.parts)
        return self.fixed + sum(min(size, text) for size in sizes)


def _fitting(primaries: Sequence[Primary], room: int) -> list[_Draft]:
    """Give the fullest drafts that fit."""
    plans: tuple[tuple[Callable[[Primary], tuple[Stated, ...]], int], ...] = (
        (lambda primary: primary.metadata, GOOD_TEXT),
        (_essential, FAIR_TEXT),
        (lambda _: (), LEAST_TEXT),
    )
    for metadata, text in plans:
        drafts = [_draft(primary, metadata(primary)) for primary in primaries]
        if sum(draft.least(text) for draft in drafts) <= room:
            return drafts
    return [_leading(primary, room // len(primaries)) for primary in primaries]


def _draft(primary: Primary, metadata: tuple[Stated, ...]) -> _Draft:
    """Plan to show all sections; the first line of a file that has nothing else."""
    nothing = not metadata and not primary.parts
    parts = (primary.opening,) if nothing else primary.parts
    return _Draft(primary=primary, metadata=metadata, parts=parts)


def _leading(primary: Primary, room: int) -> _Draft:
    """Keep the sections that matter most, as many as fit, at least one."""
    ranked = [primary.part(name) for name in _LEADING[primary.kind]]
    parts = [part for part in ranked if part] or list(primary.parts[:1])
    parts = parts or [primary.opening]
    while len(parts) > 1:
        draft = _Draft(primary=primary, metadata=(), parts=tuple(parts))
        if draft.least(LEAST_TEXT) <= room:
            return draft
        parts.pop()
    return _Draft(primary=primary, metadata=(), parts=tuple(parts))


def _written(draft: _Draft, texts: Sequence[str], room: int) -> Summary:
    """Put a draft and its cut texts together."""
    rows = [_metadata_line(draft.metadata)] if draft.metadata else []
    used = [stated.line for stated in draft.metadata]
    shown = set(used)
    for part, text in zip(draft.parts, texts, strict=True):
        rows.append(f"{part.title}: {text}" if part.title else text)
        count = 0 if text == LEFT_OUT else text.count("\n") + 1
        whole = text == part.text
        used += [line for line in (part.heading, *part.lines[:count]) if line]
        shown.update(part.lines if whole else part.lines[: max(0, count - 1)])
        shown.add(part.heading)
    text = "\n".join(rows)
    return Summary(
        primary=draft.primary,
        text=shorten(text, room) or LEFT_OUT,
        first=min(used, default=1),
        last=max(used, default=1),
        shown=frozenset(shown),
    )


def _level(sizes: Sequence[int], room: int) -> int:
    """Find the greatest cap for which the sizes, each cut to it, fit in `room`."""
    left = max(0, room)
    rest = sorted(sizes)
    for at, size in enumerate(rest):
        share = left // (len(rest) - at)
        if size > share:
            return share
        left -= size
    return max(rest, default=0)


def _primary(view: View, kind: PrimaryKind, path: str) -> Primary:
    document = parse_markdown(decode(view.sources[path].content))
    lines = _without_comments(document.lines)
    return Primary(
        kind=kind,
        path=path,
        metadata=tuple(_stated(document, _REQUIRED[kind].metadata)),
        parts=tuple(_parts(document, lines, _REQUIRED[kind].sections)),
        opening=_opening(lines),
    )


def _essential(primary: Primary) -> tuple[Stated, ...]:
    wanted = _ESSENTIAL[primary.kind]
    return tuple(stated for stated in primary.metadata if stated.key in wanted)


def _stated(document: Document, keys: Sequence[str]) -> Iterator[Stated]:
    metadata = read_metadata(document)
    for key in keys:
        for entry in metadata.all(key)[:1]:
            value = " ".join(entry.value.split())
            yield Stated(key, shorten(value, LONGEST_VALUE) or LEFT_OUT, entry.line)


def _metadata_line(metadata: Sequence[Stated]) -> str:
    return " | ".join(f"{stated.key}: {stated.value}" for stated in metadata)


def _parts(
    document: Document, lines: Sequence[str], required: Sequence[str]
) -> Iterator[Part]:
    """Give the required sections the file has, each once, in the required order."""
    found: dict[str, Section] = {}
    for each in sections(document):
        found.setdefault(each.title.strip().casefold(), each)
    for name in required:
        section = found.get(name.casefold())
        if section is None:
            continue
        numbers = [
            number
            for number in range(section.first, section.last + 1)
            if lines[number - 1].strip()
        ]
        text = "\n".join(lines[number - 1].rstrip() for number in numbers).lstrip()
        title = " ".join(section.title.split())
        yield Part(title, name, section.line, text or EMPTY, tuple(numbers))


def _opening(lines: Sequence[str]) -> Part:
    """Give the first line with text, for a file that has nothing it should have."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            return Part("", "", 0, line.strip(), (number,))
    return Part("", "", 0, EMPTY, ())


def _without_comments(lines: Sequence[str]) -> list[str]:
    """Cut HTML comments out and keep every line's number."""
    kept = []
    inside = False
    for line in lines:
        if not inside and "<!--" not in line:
            kept.append(line)
            continue
        shown, at = [], 0
        while at < len(line):
            end = line.find("-->" if inside else "<!--", at)
            if not inside:
                shown.append(line[at:] if end < 0 else line[at:end])
            if end < 0:
                break
            at = end + (3 if inside else 4)
            inside = not inside
        kept.append("".join(shown))
    return kept
