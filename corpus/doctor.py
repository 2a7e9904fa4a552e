"""Diagnose a corpus: its sources, its index, and a bundle or candidate made from it.

What is wrong is a finding with a place and a next step; nothing is repaired and
nothing is written (P11). FAIL says that an answer would be wrong or refused, WARN
that a person should look. The time it takes is linear in the corpus.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.duplicates import find_duplicates
from corpus.findings import Finding
from corpus.index.schema import INDEX_SCHEMA_VERSION
from corpus.lines import decode, split_lines
from corpus.markdown import parse_markdown
from corpus.protocol.citations import Artifacts, citations
from corpus.protocol.layout import NONE, PROJECT_PATH, STATUS_PATH
from corpus.protocol.metadata import read_metadata
from corpus.reading import further_lines, read
from corpus.sources.standing import active_task_path
from corpus.suspicion import suspicions, volatile_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from corpus.index.schema import Rows
    from corpus.markdown import Document
    from corpus.protocol.metadata import Metadata
    from corpus.reading import Reading
    from corpus.sources.facts import Relation
    from corpus.sources.scan import Scan, Source
    from corpus.view import Project

STATUS_BYTES = 12_000
"""A STATUS longer than this is no summary any more."""

FRESHNESS = "Freshness-Requirement"
"""The metadata that says how fresh a reader must keep a source's claims."""

_SHOWN = 60
_PLACES_NAMED = 5

_WARN = frozenset(
    {
        "DUPLICATE_MEMORY_ITEM",
        "ORPHAN_SUPERSESSION",
        "OVERSIZED_STATUS",
        "VOLATILE_WITHOUT_FRESHNESS",
        "SOURCE_SKIPPED",
        "HIDDEN_CHARACTERS",
        "SUSPECT_INSTRUCTION",
        "POSSIBLE_SECRET",
    }
)
"""The codes that do not fail a diagnosis; every other one does."""

