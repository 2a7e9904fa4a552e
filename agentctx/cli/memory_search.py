"""`agentctx memory search`: find items by their words, best match first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import kept_memory, memory_here
from agentctx.cli.opening import project_files
from agentctx.errors import SearchQueryError
from agentctx.memory.mapping import one_line
from corpus.cli.arguments import CommandParser
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.recall import Answer
    from corpus.cli.call import Call

SUMMARY = "Find items by their words, best match first."
EXAMPLE = "agentctx memory search 'how do we indent' --path src/lexer.py"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    if isinstance(parser, CommandParser):
        parser.text = "query"
    parser.add_argument("query", metavar="QUERY", help="words to look for")
    parser.add_argument(
        "--path",
        metavar="P",
        action="append",
        help="what is worked on: items limited to it are found, too; may be repeated",
    )


def run(call: Call, *, query: str, path: list[str] | None) -> Answer:
    """Ask memory as a person: nothing is spent, and nothing is written."""
    if not query.strip():
        raise SearchQueryError
    paths = project_files(memory_here().project, path)
    with kept_memory(call) as memory:
        return memory.search(query, paths)


def as_json(value: Answer) -> dict[str, object]:
    """Give the hits as one JSON object."""
    return {
        "hits": [
            {
                **one._asdict(),
                "subject": one_line(one.subject),
                "statement": one_line(one.statement),
                "applies_to_paths": [one_line(path) for path in one.applies_to_paths],
            }
            for one in value.hits
        ]
    }


def lines(value: Answer) -> Iterator[str]:
    """Show a hit a line, with why it was found, then how many there are."""
    for one in value.hits:
        why = f"{one.kind}, {one.strength}, by {one.match_type}"
        yield f"{one.id}  {one_line(one.subject)}  ({why})"
        if one.statement != one.subject:
            yield f"  {one_line(one.statement)}"
    yield counted(len(value.hits), "item")
