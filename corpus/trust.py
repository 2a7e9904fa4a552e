"""The owner's grant: a file outside the project that says what its owner allows.

Reading the project's folder needs no grant (P3.4); one in the default place is asked
for its `[limits]` alone.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from corpus.errors import GrantLimitsError
from corpus.userdirs import NotPrivateError, read_private

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus.refs import ProjectId

GRANT_BYTES = 1024 * 1024
"""The largest grant that is read."""

_KEYS = ("sources", "total_bytes", "nonblank_lines")


class Limits(NamedTuple):
    """How much one corpus may hold (P14); only the owner's grant changes it."""

    sources: int = 2048
    total_bytes: int = 64 * 1024 * 1024
    nonblank_lines: int = 50_000


def grant_limits(root: Path, project_id: ProjectId, *, trust_directory: Path) -> Limits:
    """Give the limits the owner's grant sets for this project, or the usual ones.

    A grant for another project or another root has no say. One that others can write,
    that is a link or not the user's, that lies inside the project, or whose `[limits]`
    are malformed is `GrantLimitsError`: it is never half believed.
    """
    path = trust_directory / f"{project_id}.toml"
    try:
        content = read_private(path, limit=GRANT_BYTES)
        _require_outside(path, root)
        _require_kept(path.parent)
    except (FileNotFoundError, NotADirectoryError):
        return Limits()
    except NotPrivateError as problem:
        raise GrantLimitsError(reason=problem.reason) from None
    except OSError:
        raise GrantLimitsError(reason="it cannot be read") from None
    grant = _toml(content)
    if grant.get("project_id") != project_id:
        return Limits()
    if not _is_root(grant.get("physical_root"), root):
        return Limits()
    return _limits(grant.get("limits", {}))


def _require_outside(path: Path, root: Path) -> None:
    """Refuse a grant that the project itself could carry, or could point to."""
    project = root.stat()
    real = Path(os.path.realpath(path))
    for place in (*path.absolute().parents, *real.parents):
        if os.path.samestat(place.stat(), project):
            raise NotPrivateError(reason="it lies inside the project")


def _require_kept(folder: Path) -> None:
    """Refuse a folder in which somebody else could put another grant."""
    mode = folder.stat().st_mode
    shared = mode & (stat.S_IWGRP | stat.S_IWOTH) and not mode & stat.S_ISVTX
    if shared and os.name != "nt":
        raise NotPrivateError(reason="others can write its folder")


def _toml(content: bytes) -> dict[str, object]:
    import tomllib  # noqa: PLC0415 - loaded only when there is a grant

    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except RecursionError:
        raise GrantLimitsError(reason="it is nested too deep") from None
    except ValueError:
        raise GrantLimitsError(reason="it is not valid TOML") from None


def _is_root(named: object, root: Path) -> bool:
    """Say whether the grant's root is this folder, by identity rather than by name."""
    if not isinstance(named, str) or not Path(named).is_absolute():
        return False
    try:
        return os.path.samefile(named, root)  # noqa: PTH121 - both are text or path
    except (OSError, ValueError):
        return False


def _limits(table: object) -> Limits:
    if not isinstance(table, dict):
        raise GrantLimitsError(reason="`limits` is not a table")
    for key in table:
        if key not in _KEYS:
            raise GrantLimitsError(reason="`limits` has an unknown key")
    usual = Limits()
    return Limits(
        sources=_positive(table, "sources", usual.sources),
        total_bytes=_positive(table, "total_bytes", usual.total_bytes),
        nonblank_lines=_positive(table, "nonblank_lines", usual.nonblank_lines),
    )


def _positive(table: Mapping[str, object], key: str, usual: int) -> int:
    value = table.get(key, usual)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise GrantLimitsError(reason=f"`limits.{key}` is not a positive whole number")
    return value
