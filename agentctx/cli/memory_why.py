"""`agentctx memory why`: the turns, quotes and jobs that an item stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentctx.cli.memory_opening import add_item, kept_memory
from agentctx.cli.memory_records import its_records
from agentctx.cli.memory_sheet import entry, entry_lines, excerpt
from agentctx.cli.sheet import confidence
from agentctx.memory.mapping import one_line
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.steering import Why
    from agentctx.records.model import Record
    from corpus.cli.call import Call

SUMMARY = "Show the turns, quotes and jobs that an item stands on."
EXAMPLE = "agentctx memory why 3f2a9c"


class Explained(NamedTuple):
    """What an item stands on, and the records made of it, the oldest first."""

    why: Why
    records: tuple[Record, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)


def run(call: Call, *, id: str) -> Explained:  # noqa: A002 - the argument's name
    """Look up what was said, the newest first."""
    with kept_memory(call) as memory:
        why = memory.why(memory.find(id))
    return Explained(why, its_records(call, why.item))


def as_json(value: Explained) -> dict[str, object]:
    """Give the item, the words, the jobs and the records as one JSON object."""
    why = value.why
    return {
        "item": entry(why.item),
        "reasons": [
            {
                **one._asdict(),
                "quote": excerpt(one.quote),
                "session_id": one_line(one.session_id),
            }
            for one in why.reasons
        ],
        "jobs": list(why.jobs),
        "records": [
            {
                **{name: getattr(one, name) for name in _OF_RECORD},
                "current": one.current,
            }
            for one in value.records
        ],
    }


def lines(explained: Explained) -> Iterator[str]:
    """Show the item, then each quote with its turn, the jobs, and the records."""
    value = explained.why
    yield from entry_lines(value.item)
    for one in value.reasons:
        yield ""
        where = f"{one.turn_id} of session {one_line(one.session_id)}"
        yield f"the {one.role} said at {one.said_at}, in {where}:"
        yield from (f"  | {line}" for line in excerpt(one.quote).splitlines())
    yield ""
    yield f"made by {counted(len(value.jobs), 'job')}:"
    yield from (f"  {one}" for one in value.jobs)
    for record in explained.records:
        about = (record.type, confidence(record), *([] if record.current else ["past"]))
        yield f"recorded as {record.id}  {visible(record.title)}  ({', '.join(about)})"


_OF_RECORD = ("id", "type", "title", "confidence", "valid_from", "recorded_at")
