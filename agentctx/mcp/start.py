"""Start a server, of records or of memory: import what it takes, then serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.mcp.start import loading

if TYPE_CHECKING:
    from agentctx.mcp.desk import Desk
    from agentctx.mcp.memorydesk import MemoryDesk
    from corpus.mcp.host import Results


def serve(desk: Desk, results: Results) -> None:
    """Serve the tools of a desk until the client ends; raises `OutputError`."""
    with loading():
        from agentctx.mcp import server  # noqa: PLC0415 - slow, and only when served
    server.serve(desk, results)


def serve_memory(desk: MemoryDesk, results: Results) -> None:
    """Serve the tools of memory until the client ends; raises `OutputError`."""
    with loading():
        from agentctx.mcp import memoryserver  # noqa: PLC0415 - the same
    memoryserver.serve(desk, results)
