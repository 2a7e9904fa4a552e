"""`agentctx memory edit`: put your words in place of an item's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, memory_in_use
from agentctx.cli.memory_state import Changed
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Put your words in place of an item's, as its next revision."
EXAMPLE = "agentctx memory edit 3f2a9c --statement 'Indent with tabs in C files.'"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)
    parser.add_argument(
        "--subject", metavar="T", help="what it is about, in a few words"
    )
    parser.add_argument("--statement", metavar="T", help="what holds, in one sentence")
    parser.add_argument("--content", metavar="T", help="the whole of it")


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    subject: str | None,
    statement: str | None,
    content: str | None,
) -> Changed:
    """Make the next revision; what it stands on stays what it stood on."""
    if subject is None and statement is None and content is None:
        raise UsageError(problem="say what changes, such as `--statement`")
    with memory_in_use(call) as memory:
        old = memory.find(id)
        new = memory.edit(old, subject=subject, statement=statement, content=content)
        return Changed(item=new, before=old)


def lines(value: Changed) -> Iterator[str]:
    """Show what is remembered now."""
    return value.lines()
