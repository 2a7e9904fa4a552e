"""`project-corpus timeline`: list the sources in scope by time."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.errors import RootNotFoundError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.browse import Timeline
    from corpus.cli.call import Call

SUMMARY = "List the sources in scope by time."
EXAMPLE = "project-corpus timeline report"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "selector",
        metavar="SELECTOR",
        nargs="?",
        help="only this: state, task, report or history, an id, a path or a pattern"
        " (one word given is the ROOT if it names a folder, else the SELECTOR)",
    )


def run(call: Call, *, root: str | None, selector: str | None) -> Timeline:
    """Order the sources by the time written in them."""
    from corpus.browse import open_holdings, timeline  # noqa: PLC0415 - parses Markdown
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    folder, selector = _meant(call, root, selector)
    holdings = open_holdings(folder, "corpus.timeline", dirs=user_dirs())
    return timeline(holdings, selector)


def _meant(
    call: Call, root: str | None, selector: str | None
) -> tuple[Path, str | None]:
    try:
        return call.root(root), selector
    except RootNotFoundError:
        if root is None or selector is not None or os.path.isdir(root):  # noqa: PTH112
            raise
        return call.root(None), root


def lines(value: Timeline) -> Iterator[str]:
    """Show one source a line: when, what, where, its title."""
    for event in value.events:
        when = event.timestamp or "undated"
        yield f"{when:<20}  {event.authority_class:<13}  {event.path}  {event.title}"
    if not value.events:
        yield "nothing in scope"
