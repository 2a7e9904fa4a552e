"""What one artifact must say to conform, whatever the others say (P1.2 to P1.5).

Pure: a parsed artifact in, findings out. The checks that need more than one file are
in `conformance`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.findings import Finding
from corpus.protocol.layout import (
    NEXT_ACTION,
    NONE,
    PROJECT,
    PROJECT_PATH,
    REPORT,
    STATUS,
    STATUS_PATH,
    TASK,
    UNVERIFIED,
)
from corpus.protocol.metadata import instant, is_utc_instant
from corpus.protocol.sections import body_text, says_none, section_text, sections
from corpus.refs import is_id, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from corpus.markdown import Document
    from corpus.protocol.layout import ArtifactType, Requirements
    from corpus.protocol.metadata import Metadata, MetadataEntry, MetadataProblem
    from corpus.protocol.sections import Section
    from corpus.refs import RelPath

WARNINGS = frozenset({"SOURCE_SKIPPED", "DANGLING_CITATION"})
"""The codes that do not fail a validation; every other code is an ERROR."""

HINTS: Mapping[str, str] = {
    "MISSING_REQUIRED_PATH": "restore it; `init` creates a corpus where"
    " .project-corpus holds no file",
    "REQUIRED_PATH_LINK": "replace the link by the file or folder itself",
    "CONTEXT_SCOPE": "let the policy's `read` scopes cover the file",
    "MISSING_METADATA": "add `Key: value` before the first H2; docs/protocol.md has"
    " a skeleton to copy",
    "INVALID_METADATA": "correct the value; docs/protocol.md lists what is allowed",
    "DUPLICATE_METADATA": "keep one line for the key",
    "MISSING_SECTION": "add the H2 with its text, or the word NONE; docs/protocol.md"
    " has a skeleton to copy",
    "DUPLICATE_SECTION": "merge the sections, or rename one",
    "SECTION_ORDER": "put the required sections in the order of the protocol",
    "PROJECT_ID_MISMATCH": "write the `project_id` of policy.toml",
    "ROLE_OVERLAP": "keep identity in PROJECT.md and the current state in STATUS.md",
    "PROJECT_ABSOLUTE_ROOT": "remove the path; a corpus holds on every machine",
    "GENERATED_VIEW_UNMARKED": "write NON_AUTHORITATIVE_VIEW at the top of the view",
    "INVALID_ENCODING": "save the file as UTF-8",
    "ARTIFACT_ID_MISMATCH": "rename the file or correct the id",
    "DANGLING_ACTIVE_TASK": "name a task in scope, or NONE",
    "DANGLING_CITATION": "correct the reference or restore what it names",
    "SOURCE_SKIPPED": "make it a plain, readable UTF-8 file, or move it out of scope",
}
"""The next step for each code."""

_SHOWN = 60
_ROOT_WORDS = frozenset(
    {"root", "path", "folder", "directory", "checkout", "workspace", "location"}
)
_ROOT_LINE = 400
_ROOT_KEY_WORDS = 4
_ABSOLUTE = re.compile(r"[ \t`\"'<*_]*(?:[A-Za-z]:[\\/]|\\\\|/|~|file:)")
_HOME = re.compile(
    r"(?<![\w/.])(?:/(?:home|Users)/[A-Za-z][\w.-]*/"
    r"|[A-Za-z]:[\\/](?:Users|Documents and Settings)[\\/]|file:///)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One parsed artifact."""

    path: RelPath
    kind: ArtifactType
    document: Document
    metadata: Metadata

    @property
    def title_line(self) -> int:
        """The line of the first H1, or 1: where missing metadata belongs."""
        titles = (h.line for h in self.document.headings if h.level == 1)
        return next(titles, 1)

    @property
    def title(self) -> str:
        """The text of the first H1, or the file's stem."""
        titles = (h.text for h in self.document.headings if h.level == 1)
        return next(titles, "") or stem(self.path)


