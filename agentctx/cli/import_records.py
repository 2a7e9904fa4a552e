"""`agentctx import`: add records that `agentctx export` wrote, here or elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from agentctx.cli.consent import add_yes, require_consent
from agentctx.cli.opening import open_for_writing, this_project
from agentctx.errors import ImportFileError
from agentctx.records.transfer import import_records
from agentctx.records.transferred import MOST_BYTES, parse_document
from corpus.cli.render import counted
from corpus.errors import InputPathError
from corpus.jsoninput import read_anywhere

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.records.transfer import Imported
    from corpus.cli.call import Call

SUMMARY = "Add records that `agentctx export` wrote, here or elsewhere."
EXAMPLE = "agentctx import records.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "file", metavar="FILE", help="the document; `-` reads it from standard input"
    )
    add_yes(parser)


def run(call: Call, *, file: str, yes: bool) -> Imported:
    """Check the document whole, ask, and add what is not here already."""
    stdin = getattr(sys.stdin, "buffer", None)
    try:
        content = read_anywhere(file, limit=MOST_BYTES, stdin=stdin)
    except InputPathError as error:
        reason = str(error.facts["reason"])
        raise ImportFileError(path=file, reason=reason) from None
    found = len(parse_document(content, name=file, now=call.now))
    question = (
        f"add {counted(found, 'record')} to {this_project().name}?\n"
        "They count as a teammate's: searchable, and never pinned."
    )
    require_consent(call, "import", question, yes=yes)
    with open_for_writing(call, create=True) as opened:
        return import_records(opened.store, opened.project_id, content, name=file)


def as_json(value: Imported) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def exit_status(value: Imported) -> int:
    """Answer 1 where a record says something else under the same id or key."""
    return 1 if value.conflicts else 0


def lines(value: Imported) -> Iterator[str]:
    """Say what became of the records, naming those that were left out."""
    yield f"added {counted(len(value.added), 'record')}"
    if value.present:
        yield f"{counted(len(value.present), 'record')} were here already"
    if value.elsewhere:
        what = counted(len(value.elsewhere), "record")
        yield f"left out {what} that another project of this store has"
        yield "`agentctx project` names the namespaces that can be adopted instead"
    elsewhere = frozenset(value.elsewhere)
    for record_id in value.conflicts:
        if record_id in elsewhere:
            continue
        yield f"left out {record_id}: its id or its key has another record here"
    for record_id in value.forgotten:
        yield f"left out {record_id}: it was deleted here"
    for rule, count in value.redacted:
        yield f"redacted {rule} x {count}"
