"""What failed out of sight: one line each in a log of the user's own (A4.1).

Hooks and workers tell a session nothing; `agentctx status` reads it here. A line holds
codes and a time, never a text of a conversation. The log is rotated, so it stays small.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from agentctx.clock import stamp
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

PLACE = "logs"
FILE = "failures.log"
OLDER = "failures.1.log"
MOST_BYTES = 256 * 1024
_TAIL = 64 * 1024
_LONGEST = 300
_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


class Failure(NamedTuple):
    """One failure: when, in which hook or step, its code, and what is known of it."""

    at: str
    where: str
    code: str
    detail: str

    def as_json(self) -> dict[str, object]:
        """Give the failure as one JSON object."""
        return dict(self._asdict())


def note_failure(
    home: str, where: str, code: str, detail: str = "", *, now: datetime
) -> bool:
    """Write one line; False where even that cannot be done."""
    line = json.dumps(
        {"at": stamp(now), "where": where, "code": code, "detail": detail[:_LONGEST]},
        ensure_ascii=True,
    )
    folder = f"{home}/{PLACE}"
    path = f"{folder}/{FILE}"
    try:
        if not os.path.isdir(folder):  # noqa: PTH112 - hooks load it
            if not os.path.isdir(home):  # noqa: PTH112 - hooks load it
                return False
            with suppress(FileExistsError):  # somebody else may be first
                os.mkdir(folder, 0o700)  # noqa: PTH102 - hooks load it
        _rotate(path, f"{folder}/{OLDER}")
        descriptor = os.open(path, _FLAGS, 0o600)  # noqa: TID251 - the user's own log
        try:  # what a process that died left of its line ends before ours
            os.write(descriptor, f"\n{line}\n".encode())
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


def told(error: Exception) -> str:
    """Say where a defect is, and nothing of what was being worked on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        code = trace.tb_frame.f_code
        place = f" in {os.path.basename(code.co_filename)}:{trace.tb_lineno}"  # noqa: PTH119 - light
    return f"{type(error).__name__}{place}"


def _rotate(path: str, older: str) -> None:
    """Set a log aside that has grown; empty it where that cannot be."""
    try:
        if os.lstat(path).st_size <= MOST_BYTES:
            return
    except FileNotFoundError:
        return
    try:
        os.replace(path, older)  # noqa: PTH105 - hooks load it
    except FileNotFoundError:  # somebody else did it
        return
    except OSError:
        os.truncate(path, 0)


def last_failures(home: str, *, limit: int = 5) -> list[Failure]:
    """Give the last failures, the newest first; one for each place and code."""
    found: dict[tuple[str, str], Failure] = {}
    for name in (FILE, OLDER):
        for line in reversed(_tail(f"{home}/{PLACE}/{name}")):
            failure = _read(line)
            if failure is not None:
                found.setdefault((failure.where, failure.code), failure)
            if len(found) == limit:
                return list(found.values())
    return list(found.values())


def _tail(path: str) -> list[str]:
    from pathlib import Path  # noqa: PLC0415 - hooks only write

    from agentctx.smallfile import small_text  # noqa: PLC0415 - hooks only write

    text = small_text(Path(path), limit=2 * MOST_BYTES)
    return [] if text is None else text[-_TAIL:].splitlines()


def _read(line: str) -> Failure | None:
    try:
        value = json.loads(line)
        return Failure(*(str(value[name]) for name in Failure._fields))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
