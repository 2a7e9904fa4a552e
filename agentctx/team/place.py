"""Where a team's file lies, reading it, and replacing it whole or not at all.

A repository is somebody's: a link in place of the file or of its folder is followed
neither to read nor to write.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from agentctx.privatefile import NEW_FILE
from agentctx.smallfile import small_bytes
from agentctx.team.refusals import ContextFileError, MergeFileError

FOLDER, FILE = ".agentctx", "context.md"
MOST_BYTES = 16 * 1024 * 1024


def context_path(root: str) -> str:
    """Say where the team's file of a project lies."""
    return f"{root}/{FOLDER}/{FILE}"


def read_context(root: str) -> bytes | None:
    """Give the bytes of the team's file, None where there is none.

    Raises `ContextFileError` for what is no plain file of the project, or too large.
    """
    path = context_path(root)
    if not os.path.lexists(path):
        return None
    _require_own(root, path)
    content = small_bytes(path, limit=MOST_BYTES)
    if content is None:
        reason = f"it is no plain file of at most {MOST_BYTES} bytes that can be read"
        raise ContextFileError(path=path, reason=reason)
    return content


def write_context(root: str, content: bytes, *, old: bytes | None) -> None:
    """Make the team's file say this; `old` is what it was read as.

    Raises `ContextFileError`, and then it is as it was.
    """
    path = context_path(root)
    try:
        with suppress(FileExistsError):
            os.mkdir(f"{root}/{FOLDER}")  # noqa: PTH102 - text
    except OSError as problem:
        raise ContextFileError(path=path, reason=_said(problem)) from None
    _require_own(root, path)
    replace_text_file(path, content, old=old)


def read_side(path: str) -> bytes:
    """Give one side of a merge, of any size that can be; `MergeFileError` if none."""
    content = small_bytes(path, limit=MOST_BYTES)
    if content is None:
        raise MergeFileError(path=path, reason="it is no plain file that can be read")
    return content


def replace_text_file(path: str, content: bytes | None, *, old: bytes | None) -> None:
    """Make a file of a repository say this, or be gone; it keeps its mode.

    Raises `ContextFileError` where it is not `old` any more, or the system refuses.
    """
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - text
    stage = f"{folder}/.{name}.{os.getpid()}.stage"
    try:
        if _content(path) != old:
            raise ContextFileError(path=path, reason="somebody else just changed it")
        if content is None:
            os.unlink(path)  # noqa: PTH108 - text
            return
        try:
            _write_stage(stage, content, mode=_mode(path))
            os.replace(stage, path)  # noqa: PTH105 - text
        finally:
            with suppress(FileNotFoundError):
                os.unlink(stage)  # noqa: PTH108 - text
    except OSError as problem:
        raise ContextFileError(path=path, reason=_said(problem)) from None


def _content(path: str) -> bytes | None:
    return small_bytes(path, limit=MOST_BYTES) if os.path.lexists(path) else None


def _mode(path: str) -> int | None:
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except OSError:
        return None


def _write_stage(stage: str, content: bytes, *, mode: int | None) -> None:
    descriptor = os.open(stage, NEW_FILE, 0o666)  # noqa: TID251 - a file of the project
    try:
        if mode is not None and os.name != "nt":
            os.fchmod(descriptor, mode)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_own(root: str, path: str) -> None:
    """Refuse a path that a link leads away from."""
    whole = os.path.join(os.path.realpath(root), FOLDER, FILE)  # noqa: PTH118 - text
    if os.path.realpath(path) != whole:
        raise ContextFileError(path=path, reason="a link leads away from it")


def _said(problem: OSError) -> str:
    text = problem.strerror or "the system does not allow it"
    return text[:1].lower() + text[1:]
