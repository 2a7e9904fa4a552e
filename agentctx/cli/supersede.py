"""`agentctx supersede`: replace a record that is no longer true, and say why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.edit import add_id, add_valid_from, since_when
from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import body_text, made_json, made_lines
from agentctx.records.model import Replacement
from agentctx.records.write import supersede_record

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.write import Made
    from corpus.cli.call import Call

SUMMARY = "Replace a record that is no longer true, and say why."
EXAMPLE = (
    "agentctx supersede 01KBA2 --body 'Readings are stored in local time.'"
    " --rationale 'Every station now lies in one zone.'"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)
    parser.add_argument(
        "--body",
        metavar="TEXT",
        required=True,
        help="what is true now, at most 2,000 characters; `-` reads it from standard"
        " input",
    )
    parser.add_argument(
        "--title", help="the new title, at most 120 characters (default: as it is)"
    )
    parser.add_argument(
        "--rationale", metavar="TEXT", required=True, help="why it changed"
    )
    add_valid_from(parser)


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    body: str,
    title: str | None,
    rationale: str,
    valid_from: str | None,
) -> Made:
    """Replace the record, keeping its type and its scope."""
    since = since_when(valid_from)
    text = body_text(body)
    with open_for_writing(call) as opened:
        new = Replacement(
            body=text,
            title=title,
            rationale=rationale,
            source="cli",
            trust="developer",
            valid_from=since,
        )
        return supersede_record(opened.store, opened.project_id, id, new)


as_json = made_json


def lines(value: Made) -> Iterator[str]:
    """Say what holds now."""
    return made_lines(value)
