"""`project-corpus context bundle`: compile the context for a query within a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import budget_argument, root_and_text
from corpus.cli.opening import add_index, add_refresh, open_joined

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from corpus.canonical import Json
    from corpus.cli.call import Call

    Bundle = Mapping[str, Json]

SUMMARY = "Compile the context for a query within a token budget."
EXAMPLE = "project-corpus context bundle 'how are gauges installed' --format prompt"

RAW = True
"""What it prints is for programs too, as it is."""

DEFAULT_TOKENS = 1_200


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(parser, "query")
    parser.add_argument(
        "--max-tokens",
        type=budget_argument,
        default=DEFAULT_TOKENS,
        metavar="N",
        help="the budget, 80 to 20000, 4 bytes to a token (default: %(default)s);"
        " with --format prompt it bounds everything printed",
    )
    add_index(parser)
    add_refresh(parser)


def run(
    call: Call,
    *,
    root: str | None,
    query: str,
    max_tokens: int,
    index: str | None,
    refresh: bool,
) -> Bundle | str:
    """Compile from an index that is proved current: the bundle, or the prompt."""
    from corpus.bundle import compile_bundle  # noqa: PLC0415 - loads the word lists
    from corpus.prompt import render_prompt  # noqa: PLC0415 - loads the word lists

    view = open_joined(call, root, index, refresh=refresh)
    if call.format == "prompt":
        return render_prompt(view, query, max_tokens=max_tokens, now=call.now)
    return compile_bundle(view, query, max_tokens=max_tokens, now=call.now)


def lines(value: str) -> Iterator[str]:
    """Give the prompt line by line."""
    yield from value.split("\n")


FORMATS = {"json": None, "prompt": lines}
