"""The user's private folder for one project's journal and backups (P13.1).

It lies outside the project, is made on first need, and holds nothing while no write
is under way, but for copies of what a person's decision replaced.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from corpus.confined.folder import Folder
from corpus.refusals import JournalError, RuntimeStateError
from corpus.userdirs import NotPrivateError, make_private_folder, require_private_folder
from corpus.writes.journal import JOURNAL_BYTES, KEPT, Journal, read_journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from corpus.refs import ProjectId

JOURNAL = "journal.json"
CONTENT_BYTES = 8 * 1024 * 1024

MOST_KEPT = 64
"""How many copies of what was replaced are kept, the newest."""

_NOT_PLAIN = {errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EMLINK, errno.EFBIG}
_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


class Runtime:
    """The open folder; made by `open_runtime`. Every file in it is written whole."""

    def __init__(self, folder: Folder, random: Callable[[int], bytes]) -> None:
        self._folder = folder
        self._random = random

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.close()

    def journal(self) -> Journal | None:
        """Give the write that is not ended, if there is one."""
        content = self.get(JOURNAL, limit=JOURNAL_BYTES)
        return None if content is None else read_journal(content)

    def begin(self, journal: Journal) -> None:
        """Make the journal durable, in place of the one there was."""
        self.put(JOURNAL, journal.to_bytes())

    def end(self, journal: Journal) -> None:
        """Forget a write and the copies made for it.

        The journal goes first: while it is there, so are the copies it may ask for.
        What is left of them without it is swept.
        """
        self._folder.remove(JOURNAL)
        if journal.state == "RESOLVING":
            self._folder.sync()
        for number in range(len(journal.changes)):
            self._folder.remove(journal.backup_name(number))
            self._folder.remove(journal.new_name(number))

    def add(self, name: str, content: bytes) -> None:
        """Create the file `name`; its name is durable with the next `put`."""
        self._folder.write_new(name, content)

    def put(self, name: str, content: bytes) -> None:
        """Make `content` the file `name`, durably: whole or not at all."""
        stage = f".{name}.{self._random(8).hex()}.stage"
        self._folder.write_new(stage, content)
        self._folder.replace(stage, name)
        self._folder.sync()

    def get(self, name: str, *, limit: int = CONTENT_BYTES) -> bytes | None:
        """Read a file of ours; None when there is none."""
        try:
            held = self._folder.read(name, limit=limit)
        except OSError as error:
            if error.errno not in _NOT_PLAIN:
                raise
            raise JournalError(reason=f"`{name}` is not a plain file") from None
        return None if held is None else held.content

    def kept(self, journal: Journal) -> tuple[str, ...]:
        """Name the copies that outlive a write, for the person who decided it."""
        names = sorted(child.name for child in self._folder.children())
        start = f"{journal.transaction_id}-"
        return tuple(n for n in names if n.startswith(start) and n.endswith(KEPT))

    def sweep(self) -> None:
        """Remove what dead writers left, and all but the newest kept copies.

        To be called under the lock and without a journal: whoever else had a stage
        or a backup here is dead. No clock says what is old: it may have jumped.
        """
        names = [name for name, kind in self._folder.children() if kind == "file"]
        kept = sorted(
            (self._folder.lstat(name).st_mtime_ns, name)
            for name in names
            if name.endswith(KEPT)
        )
        stale = [name for name in names if name.endswith((".stage", ".old", ".new"))]
        stale += [name for _, name in kept[:-MOST_KEPT]]
        for name in stale:
            self._folder.remove(name)

    def set_journal_aside(self) -> None:
        """Give a journal that cannot be used another name; nothing is lost."""
        self._folder.replace(JOURNAL, f"journal-{self._random(8).hex()}{KEPT}")
        self._folder.sync()


def waiting_journal(directory: Path) -> Journal | None:
    """Give the journal of a write that is not ended; nothing is made or changed.

    None also where the folder is not the user's own, which writes refuse by itself.
    JournalError when the journal cannot be used.
    """
    try:
        require_private_folder(directory)
        descriptor = os.open(directory, _FOLDER)  # noqa: TID251 - the user's own
    except (NotPrivateError, OSError):
        return None
    with Runtime(Folder(descriptor=descriptor), os.urandom) as runtime:
        try:
            return runtime.journal()
        except OSError:
            raise JournalError(reason="it cannot be read") from None


def runtime_path(state: Path, project_id: ProjectId, root_identity: str) -> Path:
    """Name the folder of one project at one root; `state` is the user's."""
    root = hashlib.sha256(root_identity.encode()).hexdigest()[:16]
    return state / "writes" / f"{project_id}-{root}"


@contextmanager
def open_runtime(
    directory: Path, *, root: Path, random: Callable[[int], bytes]
) -> Iterator[Runtime]:
    """Open the folder, making it when missing; RuntimeStateError when it is unsafe."""
    try:
        make_private_folder(directory)
        require_private_folder(directory.parent)
        _require_outside(directory, root)
        descriptor = os.open(directory, _FOLDER)  # noqa: TID251 - the user's own
    except NotPrivateError as problem:
        raise RuntimeStateError(reason=problem.reason) from None
    except OSError as error:
        number = errno.errorcode.get(error.errno or 0, "unknown")
        raise RuntimeStateError(reason=f"the system answered {number}") from None
    with Runtime(Folder(descriptor=descriptor), random) as runtime:
        try:
            require_private_folder(descriptor)
        except NotPrivateError as problem:
            raise RuntimeStateError(reason=problem.reason) from None
        yield runtime


def _require_outside(directory: Path, root: Path) -> None:
    project = root.stat()
    real = directory.resolve()
    if any(os.path.samestat(place.stat(), project) for place in (real, *real.parents)):
        raise RuntimeStateError(reason="it lies inside the project")
