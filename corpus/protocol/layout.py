"""Where a corpus keeps its artifacts, and what each kind must carry (P1)."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.refs import RelPath, is_markdown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

ArtifactType = Literal["state", "task", "report", "history"]

HOME = ".project-corpus"
AGENTS_PATH = RelPath("AGENTS.md")
POLICY_PATH = RelPath(".project-corpus/policy.toml")
PROJECT_PATH = RelPath(".project-corpus/state/PROJECT.md")
STATUS_PATH = RelPath(".project-corpus/state/STATUS.md")
GENERATED = RelPath(".project-corpus/generated")
CACHE = RelPath(".project-corpus/cache")

FOLDERS: Mapping[ArtifactType, RelPath] = {
    "state": RelPath(".project-corpus/state"),
    "task": RelPath(".project-corpus/tasks"),
    "report": RelPath(".project-corpus/reports"),
    "history": RelPath(".project-corpus/history"),
}

PROTOCOL_VERSION = "2.0"
NONE = "NONE"
"""What an empty section or an absent id says."""

UNVERIFIED = "UNVERIFIED"
GENERATED_MARK = "NON_AUTHORITATIVE_VIEW"
GENERATED_MARK_WITHIN = 512
"""A generated view carries the mark in this many first characters."""

LIFECYCLE_STATUSES = ("ACTIVE", "PAUSED", "BLOCKED", "COMPLETE")
EVIDENCE_CLASSES = ("OBSERVED", "DOCUMENTED", "INFERRED", "UNVERIFIED")
TASK_STATUSES = ("OPEN", "ACTIVE", "BLOCKED", "DONE", "CANCELLED")
REPORT_RESULTS = ("PASS", "FAIL", "PARTIAL", "INFO")

EVIDENCE_REFERENCES = "Evidence References"
NEXT_ACTION = "Exact Next Action"
BLOCKERS = "Blockers"


class Requirements(NamedTuple):
    """The metadata keys and H2 sections one kind of artifact must carry.

    `allowed` names the keys whose value is one of a closed list. `ordered` says that
    the sections stand once each and in this order.
    """

    metadata: tuple[str, ...]
    sections: tuple[str, ...]
    allowed: Mapping[str, tuple[str, ...]]
    ordered: bool


PROJECT = Requirements(
    metadata=("Protocol-Version", "Project-ID", "Logical-Name"),
    sections=("Objective", "Invariants", "Durable Scope Boundaries", "Non-Goals"),
    allowed={"Protocol-Version": (PROTOCOL_VERSION,)},
    ordered=True,
)
STATUS = Requirements(
    metadata=(
        "Protocol-Version",
        "Project-ID",
        "Lifecycle-Status",
        "Active-Task-ID",
        "Last-Verified-At",
        "Evidence-Class",
    ),
    sections=(
        "Current Verified Baseline",
        BLOCKERS,
        EVIDENCE_REFERENCES,
        NEXT_ACTION,
    ),
    allowed={
        "Protocol-Version": (PROTOCOL_VERSION,),
        "Lifecycle-Status": LIFECYCLE_STATUSES,
        "Evidence-Class": EVIDENCE_CLASSES,
    },
    ordered=True,
)
TASK = Requirements(
    metadata=(
        "Protocol-Version",
        "Project-ID",
        "Task-ID",
        "Task-Status",
        "Created-At",
    ),
    sections=("Objective", "Scope", "Constraints", "Acceptance Criteria"),
    allowed={
        "Protocol-Version": (PROTOCOL_VERSION,),
        "Task-Status": TASK_STATUSES,
    },
    ordered=False,
)
REPORT = Requirements(
    metadata=(
        "Protocol-Version",
        "Project-ID",
        "Report-ID",
        "Task-ID",
        "Created-At",
        "Result",
    ),
    sections=("Summary", "Evidence", "Limitations"),
    allowed={
        "Protocol-Version": (PROTOCOL_VERSION,),
        "Result": REPORT_RESULTS,
    },
    ordered=False,
)


def is_corpus(folder: str) -> bool:
    """Say whether a folder, any text, is a corpus: it holds `.project-corpus`.

    A link in its place counts, for `validate` reports it.
    """
    mark = os.path.join(folder, HOME)  # noqa: PTH118 - these answer False for any text
    return os.path.isdir(mark) or os.path.islink(mark)  # noqa: PTH112, PTH114


def artifact_type(path: str) -> ArtifactType | None:
    """Say what kind of artifact a path is, or None when it is no artifact.

    Only Markdown below the four artifact folders is one, at any depth; everything
    else in a project is outside the corpus, whatever the policy's scopes allow.
    """
    home, _, rest = path.partition("/")
    folder, slash, name = rest.partition("/")
    if home != HOME or not slash or not is_markdown_name(name):
        return None
    return _TYPES.get(folder)


_TYPES: Mapping[str, ArtifactType] = {
    folder.rpartition("/")[2]: kind for kind, folder in FOLDERS.items()
}
