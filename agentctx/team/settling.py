"""What was staged on branches joins the main line with them, as git tells (A8.6).

A branch is merged when the main line has its commit, or commits that change the same.
What was learned joins then, if commits came after it or it stood on commits that the
main line did not have: a branch that was only begun is no merged one. Where a branch is
gone and nobody can tell, nothing joins and nothing is dropped: a person says which.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from agentctx.clock import stamp
from agentctx.project import resolve_project
from agentctx.records.joining import Joined, Proof, join_branch
from agentctx.records.namespaces import known_places
from agentctx.records.staged import (
    branches_of,
    note_ahead,
    note_checked,
    note_renamed,
    projects_staging,
)
from agentctx.team.ancestry import History
from agentctx.team.looking import Look, look_at, seen_now
from agentctx.team.reflogs import made_on
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.records.staged import Branch
    from agentctx.records.store import Store
    from agentctx.repository import Repository


class Settled(NamedTuple):
    """What became of the branches of some projects."""

    joined: int = 0
    contested: int = 0

    def plus(self, joined: Joined) -> Settled:
        """Add what one branch brought."""
        return Settled(
            self.joined + len(joined.joined) + len(joined.same),
            self.contested + len(joined.contested),
        )


def settle_branches(store: Store, environ: Mapping[str, str]) -> Settled:
    """Let what waits join, in every project whose place is known."""
    done = Settled()
    with store_failures():
        waiting = projects_staging(store.db)
        places = known_places(store.db) if waiting else {}
    for project_id in waiting:
        root = places.get(project_id)
        if root is not None:
            done = settle_project(store, project_id, root, environ, done)
    return done


def settle_project(
    store: Store,
    project_id: str,
    root: str,
    environ: Mapping[str, str],
    done: Settled | None = None,
) -> Settled:
    """Let what waits on the branches of one project join, as far as git tells."""
    settled = Settled() if done is None else done
    look, history = Look(), None
    if _is_there(project_id, root, environ):
        look = look_at(root, home=store.home, environ=environ)
    if look.repository is not None:
        history = History(look.repository, environ)
    with store_failures():
        found = branches_of(store.db, project_id)
    for branch in found:
        settled = settled.plus(_settle(store, branch, look, history))
    return settled


def _is_there(project_id: str, root: str, environ: Mapping[str, str]) -> bool:
    """Say whether the project still lies at a place."""
    if not os.path.isdir(root):  # noqa: PTH112 - any text
        return False
    return resolve_project(Path(root), environ=environ).project_id == project_id


def _settle(
    store: Store, branch: Branch, look: Look, history: History | None
) -> Joined:
    """Look at one branch; let join what the main line is shown to have."""
    name, tips, seen = seen_now(branch, look)
    if look.repository is None or history is None or not seen:
        if branch.state != "unknown":
            _note(store, branch._replace(state="unknown", seen=""))
        return Joined()
    if seen == branch.seen:
        return Joined()
    if name == look.main:
        return join_branch(store, branch)
    if name != branch.name:
        with store_failures(), store.writing() as tx:
            note_renamed(tx, branch, name)
    joined = Joined()
    proof = _proof(branch, look.repository, history, look.mains)
    if proof != Proof():
        joined = join_branch(store, branch, proof)
    verdict = history.verdict(tips[0], look.mains) if tips else "unknown"
    if verdict == "ahead":
        branch = branch._replace(ahead_tip=tips[0])
    state = "open" if tips else "gone"
    again = bool(tips) and verdict == "unknown"
    branch = branch._replace(
        tip=tips[0] if tips else branch.tip,
        seen="" if again else seen,
        state="unknown" if again else state,
    )
    _note(store, branch, ahead=verdict == "ahead")
    return joined


def _proof(
    branch: Branch, repository: Repository, history: History, mains: tuple[str, ...]
) -> Proof:
    """Say what the main line is shown to have of what was learned on a branch."""

    def has(commit: str) -> bool:
        return history.verdict(commit, mains) in {"inside", "equal"}

    ahead = branch.ahead_tip is not None and has(branch.ahead_tip)
    made = made_on(repository, branch.name)
    before = ""
    if made and has(made[-1].commit):
        before = stamp(datetime.fromtimestamp(made[-1].at, UTC))
    return Proof(ahead=ahead, before=before)


def _note(store: Store, branch: Branch, *, ahead: bool = False) -> None:
    with store_failures(), store.writing() as tx:
        if ahead:
            note_ahead(tx, branch.staging_id)
        note_checked(tx, branch, now=store.clock())
