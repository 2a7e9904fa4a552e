"""`project-corpus context watch`: rebuild the index whenever a source changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.watch import Told

SUMMARY = "Rebuild the index whenever a source changes, until Ctrl-C."
EXAMPLE = "project-corpus context watch"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--poll",
        action="store_true",
        help="look again and again instead of being notified, for network folders",
    )
    add_index(parser)


def run(call: Call, *, root: str | None, poll: bool, index: str | None) -> None:
    """Watch until interrupted, one line a build."""
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - no page of help needs it
    from corpus.watch import Watched, watch  # noqa: PLC0415 - parses Markdown

    def tell(told: Told) -> None:
        if call.format == "json":
            call.write_json(told)
        else:
            call.write_lines(lines(told))

    watch(
        Watched(root=call.root(root), index=index, poll=poll),
        tell,
        dirs=user_dirs(),
        random=call.random,
        clock=call.clock,
    )


def lines(told: Told) -> Iterator[str]:
    """Show one line: when, and what became of the index."""
    when = told.at.strftime("%H:%M:%SZ")
    if told.error is not None:
        yield f"{when} failed[{told.error.code}] {told.error}"
    elif told.report is not None:
        report = told.report
        done = f", {report.parsed} read anew" if told.state == "built" else ""
        yield f"{when} {told.state}: {counted(report.source_count, 'source')}{done}"
