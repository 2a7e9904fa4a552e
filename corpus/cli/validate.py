"""`project-corpus validate`: check every artifact in scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.render import counted
from corpus.confined.reader import open_root

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.protocol.conformance import Validation

SUMMARY = "Check every artifact in scope and report what is wrong."
EXAMPLE = "project-corpus validate"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)


def run(call: Call, *, root: str | None) -> Validation:
    """Check the corpus; what is wrong in it is part of the answer."""
    from corpus.protocol.conformance import validate  # noqa: PLC0415 - parses Markdown

    with open_root(call.root(root)) as opened:
        return validate(opened)


def exit_status(value: Validation) -> int:
    """Give 1 when anything is an error."""
    return 0 if value.ok else 1


def lines(value: Validation) -> Iterator[str]:
    """Show one finding a paragraph, then the count."""
    for issue in value.issues:
        place = f"{issue.path}:{issue.line}" if issue.line else issue.path
        yield f"{issue.severity.lower()}[{issue.code}] {place}"
        yield f"  {issue.detail}"
        yield f"  hint: {issue.hint}"
    name = value.project_id or "the corpus"
    verdict = "conforms" if value.ok else "does not conform"
    yield (
        f"{name} {verdict}: {counted(value.source_count, 'source')}, "
        f"{counted(value.errors, 'error')}, {counted(value.warnings, 'warning')}"
    )
