"""Look through the sources in scope by hand: search for a text, list by time, read one.

No index is needed and nothing is written. Each use needs a capability of its own, and
a name that is not in scope is not found, whether it exists or not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import require
from corpus.confined.reader import open_root
from corpus.errors import (
    ArtifactNotFoundError,
    QueryEmptyError,
    QueryLimitError,
    UsageError,
)
from corpus.index.build import title_of
from corpus.lines import decode, split_lines
from corpus.policy import Scope
from corpus.protocol.layout import FOLDERS, HOME
from corpus.protocol.metadata import TIMESTAMPS, instant
from corpus.reading import line_numbers, lower
from corpus.refs import LineSpan, stem
from corpus.sources.parsing import parse_source
from corpus.sources.present import read_present
from corpus.sources.scan import read_policy, scan_sources
from corpus.sources.standing import standings
from corpus.trust import grant_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from corpus.protocol.metadata import Metadata
    from corpus.sources.parsing import Parsed
    from corpus.sources.scan import Scan, Source
    from corpus.userdirs import UserDirs

MIN_FOUND, MAX_FOUND, DEFAULT_FOUND = 1, 100, 20
SNIPPET = 160
"""Characters of a line that are shown."""

_SPACES = re.compile(r"\s+")
_LEAD = 40
"""Characters shown before a match, or a word more."""

_KINDS = tuple(FOLDERS)
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """The sources in scope, read just now for one use that the policy allows."""

    project_id: str
    scan: Scan


class Find(NamedTuple):
    """One place that holds the text; `score` counts how often it begins there."""

    path: str
    kind: str
    authority_class: str
    title: str
    snippet: str
    line_start: int
    line_end: int
    score: int

    def as_json(self) -> dict[str, object]:
        """Give the place as a JSON object."""
        value: dict[str, object] = self._asdict()
        value["type"] = value.pop("kind")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Finds:
    """What a search found; `total` counts the places, shown or not."""

    project_id: str
    query: str
    total: int
    results: tuple[Find, ...]

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object."""
        return {
            "project_id": self.project_id,
            "query": self.query,
            "total": self.total,
            "results": [found.as_json() for found in self.results],
            "non_authoritative": True,
        }


class Event(NamedTuple):
    """One source in time. `timestamp` and the key it was written under may be None."""

    timestamp: str | None
    timestamp_source: str | None
    path: str
    kind: str
    title: str
    authority_class: str

    def as_json(self) -> dict[str, object]:
        """Give the event as a JSON object."""
        value: dict[str, object] = self._asdict()
        value["type"] = value.pop("kind")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The sources chosen, oldest first, those without a date last."""

    project_id: str
    events: tuple[Event, ...]

    def as_json(self) -> dict[str, object]:
        """Give the timeline as one JSON object."""
        return {
            "project_id": self.project_id,
            "events": [event.as_json() for event in self.events],
            "non_authoritative": True,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One source, or some of its lines; `sha256` is of the whole file's bytes."""

    project_id: str
    path: str
    kind: str
    sha256: str
    line_count: int
    span: LineSpan | None
    content: str

    def as_json(self) -> dict[str, object]:
        """Give the source as one JSON object."""
        return {
            "project_id": self.project_id,
            "path": self.path,
            "type": self.kind,
            "sha256": self.sha256,
            "line_count": self.line_count,
            "line_start": self.span.first if self.span else 1,
            "line_end": self.span.last if self.span else self.line_count,
            "content": self.content,
            "non_authoritative": True,
        }


def open_holdings(root: Path, capability: str, *, dirs: UserDirs) -> Holdings:
    """Read every source in scope for a use that needs `capability`.

    Raises `PolicyDeniedError`, and the errors of `read_policy` and `scan_sources`.
    """
    with open_root(root) as opened:
        policy = read_policy(opened)
        require(policy, capability)
        limits = grant_limits(root, policy.project_id, trust_directory=dirs.trust)
        scan = scan_sources(opened, policy, limits)
    return Holdings(project_id=policy.project_id, scan=scan)


