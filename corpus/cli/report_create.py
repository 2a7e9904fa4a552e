"""`project-corpus report create`: write a new report, from a file or its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    add_input,
    add_trust,
    open_for_writing,
    outcome_lines,
    own_id,
    read_content,
    require_draft,
    require_one_way,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.writes.outcome import Outcome

SUMMARY = "Write a new report, from a file or from its parts."
EXAMPLE = (
    "project-corpus report create --title 'The cold start takes 40 ms'"
    " --task measure-the-cold-start --result PASS --summary '40 ms at the median.'"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--id",
        dest="report_id",
        metavar="ID",
        help="the report's id (default: made of the title, or as the input states)",
    )
    add_input(parser)
    parser.add_argument("--title", help="what was found, in a few words")
    parser.add_argument(
        "--task", metavar="ID", help="the task it belongs to (default: NONE)"
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
) -> Outcome:
    """Create one report."""
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
    chosen = own_id(report_id, content=content, key="Report-ID", title=title or "")
    with open_for_writing(call, root, trust) as writer:
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
        return create_report(writer, chosen, content)


def as_json(value: Outcome) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Outcome) -> Iterator[str]:
    """Tell what was created and where to cite it."""
    path = value.changes[0].path
    cite = f"cite it in STATUS.md under Evidence References: `- {path}`"
    yield from outcome_lines(value, cite)
