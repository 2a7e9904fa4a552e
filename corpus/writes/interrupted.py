"""Whether a write of one project was interrupted, for whoever only looks.

No grant is needed, nothing is settled, and no writer is kept waiting.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from corpus.confined.reader import Unreadable
from corpus.protocol.layout import HOME
from corpus.refs import RelPath
from corpus.refusals import JournalError
from corpus.writes.runtime import runtime_path, waiting_journal

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.confined.reader import ConfinedRoot
    from corpus.policy import Policy

CODE = "INTERRUPTED_WRITE"
HINT = "run `project-corpus recover`"

_LOOKS = 3
_PAUSE = 0.02


class Interrupted(NamedTuple):
    """A write that was begun and not ended: the file to name, and how it stands."""

    path: str
    detail: str


def interrupted_write(
    opened: ConfinedRoot, policy: Policy, *, state: Path
) -> Interrupted | None:
    """Say what an interrupted write left, None where none did or one is under way.

    `state` is the user's state folder. A file out of the read scope is not named.
    """
    directory = runtime_path(state, policy.project_id, opened.identity)
    found = _read(directory, policy)
    if found is None or _is_live(opened):
        return None
    return _read(directory, policy)


def _read(directory: Path, policy: Policy) -> Interrupted | None:
    try:
        journal = waiting_journal(directory)
    except JournalError as problem:
        return Interrupted(HOME, str(problem))
    if journal is None:  # its writer has ended it meanwhile
        return None
    paths = [change.path for change in journal.changes if policy.may_read(change.path)]
    detail = f"a write begun at {journal.started_at} was not ended"
    if journal.state == "NEEDS_OWNER":
        detail += ", and waits for its owner"
    return Interrupted(paths[0] if paths else HOME, detail)


def _is_live(opened: ConfinedRoot) -> bool:
    """Say whether a writer holds the lock, which ends with its process.

    Another one who only looks may hold it for a moment, so we look more than once.
    """
    if opened.guarantee_level == "portable":  # nobody writes there
        return False
    try:
        for _ in range(_LOOKS):
            with opened.open_folder(RelPath(HOME)) as folder:
                if folder.lock():
                    return False
            time.sleep(_PAUSE)
    except Unreadable:
        return False
    return True
