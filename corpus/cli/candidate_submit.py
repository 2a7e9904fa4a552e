"""`project-corpus candidate submit`: put a statement and its evidence to a person."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import add_root
from corpus.cli.inbox import Doubt, entry_json, entry_lines, origins_of
from corpus.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from corpus.canonical import Json
    from corpus.cli.call import Call
    from corpus.inbox import Entry
    from corpus.origins import Origin, OriginKind
    from corpus.submission import Submitted

SUMMARY = "Let a candidate wait for a person, from a file, a record or an item."
EXAMPLE = """project-corpus candidate submit candidate.json
project-corpus candidate submit --record 01KBA2 --source reports/cold-start.md:12-14"""


class Waits(NamedTuple):
    """The candidate that waits, and what is doubtful about it."""

    entry: Entry
    doubt: Doubt


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="the candidate, a JSON file inside the project, or `-` for standard input",
    )
    parser.add_argument(
        "--record", metavar="ID", help="make it of this record of agentctx"
    )
    parser.add_argument(
        "--item", metavar="ID", help="make it of this item of conversation memory"
    )
    parser.add_argument(
        "--source",
        metavar="PATH:FIRST-LAST",
        action="append",
        help="lines of a source that support it; repeatable"
        " (default: those that the record or the item names)",
    )
    parser.add_argument(
        "--statement", metavar="TEXT", help="what it says (default: as its origin does)"
    )
    parser.add_argument("--kind", metavar="KIND", help="what kind of statement it is")
    parser.add_argument(
        "--id", dest="candidate_id", metavar="ID", help="the candidate's id"
    )


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str | None,
    file: str | None,
    record: str | None,
    item: str | None,
    source: list[str] | None,
    statement: str | None,
    kind: str | None,
    candidate_id: str | None,
) -> Waits:
    """Check the candidate and let it wait; nothing of the project changes."""
    from corpus.acceptance import Wording, compose  # noqa: PLC0415 - only when run
    from corpus.inbox import change_inbox  # noqa: PLC0415 - only when run
    from corpus.submission import (  # noqa: PLC0415 - parses Markdown
        Wish,
        from_file,
        from_origin,
        lines_named,
    )
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run
    from corpus.view import open_project  # noqa: PLC0415 - parses Markdown

    wanted = _origin_asked(record, item)
    wish = Wish(candidate_id, kind, statement)
    if wanted is None:
        root, file = (root, file) if file is not None else (None, root)
        _require_file_alone(file, source, wish)
    elif file is not None:
        raise UsageError(problem="a candidate is made of a file or of an origin")
    folder = call.root(root)
    dirs = user_dirs()
    project = open_project(folder, dirs=dirs)
    made: Submitted
    if wanted is None:
        made = from_file(project, _read(folder, file or ""), now=call.now)
    else:
        given = [lines_named(one) for one in source or ()]
        origin = _origin(call, folder, *wanted)
        made = from_origin(project, origin, given, wish, now=call.now)
    compose(made.entry, Wording(), None, now=call.now)  # else it could never be one
    with change_inbox(
        project.project_id, state=dirs.state, random=call.random
    ) as inbox:
        entry = inbox.add(made.entry)
    return Waits(entry, Doubt(made.verdict, None))


def as_json(value: Waits) -> dict[str, object]:
    """Give the entry and the verdict as one JSON object."""
    return entry_json(value.entry, value.doubt)


def lines(value: Waits) -> Iterator[str]:
    """Say what waits, what is doubtful, and who decides."""
    yield from entry_lines(value.entry)
    yield from value.doubt.lines()
    yield f"next: `project-corpus candidate accept {value.entry.id}`, or `reject`"


def _origin_asked(
    record: str | None, item: str | None
) -> tuple[OriginKind, str] | None:
    if record is not None and item is not None:
        raise UsageError(problem="a candidate has one origin: `--record` or `--item`")
    if record is not None:
        return ("record", record)
    return None if item is None else ("item", item)


def _require_file_alone(
    file: str | None, source: list[str] | None, wish: tuple[str | None, ...]
) -> None:
    if file is None:
        raise UsageError(problem="name a FILE, or an origin by `--record` or `--item`")
    if source is not None or any(one is not None for one in wish):
        raise UsageError(
            problem="a candidate from a file says itself what it cites and says"
        )


def _origin(call: Call, root: Path, kind: OriginKind, text: str) -> Origin:
    from corpus.refusals import OriginMissingError  # noqa: PLC0415 - only when run

    for keeper in origins_of(call):
        return keeper.origin(root, kind, text)
    raise OriginMissingError(kind=kind)


def _read(root: Path, file: str) -> Json:
    from corpus.confined.reader import open_root  # noqa: PLC0415 - only when run
    from corpus.jsoninput import (  # noqa: PLC0415 - only when run
        STANDARD_INPUT,
        read_json_anywhere,
        read_json_inside,
    )

    stdin = getattr(sys.stdin, "buffer", None)
    if file == STANDARD_INPUT and stdin is not None:
        return read_json_anywhere(file, stdin=stdin)
    with open_root(root) as opened:
        return read_json_inside(opened, root, file)
