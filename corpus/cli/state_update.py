"""`project-corpus state update`: replace STATUS.md, if it still is what you read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    add_input,
    add_status_hash,
    add_trust,
    open_for_writing,
    read_content,
    told,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.writing import Written

SUMMARY = "Replace STATUS.md, if it still is what you read."
EXAMPLE = (
    "project-corpus state update --input STATUS.new.md"
    " --expected-sha256 $(sha256sum .project-corpus/state/STATUS.md | cut -c-64)"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_input(parser, required=True)
    add_status_hash(parser)
    add_trust(parser)


def run(
    call: Call,
    *,
    root: str | None,
    source: str,
    expected_sha256: str,
    trust: str | None,
) -> Written:
    """Write the new STATUS.md in one transaction."""
    from corpus.writes.requests import update_state  # noqa: PLC0415 - only when run

    content = read_content(source)
    with open_for_writing(call, root, trust) as writer:
        outcome = update_state(writer, content, expected_sha256=expected_sha256)
        return told(writer, outcome, root, trust)


def as_json(value: Written) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Written) -> Iterator[str]:
    """Tell what was changed and what to do next."""
    yield from value.lines(value.where.index_command())
