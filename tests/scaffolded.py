"""A valid corpus on disk, written by `init`, and the ways a test spoils it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus.confined.reader import open_root
from corpus.protocol.conformance import validate
from corpus.protocol.scaffold import create, make_order

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.findings import Finding
    from corpus.protocol.conformance import Validation

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
POLICY = ".project-corpus/policy.toml"
STATUS = ".project-corpus/state/STATUS.md"
TASK = ".project-corpus/tasks/task-0001-describe-the-software.md"
REPORT = ".project-corpus/reports/report-0001-corpus-created.md"
HISTORY = ".project-corpus/history/old-plan.md"


def scaffolded(root: Path) -> Project:
    """Write the software template into `root`, its STATUS citing its report."""
    order = make_order(
        root,
        project_id="weather-station",
        name="Weather Station",
        template="software",
        language="en",
    )
    create(root, order, now=NOW)
    project = Project(root)
    status = project.text(STATUS)
    before, heading, after = status.partition("## Evidence References\n")
    cited = after.replace("NONE", f"- {REPORT}", 1)
    project.write(STATUS, before + heading + cited)
    return project


class Project:
    """A valid corpus on disk, and the ways a test spoils it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, path: str, text: str) -> None:
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")

    def text(self, path: str) -> str:
        return (self.path / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.text(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def line_of(self, path: str, start: str) -> int:
        lines = self.text(path).splitlines()
        return next(n for n, line in enumerate(lines, 1) if line.startswith(start))

    def validation(self) -> Validation:
        with open_root(self.path) as opened:
            return validate(opened)

    def findings(self) -> list[tuple[str, str, int]]:
        return [(i.code, i.path, i.line) for i in self.validation().issues]

    def only(self) -> Finding:
        (issue,) = self.validation().issues
        return issue
