"""Write the changes that a person confirmed, into files that are as they were (A7.2).

A file is compared, byte by byte, with what the changes were made of just before it is
replaced whole: whatever another program wrote meanwhile is kept, and nothing of ours is
written. Mode, owner and links stay.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.drift.changes import changed_text
from agentctx.drift.opened import read_bytes_of
from agentctx.errors import InstructionsChangedError, InstructionsLockedError
from agentctx.privatefile import NEW_FILE, folder_lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentctx.drift.changes import Change
    from agentctx.drift.report import Report

_USUAL_MODE = 0o644
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class _Target(NamedTuple):
    """One file: its path, how it is shown, what it held (None: nothing) and will."""

    path: str
    shown: str
    before: bytes | None
    after: bytes


def apply_changes(report: Report, changes: Sequence[Change]) -> tuple[str, ...]:
    """Make some of a report's changes; give the files written, as they are shown.

    Every file is looked at before the first is written. `InstructionsChangedError`: one
    is not as it was read. `InstructionsLockedError`: one may not be written.
    """
    targets = _targets(report, changes)
    for target in targets:
        _require_same(target)
        _require_writable(target)
    for target in targets:
        _write(target)
    return tuple(target.shown for target in targets)


def _targets(report: Report, changes: Sequence[Change]) -> list[_Target]:
    by_path: dict[str, list[Change]] = {}
    for change in changes:
        by_path.setdefault(change.path, []).append(change)
    known = {one.path: one for one in report.loaded.files}
    found = []
    for path, some in by_path.items():
        file = known.get(path)
        text = "" if file is None else file.text
        after = changed_text(text, some).encode("utf-8", "surrogatepass")
        before = None if file is None else file.content
        found.append(_Target(path, some[0].shown, before, after))
    return found


def _require_same(target: _Target) -> None:
    """Raise unless a file holds what the changes were made of, at the same place."""
    if target.before is None:
        same = not os.path.lexists(target.path)
    else:
        same = (
            os.path.realpath(target.path) == target.path
            and read_bytes_of(target.path) == target.before
        )
    if not same:
        raise InstructionsChangedError(file=target.shown)


def _require_writable(target: _Target) -> None:
    """Raise where somebody took away the right to write, also from a superuser."""
    folder = os.path.dirname(target.path)  # noqa: PTH120 - any text
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InstructionsLockedError(file=target.shown, reason="its folder is locked")
    if target.before is None:
        return
    mode = os.stat(target.path).st_mode  # noqa: PTH116 - any text
    if not mode & _ANY_WRITE or not os.access(target.path, os.W_OK):
        raise InstructionsLockedError(file=target.shown, reason="it is read-only")


def _write(target: _Target) -> None:
    folder, name = os.path.split(target.path)
    stage = os.path.join(folder, f".{name[:100]}.{os.getpid()}.stage")  # noqa: PTH118
    try:
        with folder_lock(folder):
            with suppress(FileNotFoundError):  # of a process that died with our number
                os.unlink(stage)  # noqa: PTH108 - any text
            try:
                _put(stage, target)
                _require_same(target)
                if target.before is None:
                    os.link(stage, target.path)  # never over a file that came meanwhile
                else:
                    os.replace(stage, target.path)  # noqa: PTH105 - any text
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(stage)  # noqa: PTH108 - any text
    except FileExistsError:
        raise InstructionsChangedError(file=target.shown) from None
    except OSError:
        reason = "the system does not let us write it"
        raise InstructionsLockedError(file=target.shown, reason=reason) from None


def _put(stage: str, target: _Target) -> None:
    """Write a file's new content beside it, as its owner would have it."""
    old = None if target.before is None else os.stat(target.path)  # noqa: PTH116
    mode = _USUAL_MODE if old is None else 0o600
    descriptor = os.open(stage, NEW_FILE, mode)  # noqa: TID251 - it was confirmed
    try:
        rest = memoryview(target.after)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if old is not None and os.name != "nt":
            now = os.fstat(descriptor)
            if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
                os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