_HINTS: Mapping[str, str] = {
    "SUPERSEDED_RANKED_CURRENT": "run `project-corpus context build`",
    "INVALID_TEMPORAL_RELATION": "remove the `Supersedes`, or name another artifact",
    "TEMPORAL_CYCLE": "remove one `Supersedes` of the cycle; until then none counts",
    "ORPHAN_SUPERSESSION": "correct the name, or bring the artifact into scope",
    "UNCITED_SUPERSESSION": "cite the new report in STATUS, or remove the `Supersedes`",
    "PROJECT_MISMATCH": "write the `project_id` of policy.toml, or move the file out",
    "DUPLICATE_MEMORY_ITEM": "keep the text in one place and refer to it",
    "OVERSIZED_STATUS": "move what is no longer current to a report or to history",
    "VOLATILE_WITHOUT_FRESHNESS": (
        "write the date the claim holds for, or add a `Freshness-Requirement:` line"
    ),
    "SOURCE_SKIPPED": "make it a plain, readable UTF-8 file, or move it out of scope",
    "DANGLING_ACTIVE_TASK": "name a task in scope, or NONE",
    "DANGLING_CITATION": "correct the reference or restore what it names",
    "HIDDEN_CHARACTERS": "remove them, or write them as visible escapes",
    "SUSPECT_INSTRUCTION": "remove the text, or check that it is only quoted",
    "POSSIBLE_SECRET": "remove it, and revoke it if it is real",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the doctor found; `ok` means no issue is a FAIL."""

    project_id: str
    source_count: int
    guarantee_level: str
    issues: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing fails."""
        return self.failures == 0

    @property
    def failures(self) -> int:
        """How many issues fail."""
        return sum(issue.severity == "FAIL" for issue in self.issues)

    @property
    def warnings(self) -> int:
        """How many issues only warn."""
        return len(self.issues) - self.failures

    def as_json(self) -> dict[str, object]:
        """Give the report as one JSON object."""
        return {
            "ok": self.ok,
            "project_id": self.project_id,
            "index_schema_version": INDEX_SCHEMA_VERSION,
            "source_count": self.source_count,
            "guarantee_level": self.guarantee_level,
            "issues": [issue.as_json() for issue in self.issues],
            "non_authoritative": True,
        }


def diagnose(
    project: Project, rows: Rows | None, known: Iterable[Finding] = ()
) -> Report:
    """Check the current sources, and what was resolved from them in `rows`.

    `rows` must be made from exactly these sources; None leaves out what only an index
    can tell. `known` are findings made elsewhere, such as those about the index file.
    """
    found = [
        *known,
        *_skipped(project.scan),
        *_status(project),
        *_texts(project),
    ]
    if rows is not None:
        found += _relations(rows.relations)
        found += _ranked_current(rows)
        found += _duplicates(rows, project.scan)
    unique = {finding.order: finding for finding in found}
    return Report(
        project_id=project.project_id,
        source_count=len(project.scan.sources),
        guarantee_level=project.scan.guarantee_level,
        issues=tuple(unique[order] for order in sorted(unique)),
    )


def _finding(code: str, path: str, line: int, detail: str) -> Finding:
    return Finding(
        code=code,
        severity="WARN" if code in _WARN else "FAIL",
        path=path,
        line=line,
        detail=detail,
        hint=_HINTS[code],
    )


def _skipped(scan: Scan) -> Iterator[Finding]:
    for path, reason in scan.skipped:
        yield _finding("SOURCE_SKIPPED", path, 0, reason)


# STATUS and the active task


def _status(project: Project) -> Iterator[Finding]:
    sources = project.scan.by_path()
    content = sources[STATUS_PATH].content
    if len(content) > STATUS_BYTES:
        detail = f"it has {len(content)} bytes; more than {STATUS_BYTES} are no summary"
        yield _finding("OVERSIZED_STATUS", STATUS_PATH, 0, detail)
    document = parse_markdown(decode(content))
    named = next(iter(read_metadata(document).all("Active-Task-ID")), None)
    active = None
    if named is not None and named.value.strip() not in {"", NONE}:
        active = active_task_path(named.value.strip(), sources)
        if active is None:
            detail = f"no task in scope has the id `{_shown(named.value)}`"
            yield _finding("DANGLING_ACTIVE_TASK", STATUS_PATH, named.line, detail)
    yield from _dangling(document, STATUS_PATH, sources)
    if active is not None:
        task = parse_markdown(decode(sources[active].content))
        yield from _dangling(task, active, sources)


def _dangling(
    document: Document, path: str, sources: Mapping[str, Source]
) -> Iterator[Finding]:
    artifacts = Artifacts(dict.fromkeys(sources))
    cited = artifacts.resolve(citations(document, path), base=path)
    for citation in cited.dangling:
        detail = f"no source in scope is `{_shown(citation.target)}`"
        yield _finding("DANGLING_CITATION", path, citation.line, detail)


# The text of every source


def _texts(project: Project) -> Iterator[Finding]:
    for source in project.scan.sources:
        reading = read(decode(source.content))
        for code, line, detail in suspicions(reading):
            yield _finding(code, source.path, line, detail)
        volatile = volatile_words(reading)
        metadata = None
        if (
            source.path == PROJECT_PATH
            or _may_be_foreign(reading, project.project_id)
            or (volatile and "freshness" in reading.lowered)
        ):
            metadata = read_metadata(parse_markdown(reading.text))
            yield from _foreign(source.path, metadata, project.project_id)
        if volatile and not (metadata and metadata.get(FRESHNESS)):
            yield _volatile(source.path, volatile)


def _volatile(path: str, words: Sequence[tuple[str, int]]) -> Finding:
    first, line = words[0]
    more = further_lines(line for _, line in words)
    detail = f"`{first}` is true only when it was written{more}"
    return _finding("VOLATILE_WITHOUT_FRESHNESS", path, line, detail)


def _may_be_foreign(reading: Reading, project_id: str) -> bool:
    """Say whether some line may state another project's id; cheap, never too strict."""
    lowered = reading.lowered
    for key in ("project-id", "project_id"):
        place = lowered.find(key)
        while place >= 0:
            value = lowered[place + len(key) : place + len(key) + len(project_id) + 8]
            if value.strip("\"'`: \t\r\n").partition("\n")[0].strip() != project_id:
                return True
            place = lowered.find(key, place + 1)
    return False


def _foreign(path: str, metadata: Metadata, project_id: str) -> Iterator[Finding]:
    entries = metadata.all("Project-ID")
    if not entries and path == PROJECT_PATH:
        detail = "it states no `Project-ID`"
        yield _finding("PROJECT_MISMATCH", path, 0, detail)
    for entry in entries:
        if entry.value.strip() != project_id:
            detail = f"`Project-ID` is `{_shown(entry.value)}`, not `{project_id}`"
            yield _finding("PROJECT_MISMATCH", path, entry.line, detail)


# What supersedes what


def _relations(related: Sequence[Relation]) -> Iterator[Finding]:
    for source, line, target, verdict in related:
        if verdict == "ORPHAN":
            detail = "`Supersedes` names nothing in scope"
            yield _finding("ORPHAN_SUPERSESSION", source, line, detail)
        elif verdict == "UNCITED":
            detail = f"STATUS cites `{target}`, and not this report"
            yield _finding("UNCITED_SUPERSESSION", source, line, detail)
        elif verdict == "INVALID":
            yield _finding(
                "INVALID_TEMPORAL_RELATION", source, line, _why_invalid(source, target)
            )
    cyclic = [relation for relation in related if relation.verdict == "CYCLE"]
    for cycle in _cycles(cyclic):
        first = cycle[0]
        others = ", ".join(
            f"`{r.source}:{r.line}`" for r in cycle[1 : _PLACES_NAMED + 1]
        )
        left = len(cycle) - 1 - _PLACES_NAMED
        more = f" and {left} more" if left > 0 else ""
        detail = f"it supersedes `{first.target}`, which leads back here"
        detail += f" by {others}{more}" if others else ""
        yield _finding("TEMPORAL_CYCLE", first.source, first.line, detail)


def _why_invalid(source: str, target: str) -> str:
    if source == target:
        return "a source cannot supersede itself"
    if target in {PROJECT_PATH, STATUS_PATH}:
        return f"nothing supersedes `{target}`"
    if source.startswith(PROJECT_PATH.rpartition("/")[0]):
        return "a state file supersedes nothing"
    return f"`{target}` is the active task, which nothing supersedes"


def _cycles(related: Iterable[Relation]) -> list[list[Relation]]:
    """Gather the relations of each cycle; `related` holds only relations in cycles."""
    leader: dict[str, str] = {}

    def find(path: str) -> str:
        root = path
        while leader.setdefault(root, root) != root:
            root = leader[root]
        while leader[path] != root:
            leader[path], path = root, leader[path]
        return root

    cyclic = list(related)
    for relation in cyclic:
        leader[find(relation.source)] = find(relation.target)
    gathered: dict[str, list[Relation]] = {}
    for relation in cyclic:
        gathered.setdefault(find(relation.source), []).append(relation)
    return list(gathered.values())


def _ranked_current(rows: Rows) -> Iterator[Finding]:
    superseded = {r.target: r for r in rows.relations if r.verdict == "VALID"}
    if not superseded:
        return
    for facts, standing in zip(rows.facts, rows.standings, strict=True):
        if facts.path in superseded and standing.temporal != "superseded":
            by = superseded[facts.path].source
            detail = f"`{by}` supersedes it, and the index holds it {standing.temporal}"
            yield _finding("SUPERSEDED_RANKED_CURRENT", facts.path, 0, detail)


# Duplicates


def _duplicates(rows: Rows, scan: Scan) -> Iterator[Finding]:
    sources = scan.by_path()
    known: dict[str, Sequence[str]] = {}

    def lines(path: str) -> Sequence[str]:
        if path not in known:
            known[path] = split_lines(decode(sources[path].content))
        return known[path]

    for duplicate in find_duplicates(rows, lines):
        first, *others = duplicate.places
        named = ", ".join(f"`{place}`" for place in others[:_PLACES_NAMED])
        left = len(others) - _PLACES_NAMED
        more = f" and {left} more places" if left > 0 else ""
        what = (
            f"lines {first.first}-{first.last} also stand"
            if first.last > first.first
            else f"line {first.first} also stands"
        )
        detail = f"{what} in {named}{more}"
        yield _finding("DUPLICATE_MEMORY_ITEM", first.path, first.first, detail)


def _shown(value: str) -> str:
    """Give a user's value for a message: one printable line, cut short."""
    line = "".join(c if c.isprintable() else "?" for c in value[: _SHOWN + 1])
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
