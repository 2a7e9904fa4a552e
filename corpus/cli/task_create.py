"""`project-corpus task create`: write a new task, from a file or from its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    add_drafted_id,
    add_input,
    add_trust,
    drafted_id,
    open_for_writing,
    read_content,
    require_draft,
    require_one_way,
    stated_id,
    told,
)
from corpus.refs import stem

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.writing import Written

SUMMARY = "Write a new task, from a file or from its parts."
EXAMPLE = (
    "project-corpus task create --title 'Measure the cold start'"
    " --objective 'We know how long a start takes.' --acceptance 'A report says it.'"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_drafted_id(parser, "task")
    add_input(parser)
    parser.add_argument("--title", help="the task in a few words")
    parser.add_argument(
        "--objective", metavar="TEXT", help="what is true when it is done"
    )
    for name, about in (
        ("scope", "what may be touched, or may not"),
        ("constraint", "what must be kept to"),
        ("acceptance", "how anybody can tell that it is done"),
    ):
        parser.add_argument(
            f"--{name}", metavar="TEXT", action="append", help=f"{about}; repeatable"
        )
    add_trust(parser)


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str | None,
    task_id: str | None,
    source: str | None,
    title: str | None,
    objective: str | None,
    scope: list[str] | None,
    constraint: list[str] | None,
    acceptance: list[str] | None,
    trust: str | None,
) -> Written:
    """Create one task, which is OPEN where it is composed here."""
    from corpus.protocol.compose import TaskDraft, compose_task  # noqa: PLC0415
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run
    from corpus.writes.requests import create_task  # noqa: PLC0415 - only when run

    parts = {"--title": title, "--objective": objective, "--scope": scope}
    parts |= {"--constraint": constraint, "--acceptance": acceptance}
    require_one_way(source, parts)
    content = None if source is None else read_content(source)
    if content is None:
        require_draft({"--title": title, "--objective": objective})
    else:
        task_id = stated_id(task_id, content, "Task-ID")
    with open_for_writing(call, root, trust) as writer:
        chosen = drafted_id(task_id, writer, "task", title or "")
        if content is None:
            content = compose_task(
                TaskDraft(
                    title=title or "",
                    objective=objective or "",
                    scope=scope or (),
                    constraints=constraint or (),
                    acceptance=acceptance or (),
                ),
                project_id=read_policy(writer.opened).project_id,
                task_id=chosen,
                now=call.now,
            )
        return told(writer, create_task(writer, chosen, content), root, trust)


def as_json(value: Written) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Written) -> Iterator[str]:
    """Tell what was created and how to begin it."""
    task = stem(value.outcome.changes[0].path)
    known = ("--expected-sha256", value.status_sha256)
    begin = value.where.command("task", "activate", "--id", task, *known)
    yield from value.lines(begin)
