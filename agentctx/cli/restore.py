"""`agentctx restore`: put a backup in place of the whole store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.opening import open_for_writing
from agentctx.records.backup import check_backup, restore_backup
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.backup import Restored
    from corpus.cli.call import Call

SUMMARY = "Put a backup in place of the whole store."
EXAMPLE = "agentctx restore ~/.agentctx/backups/agentctx-20260301T120000Z.db"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument("file", metavar="FILE", help="what `agentctx backup` wrote")
    add_yes(parser)


def run(call: Call, *, file: str, yes: bool) -> Restored:
    """Check the file, ask, keep a copy of the present store, and put it back."""
    held = check_backup(file)
    with open_for_writing(call, create=True) as opened:
        question = (
            f"replace the store, of every project, by {file}?\n"
            f"It holds {counted(held, 'record')}. The present store is copied first."
        )
        require_consent(call, "restore", question, yes=yes)
        return restore_backup(opened.store, file)


def as_json(value: Restored) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return {"records": value.records, "saved": value.saved.as_json()}


def lines(value: Restored) -> Iterator[str]:
    """Say what the store holds now and where the old one is."""
    yield f"restored: the store holds {counted(value.records, 'record')}"
    yield f"before: {visible(value.saved.path)}"
