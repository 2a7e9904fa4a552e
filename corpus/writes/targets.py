"""The files a write changes: what they hold now, their stages, their publication.

Every name is used relative to a folder held open, so a folder that is moved or
replaced meanwhile is never confused with another one.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from corpus.canonical import sha256
from corpus.confined.reader import (
    LINK,
    NOT_FOLDER,
    NOT_FOUND,
    OTHER_FILE_SYSTEM,
    Unreadable,
)
from corpus.refs import RelPath
from corpus.refusals import (
    TargetExistsError,
    TargetMissingError,
    TargetUnusableError,
    WriteFailedError,
    WriteUnsettledError,
)
from corpus.writes.runtime import CONTENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from corpus.confined.folder import Folder, Held
    from corpus.confined.reader import ConfinedRoot
    from corpus.refs import Sha256
    from corpus.writes.journal import Planned

NEW_FOLDER_MODE = 0o755

NO_FOLDER = {LINK, NOT_FOLDER, OTHER_FILE_SYSTEM}
"""Why a folder is unusable that is not the project's: it holds nothing of ours."""

Progress = Literal["old", "new", "displaced", "other"]
"""`displaced`: it was published over something that nobody had expected there."""

_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_REASONS = {
    errno.ELOOP: "a symbolic link is in its place",
    errno.EISDIR: "a folder is in its place",
    errno.ENXIO: "it is not a regular file",
    errno.EMLINK: "it has another name too (hard link)",
    errno.EFBIG: "it is too large",
    errno.EAGAIN: "it changed while it was read",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "no space is left",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the disk failed",
}


_NO_FILE = {
    _REASONS[number]
    for number in (errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.EMLINK, errno.EFBIG)
}


def reason_of(error: OSError) -> str:
    """Give the stable phrase for a failure of the system; never its own text."""
    number = error.errno or 0
    fallback = f"the system answered {errno.errorcode.get(number, 'unknown')}"
    return _REASONS.get(number, fallback)


@contextmanager
def folder_of(
    root: ConfinedRoot, path: RelPath, *, make: bool = False
) -> Iterator[Folder]:
    """Open the folder that `path` lies in; with `make` one that is missing is made.

    Without, it is TargetMissingError.
    """
    folder = RelPath(path.rpartition("/")[0])
    try:
        opened = root.open_folder(folder)
    except Unreadable as problem:
        if problem.reason != NOT_FOUND:
            raise TargetUnusableError(path=path, reason=problem.reason) from None
        if not make:
            raise TargetMissingError(path=path) from None
        opened = _make(root, folder, path)
    with opened:
        yield opened


def held(root: ConfinedRoot, path: RelPath) -> Held | None:
    """Read what is at `path`; None when nothing is, TargetUnusableError otherwise."""
    try:
        with folder_of(root, path) as folder:
            return held_in(folder, path)
    except TargetMissingError:
        return None


def held_in(folder: Folder, path: RelPath) -> Held | None:
    """Read what the folder of `path` has under its name."""
    try:
        return folder.read(path.rpartition("/")[2], limit=CONTENT_BYTES)
    except OSError as error:
        raise TargetUnusableError(path=path, reason=reason_of(error)) from None


def hash_of(held: Held | None) -> Sha256 | None:
    """Give the hash of what is held, None for nothing."""
    return None if held is None else sha256(held.content)


def require_obstacle(problem: TargetUnusableError) -> None:
    """Raise the problem again unless something else stands where a file was.

    What the system failed to read is still there, and must not be taken for lost.
    """
    if problem.facts["reason"] not in NO_FOLDER | _NO_FILE:
        raise problem


def require_free(folder: Folder, path: RelPath) -> None:
    """Refuse a name that is taken, or that some system would take for another."""
    name = path.rpartition("/")[2]
    wanted = _folded(name)
    for child in folder.children():
        if _folded(child.name) == wanted:
            raise TargetExistsError(path=path)


def stage(folder: Folder, planned: Planned, content: bytes, old: Held | None) -> None:
    """Put new content beside the target, with the target's permissions."""
    mode = None if old is None else stat.S_IMODE(old.status.st_mode)
    if mode is not None and mode & _SPECIAL:
        raise TargetUnusableError(path=planned.path, reason="it has special mode bits")
    folder.write_new(planned.stage, content, mode)
    if old is not None:
        _keep_metadata(folder, planned, old)


def publish(folder: Folder, planned: Planned) -> bool:
    """Give the staged content its name.

    Says whether the old content now has the stage's name: nothing that anybody put
    there is ever overwritten where the system can exchange names.
    """
    if planned.old_sha256 is None:
        try:
            folder.claim(planned.stage, planned.name)
        except FileExistsError:
            raise TargetExistsError(path=planned.path) from None
        return False
    if folder.exchange(planned.stage, planned.name):
        return True
    folder.replace(planned.stage, planned.name)
    return False


def progress(folder: Folder, planned: Planned) -> Progress:
    """Say how far the write of one file got; the file itself tells.

    A file that is the same as before, whatever it is to hold, was not published yet.
    """
    _finish_linking(folder, planned)
    now = held_in(folder, planned.path)
    found = hash_of(now)
    if found == planned.old_sha256 and (
        now is None or now.identity == planned.old_identity
    ):
        return "old"
    if found == planned.new_sha256:
        known = {None, planned.old_sha256, planned.new_sha256}
        return "new" if staged_hash(folder, planned) in known else "displaced"
    return "old" if found == planned.old_sha256 else "other"


