"""The owner's grants: files outside every project, which only their owner can change.

A grant that somebody else could have written is never believed, not even in part.
Reading the project's folder needs no grant (P3.4); one in the default place is asked
for its `[limits]` alone.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.confined.folder import Folder, is_link
from corpus.confined.reader import DENIED, printable
from corpus.errors import CodedError, GrantLimitsError
from corpus.grant import Limits, parse_grant, parse_limits, serialize_grant
from corpus.refusals import (
    GrantChangedError,
    GrantExistsError,
    GrantMissingError,
    GrantProjectError,
    GrantSchemaError,
    GrantUnsafeError,
    GrantUnwritableError,
)
from corpus.tomlinput import TomlError, read_toml
from corpus.userdirs import (
    NotPrivateError,
    make_private_folder,
    read_opened,
    require_private_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus.grant import Grant
    from corpus.refs import ProjectId

__all__ = [
    "GRANT_BYTES",
    "Limits",
    "Listed",
    "grant_limits",
    "grant_path",
    "list_grants",
    "read_grant",
    "remove_grant",
    "write_grant",
]

GRANT_BYTES = 1024 * 1024
"""The largest grant that is read."""

PATIENCE = 10.0
"""Seconds to wait for another command that changes a grant."""

_PAUSE = 0.01
_SUFFIX = ".toml"
_STAGE = re.compile(r"\..+\.[0-9a-f]{16}\.stage")
_STAGE_RANDOM_BYTES = 8
_FOLDER_FLAGS = (
    os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_REASONS = {
    errno.ENOSPC: "no space is left",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: DENIED,
    errno.EPERM: DENIED,
    errno.EISDIR: "a folder is in its place",
    errno.ENOTDIR: "a file is in the place of its folder",
    errno.ENAMETOOLONG: "its name is too long",
}


class Listed(NamedTuple):
    """One file of the trust folder: a grant, or why it cannot be used."""

    name: str
    path: Path
    grant: Grant | None
    problem: CodedError | None


def grant_path(project_id: ProjectId, *, directory: Path) -> Path:
    """Give the default place of a project's grant in the trust folder."""
    return directory / f"{project_id}{_SUFFIX}"


def read_grant(
    path: Path, *, root: Path | None, project_id: str | None = None
) -> Grant:
    """Read a grant that only its owner can have written.

    It must not lie inside `root`, or where that is unknown inside the root it names.
    `project_id` is only named when there is no such file. Raises `GrantMissingError`,
    `GrantUnsafeError` or the `Grant…Error` that says which field is wrong.
    """
    try:
        content = _content(path, root)
        grant = parse_grant(content)
        if root is None:
            _require_outside(path, Path(grant.physical_root))
    except (FileNotFoundError, NotADirectoryError):
        raise GrantMissingError(project_id=project_id or _stem(path)) from None
    except NotPrivateError as problem:
        raise GrantUnsafeError(reason=problem.reason) from None
    except (OSError, ValueError):  # ValueError: a NUL in the path
        raise GrantUnsafeError(reason="it cannot be read") from None
    return grant


def list_grants(directory: Path) -> tuple[Listed, ...]:
    """Read every grant of the trust folder; one that cannot be used is told as such."""
    try:
        names = sorted(os.listdir(directory))  # noqa: PTH208 - only the names
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError:
        raise GrantUnsafeError(reason="its folder cannot be read") from None
    wanted = (name for name in names if name.endswith(_SUFFIX) and name[0] != ".")
    return tuple(_listed(directory / name) for name in wanted)


def write_grant(
    path: Path,
    grant: Grant,
    *,
    root: Path,
    replace: bool | Grant,
    random: Callable[[int], bytes],
) -> None:
    """Put a grant in its place whole or not at all, readable by its owner alone.

    Without `replace` a file that is there is `GrantExistsError`, and of several
    creators one wins. With a grant as `replace`, it must still be the one that stands
    there: else `GrantChangedError`, or `GrantMissingError` when it was revoked.
    """
    content = serialize_grant(grant)
    stage = f".{path.name}.{random(_STAGE_RANDOM_BYTES).hex()}.stage"
    with _changes_named():
        make_private_folder(path.parent)
        _require_outside(path, root)
        with _opened(path.parent) as folder:
            _take(folder)
            if not isinstance(replace, bool):
                _require_still(path, replace, root)
            folder.write_new(stage, content)
            try:
                if replace:
                    folder.replace(stage, path.name)
                else:
                    _claim(folder, stage, path)
            except FileExistsError:
                raise GrantExistsError(
                    project_id=grant.project_id, physical_root=_root_named(path, root)
                ) from None
            finally:
                folder.remove(stage)
            folder.sync()


def remove_grant(path: Path) -> None:
    """Remove a grant, whatever it says and however unsafe its place is.

    A link is removed, never what it points to.
    """
    with _changes_named():
        try:
            with _opened(path.parent, private=False) as folder:
                _take(folder)
                folder.lstat(path.name)
                folder.remove(path.name)
                folder.sync()
        except (FileNotFoundError, NotADirectoryError):
            raise GrantMissingError(project_id=_stem(path)) from None


