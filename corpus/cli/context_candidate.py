"""`project-corpus context candidate-validate`: check a statement and its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.candidate import Accepted
    from corpus.cli.call import Call

SUMMARY = "Check a proposed statement and its evidence."
EXAMPLE = "project-corpus context candidate-validate --input candidate.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--input",
        metavar="FILE",
        required=True,
        help="the candidate, a JSON file inside the project",
    )
    add_index(parser)


def run(
    call: Call,
    *,
    root: str | None,
    input: str,  # noqa: A002 - the option's name
    index: str | None,
) -> Accepted:
    """Hold the candidate against the sources as they are now; write nothing."""
    from corpus.candidate import validate_candidate  # noqa: PLC0415 - only when run
    from corpus.confined.reader import open_root  # noqa: PLC0415 - only when run
    from corpus.index.store import index_name  # noqa: PLC0415 - only when run
    from corpus.jsoninput import read_json_inside  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run
    from corpus.view import open_project  # noqa: PLC0415 - parses Markdown

    folder = call.root(root)
    index_name(folder, index)
    project = open_project(folder, dirs=user_dirs())
    with open_root(folder) as opened:
        candidate = read_json_inside(opened, folder, input)
    return validate_candidate(project, candidate, now=call.now)


def lines(value: Accepted) -> Iterator[str]:
    """Say that the form is right, what is doubtful, and who decides."""
    yield f"{value.candidate_id} is a valid candidate for {value.project_id}"
    for warning in value.warnings:
        yield f"warning[{warning.code}] {warning.field}: {warning.detail}"
    yield "nothing was written; promoting it takes a person's explicit act"
