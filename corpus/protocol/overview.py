"""The status card: where a project stands, on one page (P1.8).

Whatever can be read is shown; what cannot is None, and `findings` says how much
`validate` would report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.authority import SOURCE_BYTES
from corpus.canonical import sha256
from corpus.confined.reader import Unreadable
from corpus.protocol.conformance import inspect
from corpus.protocol.layout import BLOCKERS, NEXT_ACTION, STATUS_PATH
from corpus.protocol.sections import says_none, section_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.confined.reader import ConfinedRoot
    from corpus.protocol.checks import Artifact

IndexState = Literal["missing", "fresh", "stale", "corrupt", "unusable"]
"""`unusable`: something else is in the way, which `context doctor` names."""


class IndexCard(NamedTuple):
    """What is known of the index without querying it.

    `path` is relative to the root; `built_at` is the file's own time, RFC 3339 UTC, or
    None when there is no file.
    """

    state: IndexState
    path: str
    built_at: str | None

    def as_json(self) -> dict[str, str | None]:
        """Give the card as a JSON object."""
        return {"state": self.state, "path": self.path, "built_at": self.built_at}


class ActiveTask(NamedTuple):
    """The task STATUS names; `title` and `status` are None when it is not in scope."""

    id: str
    title: str | None
    status: str | None

    def as_json(self) -> dict[str, str | None]:
        """Give the task as a JSON object."""
        return {"id": self.id, "title": self.title, "status": self.status}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Where the project stands; None where a file does not say.

    `next_action` and `blockers` are a section's text, None when it says NONE.
    `status_sha256` is what a write expects of STATUS.md.
    """

    project_id: str | None
    logical_name: str | None
    lifecycle_status: str | None
    active_task: ActiveTask | None
    next_action: str | None
    blockers: str | None
    last_verified_at: str | None
    status_sha256: str | None
    index: IndexCard
    errors: int
    warnings: int
    interrupted_write: bool = False

    def as_json(self) -> Mapping[str, object]:
        """Give the card as one JSON object."""
        return {
            "project_id": self.project_id,
            "logical_name": self.logical_name,
            "lifecycle_status": self.lifecycle_status,
            "active_task": self.active_task.as_json() if self.active_task else None,
            "next_action": self.next_action,
            "blockers": self.blockers,
            "last_verified_at": self.last_verified_at,
            "status_sha256": self.status_sha256,
            "index": self.index.as_json(),
            "findings": {
                "errors": self.errors,
                "warnings": self.warnings,
                "interrupted_write": self.interrupted_write,
            },
        }


def overview(
    root: ConfinedRoot, *, index: IndexCard, interrupted_write: bool = False
) -> Overview:
    """Read PROJECT, STATUS and the active task, and validate the corpus.

    Whether a write was interrupted is known outside the project, by the caller.
    Without a usable policy nobody knows what is in scope, and only findings are given.
    """
    inspection = inspect(root)
    status = inspection.status
    return Overview(
        project_id=inspection.validation.project_id,
        logical_name=_stated(inspection.project, "Logical-Name"),
        lifecycle_status=_stated(status, "Lifecycle-Status"),
        active_task=_active_task(status, inspection.active_task),
        next_action=_said(status, NEXT_ACTION),
        blockers=_said(status, BLOCKERS),
        last_verified_at=_stated(status, "Last-Verified-At"),
        status_sha256=_hash(root) if status else None,
        index=index,
        errors=inspection.validation.errors,
        warnings=inspection.validation.warnings,
        interrupted_write=interrupted_write,
    )


def _hash(root: ConfinedRoot) -> str | None:
    try:
        return sha256(root.content(STATUS_PATH, limit=SOURCE_BYTES))
    except Unreadable:  # gone since it was inspected
        return None


def _stated(artifact: Artifact | None, key: str) -> str | None:
    return (artifact.metadata.get(key) or None) if artifact else None


def _said(artifact: Artifact | None, title: str) -> str | None:
    text = section_text(artifact.document, title) if artifact else None
    return None if says_none(text) else text


def _active_task(status: Artifact | None, task: Artifact | None) -> ActiveTask | None:
    named = _stated(status, "Active-Task-ID")
    if named is None or says_none(named):
        return None
    if task is None:
        return ActiveTask(named, None, None)
    return ActiveTask(named, task.title, _stated(task, "Task-Status"))
