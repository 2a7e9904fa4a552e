"""`agentctx why`: what a record, an item or a turn became, and what it stands on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from agentctx.cli.opening import this_project
from agentctx.rungs import Rungs
from corpus.cli import why
from corpus.errors import CodedError, RootNotFoundError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.ladder import Held, Ladder

SUMMARY = "Show what a record, an item or a turn stands on, and what it became."
EXAMPLE = "agentctx why 01KBA2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "id",
        metavar="ID",
        help="the id of a record or an item, or enough of it; the id of a turn or a"
        " candidate; a report's path or id",
    )


def run(call: Call, *, id: str) -> Ladder:  # noqa: A002 - the argument's name
    """Walk the ladder both ways; a corpus is looked at where there is one."""
    from corpus.ladder import climb  # noqa: PLC0415 - parses Markdown

    here = Path(this_project().root)
    try:
        root = call.root(None)
    except RootNotFoundError:
        root = None
    held = _held(call, root)
    keeper = Rungs(call.clock, call.random)
    return climb(id, held, root or here, [keeper])


as_json = why.as_json


def lines(value: Ladder) -> Iterator[str]:
    """Show a rung a paragraph, the highest first."""
    return why.lines(value)


def _held(call: Call, root: Path | None) -> Held:
    """Give what the corpus here knows; one that cannot be read is told of."""
    from corpus.ladder import Held, held_by  # noqa: PLC0415 - parses Markdown
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    if root is None:
        return Held()
    try:
        return held_by(root, dirs=user_dirs())
    except CodedError as error:
        call.notify(error.code, f"the corpus here cannot be read: {error}")
        return Held()
