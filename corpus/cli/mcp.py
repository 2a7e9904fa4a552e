"""`project-corpus mcp`: serve the corpus to an AI agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from corpus.cli.arguments import add_root

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from corpus.cli.call import Call

SUMMARY = "Serve the corpus to an AI agent over MCP, on stdin and stdout."
EXAMPLE = """\
project-corpus trust create --allow mcp.stdio --allow corpus.context
project-corpus mcp config --client claude-code
project-corpus mcp ."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_grant(parser)
    add_allow(parser)
    parser.add_argument(
        "--results",
        choices=("structured", "text"),
        default="structured",
        help="where results stand: in structuredContent, or as text for clients that"
        " show only that (default: %(default)s)",
    )


def add_grant(parser: argparse.ArgumentParser) -> None:
    """Declare `--trust`."""
    parser.add_argument(
        "--trust",
        metavar="FILE",
        help="the owner's grant (default: the project's own in the trust folder)",
    )


def add_allow(parser: argparse.ArgumentParser) -> None:
    """Declare `--allow`."""
    parser.add_argument(
        "--allow",
        metavar="CAP",
        action="append",
        help="ask for this capability and no others, mcp.stdio among them; may be"
        " given again (default: everything that grant and policy give)",
    )


def run(
    call: Call,
    *,
    root: str | None,
    trust: str | None,
    allow: Sequence[str] | None,
    results: Literal["structured", "text"],
) -> None:
    """Serve until the client ends; without `mcp.stdio` nothing is served at all."""
    from corpus.authority import Session, known_capabilities  # noqa: PLC0415 - only here
    from corpus.confined.reader import open_root  # noqa: PLC0415 - only when run
    from corpus.mandate import find_grant  # noqa: PLC0415 - only when run
    from corpus.mcp.desk import TRANSPORT, Desk, Place  # noqa: PLC0415 - another edge
    from corpus.mcp.start import serve  # noqa: PLC0415 - another edge
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    asked = None if allow is None else known_capabilities(allow)
    folder = call.root(root)
    dirs = user_dirs()
    with open_root(folder) as opened:
        grant = find_grant(opened, trust=trust, dirs=dirs)
    place = Place(
        root=folder,
        grant=grant,
        session=Session(TRANSPORT, asked),
        dirs=dirs,
        clock=call.clock,
        random=call.random,
    )
    serve(Desk(place), results)


def lines(value: object) -> Iterator[str]:
    """Give nothing: standard output belongs to the protocol."""
    del value
    yield from ()


FORMATS = {"text": lines}
