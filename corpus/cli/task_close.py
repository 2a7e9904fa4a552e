"""`project-corpus task close`: end a task, and let STATUS.md name it no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    add_task_change,
    add_trust,
    open_for_writing,
    status_text,
    told,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.writing import Written
    from corpus.writes.outcome import Outcome
    from corpus.writes.requests import Ending
    from corpus.writes.writer import Writer

SUMMARY = "End a task, and let STATUS.md name it no longer."
EXAMPLE = (
    "project-corpus task close --id measure-the-cold-start --next-action 'Release it.'"
    " --expected-sha256 $(sha256sum .project-corpus/state/STATUS.md | cut -c-64)"
)


NEXT_ACTION_UNCHANGED = "NEXT_ACTION_UNCHANGED"
"""STATUS.md still says what was to be done for the task that has ended."""


class Closed(NamedTuple):
    """A task that was ended, and what its owner may have forgotten."""

    written: Written
    warnings: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_task_change(parser)
    parser.add_argument(
        "--status",
        choices=("DONE", "CANCELLED"),
        default="DONE",
        help="how the task ended (default: DONE)",
    )
    add_trust(parser)


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str | None,
    task_id: str,
    status: Ending,
    expected_sha256: str,
    task_sha256: str | None,
    next_action: str | None,
    trust: str | None,
) -> Closed:
    """Change the task and STATUS.md together."""
    from corpus.writes.requests import close_task  # noqa: PLC0415 - only when run

    with open_for_writing(call, root, trust) as writer:
        outcome = close_task(
            writer,
            task_id,
            status=status,
            expected_sha256=expected_sha256,
            task_sha256=task_sha256,
            next_action=next_action,
        )
        forgotten = next_action is None and _still_says(writer, outcome)
        warnings = (NEXT_ACTION_UNCHANGED,) if forgotten else ()
        return Closed(told(writer, outcome, root, trust), warnings)


def as_json(value: Closed) -> dict[str, object]:
    """Give the outcome as one JSON object, with the warnings."""
    return {**value.written.as_json(), "warnings": list(value.warnings)}


def lines(value: Closed) -> Iterator[str]:
    """Tell what was changed and what to do next."""
    where = value.written.where
    known = ("--expected-sha256", value.written.status_sha256)
    if not value.warnings:
        yield from value.written.lines(where.index_command())
        return
    yield "warning: STATUS.md still names the next action of the task that has ended"
    renewal = ("--id", "TASK", "--next-action", "TEXT", *known)
    yield from value.written.lines(
        where.command("task", "activate", *renewal),
        where.command("state", "update", "--input", "FILE", *known),
    )


def _still_says(writer: Writer, outcome: Outcome) -> bool:
    """Say whether STATUS.md named this task, and still says what to do for it."""
    from corpus.markdown import decode, parse_markdown  # noqa: PLC0415 - when run
    from corpus.protocol.layout import (  # noqa: PLC0415 - when run
        NEXT_ACTION,
        STATUS_PATH,
    )
    from corpus.protocol.sections import says_none, section_text  # noqa: PLC0415 - too

    changed = any(
        one.path == STATUS_PATH and one.old_sha256 != one.new_sha256
        for one in outcome.changes
    )
    content = status_text(writer) if changed else None
    if content is None:
        return False
    return not says_none(section_text(parse_markdown(decode(content)), NEXT_ACTION))
