"""Find Markdown a project already keeps, and say what each file would become (P1.7).

Known places only: folders of decision records, memory banks, OpenSpec, Spec Kit. A file
becomes a report when it describes what holds now, and history when it describes the
past. The copy carries generated metadata above the untouched text; the originals are
only read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.authority import SOURCE_BYTES, Limits
from corpus.canonical import sha256
from corpus.confined.reader import Unreadable
from corpus.markdown import decode, parse_markdown
from corpus.protocol.conformance import check_content
from corpus.protocol.layout import FOLDERS, NONE, PROTOCOL_VERSION, REPORT
from corpus.protocol.metadata import instant, read_metadata
from corpus.protocol.sections import SECTION_LEVEL, section_text
from corpus.refs import RelPath, is_id, is_markdown_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.confined.reader import ConfinedRoot, Entry
    from corpus.markdown import Document, Heading

Family = Literal["decision", "memory-bank", "openspec", "spec-kit"]

PLACES: tuple[tuple[RelPath, Family], ...] = (
    (RelPath("docs/adr"), "decision"),
    (RelPath("docs/adrs"), "decision"),
    (RelPath("docs/decisions"), "decision"),
    (RelPath("docs/architecture/decisions"), "decision"),
    (RelPath("doc/adr"), "decision"),
    (RelPath("adr"), "decision"),
    (RelPath("decisions"), "decision"),
    (RelPath("memory-bank"), "memory-bank"),
    (RelPath(".memory-bank"), "memory-bank"),
    (RelPath("openspec"), "openspec"),
    (RelPath(".specify"), "spec-kit"),
)
"""Where we look, and what is kept there."""

MAX_IMPORTS = Limits().sources - 8
"""Room for the scaffold itself inside the limit of sources."""

_HEADER_BYTES = 8192
_TITLE = 200
_ID_LENGTH = 64
_NOT_CONTENT = re.compile(
    r"(?:readme|index|agents|claude|gemini|.*template)\.(?:md|markdown)", re.IGNORECASE
)
_PAST_NAMES = frozenset({"activecontext", "progress", "changelog"})
"""Memory bank files that speak of a moment that has passed by the next session."""

_PAST_STATUS = re.compile(r"superseded|deprecated|rejected|obsolete", re.IGNORECASE)
_STATUS_LINE = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?[*_]*status[*_]*[ \t]*:(.{0,100})", re.IGNORECASE
)
_DATED_NAME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One file and what it would become; `text` is the whole new artifact."""

    source: RelPath
    target: RelPath
    reason: str
    text: str

    def as_json(self) -> dict[str, str]:
        """Give the plan for this file, without its text."""
        return {"source": self.source, "target": self.target, "reason": self.reason}


