"""An artifact's metadata: `Key: value` lines before the first H2, or front matter.

Both may be used, if they agree (P1.2). What stands in code, quotes, raw HTML or
comments is text. Keys are compared without case and with `_` as `-`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.frontmatter import DUPLICATE_KEY
from corpus.markdown import visible
from corpus.protocol.layout import NONE, PROJECT, REPORT, STATUS, TASK

if TYPE_CHECKING:
    from corpus.markdown import Document

ProblemCode = Literal["INVALID_METADATA", "DUPLICATE_METADATA"]

SUPERSEDES = "supersedes"
MOST_SUPERSEDED = 32
"""What one artifact may supersede; the relations of a corpus stay readable."""

TIMESTAMPS = ("created-at", "created", "last-verified-at", "date")
"""The keys that say when an artifact is from, the first one given counts."""

SINGLE_KEYS = frozenset(
    key.lower()
    for required in (PROJECT, STATUS, TASK, REPORT)
    for key in required.metadata
).union(TIMESTAMPS)
"""The keys that may be given once. Any other line with a colon may be prose."""


class MetadataEntry(NamedTuple):
    """One key (lower case, `-` for `_`) and its value as written, on one line."""

    key: str
    value: str
    line: int


class MetadataProblem(NamedTuple):
    """Something wrong with the metadata itself, and its line."""

    code: ProblemCode
    line: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What an artifact says about itself, front matter first, then in line order."""

    entries: tuple[MetadataEntry, ...]
    problems: tuple[MetadataProblem, ...]

    def get(self, key: str) -> str | None:
        """Give the first value of a key, written in any case; None without one."""
        wanted = _same_key(key)
        return next((e.value for e in self.entries if e.key == wanted), None)

    def all(self, key: str) -> tuple[MetadataEntry, ...]:
        """Give every entry of a key, written in any case."""
        wanted = _same_key(key)
        return tuple(entry for entry in self.entries if entry.key == wanted)

    def timestamp(self) -> str | None:
        """Say when the artifact is from, as written, by the first of `TIMESTAMPS`."""
        return next(filter(None, map(self.get, TIMESTAMPS)), None)

    def supersedes(self) -> tuple[tuple[str, int], ...]:
        """Give each path or id this artifact says it supersedes, and the line.

        At most `MOST_SUPERSEDED`; more are a problem, and the first of them count.
        """
        return tuple(self._superseded())[:MOST_SUPERSEDED]

    def supersedes_few(self) -> bool:
        """Say whether all that the artifact supersedes counts."""
        return len(self._superseded()) <= MOST_SUPERSEDED

    def _superseded(self) -> dict[tuple[str, int], None]:
        return dict.fromkeys(
            (target, entry.line)
            for entry in self.all(SUPERSEDES)
            for target in _targets(entry.value)
        )


def read_metadata(document: Document) -> Metadata:
    """Read the metadata of an artifact, and what is wrong with it."""
    front, problems = _front_matter(document)
    entries = _lines(document)
    problems += _repeated(front) + _repeated(entries)
    written = {entry.key: entry for entry in reversed(front)}
    for entry in entries:
        other = written.get(entry.key)
        if entry.key in SINGLE_KEYS and other and other.value != entry.value:
            problems.append(
                MetadataProblem(
                    "INVALID_METADATA",
                    entry.line,
                    f"{entry.key} differs from the front matter on line {other.line}",
                )
            )
    metadata = Metadata(entries=(*front, *entries), problems=tuple(problems))
    return metadata if metadata.supersedes_few() else _too_many(metadata)


def _too_many(metadata: Metadata) -> Metadata:
    line = metadata.all(SUPERSEDES)[0].line
    problem = MetadataProblem(
        "INVALID_METADATA", line, f"supersedes more than {MOST_SUPERSEDED} artifacts"
    )
    return replace(metadata, problems=(*metadata.problems, problem))