def put_back(folder: Folder, planned: Planned, backup: bytes | None) -> bool:
    """Undo a publication, if there was one and nobody has written since.

    A file that holds something else by now is left alone. False when only a person can
    choose: between that and what was there before, or where nothing is left of it.
    """
    state = progress(folder, planned)
    beside = staged_hash(folder, planned)
    if state == "other":  # not ours to undo, unless it was never published
        return beside == planned.new_sha256
    if state == "old" or beside == planned.new_sha256:
        return True
    if planned.old_sha256 is None:
        undone = _withdraw(folder, planned)
    elif beside is not None and folder.exchange(planned.stage, planned.name):
        undone = _is_ours(folder, planned)
    else:
        undone = backup is not None and _rewrite(folder, planned, backup)
    folder.sync()
    return undone


def staged_hash(folder: Folder, planned: Planned) -> Sha256 | None:
    """Give the hash of what has the stage's name, None for nothing."""
    return hash_of(staged(folder, planned))


def staged(folder: Folder, planned: Planned) -> Held | None:
    """Read what has the stage's name; None when nothing has."""
    try:
        return folder.read(planned.stage, limit=CONTENT_BYTES)
    except OSError as error:
        reason = reason_of(error)
        raise TargetUnusableError(path=planned.path, reason=reason) from None


def require_same_folder(root: ConfinedRoot, path: RelPath, folder: Folder) -> None:
    """Refuse to go on when the path leads to another folder than the one held."""
    with folder_of(root, path) as again:
        if again.identity() != folder.identity():
            reason = "its folder was replaced"
            raise TargetUnusableError(path=path, reason=reason)


@contextmanager
def system_failures() -> Iterator[None]:
    """Turn a failure of the system into an error that says what it lacks."""
    try:
        yield
    except OSError as error:
        raise WriteFailedError(reason=reason_of(error)) from None


@contextmanager
def settling_failures() -> Iterator[None]:
    """Say of a failure of the system that it keeps a write from being settled."""
    try:
        yield
    except OSError as error:
        raise WriteUnsettledError(reason=reason_of(error)) from None


def _finish_linking(folder: Folder, planned: Planned) -> None:
    """Take the stage's name from a file that already has the target's as well."""
    try:
        one, two = folder.lstat(planned.stage), folder.lstat(planned.name)
    except FileNotFoundError:
        return
    if os.path.samestat(one, two):
        folder.remove(planned.stage)


def _withdraw(folder: Folder, planned: Planned) -> bool:
    """Give a created file its stage's name again, unless it is no longer ours."""
    folder.claim(planned.name, planned.stage)
    if staged_hash(folder, planned) == planned.new_sha256:
        return True
    try:
        folder.claim(planned.stage, planned.name)
    except FileExistsError:
        return False
    return True


def _is_ours(folder: Folder, planned: Planned) -> bool:
    """Make sure that taking a file back took nobody else's.

    What somebody saved since it was looked at gets the target's name again.
    """
    if staged_hash(folder, planned) == planned.new_sha256:
        return True
    folder.exchange(planned.stage, planned.name)
    return staged_hash(folder, planned) == planned.old_sha256


def _rewrite(folder: Folder, planned: Planned, backup: bytes) -> bool:
    """Write the old content anew, where the system cannot exchange names."""
    folder.remove(planned.stage)
    stage(folder, planned, backup, held_in(folder, planned.path))
    folder.replace(planned.stage, planned.name)
    return True


def _make(root: ConfinedRoot, folder: RelPath, path: RelPath) -> Folder:
    """Create the last part of `folder`; what lies above it must be there."""
    parent, _, last = folder.rpartition("/")
    try:
        with root.open_folder(RelPath(parent)) as above:
            above.make_folder(last, NEW_FOLDER_MODE)
            above.sync()
        return root.open_folder(folder)
    except Unreadable as problem:
        raise TargetUnusableError(path=path, reason=problem.reason) from None
    except OSError as error:
        raise TargetUnusableError(path=path, reason=reason_of(error)) from None


def _keep_metadata(folder: Folder, planned: Planned, old: Held) -> None:
    """Give the stage the owner and the extended attributes of the target."""
    with (
        _opened(folder, planned.name) as source,
        _opened(folder, planned.stage) as copy,
    ):
        try:
            made = os.fstat(copy)
            owner = (old.status.st_uid, old.status.st_gid)
            if (made.st_uid, made.st_gid) != owner:
                os.fchown(copy, *owner)
                os.fchmod(copy, stat.S_IMODE(old.status.st_mode))
            _copy_attributes(source, copy)
        except OSError as error:
            reason = f"its owner or attributes cannot be kept ({reason_of(error)})"
            raise TargetUnusableError(path=planned.path, reason=reason) from None


@contextmanager
def _opened(folder: Folder, name: str) -> Iterator[int]:
    descriptor = folder.open(name)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _copy_attributes(source: int, copy: int) -> None:
    """Make the attributes the same; what a new file gets by itself is not touched.

    A list of the folder's that says who may do what with new files would widen what
    the target allows.
    """
    wanted, found = _attributes(source), _attributes(copy)
    for name in found.keys() - wanted.keys():
        if not name.startswith("security."):
            os.removexattr(copy, name)
    for name, value in wanted.items():
        if found.get(name) != value:
            os.setxattr(copy, name, value)


def _attributes(descriptor: int) -> dict[str, bytes]:
    """Read the extended attributes, access control lists among them."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        names = os.listxattr(descriptor)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise
    return {name: os.getxattr(descriptor, name) for name in names}


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
