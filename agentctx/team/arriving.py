"""What teammates committed: noticed as a session begins, taken in behind it (A8.2).

Noticing reads one file and one row. Before anything was taken in, a session can be
told the file's first blocks: quoted, as a teammate's, and nothing that waits for a
person.
"""

from __future__ import annotations

from agentctx.errors import ForgetKeyError
from agentctx.records.model import GLOBAL
from agentctx.records.shared import last_arrival, list_shared
from agentctx.records.tombstones import has_tombstones, is_forgotten
from agentctx.team.place import read_context
from agentctx.team.refusals import ContextFileError, ContextVersionError
from corpus.checksum import sha256
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.project import Project
    from agentctx.records.store import Store
    from agentctx.team.blocks import Block
    from agentctx.team.importing import Imported

HEAD = "## What teammates wrote down"

MOST_READ = 32 * 1024
"""Bytes of the file that a session's start looks at for them."""

MOST_SHOWN = 20
"""Blocks that a session is told at most."""


def has_news(store: Store, root: str, project_id: str) -> bool:
    """Say whether the team's file differs from what was read of it last.

    A file that is not there, or that cannot be used, is no news.
    """
    try:
        content = read_context(root)
    except ContextFileError:
        return False
    if content is None:
        return False
    return last_arrival(store.db, project_id) != sha256(content).hexdigest()


def knows_nothing(store: Store, project_id: str) -> bool:
    """Say whether nothing of the team's file was ever taken in, or written to it."""
    if last_arrival(store.db, project_id) is not None:
        return False
    return not list_shared(store.db, project_id)


def take_news(store: Store, project: Project) -> Imported:
    """Take in what needs no person.

    Raises the errors of a file that cannot be used; nothing is changed then.
    """
    from agentctx.team.importing import (  # noqa: PLC0415 - a session's start has none
        import_context,
    )

    return import_context(store, project.project_id, project.main_folder)


def first_blocks(store: Store | None, project_id: str, root: str, tokens: int) -> str:
    """Give the file's first blocks as a teammate's evidence; empty without any.

    A file that cannot be used has none. A block that gives orders, or that says what
    was deleted here, is left out.
    """
    try:
        content = read_context(root)
    except ContextFileError:
        return ""
    if not content:
        return ""
    from agentctx.team.reading import (  # noqa: PLC0415 - where nothing is known yet
        parse_context,
    )

    try:
        blocks = parse_context(_beginning(content)).blocks
        wanted = _not_deleted(store, project_id, blocks[:MOST_SHOWN])
    except (ContextFileError, ContextVersionError, ForgetKeyError):
        return ""
    return _page(wanted, tokens)


def _not_deleted(
    store: Store | None, project_id: str, blocks: tuple[Block, ...]
) -> tuple[Block, ...]:
    """Leave out what a person deleted; `ForgetKeyError` where nobody can tell."""
    if store is None or not has_tombstones(store.db):
        return blocks
    return tuple(
        block
        for block in blocks
        if not any(
            is_forgotten(store, store.db, namespace, block.title, block.body)
            for namespace in (project_id, GLOBAL)
        )
    )


def _beginning(content: bytes) -> bytes:
    """Give the whole blocks that a file begins with: a session waits for no more."""
    if len(content) <= MOST_READ:
        return content
    return content[: content.rfind(b"\n### ", 0, MOST_READ) + 1]


def _page(blocks: tuple[Block, ...], tokens: int) -> str:
    from agentctx.records.card import INTRODUCTION  # noqa: PLC0415 - as above
    from corpus.tokens import injection_tokens  # noqa: PLC0415 - as above

    lines = [INTRODUCTION, HEAD]
    kept = list(lines)
    for text in _shown(blocks):
        if injection_tokens("\n".join([*kept, text])) > tokens:
            break
        kept.append(text)
    return "\n".join(kept) if len(kept) > len(lines) else ""


def _shown(blocks: tuple[Block, ...]) -> Iterator[str]:
    from agentctx.records.card import one_line, quoted  # noqa: PLC0415 - as above
    from agentctx.team.safety import gives_orders  # noqa: PLC0415 - as above

    for block in blocks:
        if gives_orders(block.title, block.body) is None:
            facts = f"{block.type}, teammate, unconfirmed"
            title = quoted(one_line(block.title))
            yield f"[{block.key}] {facts}\n{title}\n{quoted(block.body)}"
