"""`agentctx profile clear`: end one entry of the profile or one preference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_writing
from agentctx.cli.profile_edit import find_entry
from agentctx.records.write import retire_record
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "End one entry of the profile or one preference."
EXAMPLE = "agentctx profile clear 01KBA2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)


def run(call: Call, *, id: str) -> Record:  # noqa: A002 - the argument's name
    """End the entry; its history stays."""
    with open_for_writing(call) as opened:
        entry = find_entry(opened, id)
        return retire_record(opened.store, opened.project_id, entry.id)


def as_json(value: Record) -> dict[str, object]:
    """Give the record as it ended."""
    return {"record": value.as_json()}


def lines(value: Record) -> Iterator[str]:
    """Say what ended."""
    yield f"ended {value.id}  {visible(value.title)}"
