"""`project-corpus candidate list`: the candidates that wait, or what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import add_root
from corpus.cli.inbox import entry_line
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.inbox import Entry

SUMMARY = "List the candidates that wait for a person."
EXAMPLE = "project-corpus candidate list --state all"

STATES = ("waiting", "accepted", "rejected", "all")


class Listed(NamedTuple):
    """Candidates, the oldest first, and the names of files that are damaged."""

    entries: tuple[Entry, ...]
    damaged: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--state",
        choices=STATES,
        default="waiting",
        help="which ones (default: waiting)",
    )


def run(call: Call, *, root: str | None, state: str) -> Listed:
    """Look into the inbox; nothing is made or changed."""
    from corpus.acceptance import entries_of  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    entries, damaged = entries_of(call.root(root), state=user_dirs().state)
    wanted = tuple(one for one in entries if state in {one.state, "all"})
    return Listed(wanted, damaged)


def as_json(value: Listed) -> dict[str, object]:
    """Give the candidates as one JSON object."""
    return {
        "candidates": [one.as_json() for one in value.entries],
        "damaged": list(value.damaged),
        "non_authoritative": True,
    }


def lines(value: Listed) -> Iterator[str]:
    """Show a candidate a line."""
    yield from map(entry_line, value.entries)
    yield counted(len(value.entries), "candidate")
    for name in value.damaged:
        yield f"damaged: the file of {visible(name)} cannot be read"


def exit_status(value: Listed) -> int:
    """Say by the status that something is damaged."""
    return 1 if value.damaged else 0
