"""`project-corpus task activate`: make one task the active one, in STATUS.md too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    add_task_change,
    add_trust,
    new_hash,
    open_for_writing,
    outcome_lines,
)
from corpus.refs import stem

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.writes.outcome import Outcome

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
) -> Outcome:
    """Change the task and STATUS.md together."""
    from corpus.writes.requests import activate_task  # noqa: PLC0415 - only when run

    with open_for_writing(call, root, trust) as writer:
        return activate_task(
            writer,
            task_id,
            expected_sha256=expected_sha256,
            task_sha256=task_sha256,
            next_action=next_action,
        )


def as_json(value: Outcome) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Outcome) -> Iterator[str]:
    """Tell what was changed and how to end the task."""
    from corpus.protocol.layout import STATUS_PATH  # noqa: PLC0415 - only when printed

    task = stem(value.changes[0].path)
    known = new_hash(value, STATUS_PATH)
    yield from outcome_lines(
        value,
        "do the work, and say what came of it with `project-corpus report create"
        f" --task {task} …`",
        f"project-corpus task close --id {task} --expected-sha256 {known}",
    )
