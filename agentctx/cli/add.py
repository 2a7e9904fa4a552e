"""`agentctx add`: record one fact, as its developer says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentctx.branches import UNSTAGED
from agentctx.cli.branching import staging_here
from agentctx.cli.opening import missing_files, open_for_writing, project_files
from agentctx.cli.sheet import add_body, body_text, made_json, made_lines
from agentctx.clock import parse_moment
from agentctx.records.learning import learn_record
from agentctx.records.model import SCOPES, TYPES, NewRecord

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.project import Project
    from agentctx.records.write import Made
    from corpus.cli.call import Call

SUMMARY = "Record one fact of this project, or of yours for every project."
EXAMPLE = (
    "agentctx add decision 'Readings are stored in UTC'"
    " --body 'Two stations stand on either side of a border.' --file src/store.py"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument("type", metavar="TYPE", help=", ".join(TYPES))
    parser.add_argument(
        "title", metavar="TITLE", help="the fact in one line, at most 120 characters"
    )
    add_body(parser, "the fact, at most 2,000 characters (default: the title)")
    parser.add_argument(
        "--scope",
        default="project",
        metavar="|".join(SCOPES),
        help="who it is for: this project or each of yours (default: %(default)s)",
    )
    parser.add_argument(
        "--supersedes", metavar="ID", help="the current record that it replaces"
    )
    parser.add_argument(
        "--file",
        metavar="PATH",
        nargs="+",
        action="extend",
        help="files of the project that it is about; repeatable",
    )
    parser.add_argument(
        "--valid-from", metavar="T", help="since when it is true (default: now)"
    )
    parser.add_argument(
        "--branch",
        action="store_true",
        help="stage it on the branch that is checked out, until that joins the main"
        " line",
    )


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    type: str,  # noqa: A002 - the argument's name
    title: str,
    body: str | None,
    scope: str,
    supersedes: str | None,
    file: list[str] | None,
    valid_from: str | None,
    branch: bool,
) -> Made:
    """Make one explicit record."""
    since = None
    if valid_from is not None:
        since = parse_moment(valid_from, field="valid_from")
    text = title if body is None else body_text(body)
    with open_for_writing(call, create=True) as opened:
        files = project_files(opened.project, file)
        new = NewRecord(
            type=type,
            title=title,
            body=text,
            source="cli",
            scope=scope,
            valid_from=since,
            key=_key(type, title, opened.project),
            files=files,
        )
        where = staging_here(opened.project, new) if branch else UNSTAGED
        made = learn_record(
            opened.store, opened.project_id, new, where=where, supersedes=supersedes
        )
        if missing_files(opened.project, files):
            made = made._replace(warnings=(*made.warnings, "FILE_MISSING"))
        return made


as_json = made_json


def lines(value: Made) -> Iterator[str]:
    """Say what was recorded."""
    return made_lines(value)


def _key(kind: str, title: str, project: Project) -> str | None:
    """Give what tells apart records of which only one is current (A2.6)."""
    if kind == "profile":
        return " ".join(title.split())
    if kind == "handover":
        return (project.worktree or "").encode("utf-8", "backslashreplace").decode()
    return None
