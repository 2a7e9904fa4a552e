"""`agentctx memory retain`: let the words of old turns go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import add_confirm, kept_memory, require_confirmed
from corpus.cli.render import counted
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.memory.housekeeping import Retained
    from corpus.cli.call import Call

SUMMARY = "Let the words of old turns go."
EXAMPLE = "agentctx memory retain --days 90 --confirm"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--days", metavar="N", type=int, help="keep the words of the last N days"
    )
    parser.add_argument(
        "--max-mb",
        metavar="N",
        type=float,
        help="keep the newest words, as many as fit into N megabytes",
    )
    add_confirm(parser, "what this needs, for it cannot be taken back")


def run(
    call: Call, *, days: int | None, max_mb: float | None, confirm: bool
) -> Retained:
    """Let them go where they were worked through; what is believed stays."""
    if days is None and max_mb is None:
        raise UsageError(problem="say what is kept, with `--days` or `--max-mb`")
    require_confirmed("retain", confirm=confirm)
    with kept_memory(call) as memory:
        return memory.retain(days=days, megabytes=max_mb, confirm=confirm)


def as_json(value: Retained) -> dict[str, object]:
    """Give the counts as one JSON object."""
    return value._asdict()


def lines(value: Retained) -> Iterator[str]:
    """Say how many turns lost their words, and how much is left."""
    yield f"the words of {counted(value.turns, 'turn')} are gone"
    yield f"{value.bytes_left:,} bytes of words are left"
    if value.turns:
        yield "give back the room with `agentctx memory vacuum`"