def finding(code: str, path: str, line: int, detail: str) -> Finding:
    """Make a finding of `validate`, with the severity and hint of its code."""
    return Finding(
        code=code,
        severity="WARNING" if code in WARNINGS else "ERROR",
        path=path,
        line=line,
        detail=detail,
        hint=HINTS[code],
    )


def requirements(artifact: Artifact) -> Requirements | None:
    """Give what this artifact must carry, or None for free Markdown."""
    if artifact.path == PROJECT_PATH:
        return PROJECT
    if artifact.path == STATUS_PATH:
        return STATUS
    return {"task": TASK, "report": REPORT}.get(artifact.kind)


def check_artifact(artifact: Artifact, project_id: str | None) -> Iterator[Finding]:
    """Yield what is wrong inside one artifact.

    `project_id` is the policy's, or None when there is none to compare with. Free
    Markdown (history, other files in state/) owes no metadata; what it states must not
    contradict itself or the project.
    """
    required = requirements(artifact)
    yield from _project_id(artifact, project_id)
    for problem in artifact.metadata.problems:
        if required is not None or not _is_unusable(problem, artifact.document):
            yield finding(problem.code, artifact.path, problem.line, problem.detail)
    if required is None:
        return
    yield from _metadata(artifact, required)
    yield from _sections(artifact, required)
    if artifact.path == PROJECT_PATH:
        yield from _absolute_roots(artifact)
        yield from _foreign_sections(artifact, STATUS, "STATUS.md")
    if artifact.path == STATUS_PATH:
        yield from _next_action(artifact)
        yield from _foreign_sections(artifact, PROJECT, "PROJECT.md")


def entry(metadata: Metadata, key: str) -> MetadataEntry | None:
    """Give the first entry of a key."""
    return next(iter(metadata.all(key)), None)


def shown(value: str) -> str:
    """Give a user's value for a message: one printable line, cut short."""
    line = "".join(c if c.isprintable() else "?" for c in value[: _SHOWN + 1])
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def own_id(artifact: Artifact) -> str | None:
    """Give the id a task or report states, or None."""
    key = _OWN_ID.get(artifact.kind)
    return artifact.metadata.get(key) if key else None


def _project_id(artifact: Artifact, expected: str | None) -> Iterator[Finding]:
    for found in artifact.metadata.all("Project-ID"):
        if not found.value:
            continue
        if not is_id(found.value):
            detail = f"`Project-ID` is `{shown(found.value)}`, which is not an id"
            yield finding("INVALID_METADATA", artifact.path, found.line, detail)
        elif expected is not None and found.value != expected:
            detail = f"`Project-ID` is `{found.value}`; the project is `{expected}`"
            yield finding("PROJECT_ID_MISMATCH", artifact.path, found.line, detail)


def _is_unusable(problem: MetadataProblem, document: Document) -> bool:
    """Say whether this is front matter of a kind of its own, as free text may have."""
    front = document.front_matter
    unusable = front is not None and front.problem is not None
    return unusable and problem.code == "INVALID_METADATA"


def _metadata(artifact: Artifact, required: Requirements) -> Iterator[Finding]:
    path = artifact.path
    for key in required.metadata:
        found = entry(artifact.metadata, key)
        if found is None:
            detail = f"`{key}` is missing"
            yield finding("MISSING_METADATA", path, artifact.title_line, detail)
        elif not found.value:
            yield finding("MISSING_METADATA", path, found.line, f"`{key}` is empty")
        else:
            problem = _value_problem(artifact, key, found.value, required.allowed)
            if problem is not None:
                code, reason = problem
                detail = f"`{key}` is `{shown(found.value)}`, {reason}"
                yield finding(code, path, found.line, detail)


def _value_problem(
    artifact: Artifact, key: str, value: str, allowed: Mapping[str, tuple[str, ...]]
) -> tuple[str, str] | None:
    if key in allowed:
        if value in allowed[key]:
            return None
        return "INVALID_METADATA", f"not {' or '.join(allowed[key])}"
    if key == _OWN_ID.get(artifact.kind):
        if not is_id(value):
            return "INVALID_METADATA", "which is not an id"
        if value != stem(artifact.path):
            return "ARTIFACT_ID_MISMATCH", f"but the file is `{stem(artifact.path)}`"
        return None
    check = _VALUES.get(key)
    if check is None or check[0](value):
        return None
    return "INVALID_METADATA", check[1]


