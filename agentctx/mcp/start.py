"""Start the server of records: import what it takes, then serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.mcp.start import loading

if TYPE_CHECKING:
    from agentctx.mcp.desk import Desk
    from corpus.mcp.host import Results


def serve(desk: Desk, results: Results) -> None:
    """Serve the tools of a desk until the client ends; raises `OutputError`."""
    with loading():
        from agentctx.mcp import server  # noqa: PLC0415 - slow, and only when served
    server.serve(desk, results)
