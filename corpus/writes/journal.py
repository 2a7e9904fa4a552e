"""The journal of one write: what it replaces by what, known before it begins.

It holds names and hashes, never content. What has happened already is not written
down: the files themselves say it, by their hashes.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from corpus.canonical import canonical_json, sha256
from corpus.refs import ProjectId, RelPath, Sha256, is_id, is_sha256, name_problem
from corpus.refusals import JournalError
from corpus.writes.outcome import Changed

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "project-corpus-journal-v1"
JOURNAL_BYTES = 1024 * 1024
MOST_CHANGES = 8
KEPT = ".kept"
"""How the copies end that outlive their write."""

State = Literal["PENDING", "NEEDS_OWNER", "RESOLVING"]
Choice = Literal["old", "new", "current"]

_TRANSACTION = re.compile(r"[0-9a-f]{32}")
_STAGE = re.compile(r"\..+\.[0-9a-f]{16}\.stage")


class Planned(NamedTuple):
    """One file that a write changes.

    `old_sha256` is None for a file to be created. `stage` is the name of the new
    content beside the target, until both exchange their names.
    """

    path: RelPath
    old_sha256: Sha256 | None
    old_identity: str | None
    new_sha256: Sha256
    stage: str

    @property
    def folder(self) -> RelPath:
        """The folder of the target and of its stage."""
        return RelPath(self.path.rpartition("/")[0])

    @property
    def name(self) -> str:
        """The target's name in its folder."""
        return self.path.rpartition("/")[2]

    def changed(self) -> Changed:
        """Say what changes, without where it was prepared."""
        return Changed(self.path, self.old_sha256, self.new_sha256)


class Journal(NamedTuple):
    """A write that has begun and is not ended.

    `choice` is what a person decided when `state` is RESOLVING; `reason` why a person
    has to, when it is NEEDS_OWNER.
    """

    transaction_id: str
    project_id: ProjectId
    root_identity: str
    capabilities: tuple[str, ...]
    started_at: str
    changes: tuple[Planned, ...]
    state: State = "PENDING"
    reason: str | None = None
    choice: Choice | None = None

    def backup_name(self, number: int) -> str:
        """Name the copy of what the file at `number` held before."""
        return f"{self.transaction_id}-{number}.old"

    def new_name(self, number: int) -> str:
        """Name the copy of what the file at `number` was to hold."""
        return f"{self.transaction_id}-{number}.new"

    def kept_name(self, number: int, content: bytes) -> str:
        """Name the copy of what nobody expected where the file at `number` was.

        Each content has a name of its own, so that no copy takes another one's place.
        """
        return f"{self.transaction_id}-{number}-{sha256(content)[:16]}{KEPT}"

    def to_bytes(self) -> bytes:
        """Write the journal as `from_bytes` reads it."""
        value = {
            "format": FORMAT,
            **self._asdict(),
            "capabilities": list(self.capabilities),
            "changes": [dict(change._asdict()) for change in self.changes],
        }
        return canonical_json(value)


def read_journal(content: bytes) -> Journal:
    """Read what `to_bytes` wrote; anything else is `JournalError`."""
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise JournalError(reason="it is not JSON") from None
    if not isinstance(value, dict) or value.pop("format", None) != FORMAT:
        raise JournalError(reason="it has another format")
    if set(value) != set(Journal._fields):
        raise JournalError(reason="its fields are not the known ones")
    journal = Journal(
        transaction_id=_text(value, "transaction_id"),
        project_id=ProjectId(_text(value, "project_id")),
        root_identity=_text(value, "root_identity"),
        capabilities=tuple(_texts(value, "capabilities")),
        started_at=_text(value, "started_at"),
        changes=_changes(value["changes"]),
        state=_state(value["state"]),
        reason=_optional(value, "reason"),
        choice=_choice(value["choice"]),
    )
    if not _TRANSACTION.fullmatch(journal.transaction_id):
        raise JournalError(reason="its transaction id is none")
    if not is_id(journal.project_id):
        raise JournalError(reason="its project id is none")
    if (journal.state == "RESOLVING") != (journal.choice is not None):
        raise JournalError(reason="its state and its choice do not go together")
    return journal


def _changes(value: object) -> tuple[Planned, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_CHANGES:
        raise JournalError(reason="its changes are not a short list")
    return tuple(map(_planned, value))


def _planned(value: object) -> Planned:
    if not isinstance(value, dict) or set(value) != set(Planned._fields):
        raise JournalError(reason="a change has other fields")
    path, stage = _text(value, "path"), _text(value, "stage")
    old, new = _optional(value, "old_sha256"), _text(value, "new_sha256")
    if any(name_problem(part) for part in path.split("/")):
        raise JournalError(reason="a change names no portable path")
    if not _STAGE.fullmatch(stage) or name_problem(stage):
        raise JournalError(reason="a change names no stage")
    if not is_sha256(new) or (old is not None and not is_sha256(old)):
        raise JournalError(reason="a change has no hash")
    return Planned(
        path=RelPath(path),
        old_sha256=None if old is None else Sha256(old),
        old_identity=_optional(value, "old_identity"),
        new_sha256=Sha256(new),
        stage=stage,
    )


def _state(value: object) -> State:
    for state in get_args(State):
        if value == state:
            known: State = state
            return known
    raise JournalError(reason="its state is unknown")


def _choice(value: object) -> Choice | None:
    for choice in get_args(Choice):
        if value == choice:
            known: Choice = choice
            return known
    if value is not None:
        raise JournalError(reason="its choice is unknown")
    return None


def _text(table: Mapping[str, object], field: str) -> str:
    value = table[field]
    if not isinstance(value, str) or not value:
        raise JournalError(reason=f"`{field}` is not a text")
    return value


def _optional(table: Mapping[str, object], field: str) -> str | None:
    return None if table[field] is None else _text(table, field)


def _texts(table: Mapping[str, object], field: str) -> list[str]:
    value = table[field]
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise JournalError(reason=f"`{field}` is not a list of texts")
    return value
