"""`project-corpus report create`: write a new report, from a file or its parts."""

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

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.writing import Written

SUMMARY = "Write a new report, from a file or from its parts."
EXAMPLE = (
    "project-corpus report create --title 'The cold start takes 40 ms'"
    " --task measure-the-cold-start --result PASS --summary '40 ms at the median.'"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_drafted_id(parser, "report")
    add_input(parser)
    parser.add_argument("--title", help="what was found, in a few words")
    parser.add_argument(
        "--task", metavar="ID", help="the task in scope it belongs to (default: NONE)"
    )
    parser.add_argument(
        "--result",
        choices=("PASS", "FAIL", "PARTIAL", "INFO"),
        help="how it went; INFO where nothing could fail",
    )
    parser.add_argument("--summary", metavar="TEXT", help="what was found")
    for name, about in (
        ("evidence", "what was run or read, and what it gave"),
        ("limitation", "what this does not show"),
    ):
        parser.add_argument(
            f"--{name}", metavar="TEXT", action="append", help=f"{about}; repeatable"
        )
    add_trust(parser)


def run(  # noqa: PLR0913 - one keyword an option
    call: Call,
    *,
    root: str | None,
    report_id: str | None,
    source: str | None,
    title: str | None,
    task: str | None,
    result: str | None,
    summary: str | None,
    evidence: list[str] | None,
    limitation: list[str] | None,
    trust: str | None,
) -> Written:
    """Create one report; a task that is named must be there."""
    from corpus.protocol.compose import ReportDraft, compose_report  # noqa: PLC0415
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run
    from corpus.writes.requests import create_report  # noqa: PLC0415 - only when run

    parts = {"--title": title, "--task": task, "--result": result}
    parts |= {"--summary": summary}
    require_one_way(
        source, {**parts, "--evidence": evidence, "--limitation": limitation}
    )
    content = None if source is None else read_content(source)
    if content is None:
        require_draft({name: parts[name] for name in parts if name != "--task"})
    else:
        report_id = stated_id(report_id, content, "Report-ID")
    with open_for_writing(call, root, trust) as writer:
        chosen = drafted_id(report_id, writer, "report", title or "")
        if content is None:
            content = compose_report(
                ReportDraft(
                    title=title or "",
                    task_id=task if task is not None else "NONE",
                    result=result or "",
                    summary=summary or "",
                    evidence=evidence or (),
                    limitations=limitation or (),
                ),
                project_id=read_policy(writer.opened).project_id,
                report_id=chosen,
                now=call.now,
            )
        outcome = create_report(writer, chosen, content, task=task)
        return told(writer, outcome, root, trust)


def as_json(value: Written) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Written) -> Iterator[str]:
    """Tell what was created and where to cite it."""
    path = value.outcome.changes[0].path
    cite = f"cite it in STATUS.md under Evidence References: `- {path}`"
    yield from value.lines(cite)
