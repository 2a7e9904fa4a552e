"""`agentctx memory why`: the turns, quotes and jobs that an item stands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_item, kept_memory
from agentctx.cli.memory_sheet import entry, entry_lines, excerpt
from agentctx.memory.mapping import one_line
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.steering import Why
    from corpus.cli.call import Call

SUMMARY = "Show the turns, quotes and jobs that an item stands on."
EXAMPLE = "agentctx memory why 3f2a9c"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_item(parser)


def run(call: Call, *, id: str) -> Why:  # noqa: A002 - the argument's name
    """Look up what was said, the newest first."""
    with kept_memory(call) as memory:
        return memory.why(memory.find(id))


def as_json(value: Why) -> dict[str, object]:
    """Give the item, the words and the jobs as one JSON object."""
    return {
        "item": entry(value.item),
        "reasons": [
            {
                **one._asdict(),
                "quote": excerpt(one.quote),
                "session_id": one_line(one.session_id),
            }
            for one in value.reasons
        ],
        "jobs": list(value.jobs),
    }


def lines(value: Why) -> Iterator[str]:
    """Show the item, then each quote with its turn, then the jobs."""
    yield from entry_lines(value.item)
    for one in value.reasons:
        yield ""
        where = f"{one.turn_id} of session {one_line(one.session_id)}"
        yield f"the {one.role} said at {one.said_at}, in {where}:"
        yield from (f"  | {line}" for line in excerpt(one.quote).splitlines())
    yield ""
    yield f"made by {counted(len(value.jobs), 'job')}:"
    yield from (f"  {one}" for one in value.jobs)
