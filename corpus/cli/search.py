"""`project-corpus search`: find the lines in scope that hold a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import limit_argument, root_and_text
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.browse import Finds
    from corpus.cli.call import Call

SUMMARY = "Find the lines in scope that hold a text."
EXAMPLE = "project-corpus search 'station ten' --type report"

TYPES = ("state", "task", "report", "history")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(parser, "query", meaning="the text to find, letter case ignored")
    parser.add_argument(
        "--type", dest="kind", choices=TYPES, help="only sources of this type"
    )
    parser.add_argument(
        "--limit",
        type=limit_argument,
        default=20,
        metavar="N",
        help="at most N places, 1 to 100 (default: %(default)s)",
    )


def run(
    call: Call, *, root: str | None, query: str, kind: str | None, limit: int
) -> Finds:
    """Look through the current sources; no index is needed."""
    from corpus.browse import find, open_holdings  # noqa: PLC0415 - parses Markdown
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    holdings = open_holdings(call.root(root), "corpus.search", dirs=user_dirs())
    return find(holdings, query, kind=kind, limit=limit)


def lines(value: Finds) -> Iterator[str]:
    """Show one place a line, as `path:line: text`, then how many are left."""
    for found in value.results:
        yield f"{found.path}:{found.line_start}: {found.snippet}"
    left = value.total - len(value.results)
    if not value.total:
        yield "nothing found"
    elif left:
        yield f"… {counted(left, 'more place')}"
