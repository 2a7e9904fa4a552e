"""One person of a team: a store, and the working tree with the team's file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.model import NewRecord, Replacement
from agentctx.records.read import by_id, current_records
from agentctx.records.write import add_record, supersede_record
from agentctx.team.exporting import export_context
from agentctx.team.importing import NOBODY, Consent, import_context
from agentctx.team.promoting import promote_record

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from agentctx.team.importing import Imported

PROJECT = "5" * 64
SEEN = Consent(seen=True)


class Person(NamedTuple):
    """What somebody does, on the records and on the file."""

    store: Store
    root: Path

    @property
    def file(self) -> Path:
        return self.root / ".agentctx" / "context.md"

    @property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    def says(
        self,
        title: str,
        body: str = "As measured at the border.",
        *,
        kind: str = "decision",
        trust: str = "developer",
        confidence: str = "explicit",
    ) -> Record:
        new = NewRecord(
            type=kind,
            title=title,
            body=body,
            source="cli" if trust == "developer" else "mcp_tool",
            trust=trust,
            confidence=confidence,
        )
        return add_record(self.store, PROJECT, new).record

    def corrects(self, record_id: str, body: str, trust: str = "developer") -> Record:
        new = Replacement(body=body, source="cli", trust=trust)
        return supersede_record(self.store, PROJECT, record_id, new).record

    def shares(self, title: str, body: str = "As measured.", **also: str) -> Record:
        record = self.says(title, body, **also)
        return promote_record(self.store, PROJECT, record.id).record

    def exports(self) -> str:
        export_context(self.store, PROJECT, str(self.root))
        return self.text

    def imports(self, consent: Consent = SEEN) -> Imported:
        return import_context(self.store, PROJECT, str(self.root), consent)

    def hears(self) -> Imported:
        """Import as the worker does, with nobody there."""
        return self.imports(NOBODY)

    def edits(self, old: str, new: str) -> None:
        """Change the file by hand."""
        text = self.text
        assert old in text
        self.file.write_text(text.replace(old, new), encoding="utf-8")

    def writes(self, text: str) -> None:
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text(text, encoding="utf-8")

    def knows(self) -> dict[str, Record]:
        """Give the current records by their titles."""
        return {one.title: one for one in current_records(self.store.db, PROJECT)}

    def record(self, record_id: str) -> Record:
        found = by_id(self.store.db, record_id)
        assert found is not None
        return found