def find(
    holdings: Holdings,
    query: str,
    *,
    kind: str | None = None,
    limit: int = DEFAULT_FOUND,
) -> Finds:
    """Find a text, letter case ignored; white space in it matches any white space.

    The sources that hold it most often come first, then by path and line. Takes time
    linear in the sources. Raises `QueryEmptyError` and `QueryLimitError`.
    """
    words = lower(query).split()
    if not words:
        raise QueryEmptyError
    if not MIN_FOUND <= limit <= MAX_FOUND:
        raise QueryLimitError(found=limit, minimum=MIN_FOUND, maximum=MAX_FOUND)
    needle = " ".join(words)
    places: list[_Match] = []
    for source in holdings.scan.sources:
        if kind is None or source.kind == kind:
            places += _matches(source, needle)
    places.sort(key=lambda m: (-m.in_source, m.source.path, m.first))
    parsed = _parsed(holdings.scan, {m.source.path for m in places[:limit]})
    classes = _classes(holdings.scan, parsed.values())
    return Finds(
        project_id=holdings.project_id,
        query=query,
        total=len(places),
        results=tuple(
            Find(
                path=place.source.path,
                kind=place.source.kind,
                authority_class=classes[place.source.path],
                title=title_of(parsed[place.source.path]),
                snippet=_snippet(place),
                line_start=place.first,
                line_end=place.last,
                score=place.times,
            )
            for place in places[:limit]
        ),
    )


def timeline(holdings: Holdings, selector: str | None = None) -> Timeline:
    """Order the sources by the time written in them.

    `selector` is a type, an artifact's id, a path or a pattern of paths. Raises
    `ArtifactNotFoundError` when it is none that anything in scope answers to.
    """
    sources = holdings.scan.sources
    chosen: set[str] = {source.path for source in sources}
    if selector is not None:
        chosen = set(_selected(sources, selector))
        if not chosen and selector not in FOLDERS:
            raise ArtifactNotFoundError(name=selector)
    parsed = _parsed(holdings.scan, chosen)
    classes = _classes(holdings.scan, parsed.values())
    events = [
        Event(
            *_written(each.metadata),
            path=path,
            kind=each.facts.kind,
            title=title_of(each),
            authority_class=classes[path],
        )
        for path, each in parsed.items()
    ]
    events.sort(key=_moment)
    return Timeline(project_id=holdings.project_id, events=tuple(events))


def show(holdings: Holdings, name: str, span: LineSpan | None = None) -> Shown:
    """Give one source by its path or its id.

    Of several with one id a state comes first, then a task, a report, history. A span
    that ends behind the last line is cut there. Raises `ArtifactNotFoundError`, and
    `UsageError` when the span begins behind the last line.
    """
    source = _named(holdings.scan.sources, name)
    text = decode(source.content)
    lines = split_lines(text)
    if span is not None:
        if span.first > len(lines):
            raise UsageError(problem=f"`{source.path}` has {len(lines)} lines")
        span = LineSpan(first=span.first, last=min(span.last, len(lines)))
        text = "\n".join(lines[span.first - 1 : span.last])
    return Shown(
        project_id=holdings.project_id,
        path=source.path,
        kind=source.kind,
        sha256=source.sha256,
        line_count=len(lines),
        span=span,
        content=text,
    )


class _Match(NamedTuple):
    """The matches that begin on one line of a source."""

    source: Source
    first: int
    last: int
    begin: int
    end: int
    times: int
    in_source: int


def _matches(source: Source, needle: str) -> Iterator[_Match]:
    lowered = lower(decode(source.content))
    spans = list(_spans(lowered, needle))
    edges = iter(line_numbers(lowered, (place for span in spans for place in span)))
    found: dict[int, _Match] = {}
    for (begin, end), first in zip(spans, edges, strict=False):
        last = next(edges)
        known = found.get(first)
        found[first] = (
            _Match(source, first, last, begin, end, 1, len(spans))
            if known is None
            else known._replace(last=max(last, known.last), times=known.times + 1)
        )
    yield from found.values()


