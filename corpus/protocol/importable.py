"""Find Markdown a project already keeps, and say what each file would become (P1.7).

Known places only: folders of decision records, memory banks, OpenSpec, Spec Kit. A file
becomes a report when it describes what holds now, and history when it describes the
past. The originals are only read, and what was imported before is left as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.authority import SOURCE_BYTES, Limits
from corpus.confined.reader import Unreadable
from corpus.markdown import decode, parse_markdown
from corpus.protocol.conformance import check_content
from corpus.protocol.decision import (
    stated_relations,
    stated_status,
    superseded_sources,
)
from corpus.protocol.imported import make_id, make_page
from corpus.protocol.layout import AGENTS_PATH, FOLDERS
from corpus.refs import RelPath, is_markdown_name, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from corpus.confined.reader import ConfinedRoot, Entry
    from corpus.markdown import Document
    from corpus.protocol.decision import Relation
    from corpus.protocol.imported import Page

Family = Literal["decision", "memory-bank", "openspec", "spec-kit"]
Kind = Literal["report", "history"]

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

_HEADER_BYTES = 64 * 1024
_NOT_CONTENT = re.compile(
    r"(?:readme|index|agents|claude|gemini|.*template)\.(?:md|markdown)", re.IGNORECASE
)
_PAST_NAMES = frozenset({"activecontext", "progress", "changelog"})
"""Memory bank files that speak of a moment that has passed by the next session."""

_PAST_STATUS = re.compile(r"superseded|deprecated|rejected|obsolete", re.IGNORECASE)
_NOT_OURS = frozenset({"node_modules", "vendor", "venv", "site-packages"})
"""Folders whose Markdown other people wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One file and what it would become; `text` is the whole new artifact."""

    source: RelPath
    target: RelPath
    kind: Kind
    reason: str
    supersedes: tuple[RelPath, ...]
    text: str

    def as_json(self) -> dict[str, object]:
        """Give the plan for this file, without its text."""
        return {
            "source": self.source,
            "target": self.target,
            "reason": self.reason,
            "supersedes": list(self.supersedes),
        }


class Imported(NamedTuple):
    """One file that the corpus has already, and where."""

    source: RelPath
    target: RelPath

    def as_json(self) -> dict[str, str]:
        """Give it as a JSON object."""
        return {"source": self.source, "target": self.target}


class LeftOut(NamedTuple):
    """One file that cannot be imported, and why."""

    source: str
    reason: str

    def as_json(self) -> dict[str, str]:
        """Give it as a JSON object."""
        return {"source": self.source, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Importable:
    """Everything found, sorted by source.

    `not_considered` counts the project's other Markdown files, which stand in no known
    place; dependencies and hidden folders are not looked into.
    """

    imports: tuple[Import, ...]
    already: tuple[Imported, ...]
    left_out: tuple[LeftOut, ...]
    not_considered: int

    def texts(self) -> dict[RelPath, str]:
        """Give the new artifacts, path to text."""
        return {each.target: each.text for each in self.imports}


def find_importable(
    root: ConfinedRoot, *, project_id: str, present: Iterable[RelPath] = ()
) -> Importable:
    """Read the known places and plan an artifact for each Markdown file there.

    `present` are the artifacts the corpus has; a file that would become one of them is
    listed as already imported. Readmes, templates and files written for one agent are
    no content and not listed. Files that cannot be read are left out with the reason.
    """
    plan = _Plan(project_id=project_id, present=present)
    listed = tuple(_listing(root))
    for found, family in listed:
        try:
            plan.take(root, found, family)
        except Unreadable as problem:
            plan.left_out.append(LeftOut(found.path, problem.reason))
        except UnicodeDecodeError as problem:
            reason = f"not UTF-8 at byte {problem.start}"
            plan.left_out.append(LeftOut(found.path, reason))
    return Importable(
        imports=plan.imports(),
        already=tuple(plan.already),
        left_out=tuple(plan.left_out),
        not_considered=_count_others(root, {found.path for found, _ in listed}),
    )


class _Draft(NamedTuple):
    """One file that will be imported, before all of them are known."""

    artifact_id: str
    kind: Kind
    reason: str
    page: Page

    @property
    def target(self) -> RelPath:
        return RelPath(f"{FOLDERS[self.kind]}/{self.artifact_id}.md")

    def text(self, supersedes: tuple[RelPath, ...] = ()) -> str:
        if self.kind == "report":
            return self.page.report(self.artifact_id, supersedes)
        return self.page.history(supersedes)


class _Plan:
    """What has been found so far; relations are known when everything is."""

    def __init__(self, *, project_id: str, present: Iterable[RelPath]) -> None:
        self._project_id = project_id
        self._present = {stem(path).casefold(): path for path in present}
        self._room = MAX_IMPORTS - len(self._present)
        self._taken: set[str] = set()
        self._drafts: dict[RelPath, _Draft] = {}
        self._relations: dict[str, tuple[Relation, ...]] = {}
        self.already: list[Imported] = []
        self.left_out: list[LeftOut] = []

    def take(self, root: ConfinedRoot, found: Entry, family: Family) -> None:
        """Read one file and decide what it becomes."""
        if found.problem is not None:
            raise Unreadable(found.problem)
        path = found.path
        artifact_id = make_id(path, self._taken)
        known = self._present.get(artifact_id)
        if known is None and len(self._drafts) >= self._room:
            reason = f"over the limit of {MAX_IMPORTS} files"
            self.left_out.append(LeftOut(path, reason))
            return
        file = root.read(path, limit=SOURCE_BYTES - _HEADER_BYTES)
        document = parse_markdown(decode(file.content))
        self._relations[path] = stated_relations(document)
        if known is not None:
            self.already.append(Imported(path, known))
            return
        page = make_page(
            path, document, project_id=self._project_id, mtime_ns=file.mtime_ns
        )
        past = _past(path, family, document)
        self._drafts[path] = self._draft(artifact_id, page, past)

    def _draft(self, artifact_id: str, page: Page, past: str | None) -> _Draft:
        if past is None:
            report = _Draft(artifact_id, "report", "describes what holds now", page)
            content = report.text().encode("utf-8")
            found = check_content(report.target, content, project_id=self._project_id)
            if not found:
                return report
            past = "does not fit into a report"
        return _Draft(artifact_id, "history", past, page)

    def imports(self) -> tuple[Import, ...]:
        """Give what was decided, each with what it supersedes."""
        targets: Mapping[str, RelPath] = {
            **{each.source: each.target for each in self.already},
            **{source: draft.target for source, draft in self._drafts.items()},
        }
        older = superseded_sources(self._relations)
        made = []
        for source, draft in self._drafts.items():
            supersedes = tuple(targets[path] for path in older.get(source, ()))
            made.append(
                Import(
                    source=source,
                    target=draft.target,
                    kind=draft.kind,
                    reason=draft.reason,
                    supersedes=supersedes,
                    text=draft.text(supersedes),
                )
            )
        return tuple(made)


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


def _count_others(root: ConfinedRoot, listed: set[RelPath]) -> int:
    def enter(folder: str) -> bool:
        name = folder.rpartition("/")[2]
        return not name.startswith(".") and name not in _NOT_OURS

    found = root.entries(RelPath(""), wanted=is_markdown_name, enter=enter)
    others = {each.path for each in found if each.problem is None}
    return len(others - listed - {AGENTS_PATH})


def _past(path: str, family: Family, document: Document) -> str | None:
    """Say why a file describes the past, or None when it describes what holds now."""
    if family == "decision" and _PAST_STATUS.search(stated_status(document)):
        return "marked as no longer holding"
    if "/archive/" in path:
        return "in an archive"
    name = path.rpartition("/")[2].partition(".")[0].lower()
    if family == "memory-bank" and name.replace("-", "") in _PAST_NAMES:
        return "a note of one moment"
    if family == "openspec" and "/changes/" in path:
        return "a proposed change"
    return None
