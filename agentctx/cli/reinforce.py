"""`agentctx reinforce`: let a person stand for a record that was inferred."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import confidence
from agentctx.records.write import confirm_record
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "Confirm a record that was inferred."
EXAMPLE = "agentctx reinforce 01KBA2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)


def run(call: Call, *, id: str) -> Record:  # noqa: A002 - the argument's name
    """Confirm the record: inferred becomes reinforced at once."""
    with open_for_writing(call) as opened:
        return confirm_record(opened.store, opened.project_id, id)


def as_json(value: Record) -> dict[str, object]:
    """Give the record as it is now."""
    return {"record": value.as_json()}


def lines(value: Record) -> Iterator[str]:
    """Say what holds now."""
    yield f"{confidence(value)}  {value.id}  {visible(value.title)}"
