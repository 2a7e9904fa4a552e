"""`project-corpus context doctor`: diagnose the corpus; repair nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.doctor import Report

SUMMARY = "Diagnose the sources, the index, a bundle or a candidate."
EXAMPLE = "project-corpus context doctor --bundle bundle.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--bundle", metavar="FILE", help="also check a bundle that was made earlier"
    )
    parser.add_argument(
        "--candidate",
        metavar="FILE",
        help="also check a candidate, a JSON file inside the project",
    )
    add_index(parser)


def run(
    call: Call,
    *,
    root: str | None,
    bundle: str | None,
    candidate: str | None,
    index: str | None,
) -> Report:
    """Examine everything; what is wrong is part of the answer."""
    from corpus.examination import Examined, examine  # noqa: PLC0415 - loads it all
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it

    return examine(
        Examined(root=call.root(root), index=index, bundle=bundle, candidate=candidate),
        dirs=user_dirs(),
        random=call.random,
        now=call.now,
    )


def exit_status(value: Report) -> int:
    """Give 1 when anything fails."""
    return 0 if value.ok else 1


def lines(value: Report) -> Iterator[str]:
    """Show one issue a paragraph, then the count."""
    for issue in value.issues:
        place = f"{issue.path}:{issue.line}" if issue.line else issue.path
        yield f"{issue.severity.lower()}[{issue.code}] {place}"
        yield f"  {issue.detail}"
        yield f"  hint: {issue.hint}"
    verdict = "is sound" if value.ok else "is not sound"
    yield (
        f"{value.project_id} {verdict}: {value.source_count} sources, "
        f"{value.failures} failures, {value.warnings} warnings"
    )
