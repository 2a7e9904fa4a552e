"""`agentctx pin`: let a record come first, or no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.edit import add_id
from agentctx.cli.opening import open_for_writing
from agentctx.records.write import pin_record
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "Let a record come first, or no longer."
EXAMPLE = "agentctx pin 01KBA2"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_id(parser)
    parser.add_argument("--off", action="store_true", help="let it go again")


def run(call: Call, *, id: str, off: bool) -> Record:  # noqa: A002
    """Pin the record; TrustError for one that no person stands for."""
    with open_for_writing(call) as opened:
        return pin_record(opened.store, opened.project_id, id, pinned=not off)


def as_json(value: Record) -> dict[str, object]:
    """Give the record as it is now."""
    return {"record": value.as_json()}


def lines(value: Record) -> Iterator[str]:
    """Say what holds now."""
    state = "pinned" if value.pinned else "not pinned"
    yield f"{state}  {value.id}  {visible(value.title)}"
