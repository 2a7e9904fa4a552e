"""`project-corpus task close`: end a task, and let STATUS.md name it no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    INDEX_NEXT,
    add_task_change,
    add_trust,
    open_for_writing,
    outcome_lines,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.writes.outcome import Outcome
    from corpus.writes.requests import Ending

SUMMARY = "End a task, and let STATUS.md name it no longer."
EXAMPLE = (
    "project-corpus task close --id measure-the-cold-start --next-action 'Release it.'"
    " --expected-sha256 $(sha256sum .project-corpus/state/STATUS.md | cut -c-64)"
)


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
) -> Outcome:
    """Change the task and STATUS.md together."""
    from corpus.writes.requests import close_task  # noqa: PLC0415 - only when run

    with open_for_writing(call, root, trust) as writer:
        return close_task(
            writer,
            task_id,
            status=status,
            expected_sha256=expected_sha256,
            task_sha256=task_sha256,
            next_action=next_action,
        )


def as_json(value: Outcome) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Outcome) -> Iterator[str]:
    """Tell what was changed and what to do next."""
    yield from outcome_lines(value, INDEX_NEXT)
