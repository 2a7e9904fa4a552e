"""`agentctx edit`: correct a record; a new version supersedes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import add_body, body_text, made_json, made_lines
from agentctx.clock import parse_moment
from agentctx.records.model import Replacement
from agentctx.records.read import find_record
from agentctx.records.write import supersede_record
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.write import Made
    from corpus.cli.call import Call

SUMMARY = "Correct a record: a new version supersedes it."
EXAMPLE = "agentctx edit 01KBA2 --title 'Readings are stored in UTC, always'"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)
    parser.add_argument(
        "--title", help="the new title, at most 120 characters (default: as it is)"
    )
    add_body(parser, "the new text, at most 2,000 characters (default: as it is)")
    add_valid_from(parser)


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    title: str | None,
    body: str | None,
    valid_from: str | None,
) -> Made:
    """Replace the record by an explicit one that says what was given."""
    require_change(title, body, valid_from)
    since = since_when(valid_from)
    text = None if body is None else body_text(body)
    with open_for_writing(call) as opened:
        old = find_record(opened.store.db, opened.project_id, id)
        new = Replacement(
            body=old.body if text is None else text,
            title=title,
            source="cli",
            trust="developer",
            valid_from=since,
        )
        return supersede_record(opened.store, opened.project_id, old.id, new)


as_json = made_json


def lines(value: Made) -> Iterator[str]:
    """Say what holds now."""
    return made_lines(value)


def add_id(parser: argparse.ArgumentParser) -> None:
    """Declare ID."""
    parser.add_argument(
        "id",
        metavar="ID",
        help="the record: its id, or 6 characters or more of its beginning or end",
    )


def add_valid_from(parser: argparse.ArgumentParser) -> None:
    """Declare `--valid-from` of a new version."""
    parser.add_argument(
        "--valid-from", metavar="T", help="since when that is true (default: now)"
    )


def since_when(given: str | None) -> str | None:
    """Read `--valid-from`; BadTimeError for what is no moment."""
    return None if given is None else parse_moment(given, field="valid_from")


def require_change(
    title: str | None, body: str | None, valid_from: str | None = None
) -> None:
    """Refuse an edit that changes nothing."""
    if title is None and body is None and valid_from is None:
        raise UsageError(problem="say what changes, such as `--title` or `--body`")
