"""`project-corpus recover`: end an interrupted write, by its owner where need be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from corpus.cli.arguments import add_root
from corpus.cli.writing import INDEX_NEXT, add_trust, open_for_writing, outcome_lines
from corpus.errors import UsageError

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


class Waiting(NamedTuple):
    """One file of a write that waits, by its hashes; None where there is no file."""

    path: str
    old_sha256: str | None
    new_sha256: str
    current_sha256: str | None


class Recovery(NamedTuple):
    """What `recover` did; `outcome` is None when no write had been interrupted.

    `files` are those of a write that waits for its owner.
    """

    outcome: Outcome | None
    files: tuple[Waiting, ...] = ()


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
        outcome = recover(writer)
        if outcome is None or outcome.phase != "NEEDS_OWNER":
            return Recovery(outcome)
        waiting = pending(writer)
        if waiting is None:  # somebody else has just decided it
            return Recovery(None)
        if resolve is None:
            return Recovery(outcome, tuple(map(_hashes, waiting.sides)))
        command = f"recover --resolve {resolve}"
        call.require_yes(command, _question(waiting, resolve), yes=yes)
        return Recovery(recover(writer, resolve=resolve))


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
    return result


def lines(value: Recovery) -> Iterator[str]:
    """Tell how the write ended, or what its owner can decide."""
    outcome = value.outcome
    if outcome is None:
        yield "no write was interrupted; there is nothing to recover"
    elif outcome.phase == "NEEDS_OWNER":
        yield f"an interrupted write waits for its owner: {outcome.reason}"
        for each in value.files:
            yield each.path
            yield f"  old      {each.old_sha256 or 'no file'}"
            yield f"  new      {each.new_sha256}"
            yield f"  current  {each.current_sha256 or 'no file'}"
        yield "next: project-corpus recover --resolve old, new or current"
    elif outcome.phase == "COMPLETE":
        yield "the interrupted write is complete now"
        yield from outcome_lines(outcome, INDEX_NEXT)
    else:
        yield f"the interrupted write is ended and does not hold: {outcome.reason}"
        for change in outcome.changes:
            yield f"  {change.path}"
    for name in outcome.kept if outcome else ():
        yield f"what was replaced is kept as {name}"


def _hashes(side: Side) -> Waiting:
    from corpus.canonical import sha256  # noqa: PLC0415 - only when a write waits

    return Waiting(
        path=side.planned.path,
        old_sha256=side.planned.old_sha256,
        new_sha256=side.planned.new_sha256,
        current_sha256=None if side.current is None else sha256(side.current),
    )


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
        path = side.planned.path
        yield from _difference(path, "old", side.old, "new", side.new)
        yield from _difference(path, "new", side.new, "current", side.current)


def _difference(
    path: str, one: str, before: bytes | None, other: str, after: bytes | None
) -> Iterator[str]:
    from difflib import unified_diff  # noqa: PLC0415 - only when a write waits

    if before == after:
        yield f"{path}: {one} and {other} are the same"
        return
    if max(len(before or b""), len(after or b"")) > DIFF_BYTES:
        yield f"{path}: {one} and {other} differ; both are too long to compare here"
        return
    yield from unified_diff(
        _lines(before),
        _lines(after),
        f"{path} ({one if before is not None else f'{one}: no file'})",
        f"{path} ({other if after is not None else f'{other}: no file'})",
        lineterm="",
    )


def _lines(content: bytes | None) -> list[str]:
    from corpus.lines import split_lines  # noqa: PLC0415 - only when a write waits

    return split_lines((content or b"").decode("utf-8", "replace"))
