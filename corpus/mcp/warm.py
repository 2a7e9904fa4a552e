"""The index of a server: made in memory, kept between calls, proved at every one.

Every source in scope is read and hashed at each call, so a view is never older than
the question. Only what it costs to parse is saved: the rows of a source whose hash is
the same are used again, and when nothing changed the whole view is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.errors import ContextLimitError, ProjectIdError
from corpus.index.build import make_rows
from corpus.soundness import live_rows
from corpus.view import Project, view_of

if TYPE_CHECKING:
    from corpus.doctor import Report
    from corpus.index.schema import Rows
    from corpus.view import View


class WarmView:
    """What a server remembers of the corpus; `key` is its own, told to nobody."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._view: View | None = None

    def of(self, project: Project) -> View:
        """Give a view of exactly these sources.

        Raises `ProjectIdError` and `ContextLimitError`.
        """
        view = self._view
        if view is None or not _same(view.project, project):
            rows, _ = make_rows(
                project.scan,
                self._rows(project),
                self._key,
                project_id=project.project_id,
                limits=project.limits,
            )
            view = self._view = view_of(project, rows, self._key)
        return view

    def diagnosis(self, project: Project) -> Report:
        """Diagnose these sources; that they cannot be indexed is a finding too."""
        from corpus.doctor import diagnose  # noqa: PLC0415 - only the doctor needs it

        try:
            return diagnose(project, self.of(project).rows)
        except (ContextLimitError, ProjectIdError):
            state = live_rows(project, self._key, self._rows(project))
            return diagnose(project, state.rows, state.findings)

    def _rows(self, project: Project) -> Rows | None:
        """Give rows to build upon: those of the same project, under the same key."""
        if self._view is None or self._view.project_id != project.project_id:
            return None
        return self._view.rows


def _same(known: Project, project: Project) -> bool:
    return (
        known.scan.snapshot == project.scan.snapshot
        and known.scan.skipped == project.scan.skipped
        and known.policy == project.policy
        and known.limits == project.limits
    )
