"""A session's digest as it is on a branch: what is staged there comes first (A8.6).

The branch has a digest of its own, made beforehand as the project's is. What it has
others in place of is not told there.
"""

from __future__ import annotations

from agentctx.briefing.digest import read_digest
from agentctx.records.staged import hidden_on, staging_of, waiting_on
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from agentctx.briefing.digest import Block, Digest
    from agentctx.records.store import Store


def on_branch(store: Store, digest: Digest | None, branch: str | None) -> Digest | None:
    """Give a project's digest as it is on a branch; as it is where nothing is staged.

    Raises the errors of a database that cannot be read.
    """
    if digest is None:
        return None
    staging = staging_of(store.db, digest.project_id, branch)
    if staging is None:
        return digest
    hidden = hidden_on(store.db, staging)
    own = read_digest(store.home, staging)
    waiting = waiting_on(store.db, staging)  # what has joined is told as such
    first = tuple(
        one
        for one in (() if own is None else own.decisions)
        if one.record_id in waiting
    )

    def left(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        return tuple(one for one in blocks if one.record_id not in hidden)

    return digest._replace(decisions=(*first, *left(digest.decisions)))
