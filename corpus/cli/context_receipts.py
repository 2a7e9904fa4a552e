"""`project-corpus context receipts`: list the recorded receipts, verify their chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.ledger import Entry, Ledger

SUMMARY = "List the recorded receipts and verify their chain."
EXAMPLE = "project-corpus context receipts"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_index(parser)


def run(call: Call, *, root: str | None, index: str | None) -> Ledger:
    """Read the project's ledger from the user's state folder."""
    from corpus.authority import require_context  # noqa: PLC0415 - only when run
    from corpus.confined.reader import open_root  # noqa: PLC0415 - only when run
    from corpus.index.store import index_name  # noqa: PLC0415 - only when run
    from corpus.ledger import read_ledger  # noqa: PLC0415 - only when run
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    folder = call.root(root)
    index_name(folder, index)
    with open_root(folder) as opened:
        policy = read_policy(opened)
    require_context(policy)
    return read_ledger(policy.project_id, state=user_dirs().state)


def exit_status(value: Ledger) -> int:
    """Give 1 when the chain is broken."""
    return 0 if value.ok else 1


def lines(value: Ledger) -> Iterator[str]:
    """Show an entry a line, then the verdict."""
    from corpus.receipt import PROVES  # noqa: PLC0415 - only when printed

    for entry in value.entries:
        yield _entry_line(entry)
    for each in value.breaks:
        yield f"broken at line {each.line}: {each.reason}"
    if value.torn_bytes:
        torn = counted(value.torn_bytes, "byte")
        yield (
            f"the last line is torn ({torn} of an unfinished write);"
            " the next `--record` mends it"
        )
    count = f"{value.project_id}: {counted(len(value.entries), 'receipt')}"
    yield f"{count}, chain {'holds' if value.ok else 'broken'}"
    yield f"proves {PROVES}"


def _entry_line(entry: Entry) -> str:
    receipt = entry.receipt
    delivered = receipt.get("delivered_item_ids")
    count = len(delivered) if isinstance(delivered, list) else 0
    bundle = str(receipt.get("bundle_sha256"))[:16]
    return (
        f"{entry.seq}. {receipt.get('created_at')}  {receipt.get('consumer')}"
        f"  {counted(count, 'item')} of bundle {bundle}"
    )
