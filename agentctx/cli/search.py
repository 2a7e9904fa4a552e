"""`agentctx search`: find records by their words, or list them, now or of a date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentctx.cli.branching import EVERY, stagings_asked
from agentctx.cli.opening import (
    STORE_ERRORS,
    open_for_reading,
    problem_of,
    project_files,
    this_project,
)
from agentctx.clock import parse_moment, stamp
from agentctx.errors import SearchLimitError, SearchQueryError
from agentctx.records.candidates import Filters
from agentctx.records.card import age, index_line, one_line, standing
from agentctx.records.model import SCOPES, TYPES, check_choice
from agentctx.records.read import Moment
from agentctx.records.search import (
    Answer,
    count_records,
    list_records,
    require_query,
    search_records,
)
from corpus.cli.arguments import CommandParser
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from datetime import datetime

    from agentctx.config import Problem
    from corpus.cli.call import Call

SUMMARY = "Find records by their words, or list them, now or as of a date."
EXAMPLE = "agentctx search 'time zone of readings' --as-of 2026-03-01"

LIMIT = (1, 100)
USUAL = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What was found; `problem` says why the store could not be asked.

    Where nothing was found about a file, `of_file` says how many records it has.
    """

    answer: Answer
    moment: Moment
    now: datetime
    problem: Problem | None = None
    of_file: int | None = None

    def as_json(self) -> dict[str, object]:
        """Give the answer as one JSON object, an entry a record, never its body."""
        value: dict[str, object] = {
            "results": [self._entry(number) for number in range(len(self))],
            "degraded": self.answer.degraded,
            "as_of": self.moment.as_of,
            "valid_at": self.moment.valid_at,
        }
        if self.of_file is not None:
            value["file_records"] = self.of_file
        if self.problem is not None:
            value["problem"] = self.problem._asdict()
        return value

    def __len__(self) -> int:
        return len(self.answer.results)

    def _entry(self, number: int) -> dict[str, object]:
        record, score = self.answer.results[number]
        return {
            **index_line(record, now=self.now, score=score),
            "title": one_line(record.title),
            "standing": standing(record),
            "recorded_at": record.recorded_at,
            "valid_from": record.valid_from,
        }


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    if isinstance(parser, CommandParser):
        parser.text = "query"
    parser.add_argument(
        "query",
        metavar="QUERY",
        nargs="?",
        help="words to look for; without any, `--file`, `--type` or `--scope` lists"
        " those records, the newest first",
    )
    parser.add_argument(
        "--type", metavar="TYPE", help=f"only these: {', '.join(TYPES)}"
    )
    parser.add_argument("--file", metavar="PATH", help="only what is about this file")
    parser.add_argument(
        "--scope",
        metavar="|".join(SCOPES),
        help="`project`: this project's and the global ones (the default); `global`:"
        " only the global ones",
    )
    parser.add_argument(
        "--limit",
        type=limit_argument,
        default=USUAL,
        metavar="N",
        help="at most so many, 1 to 100 (default: %(default)s)",
    )
    parser.add_argument(
        "--branch",
        metavar="NAME|all|none",
        help="as it is on this branch; `all`: what waits on any, too; `none`: what is"
        " of the main line alone (default: the branch that is checked out)",
    )
    parser.add_argument(
        "--as-of", metavar="T", help="what was believed on that date, or at that moment"
    )
    parser.add_argument(
        "--valid-at", metavar="T", help="what was true on that date, or at that moment"
    )


def limit_argument(text: str) -> int:
    """Read `--limit`; SearchLimitError when it is no number in `LIMIT`."""
    least, most = LIMIT
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not digits or not least <= int(text) <= most:
        raise SearchLimitError(
            field="limit", found=text[:40], minimum=least, maximum=most
        )
    return int(text)


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    query: str | None,
    type: str | None,  # noqa: A002 - the argument's name
    file: str | None,
    scope: str | None,
    limit: int,
    branch: str | None,
    as_of: str | None,
    valid_at: str | None,
) -> Results:
    """Ask the store; where it cannot be read, say so and find nothing."""
    if query is not None:
        require_query(query)
    elif (file, type, scope) == (None, None, None):
        missing = SearchQueryError()
        missing.hint = "give a word to look for, or list with `--file` or `--type`"
        raise missing
    moment = Moment(_moment(as_of, "as_of"), _moment(valid_at, "valid_at"))
    names = project_files(this_project(), None if file is None else [file])
    filters = Filters(
        type=None if type is None else check_choice(type, TYPES, field="type"),
        scope=None if scope is None else check_choice(scope, SCOPES, field="scope"),
        file=names[0] if names else None,
        moment=moment,
    )
    try:
        with open_for_reading(call) as opened:
            asked = (opened.store, opened.project_id)
            filters = filters._replace(
                staging=stagings_asked(opened, branch), replaced=branch == EVERY
            )
            if query is None:
                answer = list_records(*asked, filters=filters, limit=limit)
            else:
                answer = search_records(*asked, query, filters=filters, limit=limit)
            of_file = None
            if filters.file is not None and not answer.results:
                of_file = count_records(
                    *asked,
                    filters._replace(type=None, scope=None),
                )
    except STORE_ERRORS as error:
        nothing = Answer((), error.code)
        return Results(
            answer=nothing, moment=moment, now=call.now, problem=problem_of(error)
        )
    return Results(answer=answer, moment=moment, now=call.now, of_file=of_file)


def exit_status(value: Results) -> int:
    """Answer 1 where the store could not be asked."""
    return 0 if value.problem is None else 1


def lines(value: Results) -> Iterator[str]:
    """Show one record a line, the best first, then how many there are."""
    now = stamp(value.now)
    for record, _ in value.answer.results:
        told = [record.type, standing(record), age(record.recorded_at, value.now)]
        if record.valid_from > now:
            told.append(f"from {record.valid_from[: len('2026-05-02')]}")
        yield f"{record.id}  {visible(one_line(record.title))}  ({', '.join(told)})"
    yield counted(len(value), "record")
    if value.of_file:
        about = counted(value.of_file, "record")
        yield f"{about} of this file; list with `--file` and no QUERY"
    if value.problem is not None:
        yield f"degraded: {value.problem.code}: {value.problem.detail}"
        yield f"hint: {value.problem.hint}"
    elif value.answer.degraded is not None:
        yield f"degraded: {value.answer.degraded}"


def _moment(text: str | None, field: str) -> str | None:
    return None if text is None else parse_moment(text, field=field, end_of_day=True)