def _sections(artifact: Artifact, required: Requirements) -> Iterator[Finding]:
    """Check that the required sections stand there, once except in a report.

    A report may hold a whole document of its own, with whatever sections that has.
    """
    path = artifact.path
    first: dict[str, Section] = {}
    for section in sections(artifact.document):
        if section.title not in required.sections:
            continue
        known = first.setdefault(section.title, section)
        if known is not section and artifact.kind != "report":
            detail = f"`{section.title}` stands in line {known.line} too"
            yield finding("DUPLICATE_SECTION", path, section.line, detail)
    for title in required.sections:
        if title not in first:
            yield finding("MISSING_SECTION", path, 0, f"`## {title}` is missing")
    if required.ordered:
        yield from _state_sections(artifact, required, tuple(first.values()))


def _state_sections(
    artifact: Artifact, required: Requirements, present: tuple[Section, ...]
) -> Iterator[Finding]:
    """Check what only PROJECT and STATUS owe: no empty section, and the order."""
    for section in present:
        if not body_text(artifact.document, section):
            detail = f"`{section.title}` is empty; write NONE"
            yield finding("MISSING_SECTION", artifact.path, section.line, detail)
    titles = {section.title for section in present}
    expected = [title for title in required.sections if title in titles]
    for section, title in zip(present, expected, strict=True):
        if section.title != title:
            detail = f"`{section.title}` stands where `{title}` belongs"
            yield finding("SECTION_ORDER", artifact.path, section.line, detail)
            return


def _next_action(status: Artifact) -> Iterator[Finding]:
    lifecycle = entry(status.metadata, "Lifecycle-Status")
    if lifecycle is None or lifecycle.value != "ACTIVE":
        return
    action = section_text(status.document, NEXT_ACTION)
    if action is not None and says_none(action):
        detail = f"`Lifecycle-Status` is ACTIVE, but `{NEXT_ACTION}` says nothing"
        yield finding("INVALID_METADATA", status.path, lifecycle.line, detail)


def _foreign_sections(
    artifact: Artifact, other: Requirements, owner: str
) -> Iterator[Finding]:
    for section in sections(artifact.document):
        if section.title in other.sections:
            detail = f"`{section.title}` is a section of {owner}"
            yield finding("ROLE_OVERLAP", artifact.path, section.line, detail)


def _absolute_roots(project: Artifact) -> Iterator[Finding]:
    for number, line in enumerate(project.document.lines, start=1):
        if _is_root_field(line[:_ROOT_LINE]) or _HOME.search(line):
            detail = "the line names a place on one machine"
            yield finding("PROJECT_ABSOLUTE_ROOT", project.path, number, detail)


def _is_root_field(line: str) -> bool:
    key, colon, value = line.partition(":")
    words = re.findall(r"[a-z]+", key.lower())
    if not colon or not 0 < len(words) <= _ROOT_KEY_WORDS:
        return False
    return words[-1] in _ROOT_WORDS and _ABSOLUTE.match(value) is not None


def _is_id_or_none(value: str) -> bool:
    return value == NONE or is_id(value)


def _is_verification(value: str) -> bool:
    return value == UNVERIFIED or is_utc_instant(value)


def _is_date(value: str) -> bool:
    return instant(value) is not None


_OWN_ID: Mapping[str, str] = {
    "task": "Task-ID",
    "report": "Report-ID",
}
_VALUES: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "Active-Task-ID": (_is_id_or_none, "not an id or NONE"),
    "Task-ID": (_is_id_or_none, "not an id or NONE"),
    "Created-At": (_is_date, "not a date such as 2026-01-31T09:00:00Z"),
    "Last-Verified-At": (
        _is_verification,
        "not a UTC time such as 2026-01-31T09:00:00Z or UNVERIFIED",
    ),
}
