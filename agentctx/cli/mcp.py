"""`agentctx mcp`: give an AI agent the records of its project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Give an AI agent this project's records over MCP, on stdin and stdout."
EXAMPLE = "claude mcp add --scope user agentctx -- agentctx mcp"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_results(parser)


def add_results(parser: argparse.ArgumentParser) -> None:
    """Declare `--results`."""
    parser.add_argument(
        "--results",
        choices=("structured", "text"),
        default="structured",
        help="where results stand: in structuredContent, or as text for clients that"
        " show only that (default: %(default)s)",
    )


def run(call: Call, *, results: Literal["structured", "text"]) -> None:
    """Serve until the client ends; a store that is missing or damaged ends nothing."""
    from agentctx.config import environment, home  # noqa: PLC0415 - only when run
    from agentctx.mcp.desk import Desk  # noqa: PLC0415 - another edge
    from agentctx.mcp.start import serve  # noqa: PLC0415 - the same
    from agentctx.mcp.whereabouts import Place  # noqa: PLC0415 - the same

    place = Place(
        home=home(), environ=environment(), clock=call.clock, random=call.random
    )
    serve(Desk(place), results)


def lines(value: object) -> Iterator[str]:
    """Give nothing: standard output belongs to the protocol."""
    del value
    yield from ()


FORMATS = {"text": lines}