def _spans(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Find `needle`, in which one space stands for any white space.

    Each run of white space is made one space first, so that a search goes through the
    text once, however long the needle is and whatever it repeats.
    """
    shift, at, parts = [0], [0], []
    begin = size = 0
    for run in _SPACES.finditer(text):
        parts.append(text[begin : run.start()])
        size += run.start() - begin + 1
        begin = run.end()
        at.append(size)
        shift.append(begin - size)
    plain = " ".join([*parts, text[begin:]])
    place = plain.find(needle)
    while place >= 0:
        last = place + len(needle) - 1
        yield (
            place + shift[bisect_right(at, place) - 1],
            last + shift[bisect_right(at, last) - 1] + 1,
        )
        place = plain.find(needle, last + 1)


def _snippet(place: _Match) -> str:
    """Show the lines of the first match, cut to a window around it."""
    text = decode(place.source.content).replace("\r", "\n")
    begin = text.rfind("\n", 0, place.begin) + 1
    end = text.find("\n", place.end)
    end = len(text) if end < 0 else end
    start = begin
    if place.begin - begin > _LEAD:
        start = text.rfind(" ", begin, place.begin - _LEAD) + 1 or place.begin - _LEAD
    stop = min(end, max(place.end, start + SNIPPET))
    shown = " ".join(text[start:stop].split())
    return f"{'…' if start > begin else ''}{shown}{'…' if stop < end else ''}"


def _parsed(scan: Scan, paths: set[str]) -> dict[str, Parsed]:
    return {
        source.path: parse_source(source, _unnamed)
        for source in scan.sources
        if source.path in paths
    }


def _unnamed(_: str) -> int:
    """Stand in for the hash of a name: nothing here looks a name up."""
    return 0


def _classes(scan: Scan, parsed: Iterable[Parsed]) -> dict[str, str]:
    facts = [each.facts for each in parsed]
    found = standings(facts, (), read_present(scan))
    return {f.path: s.authority for f, s in zip(facts, found, strict=True)}


def _written(metadata: Metadata) -> tuple[str | None, str | None]:
    """Give the timestamp and the key it stands under, both None without one."""
    written = metadata.timestamp()
    if written is None or instant(written) is None:
        return None, None
    key = next(key for key in TIMESTAMPS if metadata.get(key))
    return written, "-".join(word.capitalize() for word in key.split("-"))


def _moment(event: Event) -> tuple[bool, str, str]:
    moment = instant(event.timestamp) if event.timestamp else None
    return moment is None, moment.isoformat() if moment else "", event.path


def _selected(sources: Sequence[Source], selector: str) -> Iterator[str]:
    if selector in FOLDERS:
        yield from (source.path for source in sources if source.kind == selector)
        return
    if _WILD.search(selector):
        scopes = [Scope.parse(form) for form in _forms(selector)]
        for source in sources:
            if any(scope.matches(source.path) for scope in scopes):
                yield source.path
        return
    forms = _forms(selector.rstrip("/"))
    for source in sources:
        under = any(f"{source.path}/".startswith(f"{form}/") for form in forms)
        if under or stem(source.path) == selector:
            yield source.path


def _named(sources: Sequence[Source], name: str) -> Source:
    forms = _forms(name)
    for source in sources:
        if source.path in forms:
            return source
    named = [source for source in sources if stem(source.path) == name]
    if not named:
        raise ArtifactNotFoundError(name=name)
    return min(named, key=lambda source: (_KINDS.index(source.kind), source.path))


def _forms(name: str) -> tuple[str, str]:
    """Give a path as written and as meant below `.project-corpus/`."""
    path = name.removeprefix("./")
    return path, f"{HOME}/{path}"
