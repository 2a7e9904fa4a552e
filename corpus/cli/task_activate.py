"""`project-corpus task activate`: make one task the active one, in STATUS.md too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    add_task_change,
    add_trust,
    open_for_writing,
    told,
)
from corpus.refs import stem

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.writing import Written

SUMMARY = "Make one task the active one, in the task and in STATUS.md."
EXAMPLE = (
    "project-corpus task activate --id measure-the-cold-start"
    " --expected-sha256 $(sha256sum .project-corpus/state/STATUS.md | cut -c-64)"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_task_change(parser)
    add_trust(parser)


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str | None,
    task_id: str,
    expected_sha256: str,
    task_sha256: str | None,
    next_action: str | None,
    trust: str | None,
) -> Written:
    """Change the task and STATUS.md together."""
    from corpus.writes.requests import activate_task  # noqa: PLC0415 - only when run

    with open_for_writing(call, root, trust) as writer:
        outcome = activate_task(
            writer,
            task_id,
            expected_sha256=expected_sha256,
            task_sha256=task_sha256,
            next_action=next_action,
        )
        return told(writer, outcome, root, trust)


def as_json(value: Written) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Written) -> Iterator[str]:
    """Tell what was changed and how to end the task."""
    task = stem(value.outcome.changes[0].path)
    where, known = value.where, ("--expected-sha256", value.status_sha256)
    yield from value.lines(
        "do the work, and say what came of it with"
        f" `{where.command('report', 'create', '--task', task)} …`",
        where.command("task", "close", "--id", task, *known),
    )
