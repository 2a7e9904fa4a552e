"""`agentctx uninstall`: take our entries back, and with `--data` what we know."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentctx.cli.changes import require_seen_consent, show, shown
from agentctx.cli.consent import add_yes
from agentctx.cli.init import file_lines
from agentctx.cli.sheet import row
from agentctx.clients import claude_code
from agentctx.config import HOME_VARIABLE, environment, home, require_place
from agentctx.errors import HomeError
from corpus.cli.render import counted, visible

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from agentctx.cli.changes import Shown
    from agentctx.clients.claude_code import Change
    from corpus.cli.call import Call
    from corpus.errors import CodedError

SUMMARY = "Take our entries out of the AI client's settings; keep what is known."
EXAMPLE = "agentctx uninstall --dry-run"

_OURS = re.compile(
    r"agentctx\.db.*|config\.json|forget\.key.*|\..*\.stage"
    r"|backups|clients|deleted|digests|logs|models|profile|sessions"
)
"""What lies in a store's folder that somebody chose, perhaps with things of theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is to be taken back, or was; `asked` says that a person has seen it.

    `data` are the names in the store's folder that go, `left` those that are not ours.
    `kept` says why the folder cannot be deleted, though that was asked for.
    """

    home: str
    files: tuple[Shown, ...]
    data: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    kept: HomeError | None = None
    applied: bool = False
    asked: bool = False

    @property
    def is_one(self) -> bool:
        """Whether anything changes at all."""
        changed = any(one.action not in {"none", "blocked"} for one in self.files)
        return changed or bool(self.data)

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            "home": self.home,
            "files": [one._asdict() for one in self.files],
            "data": list(self.data),
            "left": list(self.left),
            "applied": self.applied,
        }

    def lines(self) -> Iterator[str]:
        """Show what goes or has gone, and what stays."""
        return lines(self)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; each one is a keyword of `run`."""
    parser.add_argument(
        "--data",
        action="store_true",
        help="delete the store, too: every record of every project, for good",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change, change nothing"
    )
    add_yes(parser)


def run(call: Call, *, data: bool, dry_run: bool, yes: bool) -> Outcome:
    """Show every change, ask, and take our entries back; the data comes last.

    While entries stay somewhere the data does, too: their hooks would make it anew.
    """
    folder = home()
    where = claude_code.places(environment())
    told = _told(folder, claude_code.plan_removal(folder, where), data=data)
    if dry_run:
        return told
    if told.is_one:
        question = "\n".join(_question(told))
        require_seen_consent(call, "uninstall", question, plan=told, yes=yes)
    changes = claude_code.remove(folder, where)
    done = replace(
        told,
        files=tuple(map(shown, changes)),
        applied=True,
        asked=told.is_one and not yes,
    )
    problem = _problem(changes, told)
    if problem is not None:
        show(call, replace(done, data=()))
        raise problem
    if told.data:
        _delete(folder, told)
    return done


def as_json(value: Outcome) -> dict[str, object]:
    """Give the outcome as one JSON object."""
    return value.as_json()


def lines(value: Outcome) -> Iterator[str]:
    """Show what goes or has gone, and what stays."""
    if not value.asked:
        yield from file_lines(value.files)
        yield from _data_lines(value)
    if not value.applied:
        yield "nothing was changed"
    elif value.kept or any(one.reason for one in value.files):
        yield "what could be taken back is taken back"
    elif not value.is_one:
        yield "there was nothing to take back"
    elif value.data:
        yield "done; the data is gone"
    else:
        yield f"done; what is known stays in {visible(value.home)}"


def _told(folder: str, changes: tuple[Change, ...], *, data: bool) -> Outcome:
    told = Outcome(home=folder, files=tuple(map(shown, changes)))
    if not data:
        return told
    try:
        names, left = _data(folder)
    except HomeError as problem:
        return replace(told, kept=problem)
    return replace(told, data=names, left=left)


def _problem(changes: tuple[Change, ...], told: Outcome) -> CodedError | None:
    """Give the first thing that could not be done, with what was done all the same."""
    found = (change.problem for change in changes)
    problem = next((one for one in found if one is not None), None)
    if problem is not None and told.data:
        problem.hint = f"{problem.hint}; the data stays until then"
    problem = problem or told.kept
    if problem is not None:
        claude_code.tell_done(problem, changes)
    return problem


def _question(told: Outcome) -> Iterator[str]:
    yield from file_lines(told.files)
    yield from _data_lines(told)
    if told.data:
        yield "Nothing brings the data back but a backup that lies elsewhere:"
        yield "`agentctx backup --out FILE` writes one."
    yield "make these changes?"


def _data_lines(told: Outcome) -> Iterator[str]:
    if told.data:
        count = counted(len(told.data), "entry", "entries")
        yield f"delete {visible(told.home)} with {count}: every project's records"
        for name in told.data:
            yield f"  {visible(name)}"
    if told.kept is not None:
        yield from row("stays", f"{visible(told.home)}: {visible(str(told.kept))}")
    for name in told.left:
        yield from row("stays", f"{visible(name)}, which is not ours")


def _data(folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """List what is ours in the store's folder, and what is not.

    In the usual folder everything is; one that somebody chose may hold more.
    """
    require_place(folder)
    try:
        status = os.lstat(folder)
        names = None
        if stat.S_ISDIR(status.st_mode):
            names = sorted(os.listdir(folder))  # noqa: PTH208 - text
    except FileNotFoundError:
        return (), ()
    except OSError:
        raise HomeError(reason="it cannot be read") from None
    if names is None:
        problem = HomeError(reason="it is a link or no folder, which we do not delete")
        problem.hint = f"delete it yourself: `{folder}`, and what it leads to"
        raise problem
    if folder == home({**environment(), HOME_VARIABLE: ""}):
        return tuple(names), ()
    ours = tuple(name for name in names if _OURS.fullmatch(name))
    return ours, tuple(name for name in names if name not in ours)


def _delete(folder: str, told: Outcome) -> None:
    """Delete what was listed, and the folder when nothing is left in it."""
    try:
        for name in told.data:
            path = f"{folder}/{name}"
            with suppress(FileNotFoundError):  # gone with the entries it was about
                if stat.S_ISDIR(os.lstat(path).st_mode):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)  # noqa: PTH108 - text
        with suppress(OSError) if told.left else nullcontext():
            os.rmdir(folder)  # noqa: PTH106 - text
    except OSError:
        raise HomeError(reason="not everything in it could be deleted") from None
