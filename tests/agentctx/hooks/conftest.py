"""A client of hooks in a project, beside a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agentctx.briefing.making import Facts, refresh_digest
from agentctx.project import resolve_project
from agentctx.records.model import NewRecord
from agentctx.records.write import add_record
from tests.agentctx.hooked import Client

if TYPE_CHECKING:
    from agentctx.records.model import Record
    from agentctx.records.store import Store
    from tests.recorded import Ticking


class Desk:
    """The store that a client's hooks read, and its project."""

    def __init__(self, store: Store, cwd: Path) -> None:
        self.store = store
        self.project = resolve_project(cwd, environ={})

    def keep(self, title: str, body: str = "", **more: object) -> Record:
        """Record a fact of the project, and make its digest anew."""
        values = {"type": "decision", "source": "cli", **more}
        new = NewRecord(title=title, body=body or f"{title}.", **values)  # type: ignore[arg-type]
        record = add_record(self.store, self.project.project_id, new).record
        self.refresh()
        return record

    def refresh(self, **more: int) -> None:
        """Make the digest anew."""
        refresh_digest(self.store, Facts(self.project, **more))


@pytest.fixture
def client(store: Store, project: Path, clock: Ticking) -> Client:
    """Give a client in the project."""
    return Client(Path(store.home), project, clock)


@pytest.fixture
def desk(store: Store, project: Path) -> Desk:
    """Give the store with the project."""
    return Desk(store, project)
