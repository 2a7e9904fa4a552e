"""`project-corpus context receipt`: state what was handed to a consumer of a bundle."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from corpus.cli.opening import add_index
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from corpus.canonical import Json
    from corpus.cli.call import Call

SUMMARY = "State what was handed to a consumer of a bundle."
EXAMPLE = "project-corpus context receipt --bundle bundle.json --consumer agent-7"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        required=True,
        help="the bundle as `context bundle --format json` printed it, `-` for standard"
        " input",
    )
    parser.add_argument(
        "--consumer",
        metavar="ID",
        required=True,
        help="who got it, 1 to 128 printable characters",
    )
    parser.add_argument(
        "--delivered",
        metavar="ID",
        action="append",
        help="the item that was handed over, once for each (default: all of them)",
    )
    add_index(parser)
    parser.add_argument(
        "--record",
        action="store_true",
        help="also append the receipt to the ledger in your state folder",
    )


def run(
    call: Call,
    *,
    bundle: str,
    consumer: str,
    delivered: list[str] | None,
    record: bool,
    index: str | None,  # noqa: ARG001 - as every `context` command; none is needed
) -> Mapping[str, Json]:
    """Verify the bundle and make the receipt; nothing is written unless asked."""
    from corpus.jsoninput import read_json_anywhere  # noqa: PLC0415 - only when run
    from corpus.receipt import make_receipt  # noqa: PLC0415 - only when run

    value = read_json_anywhere(bundle, stdin=getattr(sys.stdin, "buffer", None))
    receipt = make_receipt(value, consumer, delivered, now=call.now)
    if record:
        from corpus import ledger  # noqa: PLC0415 - only when recording
        from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when recording

        ledger.record(receipt, state=user_dirs().state)
    return receipt


def lines(value: Mapping[str, Json]) -> Iterator[str]:
    """Sum the receipt up; what to keep is the JSON."""
    from corpus.receipt import PROVES  # noqa: PLC0415 - only when printed

    delivered = value["delivered_item_ids"]
    assert isinstance(delivered, list)
    items = counted(len(delivered), "item")
    yield f"{value['project_id']}: {items} to {value['consumer']}"
    yield f"bundle   {value['bundle_sha256']}"
    yield f"sources  {value['source_snapshot_digest']}"
    yield f"at       {value['created_at']}"
    yield f"proves {PROVES}"
