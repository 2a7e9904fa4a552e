"""`project-corpus candidate reject`: keep why a candidate is not wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import root_and_text
from corpus.cli.inbox import entry_json, entry_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.inbox import Entry

SUMMARY = "Reject a candidate and keep the reason."
EXAMPLE = (
    "project-corpus candidate reject cold-start --reason 'Measured at 20 °C only.'"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(parser, "id", meaning="the candidate's id, or the beginning of it")
    parser.add_argument(
        "--reason", metavar="TEXT", required=True, help="why it is rejected"
    )


def run(call: Call, *, root: str | None, id: str, reason: str) -> Entry:  # noqa: A002
    """Decide against a candidate; nothing of the project changes."""
    from corpus.acceptance import reject  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    return reject(
        call.root(root),
        id,
        reason,
        state=user_dirs().state,
        now=call.now,
        random=call.random,
    )


def as_json(value: Entry) -> dict[str, object]:
    """Give the candidate as one JSON object."""
    return entry_json(value, None)


def lines(value: Entry) -> Iterator[str]:
    """Show what was rejected and why."""
    yield from entry_lines(value)
