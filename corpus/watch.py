"""Rebuild the index whenever a source changes, in the foreground (P17).

A notification is only a hint: every one leads to a whole check, which reads and hashes
the sources and writes nothing when nothing changed. A check also runs a moment after
the last notification and every `EVERY` seconds, so that no change is missed for long.
What is wrong in between is told once, and watching goes on. No lock is ever held.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from corpus.errors import CodedError
from corpus.index.store import index_name
from corpus.protocol.layout import FOLDERS, HOME, POLICY_PATH
from corpus.view import build_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from corpus.index.build import BuildReport
    from corpus.userdirs import UserDirs

EVERY = 30.0
"""Seconds between two checks when nothing was notified."""

PULSE = 1.0
"""Seconds after which silence is noticed."""

DEBOUNCE = 0.4
"""Seconds in which notifications are gathered into one."""

_MILLISECONDS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One line of the watch: the index was `built`, is `current`, or `failed`.

    `at` is UTC. A failure has an `error`, everything else the build's `report`.
    """

    state: Literal["built", "current", "failed"]
    at: datetime
    report: BuildReport | None = None
    error: CodedError | None = None

    def as_json(self) -> dict[str, object]:
        """Give the line as one JSON object."""
        value: dict[str, object] = {
            "state": self.state,
            "at": self.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        if self.report is not None:
            value |= self.report.as_json()
        if self.error is not None:
            value |= {
                "ok": False,
                "error": self.error.code,
                "detail": str(self.error),
                "hint": self.error.hint,
            }
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What is watched, and how: by notification, or with `poll` by looking again."""

    root: Path
    index: Path | str | None = None
    poll: bool = False


def watch(
    what: Watched,
    tell: Callable[[Told], None],
    *,
    dirs: UserDirs,
    random: Callable[[int], bytes],
    clock: Callable[[], datetime],
) -> None:
    """Keep the index current until interrupted, telling about every build.

    `clock` gives UTC. Raises `IndexPathError` at once when the index cannot lie where
    it was asked for, and `KeyboardInterrupt` when the user has seen enough.
    """
    import watchfiles  # noqa: F401, PLC0415 - an interrupt may not cut its loading

    index_name(what.root, what.index)
    last: Told | None = None

    def check() -> None:
        nonlocal last
        now = clock()
        try:
            report = build_index(
                what.root, what.index, dirs=dirs, random=random, now=now.timestamp()
            )
        except CodedError as error:
            told = Told(state="failed", at=now, error=error)
        else:
            state: Literal["built", "current"] = (
                "built" if report.written else "current"
            )
            told = Told(state=state, at=now, report=report)
        if _is_news(told, last):
            tell(told)
        last = told

    check()
    for _ in _hints(what):
        check()


def _is_news(told: Told, last: Told | None) -> bool:
    """Say whether a line says more than the one before."""
    if last is None or told.state == "built":
        return True
    if told.error is not None:
        known = last.error
        return known is None or (known.code, str(known)) != (
            told.error.code,
            str(told.error),
        )
    return last.state == "failed"


def _hints(what: Watched) -> Iterator[None]:
    """Yield whenever a check is due; never ends by itself.

    Where the system cannot notify, or runs out of what it needs for it, the folder is
    polled from then on.
    """
    poll = what.poll
    while True:
        try:
            yield from _hints_while_there(what.root, poll=poll)
        except FileNotFoundError:
            pass  # the folder went away just now
        except (OSError, RuntimeError):  # what watchfiles raises for a failed watch
            poll = True
        time.sleep(PULSE)  # wait for the folder to be there, or to hold still
        yield


def _hints_while_there(root: Path, *, poll: bool) -> Iterator[None]:
    """Yield while the corpus's folder is the one that was there at the start."""
    import watchfiles  # noqa: PLC0415 - slow to load

    home = root / HOME
    here = _identity(home)
    if here is None:
        return
    parts = {str(root / each) for each in (*FOLDERS.values(), POLICY_PATH)}
    folders = {str(home), *(str(root / each) for each in FOLDERS.values())}

    def wanted(_: watchfiles.Change, path: str) -> bool:
        return path == str(home) or any(
            path == part or path.startswith(part + os.sep) for part in parts
        )

    settling = True
    checked = time.monotonic()
    for changes in watchfiles.watch(
        home,
        watch_filter=wanted,
        debounce=int(DEBOUNCE * _MILLISECONDS),
        rust_timeout=int(PULSE * _MILLISECONDS),
        yield_on_timeout=True,
        force_polling=poll or None,
        ignore_permission_denied=True,
    ):
        if changes or settling or time.monotonic() - checked >= EVERY:
            settling = bool(changes)
            yield
            checked = time.monotonic()
        if _identity(home) != here or any(path in folders for _, path in changes):
            return


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
