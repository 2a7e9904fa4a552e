"""How things stand between a project's records and its team's file (A8.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.records.arrived import records_called
from agentctx.records.read import head_of
from agentctx.records.shared import list_shared
from agentctx.team.arriving import has_news
from agentctx.team.blocks import text_sha256
from agentctx.team.importing import Imported, preview_context
from agentctx.team.place import context_path

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.shared import Shared
    from agentctx.records.store import Store

STATES = ("shared", "to export", "to remove", "unconfirmed", "ended", "held", "yours")
"""What may be said of a block: it is as the file says; the next export writes it, or
removes it; its newest version waits for `promote`; its record has ended here; its text
waits for a person; you hold another version of a teammate's."""


class Standing(NamedTuple):
    """One known block: the record that says it, whose it is, and how it stands."""

    block: str
    record: str | None
    title: str
    origin: str
    state: str


class TeamStatus(NamedTuple):
    """Everything about one project's team. `pending` is what importing would do.

    `driver` says whether git merges the file by blocks here.
    """

    path: str
    news: bool
    driver: bool
    blocks: tuple[Standing, ...]
    pending: Imported

    def as_json(self) -> dict[str, object]:
        """Give the status as one JSON object."""
        return {
            "path": self.path,
            "news": self.news,
            "merge_driver": self.driver,
            "blocks": [one._asdict() for one in self.blocks],
            "pending": self.pending.as_json(),
        }


def team_status(
    store: Store, project_id: str, root: str, *, driver: bool
) -> TeamStatus:
    """Look at both sides; nothing is changed. Raises the errors of the file."""
    pending = preview_context(store, project_id, root)
    known = list_shared(store.db, project_id)
    ids = (one.record_id for one in known.values())
    records = records_called(store.db, (one for one in ids if one))
    return TeamStatus(
        path=context_path(root),
        news=has_news(store, root, project_id),
        driver=driver,
        blocks=tuple(
            _standing(store, one, records.get(one.record_id or ""))
            for one in known.values()
        ),
        pending=pending,
    )


def _standing(store: Store, one: Shared, record: Record | None) -> Standing:
    head = None if record is None else head_of(store.db, record)
    shown = head or record
    return Standing(
        one.block,
        None if shown is None else shown.id,
        "" if shown is None else shown.title,
        one.origin,
        _state(one, record, head),
    )


def _state(one: Shared, record: Record | None, head: Record | None) -> str:
    if one.origin == "withdrawn":
        return "to remove"
    if one.held:
        return "held"
    if record is None or head is None or not head.current:
        return "ended" if one.origin == "imported" else "to remove"
    if one.origin == "promoted" and not head.by_person:
        return "unconfirmed"
    if one.sha256 != text_sha256(head.title, head.body):
        return "yours" if one.origin == "imported" else "to export"
    return "shared"
