"""Where a report is written: a new file, or in place of an older report of ours."""

from __future__ import annotations

import os
import stat

from agentctx.errors import ReportTargetError
from agentctx.privatefile import write_private
from agentctx.report.page import MARK
from agentctx.smallfile import small_bytes
from corpus.errors import OutputError

_LARGEST = 1 << 30


def write_report(path: str, content: bytes, *, force: bool) -> None:
    """Write a report, whole or not at all, for the user alone.

    What is there already stays unless it begins with our mark, or `force` says that a
    plain file may go. Raises `ReportTargetError` and `OutputError`.
    """
    is_there = _may_take(path, force=force)
    try:
        write_private(path, content, fresh=not is_there)
    except FileExistsError:
        reason = "a file has just come there"
        raise ReportTargetError(path=path, reason=reason) from None
    except (OSError, ValueError):
        raise OutputError(reason="the file cannot be written") from None


def require_target(path: str, *, force: bool) -> None:
    """Refuse a place where a report may not be written, before one is made."""
    _may_take(path, force=force)


def _may_take(path: str, *, force: bool) -> bool:
    """Say whether there is a file whose place a report may take."""
    try:
        found = os.stat(path)  # noqa: PTH116 - any text
    except FileNotFoundError:
        if not os.path.islink(path):  # noqa: PTH114 - any text
            return False
        reason = "it is a link that leads nowhere"
        raise ReportTargetError(path=path, reason=reason) from None
    except (OSError, ValueError):
        reason = "the system does not let us look there"
        raise ReportTargetError(path=path, reason=reason) from None
    if not stat.S_ISREG(found.st_mode):
        raise ReportTargetError(path=path, reason="it is there and no plain file")
    if not (force or _is_ours(path)):
        reason = "there is a file that is no report of ours"
        raise ReportTargetError(path=path, reason=reason)
    return True


def _is_ours(path: str) -> bool:
    content = small_bytes(path, limit=_LARGEST)
    return content is not None and content.startswith(MARK.encode())
