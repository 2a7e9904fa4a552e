"""`agentctx uninstall`: take our entries back, and with `--data` what we know."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentctx.cli.changes import shown
from agentctx.cli.consent import add_yes, require_consent
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
    from corpus.cli.call import Call

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
    """

    home: str
    files: tuple[Shown, ...]
    data: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    applied: bool = False
    asked: bool = False

    @property
    def is_one(self) -> bool:
        """Whether anything changes at all."""
        return bool(self.data) or any(one.action != "none" for one in self.files)

    def as_json(self) -> dict[str, object]:
        """Give the outcome as one JSON object."""
        return {
            "home": self.home,
            "files": [one._asdict() for one in self.files],
            "data": list(self.data),
            "left": list(self.left),
            "applied": self.applied,
        }


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
    """Show every change, ask, and take our entries back; the data comes last."""
    folder = home()
    where = claude_code.places(environment())
    data_names, left = _data(folder) if data else ((), ())
    told = Outcome(
        home=folder,
        files=tuple(map(shown, claude_code.plan_removal(folder, where))),
        data=data_names,
        left=left,
    )
    if dry_run:
        return told
    if told.is_one:
        require_consent(call, "uninstall", "\n".join(_question(told)), yes=yes)
    changes = claude_code.remove(folder, where)
    if told.data:
        _delete(folder, told)
    return replace(
        told,
        files=tuple(map(shown, changes)),
        applied=True,
        asked=told.is_one and not yes,
    )


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
    elif not value.is_one:
        yield "there was nothing to take back"
    elif value.data:
        yield "done; the data is gone"
    else:
        yield f"done; what is known stays in {visible(value.home)}"


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
        raise HomeError(reason="it is a link or no folder; delete it yourself")
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
