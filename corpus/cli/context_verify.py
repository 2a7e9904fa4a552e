"""`project-corpus context verify`: say whether a bundle is intact and current."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.receipt import Verdict

SUMMARY = "Say whether a bundle is intact and its sources current."
EXAMPLE = "project-corpus context verify --bundle bundle.json --receipt receipt.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        required=True,
        help="the bundle to verify, `-` for standard input",
    )
    parser.add_argument(
        "--receipt", metavar="FILE", help="a receipt that must be for this bundle"
    )
    add_index(parser)


def run(
    call: Call,
    *,
    root: str | None,
    bundle: str,
    receipt: str | None,
    index: str | None,
) -> Verdict:
    """Check the bundle in itself, then against the sources as they are now."""
    from corpus.index.store import index_name  # noqa: PLC0415 - only when run
    from corpus.jsoninput import read_json_anywhere  # noqa: PLC0415 - only when run
    from corpus.receipt import check_bundle, verify_bundle  # noqa: PLC0415 - the same
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run
    from corpus.view import open_project, provision_for  # noqa: PLC0415 - the same

    folder = call.root(root)
    index_name(folder, index)
    value = read_json_anywhere(bundle, stdin=getattr(sys.stdin, "buffer", None))
    check_bundle(value)
    given = None if receipt is None else read_json_anywhere(receipt)
    project = open_project(folder, dirs=user_dirs())
    provision = provision_for(project, dirs=user_dirs())
    return verify_bundle(project, value, given, provision=provision)


def exit_status(value: Verdict) -> int:
    """Give 1 when anything the bundle was made from changed."""
    return 0 if value.ok else 1


def lines(value: Verdict) -> Iterator[str]:
    """Say what holds and what changed."""
    yield f"bundle {value.bundle_sha256} is intact"
    if value.receipt_ok:
        yield "the receipt is for this bundle"
    for source in value.stale_sources:
        yield f"{source.state}: {source.path}"
    for finding in value.findings:
        yield f"{finding.code}: {finding.path}: {finding.detail}"
    if value.ok:
        yield "every source is as it was"
    elif value.selected_current:
        yield "its own sources are as they were; another source in scope changed"
    else:
        yield "compile it again before relying on it"
