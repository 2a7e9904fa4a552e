"""`project-corpus audit-read`: show the receipt of one controlled write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import add_trust, open_for_writing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.writes.audit import Receipt

SUMMARY = "Show the receipt of one controlled write."
EXAMPLE = "project-corpus audit-read --transaction-id 0123456789abcdef0123456789abcdef"

_OF_THE_FIRST = frozenset(
    {"target", "old_sha256", "new_sha256", "old_identity", "new_identity"}
)
"""Fields that repeat the first change."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--transaction-id",
        metavar="ID",
        required=True,
        help="the 32 hexadecimal digits that the write answered",
    )
    add_trust(parser)


def run(
    call: Call, *, root: str | None, transaction_id: str, trust: str | None
) -> Receipt:
    """Read the receipt, where the grant and the read scope allow it."""
    from corpus.mandate import mandate_for  # noqa: PLC0415 - only when run
    from corpus.writes.audit import read_receipt  # noqa: PLC0415 - only when run

    with open_for_writing(call, root, trust) as writer:
        mandate = mandate_for(
            writer.opened, writer.root, writer.grant_file, writer.session
        )
        return read_receipt(writer.opened, mandate, transaction_id)


def as_json(value: Receipt) -> dict[str, object]:
    """Give the receipt as one JSON object."""
    return value.as_json()


def lines(value: Receipt) -> Iterator[str]:
    """Show the receipt's fields, each change, then the receipt's own hash."""
    for name, field in value.content.items():
        if isinstance(field, str) and name not in _OF_THE_FIRST:
            yield f"{name}  {field}"
    changes = value.content.get("changes")
    for change in changes if isinstance(changes, list) else []:
        if isinstance(change, dict):
            yield f"{change.get('target')}"
            yield f"  from {change.get('old_sha256') or 'nothing'}"
            yield f"  to   {change.get('new_sha256')}"
    yield f"receipt {value.path}"
    yield f"  sha256 {value.sha256}"
