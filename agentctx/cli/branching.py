"""What commands say of branches: where one stands, what waits, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.branches import Standing, standing_at
from agentctx.cli.sheet import row
from agentctx.config import environment, home
from agentctx.errors import BranchUnknownError, NotOnBranchError
from agentctx.records.joining import contests_of
from agentctx.records.learning import can_be_staged
from agentctx.records.staged import (
    branch_named,
    branches_of,
    counts_on,
    staging_of,
    stagings_of,
)
from agentctx.team.looking import have_moved
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.cli.opening import Opened
    from agentctx.project import Project
    from agentctx.records.joining import Contest
    from agentctx.records.model import NewRecord
    from agentctx.records.staged import Branch
    from corpus.sqlite import Db

EVERY, NONE = "all", "none"
"""Values of `--branch` that name no branch."""

WHY = {
    "main_line": "this is the main line",
    "detached": "no branch is checked out",
    "no_git": "this is no git repository",
    "unreadable": "its references are kept in a table that only git can read",
    "unknown": "it cannot be told which branch is the main line;"
    " `agentctx config set mainBranch NAME` says it",
    "off": "the setting `branchStaging` is false",
}
"""Why nothing is staged."""

STATES = {
    "open": "joins when the branch is merged",
    "gone": "the branch is gone, and git cannot tell whether it was merged",
    "unknown": "git could not be asked about it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waits on one branch; `contests` are the places that others have taken."""

    branch: Branch
    records: int
    contests: tuple[Contest, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give it as one JSON object."""
        return {
            "name": self.branch.name,
            "records": self.records,
            "state": self.branch.state,
            "checked_at": self.branch.checked_at,
            "contested": [one._asdict() for one in self.contests],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCard:
    """Where one stands, and what waits on the branches of the project.

    `moved` says that git has moved since they were looked at.
    """

    standing: Standing
    waiting: tuple[Waiting, ...] = ()
    moved: bool = False

    def as_json(self) -> dict[str, object]:
        """Give the card as one JSON object."""
        return {
            "staging": self.standing.branch,
            "why": self.standing.why,
            "main": self.standing.main,
            "waiting": [one.as_json() for one in self.waiting],
            "moved": self.moved,
        }


def standing_here(project: Project) -> Standing:
    """Say where one stands in a project."""
    return standing_at(project.folder, home=home(), environ=environment())


def branch_card(opened: Opened) -> BranchCard:
    """Look at what waits; files of git are read, and git is not started."""
    waiting = waiting_on(opened.store.db, opened.project_id)
    moved = bool(waiting) and have_moved(opened.store, opened.project, environment())
    standing = standing_here(opened.project)
    return BranchCard(standing=standing, waiting=waiting, moved=moved)


def waiting_on(db: Db, project_id: str) -> tuple[Waiting, ...]:
    """Give what waits, a branch at a time."""
    found = branches_of(db, project_id)
    counts = counts_on(db, [one.staging_id for one in found])
    return tuple(
        Waiting(
            branch=one, records=counts[one.staging_id], contests=contests_of(db, one)
        )
        for one in found
    )


def find_branch(db: Db, project_id: str, name: str) -> Branch:
    """Find the branch a person names; raises `BranchUnknownError`."""
    found = branch_named(db, project_id, name)
    if found is None:
        raise BranchUnknownError(branch=visible(name)[:80])
    return found


def staging_here(project: Project, new: NewRecord) -> Standing:
    """Say where to stage what a person wants staged; raises `NotOnBranchError`."""
    standing = standing_here(project)
    if standing.branch is None:
        raise NotOnBranchError(reason=WHY[standing.why])
    if not can_be_staged(new.type, new.scope):
        raise NotOnBranchError(reason="it is of no branch, but of the working place")
    return standing


def stagings_asked(opened: Opened, branch: str | None) -> tuple[str, ...]:
    """Give the namespaces of branches that a search is to look into."""
    db, project_id = opened.store.db, opened.project_id
    if branch == EVERY:
        return stagings_of(db, project_id)
    if branch == NONE:
        return ()
    if branch is None:
        found = staging_of(db, project_id, opened.project.branch)
        return () if found is None else (found,)
    return (find_branch(db, project_id, branch).staging_id,)


def branch_lines(value: BranchCard) -> Iterator[str]:
    """Draw the card: where one stands, then a branch a line with what to do."""
    standing = value.standing
    if standing.branch is not None:
        yield from row("branch", f"{visible(standing.branch)}: what is learned waits")
    elif value.waiting or standing.why in {"unknown", "unreadable", "off"}:
        yield from row("branch", f"nothing is staged: {WHY[standing.why]}")
    for one in value.waiting:
        yield from row("", _told(one))
        for hint in _hints(one):
            yield from row("", f"  {hint}")
    if value.moved:
        yield from row("", "git has moved; `agentctx branch status` looks at it now")


def _told(one: Waiting) -> str:
    name, records = visible(one.branch.name), counted(one.records, "record")
    return f"{name}: {records}; {STATES[one.branch.state]}"


def _hints(one: Waiting) -> Iterator[str]:
    name = visible(one.branch.name)
    if one.branch.state != "open":
        yield f"`agentctx branch join {name}`, or `agentctx branch drop {name}`"
    if one.contests:
        yield (
            f"{counted(len(one.contests), 'record')} would take a place that the main"
            f" line has given away: `agentctx branch join {name} --replace`, or drop it"
        )
