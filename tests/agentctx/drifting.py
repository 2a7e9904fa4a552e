"""A project with instructions and records that may differ, and what is found of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.drift.report import scan
from agentctx.project import resolve_project
from agentctx.records.write import add_record, supersede_record
from tests.agentctx.facts import fact

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.drift.report import Report
    from agentctx.records.model import Record, Replacement
    from agentctx.records.store import Store


class Place:
    """A project's folder, a home beside it, and a store with its records."""

    def __init__(self, root: Path, home: Path, store: Store) -> None:
        self.root, self.home, self.store = root, home, store
        self.environ = {"HOME": str(home)}
        self.project = resolve_project(root, environ={})

    @property
    def project_id(self) -> str:
        return self.project.project_id

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(content)
        return path

    def decide(self, title: str, body: str = "", **more: object) -> Record:
        new = fact(title, body or "It was agreed.", **more)
        return add_record(self.store, self.project_id, new).record

    def replace(self, old: Record, new: Replacement) -> Record:
        return supersede_record(self.store, self.project_id, old.id, new).record

    def report(self, directory: Path | None = None) -> Report:
        return scan(self.store, self.project, self.environ, directory=directory)


def missing(report: Report) -> list[str]:
    return [one.record_id for one in report.missing]


def stale(report: Report) -> list[tuple[str, int, str, str]]:
    return [
        (one.file, one.first_line, one.superseded_id, one.record_id)
        for one in report.contradicted
    ]


def codes(report: Report) -> dict[str, str]:
    return {one.code: one.path for one in report.findings}