def grant_limits(root: Path, project_id: ProjectId, *, trust_directory: Path) -> Limits:
    """Give the limits the owner's grant sets for this project, or the usual ones.

    A grant for another project or another root has no say. One that cannot be trusted,
    or whose `[limits]` are malformed, is `GrantLimitsError`: it is never half believed.
    """
    try:
        content = _content(grant_path(project_id, directory=trust_directory), root)
        grant = read_toml(content)
    except (FileNotFoundError, NotADirectoryError):
        return Limits()
    except (NotPrivateError, TomlError) as problem:
        raise GrantLimitsError(reason=problem.reason) from None
    except OSError:
        raise GrantLimitsError(reason="it cannot be read") from None
    if grant.get("project_id") != project_id:
        return Limits()
    if not _is_root(grant.get("physical_root"), root):
        return Limits()
    try:
        return parse_limits(grant.get("limits", {}))
    except GrantSchemaError as error:
        reason = f"`{error.facts['field']}` {error.facts['reason']}"
        raise GrantLimitsError(reason=reason) from None


def _content(path: Path, root: Path | None) -> bytes:
    """Read a file that nobody but its owner, and no project, can have put there."""
    if root is not None:
        _require_outside(path, root)
    with _opened(path.parent) as folder:
        try:
            descriptor = folder.open(path.name)
        except OSError:
            _require_file(folder.lstat(path.name))
            raise
        try:
            return read_opened(descriptor, limit=GRANT_BYTES, one_name=True)
        finally:
            os.close(descriptor)


@contextmanager
def _opened(directory: Path, *, private: bool = True) -> Iterator[Folder]:
    """Open a folder; where it must be `private`, only the user can change it."""
    if private:
        if directory.is_symlink():
            raise NotPrivateError(reason="its folder is a symbolic link")
        require_private_folder(directory)
    if os.name == "nt":  # no folder can be opened there
        yield Folder(prefix=f"{directory}{os.sep}")
        return
    flags = _FOLDER_FLAGS | (_NO_LINK if private else 0)
    descriptor = os.open(directory, flags)  # noqa: TID251 - the user's own
    with Folder(descriptor=descriptor) as folder:
        if private:
            require_private_folder(descriptor)
        yield folder


def _require_file(status: os.stat_result) -> None:
    """Say what it is that could not be opened: a link and a socket cannot."""
    if is_link(status):
        raise NotPrivateError(reason="it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise NotPrivateError(reason="it is not a regular file")


def _require_outside(path: Path, root: Path) -> None:
    """Refuse a grant that the project itself could carry, or could point to."""
    try:
        project = root.stat()
    except (FileNotFoundError, NotADirectoryError):
        return  # a project that is gone carries nothing
    for way in (path.absolute(), Path(os.path.realpath(path))):
        for place, entry in zip(way.parents, _entries(way), strict=True):
            # From the project up by `..` is no entry that the project holds.
            if entry != ".." and os.path.samestat(place.stat(), project):
                raise NotPrivateError(reason="it lies inside the project")


def _entries(path: Path) -> Iterator[str]:
    """Name what a path takes out of each of its parents, the nearest parent first."""
    return (place.name for place in (path, *path.parents[:-1]))


def _require_still(path: Path, expected: Grant, root: Path) -> None:
    if read_grant(path, root=root, project_id=expected.project_id) != expected:
        raise GrantChangedError


def _root_named(path: Path, root: Path) -> str:
    """Give the folder that a grant is for, as far as it can be told."""
    try:
        return read_grant(path, root=root).physical_root
    except CodedError:
        return "a folder that it does not tell"


def _take(folder: Folder) -> None:
    """Keep other writers out until the folder is closed; sweep what killed ones left.

    Where a file system has no locks, claiming a name still lets one creator win.
    """
    if os.name == "nt":
        return
    deadline = time.monotonic() + PATIENCE
    try:
        while not folder.lock():
            if time.monotonic() > deadline:
                raise GrantUnwritableError(reason="another command is changing it")
            time.sleep(_PAUSE)
    except OSError:
        return
    for name, kind in folder.children():
        if kind == "file" and _STAGE.fullmatch(name):
            folder.remove(name)


def _claim(folder: Folder, stage: str, path: Path) -> None:
    if os.name == "nt":
        path.with_name(stage).rename(path)  # never over a file, there
    else:
        folder.claim(stage, path.name)


@contextmanager
def _changes_named() -> Iterator[None]:
    """Turn what stands in the way of a change into errors with a code."""
    try:
        yield
    except NotPrivateError as problem:
        raise GrantUnsafeError(reason=problem.reason) from None
    except OSError as error:
        number = error.errno or 0
        fallback = f"the system answered {errno.errorcode.get(number, 'unknown')}"
        reason = _REASONS.get(number, fallback)
        raise GrantUnwritableError(reason=reason) from None
    except ValueError:  # a NUL in the path
        raise GrantUnwritableError(reason="its path cannot be used") from None


def _listed(path: Path) -> Listed:
    name = printable(path.name)
    try:
        grant = read_grant(path, root=None)
        if grant.project_id != path.stem:
            raise GrantProjectError(found=grant.project_id, expected=_stem(path))
    except CodedError as error:
        return Listed(name, path, None, error)
    return Listed(name, path, grant, None)


def _stem(path: Path) -> str:
    return printable(path.stem)


def _is_root(named: object, root: Path) -> bool:
    """Say whether the grant's root is this folder, by identity rather than by name."""
    if not isinstance(named, str) or not Path(named).is_absolute():
        return False
    try:
        return os.path.samefile(named, root)  # noqa: PTH121 - both are text or path
    except (OSError, ValueError):
        return False
