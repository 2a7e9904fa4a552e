"""The next step after a failure, in words for an agent.

An agent has the tools and nothing else. So a hint names a tool to call or an argument
to correct; where only a person can act it says so. It names no command and no page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.protocol.layout import REPORT, STATUS, TASK, artifact_type
from corpus.refusals import (
    ArtifactConformanceError,
    CapabilityDeniedError,
    StateConformanceError,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from corpus.errors import CodedError
    from corpus.protocol.layout import Requirements

_OWNER = "ask the project's owner"
_POLICY = f"policy.toml cannot be used; {_OWNER} to repair it"
_GRANT = f"the owner's grant cannot be used; {_OWNER} to look at it"
_SYSTEM = f"{_OWNER} to see what the system lacks; reading goes on"

_HINTS: Mapping[str, str] = {
    "USAGE": "ask without `lines`, or for lines that the source has",
    "BUG": f"this is a defect of the server; go on without this call, and {_OWNER} to"
    " report it",
    "ROOT_NOT_FOUND": f"the project's folder is gone; {_OWNER}",
    "CONTEXT_SCOPE": f"{_OWNER} to restore the file and to let the policy's read scope"
    " cover it",
    "CONTEXT_PROJECT_ID": f"{_OWNER}: policy.toml and PROJECT.md have to state the same"
    " Project-ID",
    "ARTIFACT_NOT_FOUND": "list what there is with corpus.timeline",
    **dict.fromkeys(
        (
            "POLICY_MISSING",
            "POLICY_PARSE",
            "POLICY_SCHEMA",
            "POLICY_UNKNOWN_KEY",
            "POLICY_VERSION",
            "POLICY_PROJECT_ID",
            "POLICY_PROFILE",
            "POLICY_CAPABILITY",
            "POLICY_PROFILE_CAPABILITY",
            "POLICY_WRITE_REQUIREMENTS",
        ),
        _POLICY,
    ),
    "CONTEXT_LIMIT": f"{_OWNER} to move old material out of scope, or to raise the"
    " limit in the grant",
    "CANDIDATE_SCHEMA": "give the fields that the input schema of"
    " corpus.candidate_validate names, and no others",
    "CANDIDATE_PROJECT": "write this project's id into `project_id`",
    "CANDIDATE_EVIDENCE": "cite a source in scope by its current hash and a line that"
    " has text; corpus.show gives both",
    "TRUST_MISSING": f"nothing is granted here; {_OWNER} to grant access",
    **dict.fromkeys(
        (
            "TRUST_UNSAFE",
            "TRUST_PARSE",
            "TRUST_SCHEMA",
            "TRUST_VERSION",
            "TRUST_PROJECT",
        ),
        _GRANT,
    ),
    "TRUST_LIMITS": f"the limits in the owner's grant cannot be used; {_OWNER}",
    "FILESYSTEM_UNQUALIFIED": "nothing can be written where the project lies; reading"
    f" goes on; {_OWNER} to keep it on a local file system",
    "WRITE_SCOPE_DENIED": f"{_OWNER} to let the policy's write scope cover it",
    "READ_SCOPE_DENIED": "name a file that the policy lets be read; corpus.timeline"
    " lists the sources",
    "FILE_UNREADABLE": "name a plain UTF-8 file of the project; corpus.timeline lists"
    " the sources",
    "EXPECTED_HASH": "give the SHA-256 of the file you read; corpus.stat gives it",
    "STALE_HASH": "read it again, make the change again on what it says now, then call"
    " again with its new SHA-256",
    "TARGET_MISSING": "check the id; list what there is with corpus.timeline",
    "TARGET_UNUSABLE": f"{_OWNER} to make it, and the folder it lies in, a plain file"
    " and folder again",
    "AMENDMENT_IMPOSSIBLE": "give the whole new text of STATUS with state.update; the"
    f" metadata of a task only a person can repair: {_OWNER}",
    "TASK_STATUS": "task.activate takes a task that is OPEN or BLOCKED, task.close one"
    " that has not ended",
    "WRITE_LOCK": f"call again a little later; if it goes on, {_OWNER}",
    "RUNTIME_STATE": _SYSTEM,
    "JOURNAL_UNREADABLE": "an interrupted write has to be looked at by a person;"
    f" {_OWNER}; reading goes on",
    "WRITE_FAILED": _SYSTEM,
    "WRITE_UNSETTLED": _SYSTEM,
    "READBACK_VERIFY": f"something else writes this file, or the disk fails; {_OWNER}",
    "NEEDS_OWNER": "nothing can be written before a person has run recover; reading"
    f" goes on; {_OWNER}",
    "AUDIT_CONFLICT": f"another receipt is in the way; {_OWNER} to look at it",
    "TRANSACTION_ID": "give the id that a write answered",
    "TRANSACTION_UNKNOWN": "give the id that a write answered; its receipt can be read"
    " where the policy's read scope covers the audit folder",
}
_LAYERS: Mapping[str, str] = {
    "RUNTIME_HARD_LIMIT": "this server does not do that",
    "PROJECT_POLICY_LIMIT": "the project's policy does not offer it",
    "OWNER_GRANT_LIMIT": "the owner's grant does not hold it",
    "SESSION_LIMIT": "this server was started without it",
    "POLICY_DRIFT": "the policy changed and waits for its owner's approval",
    "ROOT_IDENTITY_MISMATCH": "this is not the folder that was granted",
    "TRANSPORT_NOT_GRANTED": "the grant is not for this way of access",
    "PROJECT_ID_MISMATCH": "the grant is for another project",
}


def hint_for(error: CodedError) -> str:
    """Give the next step after a failure; the error's own hint where that fits."""
    if isinstance(error, CapabilityDeniedError):
        reasons = str(error.facts["reasons"]).split(", ")
        return f"{withheld_by(reasons)}; {_OWNER}"
    if isinstance(error, StateConformanceError):
        return f"{_needed('STATUS', STATUS)}; nothing was written"
    if isinstance(error, ArtifactConformanceError):
        what, needs = _kind(str(error.facts["path"]))
        return f"{_needed(what, needs)}; nothing was written"
    return _HINTS.get(error.code, error.hint)


def withheld_by(reasons: Collection[str]) -> str:
    """Say in words who withholds something, the policy before the grant."""
    return "; ".join(told for one, told in _LAYERS.items() if one in reasons)


def _kind(path: str) -> tuple[str, Requirements]:
    return ("a report", REPORT) if artifact_type(path) == "report" else ("a task", TASK)


def _needed(what: str, needs: Requirements) -> str:
    """Say on one line which metadata and which sections an artifact must carry."""
    keys = [
        f"{key} ({' or '.join(needs.allowed[key])})" if key in needs.allowed else key
        for key in needs.metadata
    ]
    sections = ", ".join(f"`## {name}`" for name in needs.sections)
    order = ", in this order" if needs.ordered else ""
    return (
        f"{what} needs the metadata lines {', '.join(keys)}"
        f" and the sections {sections}{order}"
    )
