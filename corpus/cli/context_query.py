"""`project-corpus context query`: rank the passages that answer a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import limit_argument, root_and_text
from corpus.cli.opening import add_index, add_refresh, open_joined
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping
    from typing import TypedDict, Unpack

    from corpus.cli.call import Call
    from corpus.hits import Hit
    from corpus.ranker import Temporal
    from corpus.search import QueryResult

    class Asked(TypedDict):
        """What narrows a query; one key an option."""

        limit: int
        kind: str | None
        temporal: Temporal
        path: str | None
        explain: bool
        index: str | None
        refresh: bool


SUMMARY = "Rank the passages that answer a query."
EXAMPLE = "project-corpus context query 'why are readings stored in UTC' --limit 5"

TYPES = ("state", "task", "report", "history", "record", "memory")
_SHOWN_LINES = 6
_SHOWN_CHARACTERS = 160


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(parser, "query")
    parser.add_argument(
        "--limit",
        type=limit_argument,
        default=20,
        metavar="N",
        help="at most N results, 1 to 100 (default: %(default)s)",
    )
    parser.add_argument(
        "--type", dest="kind", choices=TYPES, help="only sources of this type"
    )
    parser.add_argument(
        "--temporal",
        choices=("any", "current", "historical"),
        default="any",
        help="only what holds now, or only the past (default: %(default)s)",
    )
    parser.add_argument(
        "--path",
        metavar="GLOB",
        help="only sources whose path matches, such as '.project-corpus/reports/**'",
    )
    parser.add_argument(
        "--explain", action="store_true", help="show what each score is made of"
    )
    add_index(parser)
    add_refresh(parser)


def run(
    call: Call, *, root: str | None, query: str, **asked: Unpack[Asked]
) -> QueryResult:
    """Search an index that is proved current; with `refresh`, make it so first."""
    from corpus.ranker import Options  # noqa: PLC0415 - loads the word lists
    from corpus.scopes import Scope  # noqa: PLC0415 - no page of help needs it
    from corpus.search import search  # noqa: PLC0415 - loads the word lists

    options = Options(
        limit=asked["limit"],
        kind=asked["kind"],
        temporal=asked["temporal"],
        path=Scope.parse(asked["path"]) if asked["path"] is not None else None,
        explain=asked["explain"],
    )
    view = open_joined(call, root, asked["index"], refresh=asked["refresh"])
    found = search(view, query, options)
    if call.format == "text" and not found.hits and found.note is None:
        from corpus.cli.unanswered import why_nothing  # noqa: PLC0415 - only then

        return found._replace(note=why_nothing(view, query, options) or None)
    return found


def as_json(value: QueryResult) -> object:
    """Give the answer as one JSON object."""
    return value.as_json()


def lines(value: QueryResult) -> Iterator[str]:
    """Show each result: where it stands and how it ranks, then its first lines."""
    if not value.hits:
        yield f"nothing found{f': {value.note}' if value.note else ''}"
    places = {
        hit.item_id: f"{number}. {_place(hit)}"
        for number, hit in enumerate(value.hits, start=1)
    }
    for number, hit in enumerate(value.hits, start=1):
        if number > 1:
            yield ""
        yield from _hit_lines(number, hit, places)
    for finding in value.findings:
        yield ""
        yield f"{finding.code}: {finding.path}: {finding.detail}; {finding.hint}"


def _place(hit: Hit) -> str:
    first, last = hit.piece.first, hit.piece.last
    return (
        f"{hit.facts.path}:{first}-{last}"
        if last > first
        else (f"{hit.facts.path}:{first}")
    )


def _hit_lines(number: int, hit: Hit, places: Mapping[str, str]) -> Iterator[str]:
    facts, standing = hit.facts, hit.standing
    date = f"  {facts.timestamp}" if facts.timestamp else ""
    yield (
        f"{number}. {_place(hit)}"
        f"  {standing.authority} {standing.temporal}{date}  score {hit.score}"
    )
    if hit.heading_path:
        yield f"   {' > '.join(hit.heading_path)}"
    shown = [line.rstrip() for line in hit.text.split("\n") if line.strip()]
    for line in shown[:_SHOWN_LINES]:
        cut = len(line) > _SHOWN_CHARACTERS
        yield f"   | {line[:_SHOWN_CHARACTERS]}{'…' if cut else ''}"
    if len(shown) > _SHOWN_LINES:
        yield f"   | … {counted(len(shown) - _SHOWN_LINES, 'more line')}"
    if hit.duplicates:
        yield f"   {counted(hit.duplicates, 'duplicate')} left out"
    for other in hit.conflicts:
        yield f"   contradicted by {places.get(other, other)}"
    if hit.explain:
        parts = (f"{name} {worth:g}" for name, worth in hit.explain.items())
        yield f"   score: {', '.join(parts)}"