class LeftOut(NamedTuple):
    """One file that cannot be imported, and why."""

    source: str
    reason: str

    def as_json(self) -> dict[str, str]:
        """Give it as a JSON object."""
        return {"source": self.source, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Importable:
    """Everything found, sorted by source."""

    imports: tuple[Import, ...]
    left_out: tuple[LeftOut, ...]

    def texts(self) -> dict[RelPath, str]:
        """Give the new artifacts, path to text."""
        return {each.target: each.text for each in self.imports}


class _Page(NamedTuple):
    """What a new artifact is made of."""

    title: str
    project_id: str
    created: str
    origin: str
    body: str

    def report(self, artifact_id: str) -> str:
        return (
            f"# {self.title}\n\n"
            f"Protocol-Version: {PROTOCOL_VERSION}\n"
            f"Project-ID: {self.project_id}\n"
            f"Report-ID: {artifact_id}\n"
            f"Task-ID: {NONE}\n"
            f"Created-At: {self.created}\n"
            "Result: INFO\n\n"
            f"## Summary\n\n{self.title}\n\n"
            f"## Evidence\n\nImported from {self.origin}.\n\n"
            "## Limitations\n\nThe text below was imported as it stood; "
            "nothing in it was verified.\n\n"
            f"## Imported Text\n\n{self.body}"
        )

    def history(self) -> str:
        return (
            f"# {self.title}\n\n"
            f"Project-ID: {self.project_id}\n"
            f"Created-At: {self.created}\n\n"
            f"## Origin\n\nImported from {self.origin}.\n\n"
            f"## Imported Text\n\n{self.body}"
        )


def find_importable(root: ConfinedRoot, *, project_id: str) -> Importable:
    """Read the known places and plan an artifact for each Markdown file there.

    Readmes, templates and files written for one agent are no content and not listed.
    Files that cannot be read are left out with the reason.
    """
    imports: list[Import] = []
    left_out: list[LeftOut] = []
    taken: set[str] = set()
    for found, family in _listing(root):
        if len(imports) >= MAX_IMPORTS:
            reason = f"over the limit of {MAX_IMPORTS} files"
            left_out.append(LeftOut(found.path, reason))
            continue
        try:
            imports.append(_plan(root, found, family, project_id, taken))
        except Unreadable as problem:
            left_out.append(LeftOut(found.path, problem.reason))
        except UnicodeDecodeError as problem:
            reason = f"not UTF-8 at byte {problem.start}"
            left_out.append(LeftOut(found.path, reason))
    return Importable(imports=tuple(imports), left_out=tuple(left_out))


def _listing(root: ConfinedRoot) -> Iterator[tuple[Entry, Family]]:
    def wanted(path: str) -> bool:
        name = path.rpartition("/")[2]
        return is_markdown_name(name) and _NOT_CONTENT.fullmatch(name) is None

    def enter(folder: str) -> bool:
        return not folder.endswith("/templates")

    listed: dict[str, tuple[Entry, Family]] = {}
    for place, family in PLACES:
        for found in root.entries(place, wanted=wanted, enter=enter):
            listed[found.path] = found, family
    for path in sorted(listed):
        yield listed[path]


def _plan(
    root: ConfinedRoot, found: Entry, family: Family, project_id: str, taken: set[str]
) -> Import:
    if found.problem is not None:
        raise Unreadable(found.problem)
    path = found.path
    file = root.read(path, limit=SOURCE_BYTES - _HEADER_BYTES)
    document = parse_markdown(decode(file.content))
    past = _past(path, family, document)
    artifact_id = _unique_id(path, taken)
    page = _Page(
        title=_title(path, document),
        project_id=project_id,
        created=_created(path, document, mtime_ns=file.mtime_ns),
        origin=f"`{path}` (SHA-256 {sha256(file.content)})",
        body=_body(document),
    )
    if past is None:
        target = RelPath(f"{FOLDERS['report']}/{artifact_id}.md")
        text = page.report(artifact_id)
        if not check_content(target, text.encode("utf-8"), project_id=project_id):
            reason = "it describes what holds now"
            return Import(source=path, target=target, reason=reason, text=text)
        past = "its text does not fit into a report"
    target = RelPath(f"{FOLDERS['history']}/{artifact_id}.md")
    return Import(source=path, target=target, reason=past, text=page.history())


def _past(path: str, family: Family, document: Document) -> str | None:
    """Say why a file describes the past, or None when it describes what holds now."""
    if family == "decision" and _PAST_STATUS.search(_status(document)):
        return "its status says that it no longer holds"
    if "/archive/" in path:
        return "it lies in an archive"
    name = path.rpartition("/")[2].partition(".")[0].lower()
    if family == "memory-bank" and name.replace("-", "") in _PAST_NAMES:
        return "it is a working note of one moment"
    if family == "openspec" and "/changes/" in path:
        return "it proposes a change"
    return None


def _status(document: Document) -> str:
    """Give what a decision record says of its own status."""
    stated = read_metadata(document).get("Status")
    if stated:
        return stated
    section = section_text(document, "Status")
    if section:
        return section.partition("\n")[0]
    for line in document.lines[:40]:
        match = _STATUS_LINE.match(line)
        if match:
            return match[1]
    return ""


def _created(path: str, document: Document, *, mtime_ns: int) -> str:
    """Give the date the file states, the one in its name, or when it last changed."""
    stated = read_metadata(document).timestamp()
    if stated and instant(stated):
        return stated
    dated = _DATED_NAME.match(path.rpartition("/")[2])
    if dated and instant(dated[1]):
        return dated[1]
    moment = datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _title(path: str, document: Document) -> str:
    titles = (h.text.strip() for h in document.headings if h.level == 1)
    title = next(filter(None, titles), path.rpartition("/")[2].rpartition(".")[0])
    printable = "".join(c if c.isprintable() else " " for c in title)
    return " ".join(printable.split())[:_TITLE] or "Untitled"


def _unique_id(path: str, taken: set[str]) -> str:
    """Make an id of the path that no other import has."""
    stemmed = path.rpartition(".")[0].lower()
    slug = re.sub(r"[^a-z0-9._]+", "-", stemmed).strip("-._")
    slug = slug.removeprefix("docs-").removeprefix("doc-")
    if len(slug) > _ID_LENGTH:  # the end tells more than the beginning
        slug = slug[-_ID_LENGTH:].partition("-")[2] or slug[-_ID_LENGTH:]
    slug = slug.lstrip("-._")
    base = slug if is_id(slug) else f"imported-{slug}".rstrip("-")[:_ID_LENGTH]
    chosen, count = base, 1
    while chosen in taken:
        count += 1
        ending = f"-{count}"
        chosen = base[: _ID_LENGTH - len(ending)] + ending
    taken.add(chosen)
    return chosen


def _body(document: Document) -> str:
    """Give the text with its front matter fenced, and clashing H2s one level down."""
    lines = list(document.lines)
    for heading in document.headings:
        if heading.level == SECTION_LEVEL and heading.text in REPORT.sections:
            _demote(lines, heading)
    front = document.front_matter
    if front is not None:
        fence = "`" * (3 + max(map(_ticks, lines[front.first - 1 : front.last])))
        lines[front.first - 1] = f"{fence}yaml"
        lines[front.last - 1] = fence
    return "\n".join(lines).rstrip("\n") + "\n"


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
