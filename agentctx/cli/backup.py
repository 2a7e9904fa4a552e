"""`agentctx backup`: copy the whole store to a new file, and check the copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.opening import open_for_reading
from agentctx.records.backup import make_backup
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.backup import Backup
    from corpus.cli.call import Call

SUMMARY = "Copy the whole store to a new file, and check the copy."
EXAMPLE = "agentctx backup --out ~/agentctx-before-the-move.db"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="the new file (default: one beside the store, named by the time)",
    )


def run(call: Call, *, out: str | None) -> Backup:
    """Copy it; BackupError where a file of that name exists."""
    with open_for_reading(call) as opened:
        return make_backup(opened.store, out)


def as_json(value: Backup) -> dict[str, object]:
    """Give the copy as one JSON object."""
    return value.as_json()


def lines(value: Backup) -> Iterator[str]:
    """Say where it lies and what it holds."""
    yield f"{visible(value.path)}"
    yield f"{counted(value.records, 'record')}, {value.size:,} bytes, checked"
