"""What became of a controlled write: hashes and names, never content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from corpus.refs import RelPath, Sha256

Phase = Literal["COMPLETE", "ROLLED_BACK", "NEEDS_OWNER"]


class Changed(NamedTuple):
    """One file of a write; `old_sha256` is None where there was none before."""

    path: RelPath
    old_sha256: Sha256 | None
    new_sha256: Sha256

    def as_json(self) -> dict[str, str | None]:
        """Give the change as one JSON object."""
        return {
            "path": self.path,
            "old_sha256": self.old_sha256,
            "new_sha256": self.new_sha256,
        }


class Outcome(NamedTuple):
    """How a transaction ended.

    `reason` says why it is not COMPLETE, or that a person decided. `kept` names the
    copies of what a person's decision replaced, in the project's folder of journals.
    """

    transaction_id: str
    phase: Phase
    changes: tuple[Changed, ...]
    audit_path: RelPath | None
    reason: str | None = None
    kept: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object, in the published runtime's words."""
        first = self.changes[0]
        return {
            "transaction_id": self.transaction_id,
            "phase": self.phase,
            "target": first.path,
            "sha256": first.new_sha256 if self.phase == "COMPLETE" else None,
            "audit_relative": self.audit_path,
            "reason": self.reason,
            "changes": [change.as_json() for change in self.changes],
            "kept": list(self.kept),
        }
