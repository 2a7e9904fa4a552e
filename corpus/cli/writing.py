"""What the commands that change a project share: the grant, the input, the outcome."""

from __future__ import annotations

import shlex
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from corpus.errors import CodedError, InputPathError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from corpus.cli.call import Call
    from corpus.writes.outcome import Outcome
    from corpus.writes.writer import Writer

TRANSPORT = "cli"
"""How a command comes to a project, in the words of grants and receipts."""

_INPUT_HINT = "name a regular file of at most 8 MiB, or `-` for standard input"


class Where(NamedTuple):
    """The project that a command was about, and how the next one can say the same.

    `folder` is the project's own, for commands that take no `--trust`.
    """

    root: str | None
    trust: str | None
    folder: str

    def command(self, *words: str) -> str:
        """Write a command about the same project, under the same grant."""
        trust = [] if self.trust is None else ["--trust", self.trust]
        return written(*words, root=self.root, options=trust)

    def index_command(self) -> str:
        """Write what makes the index know of a write."""
        root = self.folder if self.root is None and self.trust else self.root
        return written("context", "build", root=root)


class Written(NamedTuple):
    """A write, where it was made, and the hash of STATUS.md after it.

    `status_sha256` is the word for a reader where STATUS.md cannot be read; `kept_in`
    the folder of the copies that were kept, where there are any.
    """

    outcome: Outcome
    where: Where
    status_sha256: str
    kept_in: str | None = None

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object, for its owner."""
        kept = {} if self.kept_in is None else {"kept_in": self.kept_in}
        return {**self.outcome.as_json(), **kept}

    def lines(self, *advice: str) -> Iterator[str]:
        """Tell the outcome, what is kept where, and what to do next."""
        yield from outcome_lines(self.outcome)
        for name in self.outcome.kept:
            yield f"what was replaced is kept as {name} in {self.kept_in}"
        for line in advice:
            yield f"next: {line}"


def written(*words: str, root: str | None, options: Sequence[str] = ()) -> str:
    """Write a call of the program as a shell takes it, ROOT behind the command.

    The command is every word before the first option; a ROOT with a hyphen at its
    start is no option.
    """
    count = next((n for n, one in enumerate(words) if one[:1] == "-"), len(words))
    place = []
    if root is not None:
        place = [f"./{root}" if root.startswith("-") else root]
    parts = [*words[:count], *place, *words[count:], *options]
    return f"project-corpus {shlex.join(parts)}"


def add_trust(parser: argparse.ArgumentParser) -> None:
    """Declare `--trust`."""
    parser.add_argument(
        "--trust",
        metavar="FILE",
        help="the owner's grant (default: the project's own in your trust folder);"
        " without ROOT it also says which project",
    )


def add_drafted_id(parser: argparse.ArgumentParser, kind: str) -> None:
    """Declare `--id` of a new `kind`: "task" or "report"."""
    parser.add_argument(
        "--id",
        dest=f"{kind}_id",
        metavar="ID",
        help=f"the {kind}'s id (default: made of the title, or the next number;"
        " or as the input states)",
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
        " (`project-corpus status` tells it)",
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


def stated_id(given: str | None, content: bytes, key: str) -> str:
    """Give the id asked for, else the one the content states; else UsageError."""
    found = given if given is not None else _stated_id(content, key)
    if found is None:
        problem = f"the input states no `{key}`; give the id with `--id`"
        raise UsageError(problem=problem)
    return found


def drafted_id(
    given: str | None, writer: Writer, kind: Literal["task", "report"], title: str
) -> str:
    """Give the id asked for, else the one of the title; UsageError says the rule."""
    from corpus.writes.naming import ID_RULE, id_for_title  # noqa: PLC0415 - when run

    found = given if given is not None else id_for_title(writer, kind, title)
    if found is None:
        raise UsageError(
            problem="no id can be made of the title; give one with `--id`:"
            f" {ID_RULE}, and no name of a device such as `con`"
        )
    return found


def told(
    writer: Writer, outcome: Outcome, root: str | None, trust: str | None
) -> Written:
    """Put a write beside what its next steps need."""
    where = Where(root, trust, str(writer.root))
    folder = folder_of_copies(writer) if outcome.kept else None
    return Written(outcome, where, _status_hash(writer), folder)


def folder_of_copies(writer: Writer) -> str:
    """Name the folder outside the project where copies are kept, for its owner."""
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run
    from corpus.writes.writer import runtime_of  # noqa: PLC0415 - only when run

    return str(runtime_of(writer, read_policy(writer.opened).project_id))


def outcome_lines(value: Outcome) -> Iterator[str]:
    """Say what changed, its new hash and where the receipt is."""
    for change in value.changes:
        verb = "created" if change.old_sha256 is None else "changed"
        yield f"{verb} {change.path}"
        yield f"  sha256 {change.new_sha256}"
    if value.audit_path is not None:
        yield f"receipt {value.audit_path}"


def status_text(writer: Writer) -> bytes | None:
    """Give STATUS.md as it is now; None where it cannot be read.

    What a write did is told whatever has become of the project since.
    """
    from corpus.authority import SOURCE_BYTES  # noqa: PLC0415 - only when run
    from corpus.confined.reader import Unreadable  # noqa: PLC0415 - only when run
    from corpus.protocol.layout import STATUS_PATH  # noqa: PLC0415 - only when run
    from corpus.sources.scan import read_policy  # noqa: PLC0415 - only when run

    try:
        if not read_policy(writer.opened).may_read(STATUS_PATH):
            return None
        return writer.opened.content(STATUS_PATH, limit=SOURCE_BYTES)
    except (CodedError, Unreadable):
        return None


def _status_hash(writer: Writer) -> str:
    from corpus.canonical import sha256  # noqa: PLC0415 - only when run

    content = status_text(writer)
    return "HASH" if content is None else sha256(content)


def _stated_id(content: bytes, key: str) -> str | None:
    from corpus.markdown import decode, parse_markdown  # noqa: PLC0415 - parses
    from corpus.protocol.metadata import read_metadata  # noqa: PLC0415 - parses

    try:
        return read_metadata(parse_markdown(decode(content))).get(key) or None
    except UnicodeDecodeError:
        return None  # the writer says what is wrong with it
