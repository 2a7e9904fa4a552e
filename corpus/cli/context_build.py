"""`project-corpus context build`: bring the index up to date with the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.cli.arguments import add_root
from corpus.cli.opening import add_index, build
from corpus.cli.render import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.index.build import BuildReport

SUMMARY = "Bring the index up to date with the sources."
EXAMPLE = "project-corpus context build"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    add_index(parser)


def run(call: Call, *, root: str | None, index: str | None) -> BuildReport:
    """Read what changed and publish the index; nothing changed, nothing written."""
    return build(call, root, index)


def as_json(value: BuildReport) -> object:
    """Give the report as one JSON object."""
    return value.as_json()


def lines(value: BuildReport) -> Iterator[str]:
    """Sum the build up, then name what was skipped."""
    if value.written:
        sources = counted(value.source_count, "source")
        done = f"index built, {value.parsed} of {sources} read anew"
    else:
        done = f"index already current, {counted(value.source_count, 'source')}"
    yield f"{value.project_id}: {done}, {counted(value.item_count, 'passage')}"
    for path, reason in value.skipped:
        yield f"skipped {path}: {reason}"
