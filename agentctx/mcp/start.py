"""Start a server, of records or of memory: import what it takes, then serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.mcp.start import loading

if TYPE_CHECKING:
    from agentctx.mcp.desk import Desk
    from agentctx.mcp.memorydesk import MemoryDesk
    from corpus.mcp.host import Results

# ruff: noqa: PLC0415 - slow, and only when served


def serve(desk: Desk, results: Results) -> None:
    """Serve the tools of a desk until the client ends; raises `OutputError`."""
    with loading():
        from agentctx.mcp.offer import serving
        from agentctx.mcp.server import OFFER
        from corpus.mcp import host
    try:
        host.serve(serving(OFFER, desk), results)
    finally:
        desk.forget()


def serve_memory(desk: MemoryDesk, results: Results) -> None:
    """Serve the tools of memory until the client ends; raises `OutputError`."""
    with loading():
        from agentctx.mcp.memoryserver import OFFER
        from agentctx.mcp.offer import serving
        from corpus.mcp import host
    try:
        host.serve(serving(OFFER, desk), results)
    finally:
        desk.forget()
