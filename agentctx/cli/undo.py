"""`agentctx undo`: bring back what this project deleted last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_writing
from agentctx.records.remove import undo_delete
from corpus.cli.render import visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.remove import Restored
    from corpus.cli.call import Call

SUMMARY = "Bring back what this project deleted last."
EXAMPLE = "agentctx undo"


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Restored:
    """Put it back as it was; NothingToUndoError when nothing is kept."""
    with open_for_writing(call) as opened:
        return undo_delete(opened.store, opened.project_id)


def as_json(value: Restored) -> dict[str, object]:
    """Give the record as it is again, and the ids of all that came back."""
    return {
        "record": value.record.as_json(),
        "restored": [one.id for one in value.versions],
    }


def lines(value: Restored) -> Iterator[str]:
    """Say what is back, a version a line."""
    for one in value.versions:
        state = "current" if one.current else "of the past"
        yield f"restored {one.id}, {state}  {visible(one.title)}"
