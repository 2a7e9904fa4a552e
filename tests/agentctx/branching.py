"""A repository of git's own making, with a store that learns in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.branches import standing_at
from agentctx.project import resolve_project
from agentctx.records.learning import learn_record
from agentctx.records.model import NewRecord
from agentctx.records.search import Filters, search_records
from agentctx.records.staged import branch_named, staging_of
from agentctx.team.settling import settle_project
from tests.gitrepos import Git
from tests.recorded import Ticking, store_at

if TYPE_CHECKING:
    from pathlib import Path

    from agentctx.branches import Standing
    from agentctx.project import Project
    from agentctx.records.model import Record
    from agentctx.records.staged import Branch
    from agentctx.team.settling import Settled

UTC, LOCAL = "Readings are stored in UTC", "Readings are stored in local time"
QUERY = "how are readings stored"


class Clone:
    """One repository, and the store of whoever works in it."""

    def __init__(self, folder: Path, clock: Ticking | None = None) -> None:
        self.home = folder / "agentctx-home"
        self.git = Git(folder)
        self.root = self.git.repository(folder / "weather")
        self.clock = clock or Ticking()
        self.store = store_at(self.home, self.clock)

    def close(self) -> None:
        self.store.close()

    def __call__(self, *words: str) -> str:
        """Run git in the repository."""
        return self.git(self.root, *words)

    def on(self, branch: str) -> Clone:
        """Begin a branch where HEAD is."""
        self("checkout", "-q", "-b", branch)
        return self

    def commits(self, name: str = "a.txt", text: str = "one\n") -> str:
        """Change a file and commit it."""
        (self.root / name).write_text(text, encoding="utf-8")
        self("add", "-A")
        self("commit", "-q", "-m", f"change {name}")
        return self("rev-parse", "HEAD")

    @property
    def project(self) -> Project:
        return resolve_project(self.root, environ=self.git.environ)

    def standing(self, folder: Path | None = None) -> Standing:
        environ = self.git.environ
        return standing_at(
            str(folder or self.root), home=str(self.home), environ=environ
        )

    def learns(
        self, title: str = UTC, *, supersedes: str | None = None, trust: str = "model"
    ) -> Record:
        """Learn something where HEAD is now."""
        new = NewRecord("decision", title, f"{title}.", "mcp_tool", trust=trust)
        return learn_record(
            self.store,
            self.project.project_id,
            new,
            where=self.standing(),
            supersedes=supersedes,
        ).record

    def finds(self, branch: str | None = None) -> set[str]:
        """Give the titles that a search finds where HEAD is, or on a branch."""
        project = self.project
        staging = staging_of(
            self.store.db, project.project_id, branch or project.branch
        )
        filters = Filters(staging=() if staging is None else (staging,))
        found = search_records(
            self.store, project.project_id, QUERY, filters=filters, limit=20
        )
        return {one.record.title for one in found.results}

    def settles(self) -> Settled:
        """Look at the branches as the worker does."""
        project = self.project
        return settle_project(
            self.store, project.project_id, str(self.root), self.git.environ
        )

    def branch(self, name: str) -> Branch:
        found = branch_named(self.store.db, self.project.project_id, name)
        assert found is not None
        return found
