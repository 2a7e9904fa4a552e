"""What every tool call begins with: the root, and what is permitted at this moment.

Nothing is believed from an earlier call. The folder is opened, policy and grant are
read and the four layers intersected anew (P3.3), so what an owner takes back is gone
at the next call.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from corpus.authority import Limits
from corpus.confined.reader import open_root
from corpus.mandate import mandate_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from corpus.authority import Session
    from corpus.confined.reader import ConfinedRoot
    from corpus.mandate import Mandate
    from corpus.mcp.warm import WarmView
    from corpus.userdirs import UserDirs
    from corpus.view import Project, View

TRANSPORT = "stdio-mcp"
SERVING = "mcp.stdio"
"""Without this capability nothing is served."""

_KEY_BYTES = 32


class Place(NamedTuple):
    """Where a server stands: its project, its grant, its session, the world outside."""

    root: Path
    grant: Path
    session: Session
    dirs: UserDirs
    clock: Callable[[], datetime]
    random: Callable[[int], bytes]


class Visit(NamedTuple):
    """One call's hold on the project."""

    root: ConfinedRoot
    mandate: Mandate


class Desk:
    """Where tools are called, one at a time."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._warm: WarmView | None = None

    @contextmanager
    def visit(self, *capabilities: str) -> Iterator[Visit]:
        """Open the project for a call that needs these capabilities."""
        place = self.place
        with open_root(place.root) as opened:
            mandate = mandate_for(opened, place.root, place.grant, place.session)
            for capability in (SERVING, *capabilities):
                mandate.require(capability)
            yield Visit(opened, mandate)

    def permitted(self) -> frozenset[str]:
        """Give what this session may do now."""
        with self.visit() as visit:
            return visit.mandate.decision.effective

    def project(self, capability: str) -> Project:
        """Read every source in scope for a call that needs `capability`."""
        with self.visit(capability) as visit:
            return self._scanned(visit)

    def _scanned(self, visit: Visit) -> Project:
        from corpus.sources.scan import scan_sources  # noqa: PLC0415 - after the start
        from corpus.view import Project  # noqa: PLC0415 - after the start

        policy = visit.mandate.policy
        limits = visit.mandate.grant.limits or Limits()
        scan = scan_sources(visit.root, policy, limits)
        return Project(path=self.place.root, policy=policy, limits=limits, scan=scan)

    def view(self) -> View:
        """Give the corpus as it is now, indexed in memory, and its providers."""
        from corpus.provision import Provision, leave_by_mandate  # noqa: PLC0415 - same

        with self.visit("corpus.context") as visit:
            leave = leave_by_mandate(visit.mandate)
            project = self._scanned(visit)
        provision = Provision(project.path, leave)
        return self.warm().of(project)._replace(provision=provision)

    def warm(self) -> WarmView:
        """Give what is remembered between calls."""
        from corpus.mcp.warm import WarmView  # noqa: PLC0415 - parses Markdown

        if self._warm is None:
            self._warm = WarmView(self.place.random(_KEY_BYTES))
        return self._warm
