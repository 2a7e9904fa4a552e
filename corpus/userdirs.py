"""The user's own folders, and the private files kept in them.

A private file is a regular file of this user that nobody else can change; what the
index key protects nobody else may read either.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.errors import KeyFileError

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus.refs import ProjectId

APP = "project-corpus"
KEY_BYTES = 32

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_ANY = stat.S_IRWXG | stat.S_IRWXO
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotPrivateError(Exception):
    """A private file cannot be trusted; `reason` is a short stable phrase."""

    def __init__(self, *, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UserDirs(NamedTuple):
    """Where the user's own files lie; neither folder need exist."""

    state: Path
    trust: Path


def user_dirs() -> UserDirs:
    """Give the places this system keeps for such files."""
    return UserDirs(state=state_dir(), trust=trust_dir())


def state_dir() -> Path:
    """Give the folder of the user's state; it may not exist yet."""
    return _linux("XDG_STATE_HOME", ".local/state") or _platform("user_state_dir")


def trust_dir() -> Path:
    """Give the folder of the user's grants; it may not exist yet."""
    config = _linux("XDG_CONFIG_HOME", ".config") or _platform("user_config_dir")
    return config / "trust"


def _linux(variable: str, usual: str) -> Path | None:
    """Answer what platformdirs would on Linux, without the time it takes to load."""
    if not sys.platform.startswith("linux"):
        return None
    given = os.environ.get(variable, "").strip()  # noqa: TID251 - as the platform says
    if given and os.path.isabs(given):  # noqa: PTH117 - text, as platformdirs tests it
        return Path(given) / APP
    return Path("~").expanduser() / usual / APP


def _platform(kind: str) -> Path:
    import platformdirs  # noqa: PLC0415 - slow to load

    return Path(getattr(platformdirs, kind)(APP, appauthor=False))


def index_key(
    project_id: ProjectId, *, directory: Path, random: Callable[[int], bytes]
) -> bytes:
    """Give the user's private key for one project, creating it on first need.

    `directory` is the state folder. Of several creators at once one wins and all get
    its key. A key that others can read or that is not this user's is `KeyFileError`.
    """
    return private_key(_key_path(project_id, directory), random=random)


def existing_key(project_id: ProjectId, *, directory: Path) -> bytes | None:
    """Give the key that `index_key` made earlier, or None; never creates one."""
    return existing_private_key(_key_path(project_id, directory))


def private_key(path: Path, *, random: Callable[[int], bytes]) -> bytes:
    """Give the key in a private file, creating it on first need, as `index_key`."""
    key = existing_private_key(path)
    if key is not None:
        return key
    try:
        make_private_folder(path.parent)
        require_private_folder(path.parent)
        _create(path, random(KEY_BYTES), suffix=random(8).hex())
    except NotPrivateError as problem:
        raise KeyFileError(reason=problem.reason) from None
    except OSError:
        raise KeyFileError(reason="its folder cannot be written") from None
    key = existing_private_key(path)
    if key is None:
        raise KeyFileError(reason="it disappeared while it was made")
    return key


def existing_private_key(path: Path) -> bytes | None:
    """Give the key in a private file, or None when there is none."""
    try:
        key = read_private(path, limit=KEY_BYTES, others=_OTHERS_ANY)
        require_private_folder(path.parent)
    except FileNotFoundError:
        return None
    except NotPrivateError as problem:
        raise KeyFileError(reason=problem.reason) from None
    except OSError:
        raise KeyFileError(reason="it cannot be read") from None
    if len(key) != KEY_BYTES:
        raise KeyFileError(reason=f"it is not {KEY_BYTES} bytes")
    return key


def read_private(path: Path, *, limit: int, others: int = _OTHERS_WRITE) -> bytes:
    """Read a file of this user's, at most `limit` bytes, or raise `NotPrivateError`.

    `others` are the permission bits that must not be set; by default the ones that let
    somebody else write. A missing file is `FileNotFoundError`.
    """
    if path.is_symlink():
        raise NotPrivateError(reason="it is a symbolic link")
    descriptor = os.open(path, _FLAGS)  # noqa: TID251 - a file of the user's own
    try:
        return read_opened(descriptor, limit=limit, others=others)
    finally:
        os.close(descriptor)


def read_opened(
    descriptor: int, *, limit: int, others: int = _OTHERS_WRITE, one_name: bool = False
) -> bytes:
    """Read an opened file as `read_private` does; with `one_name` it has no other."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise NotPrivateError(reason="it is not a regular file")
    _require_own(status, others, "it")
    if one_name and status.st_nlink != 1:
        raise NotPrivateError(reason="it has another name, a hard link")
    if status.st_size > limit:
        raise NotPrivateError(reason="it is too large")
    return os.read(descriptor, limit)


def require_private_folder(folder: Path | int) -> None:
    """Refuse a folder, named or opened, in which somebody else may put files."""
    status = os.stat(folder)  # noqa: PTH116 - by name or by descriptor
    _require_own(status, _OTHERS_WRITE, "its folder")


def make_private_folder(folder: Path) -> None:
    """Create `folder` and what is missing above it, for the user alone."""
    missing = [folder, *folder.parents]
    for place in reversed([place for place in missing if not place.exists()]):
        place.mkdir(mode=0o700, exist_ok=True)


def _key_path(project_id: ProjectId, directory: Path) -> Path:
    return directory / "keys" / f"{project_id}.key"


def _require_own(status: os.stat_result, others: int, what: str) -> None:
    """Demand the user's own; Windows says nothing useful here."""
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        raise NotPrivateError(reason=f"{what} belongs to another user")
    if status.st_mode & others & _OTHERS_WRITE:
        raise NotPrivateError(reason=f"others can write {what}")
    if status.st_mode & others:
        raise NotPrivateError(reason=f"others can read {what}")


def _create(path: Path, content: bytes, *, suffix: str) -> None:
    """Put `content` at `path` unless something is there: whole or not at all."""
    staged = path.with_name(f".{path.name}.{suffix}")
    descriptor = os.open(staged, _CREATE, 0o600)  # noqa: TID251 - the user's own file
    try:
        try:
            os.write(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _claim(staged, path)
    finally:
        staged.unlink(missing_ok=True)


def _claim(staged: Path, path: Path) -> None:
    """Name a file without ever taking a name that is in use."""
    try:
        path.hardlink_to(staged)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links: no race is worth failing for
        if not path.exists():
            staged.rename(path)
