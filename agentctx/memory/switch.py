"""Whether a project's conversations are remembered, and what turns that on and off.

Memory is on where the project's main folder holds `.agentctx/`, unless a setting, the
environment or `agentctx memory off` says otherwise. Looking at that makes nothing.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from agentctx.memory.names import FOLDER
from corpus.values import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from agentctx.clock import Clock
    from agentctx.memory.store import Ids
    from agentctx.project import Project

VARIABLE = "AGENTCTX_MEMORY"
MARK = "memory.off"
"""An empty file in the project's folder, while memory is off in this project alone."""

_NO = frozenset({"0", "false", "no", "off"})

Off = Literal["no_folder", "environment", "setting", "off"]
"""Why nothing is remembered: no folder, the environment, the settings, the mark."""


REASONS: dict[Off, str] = {
    "no_folder": "this project has no conversation memory",
    "environment": f"the environment says so with `{VARIABLE}`",
    "off": f"`agentctx memory off` was said, and `{FOLDER}/{MARK}` keeps that",
    "setting": "the setting `memory` is false",
}
"""Why nothing is remembered, in words."""

WAYS_ON: dict[Off, str] = {
    "no_folder": "let it have one with `agentctx memory on`",
    "environment": f"unset `{VARIABLE}`, or set it to 1",
    "off": "turn it on with `agentctx memory on`",
    "setting": "turn it on with `agentctx config set memory true`",
}
"""What turns memory on again."""


def memory_root(project: Project) -> str:
    """Say where the memory of a project lies: all its working trees share one."""
    return project.main_folder


def why_off(root: str, *, home: str, environ: Mapping[str, str]) -> Off | None:
    """Say why nothing is remembered in the project at `root`; None where memory is on.

    The user's own store is no project's folder.
    """
    folder = f"{root}/{FOLDER}"
    if not _is_folder(folder) or _is_same(folder, home):
        return "no_folder"
    if environ.get(VARIABLE, "").strip().lower() in _NO:
        return "environment"
    if os.path.lexists(f"{folder}/{MARK}"):
        return "off"
    from agentctx.config import read_config  # noqa: PLC0415 - last, for it reads a file

    return None if read_config(home).flag("memory") else "setting"


def refuse_off(off: Off) -> NoReturn:
    """Say that memory is off, why, and what turns it on."""
    from agentctx.memory.refusals import (  # noqa: PLC0415 - hooks refuse nothing
        MemoryAbsentError,
        MemoryOffError,
    )

    if off == "no_folder":
        raise MemoryAbsentError
    error = MemoryOffError(reason=REASONS[off], off=off)
    error.hint = f"{WAYS_ON[off]}; {error.hint}"
    raise error


def turn_on(root: str, *, clock: Clock, ids: Ids, owner: str) -> None:
    """Let the project at `root` have a memory, made where there is none yet.

    Raises as `open_memory` does; a memory that is refused is left as it is.
    """
    from agentctx.memory.opening import open_memory  # noqa: PLC0415 - hooks never do

    open_memory(root, clock=clock, ids=ids, owner=owner, create=True).close()
    with suppress(FileNotFoundError):
        os.unlink(f"{root}/{FOLDER}/{MARK}")  # noqa: PTH108 - text


def turn_off(root: str) -> None:
    """Remember nothing from now on in the project at `root`; what is kept stays."""
    from agentctx.privatefile import write_private  # noqa: PLC0415 - hooks never do

    if _is_folder(f"{root}/{FOLDER}"):
        write_private(f"{root}/{FOLDER}/{MARK}", b"")


def _is_folder(folder: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(folder).st_mode)
    except (OSError, ValueError):
        return False


def _is_same(folder: str, home: str) -> bool:
    try:
        return os.path.samefile(folder, home)  # noqa: PTH121 - text
    except (OSError, ValueError):
        return False
