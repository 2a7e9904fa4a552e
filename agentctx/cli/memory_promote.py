"""`agentctx memory promote`: make an item a record, explicit and dated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.cli.memory_opening import add_item, kept_memory
from agentctx.cli.opening import open_for_writing
from agentctx.cli.sheet import made_json, made_lines
from agentctx.extraction.rising import RISEN_TYPES, promote

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.write import Made
    from corpus.cli.call import Call

SUMMARY = "Make an item a record that every session sees, with its words."
EXAMPLE = "agentctx memory promote 3f2a9c --type convention"


class Promoted(NamedTuple):
    """The record, and the revision of the item that it was made of."""

    made: Made
    item_id: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)
    parser.add_argument(
        "--type",
        choices=RISEN_TYPES,
        help="the record's type (default: a decision or a preference, as the item is;"
        " a discussion needs one)",
    )


def run(
    call: Call,
    *,
    id: str,  # noqa: A002 - the argument's name
    type: str | None,  # noqa: A002 - the same
) -> Promoted:
    """Make the record; of another revision it supersedes the one before."""
    with kept_memory(call) as memory:
        why = memory.live(memory.find(id))
    with open_for_writing(call, create=True) as opened:
        made = promote(opened.store, opened.project_id, why, record_type=type)
    return Promoted(made, str(why.item.id))


def as_json(value: Promoted) -> dict[str, object]:
    """Give what was made as one JSON object."""
    return {"item_id": value.item_id, **made_json(value.made)}


def lines(value: Promoted) -> Iterator[str]:
    """Say what holds now, and what it was made of."""
    yield from made_lines(value.made)
    yield f"made of memory item {value.item_id}"
