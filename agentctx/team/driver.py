"""Telling git to merge the team's file by blocks, and telling it no longer (A8.4).

A line of `.gitattributes` names the driver, for everybody; what the name means is in
the settings of each clone, which git itself writes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from agentctx.smallfile import small_bytes
from agentctx.team.place import FILE, FOLDER, MOST_BYTES, replace_text_file
from agentctx.team.refusals import ContextFileError, GitError

if TYPE_CHECKING:
    from collections.abc import Sequence

ATTRIBUTES = ".gitattributes"
LINE = f"{FOLDER}/{FILE} text eol=lf merge=agentctx"
SECTION = "merge.agentctx"
PROGRAM = "agentctx team merge %O %A %B"
DRIVER = (
    f"{PROGRAM} && exit 0;"
    " grep -qE '^>{7} | conflict: the other side ' %A && exit 1;"
    " git merge-file -L ours -L base -L theirs %A %O %B || exit 1"
)
"""What git runs. Where our program is not there, or fails, git merges by lines itself:
a side without the other's blocks, and without a mark, would be taken for the whole."""

SETTINGS = (
    (f"{SECTION}.name", "agentctx: merge shared records block by block"),
    (f"{SECTION}.driver", DRIVER),
)

_SECONDS = 20
_NOT_SET = 1


class DriverPlan(NamedTuple):
    """What is to be changed: the attributes file, and git's settings of this clone.

    `settings` are pairs to set, or the section to remove with a value of None.
    """

    path: str
    old: bytes | None
    new: bytes | None
    settings: tuple[tuple[str, str | None], ...]

    @property
    def changes(self) -> bool:
        """Whether anything is to be changed."""
        return self.old != self.new or bool(self.settings)

    def as_json(self) -> dict[str, object]:
        """Give the plan as one JSON object."""
        return {
            "path": self.path,
            "line": LINE,
            "writes_attributes": self.old != self.new,
            "settings": [
                {"name": name, "value": value} for name, value in self.settings
            ],
        }


def plan_driver(root: str, *, remove: bool = False) -> DriverPlan:
    """Say what installing the driver changes, or removing it.

    Raises `GitError` outside a repository or without git, and `ContextFileError`.
    """
    present = _settings(root)
    path = f"{root}/{ATTRIBUTES}"
    old = _attributes(path)
    if remove:
        settings = ((SECTION, None),) if present else ()
        return DriverPlan(path, old, _without(old), settings)
    wanted = tuple(
        (name, value) for name, value in SETTINGS if present.get(name) != value
    )
    return DriverPlan(path, old, _with(old), wanted)


def carry_out(root: str, plan: DriverPlan) -> None:
    """Change what the plan says. Raises `GitError` and `ContextFileError`."""
    for name, value in plan.settings:
        if value is None:
            _git(root, "config", "--local", "--remove-section", name)
        else:
            _git(root, "config", "--local", "--replace-all", name, value)
    if plan.old != plan.new:
        replace_text_file(plan.path, plan.new, old=plan.old)


def is_installed(root: str) -> bool:
    """Say whether git merges the team's file by blocks here; False where none knows."""
    try:
        return not plan_driver(root).changes
    except (GitError, ContextFileError):
        return False


def _attributes(path: str) -> bytes | None:
    if not os.path.lexists(path):
        return None
    content = small_bytes(path, limit=MOST_BYTES)
    if content is None or os.path.islink(path):  # noqa: PTH114 - text
        raise ContextFileError(path=path, reason="it is no plain file")
    return content


def _with(old: bytes | None) -> bytes:
    """Add our line as the last, unless it is there."""
    found = old or b""
    line = LINE.encode()
    if line in (one.strip() for one in found.splitlines()):
        return found
    end = b"\r\n" if b"\r\n" in found else b"\n"
    gap = b"" if not found or found.endswith(b"\n") else end
    return found + gap + line + end


def _without(old: bytes | None) -> bytes | None:
    """Take our line out; a file of nothing else goes."""
    if old is None:
        return None
    kept = [
        line for line in old.splitlines(keepends=True) if line.strip() != LINE.encode()
    ]
    rest = b"".join(kept)
    return rest if rest or LINE.encode() not in old else None


def _settings(root: str) -> dict[str, str]:
    """Give what git's settings of this clone say of the driver."""
    listed = _git(
        root, "config", "--local", "--null", "--get-regexp", r"^merge\.agentctx\."
    )
    found = {}
    for entry in listed.split("\0"):
        name, _, value = entry.partition("\n")
        if name:
            found[name] = value
    return found


def _git(root: str, *arguments: str) -> str:
    """Run git in a repository; GitError with what it said."""
    import subprocess  # noqa: PLC0415 - only where git's settings are asked for

    command: Sequence[str] = ("git", "-C", root, *arguments)
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and a folder of the user's
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        raise GitError(reason="cannot be started") from None
    if done.returncode == _NOT_SET and "--get-regexp" in arguments and not done.stderr:
        return ""
    if done.returncode:
        said = done.stderr.strip().split("\n")[0].removeprefix("fatal: ")
        raise GitError(reason=f"answers: {said[:200]}")
    return done.stdout
