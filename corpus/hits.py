"""One ranked passage, with its place, its standing and why it was chosen."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from corpus.sources.provided import RUNGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.sources.facts import Facts, Piece, Standing
    from corpus.sources.provided import Provided

FRESHNESS = "READ_PRIMARY_SOURCE_BEFORE_AUTHORITY_CLAIM"
PROVIDER = "markdown"
OPEN_TASKS = frozenset({"OPEN", "BLOCKED", "ACTIVE"})
PAST = frozenset({"historical", "superseded"})


class Hit(NamedTuple):
    """One ranked passage. `relevance` and `coverage` come before authority and time.

    `coverage` is the share of the query's rarity-weighted terms that stand in the
    passage or its headings, from 0 to 1. `provided` is the source of a provider; a
    passage of a file has none.
    """

    number: int
    item_id: str
    text: str
    piece: Piece
    facts: Facts
    standing: Standing
    section: str
    heading_path: tuple[str, ...]
    relevance: float
    coverage: float
    score: int
    reasons: tuple[str, ...]
    duplicates: int = 0
    conflicts: tuple[str, ...] = ()
    explain: Mapping[str, float] = MappingProxyType({})
    provided: Provided | None = None

    @property
    def past(self) -> bool:
        """Say whether the passage speaks of the past; open tasks do not."""
        return is_past(self.facts, self.standing)

    def as_json(self, project_id: str) -> dict[str, object]:
        """Give the result as the JSON object of a query or a bundle (P7.8)."""
        value: dict[str, object] = {
            "item_id": self.item_id,
            "project_id": project_id,
            "provider": self.provided.provider if self.provided else PROVIDER,
            "text": self.text,
            "source_path": self.facts.path,
            "source_sha256": self.facts.sha256,
            "source_type": self.facts.kind,
            "authority_class": self.standing.authority,
            "temporal_status": self.standing.temporal,
            "timestamp": self.facts.timestamp,
            "section": self.section,
            "heading_path": list(self.heading_path),
            "section_line": self.piece.headings[-1] if self.piece.headings else 0,
            "line_start": self.piece.first,
            "line_end": self.piece.last,
            "retrieval_score": self.score,
            "selection_reasons": list(self.reasons),
            "freshness_requirement": FRESHNESS,
            "non_authoritative": True,
        }
        if self.facts.task_status is not None:
            value["task_status"] = self.facts.task_status
        if self.duplicates:
            value["duplicates_suppressed"] = self.duplicates
        if self.conflicts:
            value["conflicts_with"] = list(self.conflicts)
        if self.explain:
            value["explain"] = dict(self.explain)
        if self.provided is not None:
            value["rung"] = RUNGS[self.provided.kind]
            value["confidence"] = self.provided.confidence
            value["recorded_at"] = self.provided.recorded_at
        return value


def item_id(path: str, number: int, sha256: str) -> str:
    """Name a passage by its source, its place and the source's version."""
    name = f"{path}\0{number}\0{sha256}".encode()
    return hashlib.sha256(name).hexdigest()[:20]


def is_past(facts: Facts, standing: Standing) -> bool:
    """Say whether a source is the past; a task still to be done is not."""
    if standing.temporal == "historical" and facts.kind == "task":
        return facts.task_status not in OPEN_TASKS
    return standing.temporal in PAST