def instant(text: str) -> datetime | None:
    """Read a date, or a date and time, as a moment in UTC to compare by.

    Takes RFC 3339 and its usual relatives: a space for the `T`, no seconds, no zone
    (then UTC), a date alone (then its midnight). None for anything else, and for days
    that no calendar has.
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        return None
    number = {name: int(match[name] or 0) for name in _NUMBERS}
    zone = match["zone"] or "Z"
    try:
        moment = datetime(
            number["year"],
            number["month"],
            number["day"],
            number["hour"],
            number["minute"],
            min(number["second"], 59) if number["second"] <= _LEAP_SECOND else 99,
            int((match["fraction"] or "").ljust(6, "0")[:6]),
            tzinfo=UTC,
        )
        if zone not in "Zz":
            offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
            moment += offset if zone[0] == "-" else -offset
    except (ValueError, OverflowError):
        return None
    return moment


def is_utc_instant(text: str) -> bool:
    """Say whether `text` is a real moment in RFC 3339 form, in UTC."""
    return _UTC.fullmatch(text) is not None and instant(text) is not None


_LEAP_SECOND = 60
_NUMBERS = ("year", "month", "day", "hour", "minute", "second")
_INSTANT = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,12}))?)?"
    r"[ ]?(?P<zone>[Zz]|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?"
)
_UTC = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"(?:\.[0-9]+)?(?:[Zz]|[+-]00:00)"
)

_ENTRY = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63}):(?:[ \t]+(.*))?", re.DOTALL)
_ITEM = re.compile(r" {0,3}[-*+][ \t]+(.*)", re.DOTALL)
_TARGET = re.compile(
    r"\[[^\[\]]*+\]\(<?([^<>()\s]++)>?+[^()]*+\)|`([^`]*+)`|([^\s,;`]++)"
)


def _same_key(key: str) -> str:
    return key.strip().lower().replace("_", "-")


def _front_matter(
    document: Document,
) -> tuple[list[MetadataEntry], list[MetadataProblem]]:
    matter = document.front_matter
    if matter is None:
        return [], []
    if matter.problem is not None:
        code: ProblemCode = (
            "DUPLICATE_METADATA"
            if matter.problem == DUPLICATE_KEY
            else "INVALID_METADATA"
        )
        detail = f"the front matter cannot be used: {matter.problem}"
        return [], [MetadataProblem(code, matter.problem_line, detail)]
    entries: list[MetadataEntry] = []
    for key, value in matter.values.items():
        texts = (value,) if isinstance(value, str) else value
        entries += [
            MetadataEntry(_same_key(key), text.strip(), matter.lines[key])
            for text in texts
        ]
    return entries, []


def _lines(document: Document) -> list[MetadataEntry]:
    """Read the `Key: value` lines, and the list forms of `Supersedes`."""
    second = next((h.line for h in document.headings if h.level == 2), None)  # noqa: PLR2004 - H2
    last = len(document.lines) if second is None else second - 1
    titles = {n for h in document.headings for n in range(h.line, h.last + 1)}
    entries: list[MetadataEntry] = []
    listing = False
    for number in document.plain_lines(1, last):
        line = document.lines[number - 1]
        if ":" not in line and not listing:
            continue
        line = visible(line)
        item = _ITEM.fullmatch(line)
        entry = _ENTRY.fullmatch(item[1] if item else line)
        key = _same_key(entry[1]) if entry else ""
        if entry and number not in titles and (item is None or key == SUPERSEDES):
            value = (entry[2] or "").rstrip(" \t\\").lstrip(" \t")
            entries.append(MetadataEntry(key, value, number))
            listing = key == SUPERSEDES and not value
        elif listing and item:
            entries.append(MetadataEntry(SUPERSEDES, item[1].strip(), number))
        elif line.strip(" \t"):
            listing = False
    return entries


def _repeated(entries: list[MetadataEntry]) -> list[MetadataProblem]:
    count = Counter(entry.key for entry in entries if entry.key in SINGLE_KEYS)
    seen: set[str] = set()
    problems: list[MetadataProblem] = []
    for entry in entries:
        if count[entry.key] > 1 and entry.key in seen:
            detail = f"{entry.key} is given {count[entry.key]} times"
            problems.append(MetadataProblem("DUPLICATE_METADATA", entry.line, detail))
        seen.add(entry.key)
    return problems


def _targets(value: str) -> list[str]:
    """Divide a `Supersedes` value: commas, spaces, code ticks, links, YAML lists."""
    words = (
        next(filter(None, match.groups()), "") for match in _TARGET.finditer(value)
    )
    bare = (word.strip().strip("\"'<>[]()") for word in words)
    return [word for word in bare if word and word.upper() != NONE]
