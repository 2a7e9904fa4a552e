"""`project-corpus candidate show`: one candidate whole, and whether it still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import root_and_text
from corpus.cli.inbox import doubt_of, entry_json, entry_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.cli.inbox import Doubt
    from corpus.inbox import Entry

SUMMARY = "Show one candidate whole, and whether its evidence still holds."
EXAMPLE = "project-corpus candidate show controller-cold-start"


class Shown(NamedTuple):
    """A candidate as it stands; `doubt` is None once it is decided."""

    entry: Entry
    doubt: Doubt | None


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    root_and_text(parser, "id", meaning="the candidate's id, or the beginning of it")


def run(call: Call, *, root: str | None, id: str) -> Shown:  # noqa: A002
    """Look at a candidate and hold it against the sources as they are now."""
    from corpus.acceptance import as_it_stands  # noqa: PLC0415 - only when run
    from corpus.confined.reader import open_root  # noqa: PLC0415 - only when run
    from corpus.inbox import open_inbox  # noqa: PLC0415 - only when run
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run

    folder, dirs = call.root(root), user_dirs()
    with open_root(folder) as opened:
        project_id = read_policy(opened).project_id
        with open_inbox(project_id, state=dirs.state) as inbox:
            entry = as_it_stands(inbox.find(id), opened)
    if entry.state != "waiting":
        return Shown(entry, None)
    return Shown(entry, doubt_of(call, folder, entry))


def as_json(value: Shown) -> dict[str, object]:
    """Give the candidate and the verdict as one JSON object."""
    return entry_json(value.entry, value.doubt)


def lines(value: Shown) -> Iterator[str]:
    """Show it, and what is doubtful."""
    yield from entry_lines(value.entry)
    if value.doubt is not None:
        yield from value.doubt.lines()
