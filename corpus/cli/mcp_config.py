"""`project-corpus mcp config`: print what to paste into an AI client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.mcp import add_allow, add_grant
from corpus.errors import CodedError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from corpus.cli.call import Call
    from corpus.mcp.clients import Problem, Snippet

SUMMARY = "Print what to paste into an AI client, so that it starts `mcp`."
EXAMPLE = "project-corpus mcp config --client claude-code"

CLIENTS = ("claude-code", "codex", "cursor", "vscode", "gemini", "opencode")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--client", choices=CLIENTS, required=True, help="the client to print it for"
    )
    add_grant(parser)
    add_allow(parser)
    parser.add_argument(
        "--server-name",
        metavar="NAME",
        default="project-corpus",
        type=name_argument,
        help="what the client calls the server; give each of several projects its own"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--portable",
        action="store_true",
        help="name neither this machine's program nor its folders, for a file that a"
        " team shares",
    )


def name_argument(text: str) -> str:
    """Read `--server-name`; UsageError when some client could not take it."""
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}", text) is None:
        raise UsageError(
            problem="`--server-name` is 1 to 64 of A-Z, a-z, 0-9, `_` and `-`, and does"
            " not begin with `-`"
        )
    return text


def run(  # noqa: PLR0913 - one for each option
    call: Call,
    *,
    root: str | None,
    client: str,
    trust: str | None,
    allow: Sequence[str] | None,
    server_name: str,
    portable: bool,
) -> Snippet:
    """Write the snippet and try what it would do; nothing is changed anywhere."""
    from pathlib import Path  # noqa: PLC0415 - only when run

    from corpus.authority import known_capabilities  # noqa: PLC0415 - only when run
    from corpus.mcp.clients import NAME, Start, snippet_for  # noqa: PLC0415 - an edge
    from corpus.mcp.desk import SERVING  # noqa: PLC0415 - another edge

    asked = None if allow is None else known_capabilities(allow)
    if asked is not None and SERVING not in asked:
        problem = f"`--allow` leaves out `{SERVING}`, without which nothing is served"
        raise UsageError(problem=problem)
    if portable and trust is not None:
        raise UsageError(problem="`--trust` names a file that only this machine has")
    folder = call.root(root)
    start = Start(
        program=[NAME] if portable else _program(),
        root=None if portable else str(folder),
        trust=None if trust is None else str(Path(trust).absolute()),
        allow=allow or (),
        name=server_name,
    )
    found = snippet_for(client, start)
    return found._replace(problem=_problem(folder, trust, asked))


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
    if value.problem is not None:
        code, reasons, hint = value.problem
        why = f" ({', '.join(reasons)})" if reasons else ""
        yield ""
        yield f"warning: it cannot work now: {code}{why}; {hint}"


def _problem(
    folder: Path, trust: str | None, asked: frozenset[str] | None
) -> Problem | None:
    """Find out what would keep such a server from starting or from listing a tool."""
    from corpus.authority import Session  # noqa: PLC0415 - only when run
    from corpus.confined.reader import open_root  # noqa: PLC0415 - only when run
    from corpus.mandate import find_grant, mandate_for  # noqa: PLC0415 - only when run
    from corpus.mcp.clients import Problem  # noqa: PLC0415 - another edge
    from corpus.mcp.desk import SERVING, TRANSPORT  # noqa: PLC0415 - another edge
    from corpus.mcp.table import TOOLS  # noqa: PLC0415 - another edge
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    try:
        with open_root(folder) as opened:
            grant = find_grant(opened, trust=trust, dirs=user_dirs())
            session = Session(TRANSPORT, asked)
            mandate = mandate_for(opened, folder, grant, session)
        mandate.require(SERVING)
        if not any(all(map(mandate.permits, tool.capabilities)) for tool in TOOLS):
            mandate.require(TOOLS[0].capability)
    except CodedError as error:
        reasons = str(error.facts.get("reasons", ""))
        return Problem(
            error.code, tuple(reasons.split(", ")) if reasons else (), error.hint
        )
    return None


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
