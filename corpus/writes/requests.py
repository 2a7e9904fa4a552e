"""What may be asked of a writer: the state file, tasks and reports (P13.1).

Each request is one transaction: it holds the lock from its first look at a file to its
receipt, and checks the new content before anything is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from corpus.authority import SOURCE_BYTES
from corpus.canonical import sha256
from corpus.confined.reader import DENIED
from corpus.markdown import decode, parse_markdown
from corpus.protocol.amend import with_section, with_value
from corpus.protocol.conformance import check_content
from corpus.protocol.layout import (
    FOLDERS,
    NEXT_ACTION,
    NONE,
    STATUS_PATH,
    artifact_type,
)
from corpus.protocol.metadata import read_metadata
from corpus.refs import RelPath, is_id, name_problem, stem
from corpus.refusals import (
    ArtifactConformanceError,
    ArtifactIdError,
    ContentEncodingError,
    ContentLimitError,
    StateConformanceError,
    TargetExistsError,
    TargetMissingError,
    TargetUnusableError,
    TaskStatusError,
)
from corpus.scopes import shown
from corpus.writes.recovery import settle_first
from corpus.writes.targets import held
from corpus.writes.transaction import (
    Change,
    commit,
    expected_hash,
    require,
    require_fresh,
)
from corpus.writes.writer import turn_of

if TYPE_CHECKING:
    from corpus.findings import Finding
    from corpus.protocol.metadata import Metadata
    from corpus.refs import Sha256
    from corpus.writes.outcome import Outcome
    from corpus.writes.writer import Turn, Writer

Ending = Literal["DONE", "CANCELLED"]

_ACTIVE_TASK = "Active-Task-ID"
_TASK_STATUS = "Task-Status"
_MOST_NAMED = 5
_UNLISTED = (DENIED, "cannot be read")


def update_state(writer: Writer, content: bytes, *, expected_sha256: str) -> Outcome:
    """Replace STATUS.md, if it still is what the caller read.

    Raises `StateConformanceError` when the new content would not conform, and the
    errors of `commit` and `turn_of`.
    """
    expected = expected_hash(expected_sha256)
    with turn_of(writer) as turn:
        settle_first(turn)
        change = Change(STATUS_PATH, content, expected, "state.update")
        require(turn, [change])
        _require_state(turn, content, known={})
        return commit(turn, [change])


def create_task(writer: Writer, task_id: str, content: bytes) -> Outcome:
    """Create one task; ArtifactConformanceError when it would not conform."""
    return _create(writer, "task", task_id, content)


def create_report(
    writer: Writer, report_id: str, content: bytes, *, task: str | None = None
) -> Outcome:
    """Create one report; ArtifactConformanceError when it would not conform.

    `task`, where it is given and not NONE, must be the id of a task in scope; else
    TargetMissingError names it.
    """
    return _create(writer, "report", report_id, content, task=task)


def activate_task(
    writer: Writer,
    task_id: str,
    *,
    expected_sha256: str,
    task_sha256: str | None = None,
    next_action: str | None = None,
) -> Outcome:
    """Make one task the active one: the task and STATUS change together.

    `expected_sha256` is STATUS's hash. The task that was active until now is OPEN
    again, in the same transaction. Raises `TaskStatusError` when the task is active
    already or has ended.
    """
    expected = expected_hash(expected_sha256)
    with turn_of(writer) as turn:
        settle_first(turn)
        _require_rights(turn)
        status = _read(turn, STATUS_PATH, expected)
        path, task, task_hash = _task(turn, task_id, task_sha256)
        before = _metadata(status).get(_ACTIVE_TASK)
        found = _metadata(task).get(_TASK_STATUS)
        if found not in {"OPEN", "BLOCKED"} and (found, before) != ("ACTIVE", NONE):
            raise TaskStatusError(task=task_id, found=shown(found or "no status"))
        changes = [_with_status(path, task, task_hash, "ACTIVE")]
        changes += _deactivated(turn, before, task_id)
        content = _pointed(status, task_id, next_action)
        changes.append(Change(STATUS_PATH, content, expected, "state.update"))
        _require_all(turn, changes)
        return commit(turn, changes)


def close_task(
    writer: Writer,
    task_id: str,
    *,
    status: Ending,
    expected_sha256: str,
    task_sha256: str | None = None,
    next_action: str | None = None,
) -> Outcome:
    """End one task; STATUS names no active task any more if it was that one.

    `expected_sha256` is STATUS's hash, whether or not STATUS changes. Raises
    `TaskStatusError` when the task has ended already.
    """
    expected = expected_hash(expected_sha256)
    with turn_of(writer) as turn:
        settle_first(turn)
        _require_rights(turn)
        state = _read(turn, STATUS_PATH, expected)
        path, task, task_hash = _task(turn, task_id, task_sha256)
        found = _metadata(task).get(_TASK_STATUS)
        if found in {"DONE", "CANCELLED"}:
            raise TaskStatusError(task=task_id, found=found)
        active = _metadata(state).get(_ACTIVE_TASK) == task_id
        content = _pointed(state, NONE if active else None, next_action)
        changes = [
            _with_status(path, task, task_hash, status),
            Change(STATUS_PATH, content, expected, "state.update"),
        ]
        _require_all(turn, changes)
        return commit(turn, changes)


def _create(
    writer: Writer,
    kind: Literal["task", "report"],
    own_id: str,
    content: bytes,
    *,
    task: str | None = None,
) -> Outcome:
    artifact_path(kind, own_id)
    with turn_of(writer) as turn:
        settle_first(turn)
        change = new_artifact(turn, kind, own_id, content, task=task)
        return commit(turn, [change])


def new_artifact(
    turn: Turn,
    kind: Literal["task", "report"],
    own_id: str,
    content: bytes,
    *,
    task: str | None = None,
) -> Change:
    """Give the change that creates an artifact, once nothing stands against it."""
    change = Change(artifact_path(kind, own_id), content, None, f"{kind}.create")
    require(turn, [change])
    _require_artifact(turn, change.path, content)
    if task not in {None, NONE} and not _known(turn, "task", task or ""):
        raise TargetMissingError(path=f"{FOLDERS['task']}/{shown(task or '')}.md")
    for other in _known(turn, kind, own_id):
        raise TargetExistsError(path=other)
    return change


def artifact_path(kind: Literal["task", "report"], own_id: str) -> RelPath:
    """Say where a new artifact lies; ArtifactIdError for what can be no id."""
    if not is_id(own_id) or name_problem(f"{own_id}.md") is not None:
        raise ArtifactIdError(found=shown(own_id))
    return RelPath(f"{FOLDERS[kind]}/{own_id}.md")


def _require_rights(turn: Turn) -> None:
    turn.mandate.require("task.update")
    turn.mandate.require("state.update")


def _read(turn: Turn, path: RelPath, expected: Sha256 | None = None) -> bytes:
    """Read what is to be amended; StaleHashError unless it is what was expected."""
    found = held(turn.opened, path)
    if found is None:
        raise TargetMissingError(path=path)
    if expected is not None:
        require_fresh(path, expected, sha256(found.content))
    _require_text(path, found.content)
    return found.content


def _metadata(content: bytes) -> Metadata:
    return read_metadata(parse_markdown(decode(content)))


def _task(
    turn: Turn, task_id: str, task_sha256: str | None
) -> tuple[RelPath, bytes, Sha256]:
    """Find a task by its id; give its content and the hash it must have."""
    if not is_id(task_id):
        raise ArtifactIdError(found=shown(task_id))
    wanted = None
    if task_sha256 is not None:
        wanted = expected_hash(task_sha256, field="task_sha256")
    for path in _known(turn, "task", task_id):
        content = _read(turn, path, wanted)
        return path, content, sha256(content)
    raise TargetMissingError(path=f"{FOLDERS['task']}/{task_id}.md")


def _known(turn: Turn, kind: Literal["task", "report"], own_id: str) -> list[RelPath]:
    """List the artifacts in scope with this id, the shallowest first.

    TargetUnusableError where one that is no plain file has it, or where a folder that
    cannot be listed may hold another.
    """
    policy = turn.mandate.policy

    def wanted(path: str) -> bool:
        return (
            stem(path) == own_id
            and artifact_type(path) == kind
            and policy.may_read(path)
        )

    found = turn.opened.entries(FOLDERS[kind], wanted=wanted, enter=policy.may_enter)
    for path, problem in found:
        if problem is not None and (wanted(path) or problem.startswith(_UNLISTED)):
            raise TargetUnusableError(path=path, reason=problem)
    paths = [entry.path for entry in found if entry.problem is None]
    return sorted(paths, key=lambda path: (path.count("/"), path))


def _with_status(path: RelPath, task: bytes, known: Sha256, status: str) -> Change:
    content = with_value(task, path, _TASK_STATUS, status)
    return Change(path, content, known, "task.update")


def _deactivated(turn: Turn, before: str | None, task_id: str) -> list[Change]:
    """Open the task again that was active until now."""
    if before in {None, NONE, task_id}:
        return []
    for path in _known(turn, "task", before or ""):
        task = _read(turn, path)
        if _metadata(task).get(_TASK_STATUS) == "ACTIVE":
            return [_with_status(path, task, sha256(task), "OPEN")]
    return []


def _pointed(status: bytes, task_id: str | None, next_action: str | None) -> bytes:
    """Let STATUS name another active task and, where given, another next action."""
    if task_id is not None:
        status = with_value(status, STATUS_PATH, _ACTIVE_TASK, task_id)
    if next_action is not None:
        status = with_section(status, STATUS_PATH, NEXT_ACTION, next_action)
    return status


def _require_all(turn: Turn, changes: list[Change]) -> None:
    require(turn, changes)
    tasks = {c.path: c.content for c in changes if c.path != STATUS_PATH}
    for path, content in tasks.items():
        _require_artifact(turn, path, content)
    for change in changes:
        if change.path == STATUS_PATH:
            _require_state(turn, change.content, known=tasks)


def _require_artifact(turn: Turn, path: RelPath, content: bytes) -> None:
    problems = _problems(turn, path, content)
    if problems:
        raise ArtifactConformanceError(path=path, problems=_named(problems))


def _require_state(turn: Turn, content: bytes, *, known: dict[RelPath, bytes]) -> None:
    """Refuse a STATUS that would not conform, or that names a task nobody finds."""
    problems = _problems(turn, STATUS_PATH, content)
    if problems:
        raise StateConformanceError(problems=_named(problems))
    active = _metadata(content).get(_ACTIVE_TASK)
    if active in {None, NONE} or any(stem(path) == active for path in known):
        return
    if not _known(turn, "task", active or ""):
        raise StateConformanceError(
            problems="DANGLING_ACTIVE_TASK (no task in scope has that id)"
        )


def _problems(turn: Turn, path: RelPath, content: bytes) -> list[Finding]:
    _require_text(path, content)
    project_id = turn.mandate.policy.project_id
    found = check_content(path, content, project_id=project_id)
    return [finding for finding in found if finding.severity == "ERROR"]


def _require_text(path: RelPath, content: bytes) -> None:
    if len(content) > SOURCE_BYTES:
        raise ContentLimitError(path=path, count=len(content), maximum=SOURCE_BYTES)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        reason = f"not UTF-8 at byte {problem.start}"
        raise ContentEncodingError(path=path, reason=reason) from None
    if b"\x00" in content:
        raise ContentEncodingError(path=path, reason="it holds a NUL")


def _named(problems: list[Finding]) -> str:
    """Name the first problems with their lines, and count the rest."""
    named = [f"{p.code} at line {p.line} ({p.detail})" for p in problems[:_MOST_NAMED]]
    left = len(problems) - len(named)
    return "; ".join(named) + (f"; and {left} more" if left > 0 else "")
