"""A memory with turns of a client's sessions, and a server that answers in them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from agentctx.mcp.memorydesk import MemoryDesk
from agentctx.mcp.memoryserver import OFFER
from agentctx.mcp.offer import serving
from agentctx.mcp.whereabouts import Place
from agentctx.memory.hosted import OWNER, Begun, Prompt, begin
from agentctx.memory.threads import active_thread
from corpus.mcp.host import make_server
from corpus.sqlite import transaction
from tests.agentctx.memory.memories import memory_at
from tests.agentctx.memory.recalled import store_item, store_source
from tests.mcp.serving import met, said
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mcp.client.client import Client
    from mcp.types import CallToolResult, ListToolsResult

    from agentctx.memory.model import Item
    from agentctx.memory.store import MemoryStore
    from corpus.mcp.host import Results
    from tests.mcp.serving import Said

SESSION, OTHER, THIRD = "window-one", "window-two", "window-three"
MAP_TOKENS = 600


def clients_memory(project: Path, clock: Ticking) -> MemoryStore:
    """Open a project's memory as the hooks of a client do."""
    return memory_at(project, clock, owner=OWNER)


def remember(store: MemoryStore, items: Iterable[Item]) -> None:
    """Let items be there; a discussion belongs to the active thread."""
    thread = active_thread(store.db)
    with transaction(store.db) as tx:
        for one in items:
            talk = one.meaning.kind == "discussion_context"
            store_item(tx, one._replace(thread_id=thread if talk else None))


def quoted(store: MemoryStore, one: Item, quote: str) -> None:
    """Let an item stand on words that were said in the active thread."""
    thread = active_thread(store.db)
    (last,) = store.db.execute("SELECT max(sequence) FROM turns").fetchone()
    with transaction(store.db) as tx:
        store_source(tx, one, 1 + (last or 0), quote, thread=thread)


def prompt(
    store: MemoryStore,
    text: str = "",
    session: str = SESSION,
    *paths: str,
    map_tokens: int = 0,
) -> Begun:
    """Keep a prompt, as its hook does; without a Map if nothing is said."""
    with store.writing() as writing:
        return begin(writing, Prompt(session, text, paths=paths, map_tokens=map_tokens))


def memory_desk(
    home: Path,
    project: Path,
    clock: Ticking | None = None,
    session: str | None = SESSION,
    **environ: str,
) -> MemoryDesk:
    """Give the desk of a server that is started for a session."""
    environment = {
        "HOME": str(home),
        "CLAUDE_PROJECT_DIR": str(project),
        "AGENTCTX_HOME": str(home),
        **environ,
    }
    place = Place(str(home), environment, clock or Ticking(), os.urandom)
    return MemoryDesk(place, session)


def call(
    desk: MemoryDesk,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    era: str = "legacy",
    results: Results = "structured",
) -> Said:
    """Call one tool."""

    async def act(client: Client) -> CallToolResult:
        return await client.call_tool(tool, dict(arguments))

    return said(met(make_server(serving(OFFER, desk), results), act, era=era))


def look(desk: MemoryDesk, query: str, **options: Any) -> Said:  # noqa: ANN401 - of `call`
    """Search."""
    return call(desk, "memory_search", {"query": query}, **options)


def read(desk: MemoryDesk, item_id: str, **options: Any) -> Said:  # noqa: ANN401 - of `call`
    """Read an item."""
    return call(desk, "memory_read", {"id": item_id}, **options)


def found(desk: MemoryDesk, query: str) -> list[str]:
    """Search, and give the ids."""
    answer = look(desk, query)
    assert not answer.failed, answer
    assert "degraded" not in answer.value, answer
    return [one["id"] for one in answer.value["results"]]


def listed(desk: MemoryDesk, *, era: str, results: Results) -> ListToolsResult:
    """List the tools."""

    async def act(client: Client) -> ListToolsResult:
        return await client.list_tools()

    answer: ListToolsResult = met(
        make_server(serving(OFFER, desk), results), act, era=era
    )
    return answer
