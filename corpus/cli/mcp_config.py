"""`project-corpus mcp config`: print what to paste into an AI client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.mcp import add_allow

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from corpus.cli.call import Call
    from corpus.mcp.clients import Snippet

SUMMARY = "Print what to paste into an AI client, so that it starts `mcp`."
EXAMPLE = "project-corpus mcp config --client claude-code"

CLIENTS = ("claude-code", "codex", "cursor", "vscode", "gemini", "opencode")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--client", choices=CLIENTS, required=True, help="the client to print it for"
    )
    add_allow(parser)
    parser.add_argument(
        "--portable",
        action="store_true",
        help="name neither this machine's program nor its folders, for a file that a"
        " team shares",
    )


def run(
    call: Call,
    *,
    root: str | None,
    client: str,
    allow: Sequence[str] | None,
    portable: bool,
) -> Snippet:
    """Write the snippet; nothing is changed anywhere."""
    from corpus.authority import known_capabilities  # noqa: PLC0415 - only when run
    from corpus.mcp.clients import NAME, snippet_for  # noqa: PLC0415 - another edge

    known_capabilities(allow or ())
    folder = call.root(root)
    return snippet_for(
        client,
        [NAME] if portable else _program(),
        root=None if portable else str(folder),
        allow=allow or (),
    )


def as_json(value: Snippet) -> object:
    """Give the snippet as one JSON object."""
    return value.as_json()


def lines(value: Snippet) -> Iterator[str]:
    """Show where to put the snippet, the snippet, and the command that adds it."""
    yield f"put this in {value.file}:"
    yield ""
    yield from value.snippet.split("\n")
    if value.command is not None:
        yield ""
        yield "or run:"
        yield ""
        yield f"  {value.command}"


def _program() -> list[str]:
    """Give the words that start this very program, wherever a client stands.

    A client with windows seldom has the PATH of a shell, so the name alone would not
    be found.
    """
    import shutil  # noqa: PLC0415 - only when run
    import sys  # noqa: PLC0415 - only when run
    from pathlib import Path  # noqa: PLC0415 - only when run

    from corpus.mcp.clients import NAME  # noqa: PLC0415 - another edge

    called = Path(sys.argv[0])
    beside = Path(sys.executable).parent / called.name
    if called.stem == NAME:
        found = shutil.which(str(called)) or shutil.which(str(beside))
        if found is not None:
            return [str(Path(found).absolute())]
    return [sys.executable, "-c", "from corpus.cli.app import run; run()"]
