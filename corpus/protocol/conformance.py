"""Check a whole corpus: every artifact in scope, and what one says of another (P1.6).

What is wrong in the files is a finding, never an exception, and one bad file never
keeps another from being checked. Only the confined reader is used, and nothing outside
the policy's read scope is opened or named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from corpus.authority import POLICY_BYTES, SOURCE_BYTES
from corpus.confined.reader import LINK, NOT_FOLDER, NOT_FOUND, Unreadable
from corpus.errors import CodedError
from corpus.findings import Finding
from corpus.markdown import decode, parse_markdown
from corpus.policy import Scope, parse_policy
from corpus.protocol.checks import (
    Artifact,
    check_artifact,
    entry,
    finding,
    own_id,
    shown,
)
from corpus.protocol.citations import Artifacts, citations
from corpus.protocol.layout import (
    AGENTS_PATH,
    FOLDERS,
    GENERATED,
    GENERATED_MARK,
    GENERATED_MARK_WITHIN,
    NONE,
    POLICY_PATH,
    PROJECT_PATH,
    STATUS_PATH,
    artifact_type,
)
from corpus.protocol.metadata import read_metadata
from corpus.refs import RelPath, is_id, is_markdown_name, stem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.confined.reader import ConfinedRoot, Entry
    from corpus.policy import Policy

_REPORTED_APART = frozenset({PROJECT_PATH, STATUS_PATH, *FOLDERS.values()})
"""Required paths: what is wrong with one is a finding of its own."""

_TOML_LINE = re.compile(r"\(at line ([0-9]{1,9}),")


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What `validate` found; `ok` means no issue is an ERROR.

    `project_id` is the policy's, or PROJECT.md's when the policy cannot be used.
    `source_count` counts the artifacts in scope that could be read.
    """

    project_id: str | None
    guarantee_level: str
    source_count: int
    issues: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether the corpus conforms."""
        return self.errors == 0

    @property
    def errors(self) -> int:
        """How many issues are errors."""
        return sum(issue.severity == "ERROR" for issue in self.issues)

    @property
    def warnings(self) -> int:
        """How many issues are warnings."""
        return len(self.issues) - self.errors

    def as_json(self) -> dict[str, object]:
        """Give the report as one JSON object."""
        return {
            "ok": self.ok,
            "project_id": self.project_id,
            "guarantee_level": self.guarantee_level,
            "source_count": self.source_count,
            "issues": [issue.as_json() for issue in self.issues],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A validation, with the artifacts that say where the project stands."""

    validation: Validation
    project: Artifact | None
    status: Artifact | None
    active_task: Artifact | None


def validate(root: ConfinedRoot) -> Validation:
    """Check every artifact in scope: policy, required paths, then file by file.

    Without a usable policy only the two state files are checked. The size limits of
    indexing do not apply: files are read one at a time.
    """
    return inspect(root).validation


def inspect(root: ConfinedRoot) -> Inspection:
    """Do what `validate` does and keep the state files and the active task."""
    policy, issues = _read_policy(root)
    corpus = _Corpus(project_id=policy.project_id if policy else None, issues=issues)
    corpus.issues += _required_paths(root)
    for path in (PROJECT_PATH, STATUS_PATH):
        corpus.take_state_file(root, path, policy)
    if policy is not None:
        for found in _listing(root, policy):
            corpus.take(root, found)
        corpus.issues += _unmarked_views(root, policy)
        corpus.issues += _check_active_task(corpus)
        corpus.issues += _check_references(corpus)
    else:
        corpus.issues += _check_state_ids(corpus)
    unique = {issue.order: issue for issue in corpus.issues}
    return Inspection(
        validation=Validation(
            project_id=corpus.project_id or _stated_project_id(corpus),
            guarantee_level=root.guarantee_level,
            source_count=len(corpus.ids),
            issues=tuple(unique[order] for order in sorted(unique)),
        ),
        # Without a usable policy nobody knows what is in scope.
        project=corpus.state.get(PROJECT_PATH) if policy else None,
        status=corpus.state.get(STATUS_PATH) if policy else None,
        active_task=corpus.active_task,
    )


