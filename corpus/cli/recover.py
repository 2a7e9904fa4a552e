"""`project-corpus recover`: end an interrupted write, by its owner where need be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from corpus.cli.arguments import add_root
from corpus.cli.writing import (
    Where,
    add_trust,
    folder_of_copies,
    open_for_writing,
    outcome_lines,
)
from corpus.errors import UsageError
from corpus.refusals import JournalError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from corpus.cli.call import Call
    from corpus.writes.journal import Choice
    from corpus.writes.outcome import Outcome
    from corpus.writes.recovery import Pending, Side

SUMMARY = "End an interrupted write, by its owner's word where it takes one."
EXAMPLE = "project-corpus recover --resolve old"

DIFF_BYTES = 256 * 1024
"""Longer contents are not compared line by line."""

CHOICES: tuple[Choice, ...] = ("old", "new", "current")


NO_FILE = "no file"
KEPT = "kept"
NOT_KEPT = "not kept"


class Waiting(NamedTuple):
    """One file of a write that waits, by its hashes; None where there is no file.

    `old` and `new` say whether that content is kept, `current` what stands there:
    `file`, `no file`, or what is in the way.
    """

    path: str
    old_sha256: str | None
    new_sha256: str
    current_sha256: str | None
    old: str
    new: str
    current: str


class Recovery(NamedTuple):
    """What `recover` did; `outcome` is None when no write had been interrupted.

    `files` are those of a write that waits for its owner, `possible` what the owner
    can decide, `refused` why not the rest. `folder` is where copies are kept.
    """

    outcome: Outcome | None
    where: Where
    folder: str
    files: tuple[Waiting, ...] = ()
    possible: tuple[Choice, ...] = ()
    refused: tuple[tuple[Choice, str], ...] = ()
    set_aside: bool = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    add_root(parser)
    parser.add_argument(
        "--resolve",
        choices=CHOICES,
        help="decide a write that waits: put the old content back, let the new one"
        " hold, or leave the files as they are now",
    )
    parser.add_argument(
        "--yes", action="store_true", help="with --resolve: do not ask first"
    )
    add_trust(parser)


def run(
    call: Call,
    *,
    root: str | None,
    resolve: Choice | None,
    yes: bool,
    trust: str | None,
) -> Recovery:
    """Settle the write, or show what waits and carry out what was decided."""
    from corpus.writes.recovery import pending, recover  # noqa: PLC0415 - only when run

    if yes and resolve is None:
        raise UsageError(problem="`--yes` goes with `--resolve`")
    with open_for_writing(call, root, trust) as writer:
        where = Where(root, trust, str(writer.root))
        told = Recovery(None, where, folder_of_copies(writer))
        command = f"recover --resolve {resolve}"
        try:
            outcome = recover(writer)
        except JournalError as problem:
            if resolve != "current":
                raise
            question = f"{problem}\nset it aside and leave the files as they are now?"
            call.require_yes(command, question, yes=yes)
            outcome = recover(writer, resolve=resolve)
            return told._replace(outcome=outcome, set_aside=True)
        if outcome is None or outcome.phase != "NEEDS_OWNER":
            return told._replace(outcome=outcome)
        waiting = pending(writer)
        if waiting is None:  # somebody else has just decided it
            return told
        if resolve is None:
            return told._replace(outcome=outcome, **_choices(waiting))
        if resolve in waiting.impossible:
            raise waiting.impossible[resolve]
        call.require_yes(command, _question(waiting, resolve), yes=yes)
        return told._replace(outcome=recover(writer, resolve=resolve))


def exit_status(value: Recovery) -> int:
    """Give 1 when the write still waits for its owner."""
    outcome = value.outcome
    return 1 if outcome is not None and outcome.phase == "NEEDS_OWNER" else 0


def as_json(value: Recovery) -> dict[str, object]:
    """Give the outcome, and what waits, as one JSON object."""
    outcome = value.outcome
    result: dict[str, object] = {"result": outcome.as_json() if outcome else None}
    if value.files:
        result["files"] = [each._asdict() for each in value.files]
        result["possible"] = list(value.possible)
    if outcome is not None and outcome.kept:
        result["kept_in"] = value.folder
    return result


def lines(value: Recovery) -> Iterator[str]:
    """Tell how the write ended, or what its owner can decide."""
    outcome = value.outcome
    if value.set_aside:
        yield f"the journal is set aside, in {value.folder}; the files are as they were"
    elif outcome is None:
        yield "no write was interrupted; there is nothing to recover"
    elif outcome.phase == "NEEDS_OWNER":
        yield f"an interrupted write waits for its owner: {outcome.reason}"
        for each in value.files:
            yield each.path
            yield f"  old      {_state(each.old_sha256, each.old)}"
            yield f"  new      {_state(each.new_sha256, each.new)}"
            yield f"  current  {_state(each.current_sha256, each.current)}"
        for choice, reason in value.refused:
            yield f"not possible: {choice}, for {reason}"
        for choice in value.possible:
            yield f"next: {value.where.command('recover', '--resolve', choice)}"
    elif outcome.phase == "COMPLETE":
        yield "the interrupted write is complete now"
        yield from outcome_lines(outcome)
        yield f"next: {value.where.index_command()}"
    else:
        yield f"the interrupted write is ended and does not hold: {outcome.reason}"
        for change in outcome.changes:
            yield f"  {change.path}"
    for name in outcome.kept if outcome else ():
        yield f"what was replaced is kept as {name} in {value.folder}"


class _Choices(TypedDict):
    files: tuple[Waiting, ...]
    possible: tuple[Choice, ...]
    refused: tuple[tuple[Choice, str], ...]


def _choices(waiting: Pending) -> _Choices:
    return _Choices(
        files=tuple(map(_hashes, waiting.sides)),
        possible=waiting.possible,
        refused=tuple((one, str(why)) for one, why in waiting.impossible.items()),
    )


def _state(known: str | None, word: str) -> str:
    """Write a hash, and what is to be known about its content beside it."""
    if known is None:
        return word
    return known if word in {KEPT, "file"} else f"{known} ({word})"


def _old(side: Side) -> str:
    if side.planned.old_sha256 is None:
        return NO_FILE
    return NOT_KEPT if side.old is None else KEPT


def _hashes(side: Side) -> Waiting:
    from corpus.canonical import sha256  # noqa: PLC0415 - only when a write waits

    return Waiting(
        path=side.planned.path,
        old_sha256=side.planned.old_sha256,
        new_sha256=side.planned.new_sha256,
        current_sha256=None if side.current is None else sha256(side.current),
        old=_old(side),
        new=NOT_KEPT if side.new is None else KEPT,
        current=_current(side),
    )


def _current(side: Side) -> str:
    return "file" if side.current is not None else side.obstacle or NO_FILE


def _question(waiting: Pending, choice: Choice) -> str:
    """Show both differences, and ask."""
    asked = {
        "old": "put the old content back?",
        "new": "let the new content hold?",
        "current": "leave the files as they are now?",
    }
    return "\n".join([*_shown(waiting), asked[choice]])


def _shown(waiting: Pending) -> Iterator[str]:
    for side in waiting.sides:
        old = _Content("old", side.old, _old(side))
        new = _Content("new", side.new, NOT_KEPT)
        current = _Content("current", side.current, _current(side))
        yield from _difference(side.planned.path, old, new)
        yield from _difference(side.planned.path, new, current)


class _Content(NamedTuple):
    """One side of a file; `absence` says why there is no content."""

    name: str
    content: bytes | None
    absence: str

    @property
    def unknown(self) -> bool:
        """Whether there is a content that cannot be shown."""
        return self.content is None and self.absence != NO_FILE

    @property
    def label(self) -> str:
        """What stands above its lines."""
        return self.name if self.content is not None else f"{self.name}: {NO_FILE}"


def _difference(path: str, one: _Content, other: _Content) -> Iterator[str]:
    from difflib import unified_diff  # noqa: PLC0415 - only when a write waits

    unknown = [side for side in (one, other) if side.unknown]
    if unknown:
        told = " and ".join(f"{side.name} is {side.absence}" for side in unknown)
        yield f"{path}: {told}; {one.name} and {other.name} cannot be compared"
        return
    if one.content == other.content:
        yield f"{path}: {one.name} and {other.name} are the same"
        return
    if max(len(one.content or b""), len(other.content or b"")) > DIFF_BYTES:
        yield f"{path}: {one.name} and {other.name} differ, too long to compare here"
        return
    yield from unified_diff(
        _lines(one.content),
        _lines(other.content),
        f"{path} ({one.label})",
        f"{path} ({other.label})",
        lineterm="",
    )


def _lines(content: bytes | None) -> list[str]:
    from corpus.lines import split_lines  # noqa: PLC0415 - only when a write waits

    return split_lines((content or b"").decode("utf-8", "replace"))
