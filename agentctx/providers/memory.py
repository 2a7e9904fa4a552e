"""The items of a project's memory as sources of its corpus, `agentctx:memory/<id>`.

Only what holds for the project is given: what was discussed in one conversation, and
what applies to some files alone, is for those who are there.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentctx.config import environment, home
from agentctx.memory.hosted import OWNER
from agentctx.memory.items import items_by_id, superseded_items
from agentctx.memory.model import PROJECT_KINDS, ThreadId
from agentctx.memory.opening import open_memory
from agentctx.memory.recall import matching_items, policy_for
from agentctx.memory.store import RandomIds
from agentctx.memory.switch import memory_root, why_off
from agentctx.memory.verdict import Absent, judge
from agentctx.project import resolve_project
from agentctx.providers.stores import now, shown
from corpus.canonical import digest
from corpus.lexical import terms
from corpus.sources.provided import MEMORY, Provided
from corpus.sqlite import store_failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from agentctx.memory.model import Item, Origin
    from agentctx.memory.store import MemoryStore
    from corpus.canonical import Json
    from corpus.sources.provided import Place, Question

PREFIX = "agentctx:memory/"
NO_THREAD = ThreadId("thread_")
"""A corpus is in no conversation."""

CONFIDENCE: Mapping[Origin, str] = {
    "explicit": "explicit",
    "adopted_proposal": "adopted",
    "inferred_repetition": "inferred",
}


class MemoryProvider:
    """Gives active items, and superseded ones to a question about the past."""

    capability = MEMORY
    prefix = PREFIX

    def find(self, question: Question) -> Iterable[Provided]:
        """Give what may answer a question, the best first."""
        place, query, history, limit = question
        policy = policy_for("review", NO_THREAD, recall=0, mapped=0)
        with _memory_of(place.root) as store:
            if store is None:
                return []
            found = list(matching_items(store.db, policy, query))[:limit]
            if history:
                past = _about(superseded_items(store.db), query)
                found = [*found[: limit // 2], *past[: limit // 2]]
        return [source_of(item) for item in found]

    def named(self, place: Place, paths: Sequence[str]) -> Iterable[Provided]:
        """Give those of some items that memory has, superseded or not."""
        with _memory_of(place.root) as store:
            if store is None:
                return []
            ids = [path.removeprefix(PREFIX) for path in paths]
            found = items_by_id(store.db, ids)
        return [source_of(one) for one in found if one.meaning.kind in PROJECT_KINDS]


PROVIDER = MemoryProvider()
"""What the package registers."""


def source_of(item: Item) -> Provided:
    """Give an item as a source; its hash stands for what it says and is now."""
    said = item.meaning
    text = said.statement
    if said.content.strip() not in {"", said.statement.strip()}:
        text = f"{said.statement}\n\n{said.content}"
    successor = item.replaced_by_id
    return Provided(
        path=f"{PREFIX}{item.id}",
        kind="memory",
        sha256=digest(hashed_fields(item)),
        title=shown(said.subject),
        text=shown(text),
        confidence=CONFIDENCE[said.origin],
        valid_from=item.created_at,
        recorded_at=item.created_at,
        superseded=item.status != "active",
        superseded_by=None if successor is None else f"{PREFIX}{successor}",
        fact=item.logical_id,
    )


def hashed_fields(item: Item) -> dict[str, Json]:
    """Give what the hash of an item is taken of."""
    said = item.meaning
    return {
        "id": item.id,
        "kind": said.kind,
        "subject": said.subject,
        "statement": said.statement,
        "content": said.content,
        "strength": said.strength,
        "origin": said.origin,
        "recall_mode": said.recall_mode,
        "applies_to_paths": list(said.applies_to_paths),
        "pinned": item.pinned,
        "created_at": item.created_at,
        "status": item.status,
        "replaced_by_id": item.replaced_by_id,
    }


@contextmanager
def _memory_of(root: Path) -> Iterator[MemoryStore | None]:
    """Open the project's memory; None where there is none, or it is off.

    Raises the errors of `open_memory`, and those of what is read.
    """
    environ = environment()
    project = resolve_project(root, environ=environ)
    place = memory_root(project)
    off = why_off(place, home=home(environ), environ=environ)
    if off is not None or isinstance(judge(place), Absent):
        yield None
        return
    ids = RandomIds(os.urandom)
    store = open_memory(place, clock=now, ids=ids, owner=OWNER)
    try:
        with store_failures():
            yield store
    finally:
        store.close()


def _about(items: Iterable[Item], query: str) -> list[Item]:
    """Keep the items that hold a word of a query; what is superseded has no index."""
    asked = frozenset(terms(query))
    return [
        one
        for one in items
        if not one.meaning.applies_to_paths and not asked.isdisjoint(terms(_text(one)))
    ]


def _text(item: Item) -> str:
    said = item.meaning
    return f"{said.subject}\n{said.statement}\n{said.content}"
