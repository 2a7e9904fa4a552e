"""How records look: what was made, and one record whole."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from agentctx.errors import BodyError
from agentctx.records.card import standing
from agentctx.records.model import BODY_CHARACTERS
from corpus.authority import JSON_BYTES
from corpus.cli.render import visible
from corpus.jsoninput import STANDARD_INPUT, read_anywhere

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from agentctx.records.model import Record
    from agentctx.records.write import Made

_LABEL = 13

WARNINGS = {
    "SHORT": "short: one fact reads best in 50 to 300 tokens",
    "LONG": "long: more than 300 tokens; perhaps these are two facts",
    "DUPLICATE": "this was recorded already; nothing was added",
    "FILE_MISSING": "a file that it names is not in the working tree; was it meant?",
}
"""What a warning of the store means."""


def add_body(parser: argparse.ArgumentParser, about: str) -> None:
    """Declare `--body`."""
    parser.add_argument(
        "--body", metavar="TEXT", help=f"{about}; `-` reads it from standard input"
    )


def body_text(given: str) -> str:
    """Give the text of `--body`; BodyError for an input that is no text."""
    if given != STANDARD_INPUT:
        return given
    content = read_anywhere(
        given, limit=JSON_BYTES, stdin=getattr(sys.stdin, "buffer", None)
    )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise BodyError(
            reason=f"is not UTF-8 at byte {problem.start} of {len(content)}",
            size=len(content),
            limit=BODY_CHARACTERS,
        ) from None


def made_json(made: Made) -> dict[str, object]:
    """Give what was made as one JSON object."""
    old = made.superseded
    return {
        "record": made.record.as_json(),
        "superseded": None if old is None else old.id,
        "existing": made.existing,
        "warnings": list(made.warnings),
        "redacted": [{"rule": rule, "count": count} for rule, count in made.redacted],
    }


def made_lines(made: Made) -> Iterator[str]:
    """Say what was made, what it took the place of, and what to look at."""
    record = made.record
    verb = "recorded already" if made.existing else "recorded"
    yield f"{verb} {record.id}  {record.type}  {visible(record.title)}"
    if made.superseded is not None:
        yield f"supersedes {made.superseded.id}  {visible(made.superseded.title)}"
    for rule, count in made.redacted:
        yield f"redacted {rule} x {count}"
    for warning in made.warnings:
        yield f"note: {WARNINGS.get(warning, warning)}"


def record_lines(record: Record, files: Sequence[str] = ()) -> Iterator[str]:
    """Show one record whole."""
    yield visible(record.title)
    yield ""
    yield from (f"  {visible(line)}" for line in record.body.splitlines())
    yield ""
    yield from row("id", record.id)
    yield from row("type", f"{record.type}{', pinned' if record.pinned else ''}")
    yield from row("scope", record.scope)
    yield from row("confidence", confidence(record))
    if record.branch is not None:
        yield from row("waits on", f"the branch {visible(record.branch)}")
    yield from row("from", origin(record))
    yield from row("true from", record.valid_from)
    yield from row("recorded", record.recorded_at)
    if record.superseded_at is not None:
        yield from row("ended", f"{record.superseded_at}{successor(record)}")
    if record.key:
        yield from row("key", visible(record.key))
    if record.rationale:
        yield from row("because", visible(record.rationale))
    if record.quote:
        yield from row("quote", visible(record.quote))
    for number, name in enumerate(files):
        yield from row("" if number else "files", visible(name))


def version_lines(record: Record) -> Iterator[str]:
    """Show one version of a fact with both of its times."""
    state = "current" if record.current else "past"
    yield f"{record.id}  {state}  {visible(record.title)}"
    ended = record.superseded_at or "now"
    yield f"  believed  {record.recorded_at} to {ended}{successor(record)}"
    yield f"  true from {record.valid_from}"
    yield f"  written   {origin(record)}{', confirmed' if record.confirmed else ''}"
    yield from (f"  | {visible(line)}" for line in record.body.splitlines())
    if record.rationale:
        yield f"  because   {visible(record.rationale)}"


def confidence(record: Record) -> str:
    """Say how sure a record is; an inferred one is always shown as unconfirmed."""
    words = dict.fromkeys((record.confidence, standing(record)))
    return ", ".join([*words, *(["confirmed"] if record.confirmed else [])])


def origin(record: Record) -> str:
    """Say who a record comes from and which way it came."""
    return f"{record.trust}, by {record.source}"


def successor(record: Record) -> str:
    """Name what took a record's place, nothing where nothing did."""
    return f" (superseded by {record.superseded_by})" if record.superseded_by else ""


def row(label: str, text: str) -> Iterator[str]:
    """Give one labelled line of a card."""
    yield f"{label:<{_LABEL}}{text}"
