"""`project-corpus candidate accept`: make a candidate a report, by a person's word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import root_and_text
from corpus.cli.granting import add_yes
from corpus.cli.inbox import Doubt, doubt_of, entry_json, entry_lines
from corpus.cli.writing import add_trust, open_for_writing, told
from corpus.refusals import OriginLetGoError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.writing import Written
    from corpus.inbox import Entry
    from corpus.writes.writer import Writer

SUMMARY = "Make a report of a candidate, under the owner's grant."
EXAMPLE = "project-corpus candidate accept controller-cold-start --yes"


class Accepted(NamedTuple):
    """The candidate, the write that made its report, and what is doubtful."""

    entry: Entry
    written: Written
    doubt: Doubt


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(parser, "id", meaning="the candidate's id, or the beginning of it")
    parser.add_argument(
        "--report", metavar="ID", help="the report's id (default: the candidate's)"
    )
    parser.add_argument(
        "--title", help="the report's title (default: how the statement begins)"
    )
    parser.add_argument(
        "--task", metavar="ID", help="the task in scope it belongs to (default: NONE)"
    )
    parser.add_argument(
        "--limitation",
        metavar="TEXT",
        action="append",
        help="what this does not show; repeatable",
    )
    add_trust(parser)
    add_yes(parser)


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str | None,
    id: str,  # noqa: A002 - the argument's name
    report: str | None,
    title: str | None,
    task: str | None,
    limitation: list[str] | None,
    trust: str | None,
    yes: bool,
) -> Accepted:
    """Show what is to be accepted, ask, and write the report."""
    from corpus.acceptance import Wording, accept  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    wording = Wording(report, title, task or "NONE", tuple(limitation or ()))
    with open_for_writing(call, root, trust) as writer:
        entry = _waiting(writer, id)
        doubt = doubt_of(call, writer.root, entry)
        if isinstance(doubt.problem, OriginLetGoError):
            raise doubt.problem
        shown = "\n".join([*entry_lines(entry), *doubt.lines()])
        question = f"{shown}\nmake a report of this?"
        call.require_yes("candidate accept", question, yes=yes)
        done = accept(writer, entry.id, wording, dirs=user_dirs())
        written = told(writer, done.outcome, root, trust)
        return Accepted(done.entry, written, Doubt(done.verdict, None))


def as_json(value: Accepted) -> dict[str, object]:
    """Give the candidate and its report as one JSON object."""
    return entry_json(value.entry, value.doubt)


def lines(value: Accepted) -> Iterator[str]:
    """Tell what was created and where to cite it."""
    path = value.written.outcome.changes[0].path
    yield from value.doubt.lines()
    cite = f"cite it in STATUS.md under Evidence References: `- {path}`"
    yield from value.written.lines(cite)


def _waiting(writer: Writer, text: str) -> Entry:
    """Find the candidate that a person is asked about; it must wait."""
    from corpus.acceptance import (  # noqa: PLC0415 - only when run
        as_it_stands,
        require_waiting,
    )
    from corpus.inbox import open_inbox  # noqa: PLC0415 - only when run
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run

    project_id = read_policy(writer.opened).project_id
    with open_inbox(project_id, state=writer.state) as inbox:
        entry = as_it_stands(inbox.find(text), writer.opened)
    require_waiting(entry)
    return entry