def check_content(
    path: RelPath, content: bytes, *, project_id: str | None
) -> tuple[Finding, ...]:
    """Check what one artifact would say, before anybody writes it.

    Only the file itself is looked at; `project_id` is the policy's.
    """
    try:
        text = decode(content)
    except UnicodeDecodeError as problem:
        return (finding("INVALID_ENCODING", path, 0, _not_utf8(problem)),)
    return tuple(check_artifact(_parse(path, text), project_id))


@dataclass(slots=True, kw_only=True)
class _Corpus:
    """What has been read so far: enough for the checks across files."""

    project_id: str | None
    issues: list[Finding]
    ids: dict[str, str | None] = field(default_factory=dict)
    state: dict[str, Artifact] = field(default_factory=dict)
    active_task: Artifact | None = None
    supersedes: list[tuple[RelPath, int, str]] = field(default_factory=list)

    def take_state_file(
        self, root: ConfinedRoot, path: RelPath, policy: Policy | None
    ) -> None:
        """Read and check an indispensable file; its absence is a finding."""
        if policy is not None and not policy.may_read(path):
            detail = "the file is outside the policy's read scope"
            self.issues.append(finding("CONTEXT_SCOPE", path, 0, detail))
            return
        try:
            text = decode(root.read(path, limit=SOURCE_BYTES).content)
        except Unreadable as problem:
            self.issues.append(_required_problem(path, problem.reason, "file"))
        except UnicodeDecodeError as problem:
            self.issues.append(finding("INVALID_ENCODING", path, 0, _not_utf8(problem)))
        else:
            self._keep(_parse(path, text))

    def take(self, root: ConfinedRoot, found: Entry) -> None:
        """Read and check one artifact of the listing."""
        try:
            text = _readable_text(root, found)
        except Unreadable as problem:
            self.issues.append(finding("SOURCE_SKIPPED", found.path, 0, problem.reason))
        else:
            self._keep(_parse(found.path, text))

    def _keep(self, artifact: Artifact) -> None:
        self.ids[artifact.path] = own_id(artifact)
        self.issues += check_artifact(artifact, self.project_id)
        for target, line in artifact.metadata.supersedes():
            self.supersedes.append((artifact.path, line, target))
        if artifact.path in {PROJECT_PATH, STATUS_PATH}:
            self.state[artifact.path] = artifact
        elif _is_active(artifact, self.state.get(STATUS_PATH)):
            known = self.active_task
            if known is None or _depth(artifact.path) < _depth(known.path):
                self.active_task = artifact


def _read_policy(root: ConfinedRoot) -> tuple[Policy | None, list[Finding]]:
    try:
        content = root.read(POLICY_PATH, limit=POLICY_BYTES).content
    except Unreadable as problem:
        return None, [_required_problem(POLICY_PATH, problem.reason, "file")]
    try:
        return parse_policy(content), []
    except CodedError as error:
        place = _TOML_LINE.search(str(error))
        return None, [
            Finding(
                code=error.code,
                severity="ERROR",
                path=POLICY_PATH,
                line=int(place[1]) if place else 0,
                detail=str(error),
                hint=error.hint,
            )
        ]


def _required_paths(root: ConfinedRoot) -> Iterator[Finding]:
    try:
        root.read(AGENTS_PATH, limit=SOURCE_BYTES)
    except Unreadable as problem:
        yield _required_problem(AGENTS_PATH, problem.reason, "file")
    for kind, folder in FOLDERS.items():
        if kind == "state":
            continue  # its two files are asked for by name
        try:
            root.open_folder(folder).close()
        except Unreadable as problem:
            yield _required_problem(folder, problem.reason, "folder")


def _required_problem(path: RelPath, reason: str, what: str) -> Finding:
    if reason == LINK:
        return finding("REQUIRED_PATH_LINK", path, 0, f"the {what} is a symbolic link")
    if reason in {NOT_FOUND, NOT_FOLDER}:
        return finding("MISSING_REQUIRED_PATH", path, 0, f"there is no such {what}")
    detail = f"the {what} cannot be used: {reason}"
    return finding("MISSING_REQUIRED_PATH", path, 0, detail)


def _listing(root: ConfinedRoot, policy: Policy) -> Iterator[Entry]:
    def wanted(path: str) -> bool:
        return artifact_type(path) is not None and policy.may_read(path)

    for folder in FOLDERS.values():
        for found in root.entries(folder, wanted=wanted, enter=policy.may_enter):
            if found.path not in _REPORTED_APART:
                yield found


