"""A writer: one project opened to be changed, under one grant and one lock.

Nothing is believed from earlier: at every turn the lock is taken, an interrupted
write is settled first, and policy and grant are read anew.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from corpus.confined.reader import Unreadable, open_root
from corpus.confined.volume import is_qualified
from corpus.mandate import mandate_for
from corpus.protocol.layout import HOME
from corpus.refs import RelPath
from corpus.refusals import (
    FilesystemError,
    JournalError,
    TargetUnusableError,
    WriteLockError,
)
from corpus.writes.runtime import open_runtime, runtime_path
from corpus.writes.targets import system_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from corpus.authority import Session
    from corpus.confined.folder import Folder
    from corpus.confined.reader import ConfinedRoot
    from corpus.mandate import Mandate
    from corpus.refs import ProjectId
    from corpus.writes.journal import Journal
    from corpus.writes.runtime import Runtime

PATIENCE = 10.0
"""Seconds that a writer waits for another one to finish."""

_POLL = 0.005
_LONGEST_POLL = 0.05


class Writer(NamedTuple):
    """What writing in one project needs; made by `open_writer`."""

    root: Path
    opened: ConfinedRoot
    grant_file: Path
    session: Session
    state: Path
    clock: Callable[[], datetime]
    random: Callable[[int], bytes]
    patience: float = PATIENCE


class Turn(NamedTuple):
    """One writer's turn: it alone holds the lock, and its rights were just read."""

    writer: Writer
    mandate: Mandate
    runtime: Runtime
    home: Folder

    @property
    def opened(self) -> ConfinedRoot:
        """The project's files."""
        return self.writer.opened

    def interrupted(self) -> Journal | None:
        """Give the write that was begun and not ended, if it is this project's."""
        journal = self.runtime.journal()
        if journal is None:
            return None
        same_project = journal.project_id == self.mandate.policy.project_id
        if not same_project or journal.root_identity != self.opened.identity:
            raise JournalError(reason="it is of another project")
        return journal


@contextmanager
def open_writer(
    root: Path,
    grant_file: Path,
    session: Session,
    *,
    state: Path,
    clock: Callable[[], datetime],
    random: Callable[[int], bytes],
) -> Iterator[Writer]:
    """Open the project to be changed; `state` is the user's state folder.

    Nothing is read or locked yet: that is done at every turn.
    """
    with open_root(root) as opened:
        yield Writer(
            root=root,
            opened=opened,
            grant_file=grant_file,
            session=session,
            state=state,
            clock=clock,
            random=random,
        )


def runtime_of(writer: Writer, project_id: ProjectId) -> Path:
    """Name the folder of this project's journals and kept copies, for its owner."""
    return runtime_path(writer.state, project_id, writer.opened.identity)


@contextmanager
def turn_of(writer: Writer) -> Iterator[Turn]:
    """Take the lock and read the rights, for as long as the block lasts.

    Raises `WriteLockError` when another writer keeps the lock for `patience` seconds,
    `FilesystemError` where a write could not be made whole, `WriteFailedError` for
    what the system fails to do, and what `mandate_for` and `open_runtime` raise.
    """
    with system_failures(), _locked(writer) as home:
        mandate = mandate_for(
            writer.opened, writer.root, writer.grant_file, writer.session
        )
        _require_qualified(writer.opened, mandate)
        directory = runtime_of(writer, mandate.policy.project_id)
        with open_runtime(directory, root=writer.root, random=writer.random) as runtime:
            yield Turn(writer, mandate, runtime, home)


@contextmanager
def _locked(writer: Writer) -> Iterator[Folder]:
    """Hold the corpus folder's lock; the system lets it go with the process."""
    try:
        folder = writer.opened.open_folder(RelPath(HOME))
    except Unreadable as problem:
        raise TargetUnusableError(path=HOME, reason=problem.reason) from None
    with folder:
        if writer.opened.guarantee_level == "portable":
            raise FilesystemError(
                found=writer.opened.filesystem,
                reason="this system cannot hold a folder open by its descriptor",
            )
        wait_for_lock(folder, writer.patience)
        yield folder


def wait_for_lock(folder: Folder, patience: float) -> None:
    """Take a folder's lock, or raise `WriteLockError` after `patience` seconds."""
    deadline = time.monotonic() + patience
    pause = _POLL
    while not folder.lock():
        if time.monotonic() >= deadline:
            raise WriteLockError(seconds=round(patience))
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_POLL)


def _require_qualified(opened: ConfinedRoot, mandate: Mandate) -> None:
    found = opened.filesystem
    if not is_qualified(found):
        raise FilesystemError(found=found, reason="it is not a qualified one")
    if found != mandate.grant.filesystem:
        raise FilesystemError(
            found=found, reason=f"the grant names `{mandate.grant.filesystem}`"
        )
