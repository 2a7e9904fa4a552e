"""`agentctx profile edit`: correct one entry of the profile or one preference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.edit import (
    add_id,
    add_valid_from,
    require_change,
    since_when,
)
from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import add_body, body_text, made_json, made_lines
from agentctx.errors import FieldError
from agentctx.records.model import Replacement
from agentctx.records.read import find_record
from agentctx.records.write import supersede_record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.cli.opening import Opened
    from agentctx.records.model import Record
    from agentctx.records.write import Made
    from corpus.cli.call import Call

SUMMARY = "Correct one entry of the profile or one preference."
EXAMPLE = "agentctx profile edit 01KBA2 --body 'make test'"

TYPES = ("profile", "preference")
"""What the `profile` commands are about."""


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
    """Replace the entry by one that a person stands for; its key stays."""
    require_change(title, body, valid_from)
    since = since_when(valid_from)
    text = None if body is None else body_text(body)
    with open_for_writing(call) as opened:
        old = find_entry(opened, id)
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


def find_entry(opened: Opened, text: str) -> Record:
    """Find a record of the profile or a preference; FieldError for any other."""
    record = find_record(opened.store.db, opened.project_id, text)
    if record.type not in TYPES:
        raise FieldError(field="type", found=record.type, known=", ".join(TYPES))
    return record
