"""`agentctx memory vacuum`: give back room that nothing uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.memory_opening import kept_memory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Give back room that nothing uses."
EXAMPLE = "agentctx memory vacuum"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuumed:
    """The pages of the database, before and after."""

    before: int
    after: int

    def as_json(self) -> dict[str, object]:
        """Give both as one JSON object."""
        return {"pages_before": self.before, "pages_after": self.after}


def configure(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(call: Call) -> Vacuumed:
    """Write the database anew without what was deleted."""
    with kept_memory(call) as memory:
        before, after = memory.vacuum()
        return Vacuumed(before=before, after=after)


def lines(value: Vacuumed) -> Iterator[str]:
    """Say how much smaller it is."""
    yield f"{value.before:,} pages before, {value.after:,} pages now"
