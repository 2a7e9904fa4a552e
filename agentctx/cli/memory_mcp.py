"""`agentctx memory mcp`: give an AI agent what its project's memory holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agentctx.cli.mcp import add_results, lines

if TYPE_CHECKING:
    import argparse

    from corpus.cli.call import Call

SUMMARY = "Give an AI agent this project's memory over MCP, on stdin and stdout."
EXAMPLE = "claude mcp add --scope user agentctx-memory -- agentctx memory mcp"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--session",
        metavar="ID",
        help="the session whose turns it answers in (default: `CLAUDE_CODE_SESSION_ID`,"
        " else `AGENTCTX_SESSION`)",
    )
    add_results(parser)


def run(
    call: Call, *, session: str | None, results: Literal["structured", "text"]
) -> None:
    """Serve until the client ends; a memory that is off or damaged ends nothing."""
    from agentctx.config import environment, home  # noqa: PLC0415 - only when run
    from agentctx.mcp.memorydesk import MemoryDesk  # noqa: PLC0415 - another edge
    from agentctx.mcp.start import serve_memory  # noqa: PLC0415 - the same
    from agentctx.mcp.whereabouts import Place  # noqa: PLC0415 - the same
    from agentctx.memory.rawtext import session_name  # noqa: PLC0415 - only when run

    place = Place(
        home=home(), environ=environment(), clock=call.clock, random=call.random
    )
    named = None if session is None else session_name(session)
    serve_memory(MemoryDesk(place, named), results)


FORMATS = {"text": lines}
