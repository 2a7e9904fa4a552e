"""The two tools of memory, which read alone; there is no third (A5.4, M7.1).

Neither has an argument that names a session, a profile, a path or a file: all of that
is fixed when the prompt is kept (H3). What was said before is given as quoted
evidence, in the frame that every other way of showing it has (M7.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentctx.mcp.memorydesk import DEGRADED
from agentctx.mcp.offer import Tool
from agentctx.mcp.schemas import LONGEST_QUERY
from agentctx.memory import recall
from agentctx.memory.clipping import api_tokens
from agentctx.memory.model import ItemId
from agentctx.memory.pools import search_key
from corpus.mcp.offer import READS, Answer, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.mcp.memorydesk import MemoryDesk
    from agentctx.mcp.schemas import Schema
    from agentctx.memory.mapping import Detail
    from agentctx.memory.pools import RequestState
    from agentctx.memory.store import MemoryStore

    Arguments = Mapping[str, Any]
    Found = tuple[RequestState, recall.Answer]
    Shown = tuple[RequestState, Detail]

BOUNDED = frozenset({"id"})
"""What is refused in the same words whatever is wrong with it (C8)."""

LONGEST_ID = 80


def memory_search(desk: MemoryDesk, asked: Arguments) -> Answer:
    """Find items by words, within what the prompt at hand may see (M6.4)."""
    text = asked["query"]
    search_key(text)  # what holds no word is refused, whatever memory is like

    def step(store: MemoryStore, state: RequestState) -> Found:
        return recall.search(store.db, state, text, api_tokens)

    try:
        found = desk.ask(step)
    except DEGRADED as error:
        told = {"degraded": error.code, "hint": error.hint}
        line = f"0 results, degraded: {error.code}; {error.hint}"
        return Answer({"results": [], "text": "", **told}, line)
    results = [
        {"id": hit.id, "kind": hit.kind, "match_type": hit.match_type}
        for hit in found.hits
    ]
    value: dict[str, Any] = {"results": results, "text": found.text}
    return Answer(value, counted(len(results), "result"))


def memory_read(desk: MemoryDesk, asked: Arguments) -> Answer:
    """Give an item that the prompt at hand was shown, and its words (M6.5)."""
    item_id = ItemId(asked["id"].strip())

    def step(store: MemoryStore, state: RequestState) -> Shown:
        return recall.read(store.db, state, item_id, api_tokens)

    detail = desk.ask(step)
    return Answer({"id": detail.id, "text": detail.text}, "1 item, quoted as evidence")


def _takes(name: str, description: str, longest: int) -> Schema:
    wanted = {"type": "string", "description": description, "maxLength": longest}
    return {
        "type": "object",
        "properties": {name: wanted},
        "required": [name],
        "additionalProperties": False,
    }


_TEXT: Schema = {"type": "string"}

TOOLS: tuple[Tool[MemoryDesk], ...] = (
    Tool(
        "memory_search",
        "Search memory",
        "Search what was preferred, decided and discussed in earlier conversations on"
        " this project. Gives at most 8 summaries; read one whole with memory_read.",
        _takes("query", "A few words of what it is about", LONGEST_QUERY),
        {
            "type": "object",
            "properties": {
                "results": {"type": "array", "items": {"type": "object"}},
                "text": _TEXT,
                "degraded": _TEXT,
                "hint": _TEXT,
            },
            "required": ["results", "text"],
        },
        READS,
        memory_search,
    ),
    Tool(
        "memory_read",
        "Read a memory",
        "Read one item whole, with the newest words it stands on.",
        _takes("id", "From the memory map or memory_search", LONGEST_ID),
        {
            "type": "object",
            "properties": {"id": _TEXT, "text": _TEXT},
            "required": ["id", "text"],
        },
        READS,
        memory_read,
    ),
)
"""Both tools, in the order clients are given them."""

BY_NAME = {tool.name: tool for tool in TOOLS}
