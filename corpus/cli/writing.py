"""What the commands that change a project share: the grant, the input, the outcome."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from corpus.errors import InputPathError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from corpus.cli.call import Call
    from corpus.refs import RelPath
    from corpus.writes.outcome import Outcome
    from corpus.writes.writer import Writer

TRANSPORT = "cli"
"""How a command comes to a project, in the words of grants and receipts."""

INDEX_NEXT = "project-corpus context build"
"""What makes the index know of a write."""

_INPUT_HINT = "name a regular file of at most 8 MiB, or `-` for standard input"


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Declare `--trust`."""
    parser.add_argument(
        "--trust",
        metavar="FILE",
        help="the owner's grant (default: the project's own in your trust folder);"
        " without ROOT it also says which project",
    )


def add_input(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Declare `--input`, the `source` of `run`."""
    parser.add_argument(
        "--input",
        dest="source",
        metavar="FILE",
        required=required,
        help="the whole new content, a file anywhere, `-` for standard input",
    )


def add_status_hash(parser: argparse.ArgumentParser) -> None:
    """Declare `--expected-sha256`, the hash of STATUS.md."""
    parser.add_argument(
        "--expected-sha256",
        metavar="HASH",
        required=True,
        help="the SHA-256 of STATUS.md as you read it"
        " (`show STATUS --format json` tells it)",
    )


def add_task_change(parser: argparse.ArgumentParser) -> None:
    """Declare what `task activate` and `task close` have in common."""
    parser.add_argument("--id", dest="task_id", required=True, help="the task's id")
    add_status_hash(parser)
    parser.add_argument(
        "--task-sha256",
        metavar="HASH",
        help="the SHA-256 of the task as you read it (default: as it is now)",
    )
    parser.add_argument(
        "--next-action",
        metavar="TEXT",
        help="what STATUS.md shall say under Exact Next Action",
    )


@contextmanager
def open_for_writing(
    call: Call, root: str | None, trust: str | None
) -> Iterator[Writer]:
    """Open the project to be changed under its grant, as a session of this command."""
    from corpus.authority import Session  # noqa: PLC0415 - only when run
    from corpus.cli.granting import granted_place  # noqa: PLC0415 - only when run
    from corpus.userdirs import user_dirs  # noqa: PLC0415 - only when run
    from corpus.writes.writer import open_writer  # noqa: PLC0415 - only when run

    place = granted_place(call, root, trust)
    with open_writer(
        place.root,
        place.path,
        Session(TRANSPORT),
        state=user_dirs().state,
        clock=call.clock,
        random=call.random,
    ) as writer:
        yield writer


def read_content(source: str) -> bytes:
    """Read what `--input` names; InputPathError when it cannot be the content."""
    from corpus.authority import SOURCE_BYTES  # noqa: PLC0415 - only when run
    from corpus.jsoninput import read_anywhere  # noqa: PLC0415 - only when run

    stdin = getattr(sys.stdin, "buffer", None)
    try:
        return read_anywhere(source, limit=SOURCE_BYTES, stdin=stdin)
    except InputPathError as error:
        if error.hint == InputPathError.hint:
            error.hint = _INPUT_HINT
        raise


def require_one_way(source: str | None, draft: Mapping[str, object]) -> None:
    """Refuse `--input` beside the options that draft a content."""
    given = [name for name, value in draft.items() if value is not None]
    if source is not None and given:
        raise UsageError(problem=f"`{given[0]}` does not go with `--input`")


def require_draft(needed: Mapping[str, str | None]) -> None:
    """Refuse a draft that lacks a part which nobody can make up."""
    for name, value in needed.items():
        if value is None:
            raise UsageError(problem=f"`{name}` is needed, or `--input FILE`")


def own_id(given: str | None, *, content: bytes | None, key: str, title: str) -> str:
    """Give the id asked for, else the one the content states, else the title's.

    `content` is None for a draft. UsageError when there is none.
    """
    if given is not None:
        return given
    if content is None:
        from corpus.protocol.compose import id_from_title  # noqa: PLC0415 - when run

        found = id_from_title(title)
        problem = "no id can be made of the title; give one with `--id`"
    else:
        found = _stated_id(content, key)
        problem = f"the input states no `{key}`; give the id with `--id`"
    if found is None:
        raise UsageError(problem=problem)
    return found


def outcome_lines(value: Outcome, *advice: str) -> Iterator[str]:
    """Say what changed, its new hash, where the receipt is and what to do next."""
    for change in value.changes:
        verb = "created" if change.old_sha256 is None else "changed"
        yield f"{verb} {change.path}"
        yield f"  sha256 {change.new_sha256}"
    if value.audit_path is not None:
        yield f"receipt {value.audit_path}"
    for line in advice:
        yield f"next: {line}"


def new_hash(value: Outcome, path: RelPath) -> str:
    """Give the hash that a file of this write has now, or the word for a reader."""
    hashes = {change.path: change.new_sha256 for change in value.changes}
    return str(hashes.get(path, "HASH"))


def _stated_id(content: bytes, key: str) -> str | None:
    from corpus.markdown import decode, parse_markdown  # noqa: PLC0415 - parses
    from corpus.protocol.metadata import read_metadata  # noqa: PLC0415 - parses

    try:
        return read_metadata(parse_markdown(decode(content))).get(key) or None
    except UnicodeDecodeError:
        return None  # the writer says what is wrong with it
