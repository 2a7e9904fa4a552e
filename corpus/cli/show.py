"""`project-corpus show`: print one source, or some of its lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.cli.arguments import root_and_text
from corpus.errors import ArtifactNotFoundError, UsageError
from corpus.refs import LineSpan, stem

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.browse import Holdings, Shown
    from corpus.cli.call import Call

SUMMARY = "Print one source, or some of its lines."
EXAMPLE = "project-corpus show reports/field-test.md --lines 10-24"

RAW = True
"""What it prints is for programs too, as it is."""

_SUGGESTED = 3
_TELLING = 3
_LONGEST = 200
_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(
        parser, "artifact", meaning="its path, or its id: the file's name without .md"
    )
    parser.add_argument(
        "--lines",
        type=lines_argument,
        metavar="A-B",
        help="only lines A to B, counted from 1; A alone is one line",
    )


def run(
    call: Call, *, root: str | None, artifact: str, lines: LineSpan | None
) -> Shown:
    """Read one source in scope; one that is not in scope does not exist."""
    from corpus.browse import open_holdings, show  # noqa: PLC0415 - parses Markdown
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    holdings = open_holdings(call.root(root), "corpus.read", dirs=user_dirs())
    try:
        return show(holdings, artifact, lines)
    except ArtifactNotFoundError as error:
        near = _near(holdings, artifact)
        if near:
            named = ", ".join(f"`{name}`" for name in near)
            error.hint = f"the nearest names in scope: {named}"
        raise


def _near(holdings: Holdings, name: str) -> list[str]:
    """Give the sources in scope whose ids or paths are most like `name`."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    if len(name) > _LONGEST:
        return []
    wanted = stem(name) or name
    ids: dict[str, str] = {}
    for source in holdings.scan.sources:
        ids.setdefault(stem(source.path).casefold(), stem(source.path))
    inside = [key for key in sorted(ids) if wanted.casefold() in key]
    if len(wanted) < _TELLING:
        inside = []
    near = get_close_matches(wanted.casefold(), ids, n=_SUGGESTED)
    return [ids[key] for key in list(dict.fromkeys([*near, *inside]))[:_SUGGESTED]]


def lines(value: Shown) -> Iterator[str]:
    """Show the lines themselves, nothing else: ready for a pipe."""
    from corpus.lines import split_lines  # noqa: PLC0415 - no help needs it

    yield from split_lines(value.content)


def lines_argument(text: str) -> LineSpan:
    """Read `--lines`; UsageError when it is no span of lines."""
    match = _LINES.fullmatch(text)
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not 1 <= first <= last:
        raise UsageError(problem=f"`--lines {text}` is not A-B with 1 <= A <= B")
    return LineSpan(first=first, last=last)
