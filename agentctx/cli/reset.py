"""`agentctx reset`: delete every record of this project, after a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.opening import open_for_writing
from agentctx.records.backup import Cleared, reset_project
from agentctx.records.read import all_records
from agentctx.records.staged import stagings_of
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call

SUMMARY = "Delete every record of this project, after a backup."
EXAMPLE = "agentctx reset"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_yes(parser)


def run(call: Call, *, yes: bool) -> Cleared:
    """Say how many there are, ask, copy the store, and delete them."""
    with open_for_writing(call) as opened:
        own = (opened.project_id, *stagings_of(opened.store.db, opened.project_id))
        held = len(all_records(opened.store.db, own))
        if not held:
            return Cleared(0, None)
        question = (
            f"delete {counted(held, 'record')} of {opened.project.name}, past and"
            " present?\nThe store is copied first; global records stay."
        )
        require_consent(call, "reset", question, yes=yes)
        return reset_project(opened.store, opened.project_id)


def as_json(value: Cleared) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    saved = None if value.saved is None else value.saved.as_json()
    return {"deleted": value.records, "saved": saved}


def lines(value: Cleared) -> Iterator[str]:
    """Say what is gone and where the copy is."""
    yield f"deleted {counted(value.records, 'record')}"
    if value.saved is not None:
        yield f"before: {visible(value.saved.path)}"
        yield "put back: `agentctx restore` the whole store from there, or `agentctx"
        yield "import` this project's records from a document of `agentctx export`"