def _readable_text(root: ConfinedRoot, found: Entry) -> str:
    """Read an entry as text; whatever stands in the way is `Unreadable`."""
    if found.problem is not None:
        raise Unreadable(found.problem)
    try:
        return decode(root.read(found.path, limit=SOURCE_BYTES).content)
    except UnicodeDecodeError as problem:
        raise Unreadable(_not_utf8(problem)) from None


def _parse(path: RelPath, text: str) -> Artifact:
    document = parse_markdown(text)
    kind = artifact_type(path)
    assert kind is not None
    return Artifact(
        path=path, kind=kind, document=document, metadata=read_metadata(document)
    )


def _not_utf8(problem: UnicodeDecodeError) -> str:
    return f"not UTF-8 at byte {problem.start}"


def _is_active(artifact: Artifact, status: Artifact | None) -> bool:
    if artifact.kind != "task" or status is None:
        return False
    named = status.metadata.get("Active-Task-ID")
    return named not in {None, NONE} and named == stem(artifact.path)


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _check_active_task(corpus: _Corpus) -> Iterator[Finding]:
    status = corpus.state.get(STATUS_PATH)
    if status is None or corpus.active_task is not None:
        return
    named = entry(status.metadata, "Active-Task-ID")
    if named is not None and named.value != NONE and is_id(named.value):
        detail = f"no task in scope has the id `{named.value}`"
        yield finding("DANGLING_ACTIVE_TASK", STATUS_PATH, named.line, detail)


def _check_references(corpus: _Corpus) -> Iterator[Finding]:
    """Check that what is cited or superseded is in scope.

    The state files count as present: a missing one has a finding of its own.
    """
    artifacts = Artifacts({PROJECT_PATH: None, STATUS_PATH: None} | corpus.ids)
    for citing in (corpus.state.get(STATUS_PATH), corpus.active_task):
        if citing is None:
            continue
        cited = citations(citing.document, citing.path)
        for citation in artifacts.resolve(cited, base=citing.path).dangling:
            detail = f"no source in scope is `{shown(citation.target)}`"
            yield finding("DANGLING_CITATION", citing.path, citation.line, detail)
    for path, line, target in corpus.supersedes:
        if artifacts.superseded(target, base=path) is None:
            detail = f"`Supersedes` names `{shown(target)}`, which is not in scope"
            yield finding("DANGLING_CITATION", path, line, detail)


def _check_state_ids(corpus: _Corpus) -> Iterator[Finding]:
    """Compare the state files with each other when there is no policy to ask."""
    expected = _stated_project_id(corpus)
    status = corpus.state.get(STATUS_PATH)
    if expected is None or status is None:
        return
    found = entry(status.metadata, "Project-ID")
    if found is not None and is_id(found.value) and found.value != expected:
        detail = f"`Project-ID` is `{found.value}`; PROJECT.md says `{expected}`"
        yield finding("PROJECT_ID_MISMATCH", STATUS_PATH, found.line, detail)


def _stated_project_id(corpus: _Corpus) -> str | None:
    project = corpus.state.get(PROJECT_PATH)
    stated = project.metadata.get("Project-ID") if project else None
    return stated if stated is not None and is_id(stated) else None


def _unmarked_views(root: ConfinedRoot, policy: Policy) -> Iterator[Finding]:
    """Look for the mark in every generated view the policy does not deny.

    Views are no sources, so `read` need not name them.
    """
    views = policy._replace(read=(Scope.parse(f"{GENERATED}/**"),))

    def wanted(path: str) -> bool:
        return is_markdown_name(path) and views.may_read(path)

    for found in root.entries(GENERATED, wanted=wanted, enter=views.may_enter):
        try:
            head = _readable_text(root, found)[:GENERATED_MARK_WITHIN]
        except Unreadable as problem:
            yield finding("SOURCE_SKIPPED", found.path, 0, problem.reason)
        else:
            if GENERATED_MARK not in head:
                detail = f"no {GENERATED_MARK} in the first 512 characters"
                yield finding("GENERATED_VIEW_UNMARKED", found.path, 1, detail)
