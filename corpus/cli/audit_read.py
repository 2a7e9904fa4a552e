"""`project-corpus audit-read`: show the receipt of a controlled write, or list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import add_trust, open_for_writing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.writes.audit import Receipt, Receipts

SUMMARY = "Show the receipt of one controlled write, or list them."
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
        help="the 32 hexadecimal digits that the write answered, or the first 8 or"
        " more of them; without it the newest receipts are listed",
    )
    add_trust(parser)


def run(
    call: Call, *, root: str | None, transaction_id: str | None, trust: str | None
) -> Receipt | Receipts:
    """Read the receipt or list them, where the grant and the read scope allow it."""
    from corpus.mandate import mandate_for  # noqa: PLC0415 - only when run
    from corpus.writes.audit import (  # noqa: PLC0415 - only when run
        find_transaction,
        list_receipts,
        read_receipt,
    )

    with open_for_writing(call, root, trust) as writer:
        mandate = mandate_for(
            writer.opened, writer.root, writer.grant_file, writer.session
        )
        if transaction_id is None:
            return list_receipts(writer.opened, mandate)
        found = find_transaction(writer.opened, mandate, transaction_id)
        return read_receipt(writer.opened, mandate, found)


def as_json(value: Receipt | Receipts) -> dict[str, object]:
    """Give the receipt, or the list, as one JSON object."""
    return value.as_json()


def lines(value: Receipt | Receipts) -> Iterator[str]:
    """Show one receipt, or one of the list a line."""
    from corpus.writes.audit import Receipt  # noqa: PLC0415 - only when printed

    if isinstance(value, Receipt):
        yield from _receipt_lines(value)
        return
    for row in value.rows:
        yield "  ".join(text or "-" for text in row)
    if value.left_out:
        yield f"… and {value.left_out} older"
    if not value.rows:
        yield "there is no receipt in read scope"


def _receipt_lines(value: Receipt) -> Iterator[str]:
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
