"""A server of records in this process or as one of its own, and a client that asks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from agentctx.mcp.desk import Desk
from agentctx.mcp.offer import serving
from agentctx.mcp.server import OFFER
from agentctx.mcp.whereabouts import Place
from corpus.mcp.host import make_server
from tests.mcp.serving import met, said
from tests.recorded import Ticking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mcp.client.client import Client
    from mcp.types import CallToolResult, ListToolsResult

    from corpus.mcp.host import Results
    from tests.mcp.serving import Said

START = (
    "import os, sys; os.chdir(sys.argv.pop(1));from agentctx.cli.app import run; run()"
)

FACT = {
    "type": "decision",
    "title": "Readings are stored in UTC",
    "body": "Stations lie in many zones, so every reading is stored in UTC.",
}


def desk_at(
    home: Path,
    project: Path,
    clock: Ticking | None = None,
    **environ: str,
) -> Desk:
    """Give the desk of a server for a project, whose store lies in `home`."""
    environment = {
        "HOME": str(home),
        "CLAUDE_PROJECT_DIR": str(project),
        "AGENTCTX_HOME": str(home),
        **environ,
    }
    return Desk(Place(str(home), environment, clock or Ticking(), os.urandom))


def call(
    desk: Desk,
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    era: str = "legacy",
    results: Results = "structured",
) -> Said:
    """Call one tool."""

    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool(tool, dict(arguments or {}))

    return said(met(make_server(serving(OFFER, desk), results), ask, era=era))


def listed(desk: Desk, *, era: str, results: Results) -> ListToolsResult:
    """List the tools."""

    async def ask(client: Client) -> ListToolsResult:
        return await client.list_tools()

    found: ListToolsResult = met(
        make_server(serving(OFFER, desk), results), ask, era=era
    )
    return found


def record(desk: Desk, **changes: object) -> str:
    """Record a fact and give its id."""
    answer = call(desk, "ctx_record", {**FACT, **changes})
    assert not answer.failed, answer
    return str(answer.value["id"])


def found(desk: Desk, query: str, **asked: object) -> list[str]:
    """Search, and give the ids."""
    answer = call(desk, "ctx_search", {"query": query, **asked})
    assert not answer.failed, answer
    return [entry["id"] for entry in answer.value["results"]]


def command_at(project: Path, *options: str) -> Sequence[str]:
    """Give the words that serve the records of a project's folder."""
    return [sys.executable, "-W", "error", "-c", START, str(project), "mcp", *options]
