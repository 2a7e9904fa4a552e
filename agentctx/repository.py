"""Find the git repository of a directory in git's own files, without starting git.

What git would refuse (a `.git` that leads nowhere, a FIFO, an endless link) is a broken
repository or none; nothing here raises. `GIT_DIR` and `GIT_WORK_TREE` are not heeded:
where a project is does not change with the command that looks.
"""

from __future__ import annotations

import os

from agentctx.gitconfig import Reading, Setting, is_true, last_value, read_settings
from agentctx.smallfile import is_folder, small_text
from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_POINTER = 16 * 1024
"""The size of the largest `.git` file, `HEAD` or `commondir` that is read."""

MAX_BRANCH = 255

_HEAD = pattern(r"ref: *(refs/\S+)\s*|[0-9a-f]{40}\s*|[0-9a-f]{64}\s*")
_BRANCH = "refs/heads/"
_REBASING = ("rebase-merge", "rebase-apply")
_NO_BRANCH = ".invalid"  # what HEAD says where references lie in a table


class Repository(NamedTuple):
    """A repository as found from one directory.

    `git_dir` is this working tree's own, `common_dir` what all its working trees share.
    Both are resolved.
    """

    root: str
    git_dir: str
    common_dir: str


class Broken(NamedTuple):
    """A directory that says it is a repository and is none."""

    root: str


def find_repository(directory: str) -> Repository | Broken | None:
    """Look in `directory`, which is resolved, and its parents as git does.

    The search ends where another file system begins.
    """
    device: int | None = None
    for folder in upwards(directory):
        here = _device(folder)
        if device is None:
            device = here  # a folder that is gone leaves the question to its parent
        elif here != device:
            return None
        found = _at(folder)
        if found is not None:
            return found
    return None


def upwards(folder: str) -> Iterator[str]:
    """Give a folder and those above it, the nearest first."""
    below = ""
    while folder != below:
        yield folder
        below, folder = folder, os.path.dirname(folder)  # noqa: PTH120 - text


def repository_settings(repository: Repository) -> tuple[Setting, ...]:
    """Give what the repository's configuration says, its working tree's last."""
    reading = Reading(home=None, git_dir=repository.git_dir, trusted=False)
    settings = read_settings(f"{repository.common_dir}/config", reading)
    if is_true(settings, "extensions", "worktreeconfig"):
        settings += read_settings(f"{repository.git_dir}/config.worktree", reading)
    return settings


def main_root(repository: Repository, settings: tuple[Setting, ...]) -> str:
    """Give the one path that every working tree of a repository finds.

    That is the main working tree where the repository itself leads to it, else (bare,
    or kept apart by `--separate-git-dir`) the repository.
    """
    common = repository.common_dir
    above, name = os.path.split(common)
    if name == ".git":
        return above
    named = last_value(settings, "core", "worktree")
    if named:
        tree = _resolved(common, named)
        if tree is not None and _pointed_at(f"{tree}/.git") == common:
            return tree
    return common


def worktree_name(repository: Repository) -> str | None:
    """Give the name of a linked working tree; the main one has none."""
    if repository.git_dir == repository.common_dir:
        return None
    return os.path.basename(repository.git_dir)  # noqa: PTH119 - text


def branch_of(repository: Repository) -> str | None:
    """Give the branch that is checked out, None when HEAD is detached.

    While a branch is rebased, git has it in hand though HEAD is on none.
    """
    head = _head(repository.git_dir) or _rebased(repository.git_dir)
    if head is None or not head.startswith(_BRANCH):
        return None
    branch = head.removeprefix(_BRANCH)
    shown = branch.isprintable() and len(branch) <= MAX_BRANCH
    return branch if shown and branch != _NO_BRANCH else None


def _at(folder: str) -> Repository | Broken | None:
    """Look at one folder. A file that leads nowhere is broken."""
    marker = f"{folder}/.git"
    git_dir = _pointed_at(marker)
    found = _opened(folder, git_dir)
    if found is not None:
        return found
    if not is_folder(marker) and _is_there(marker):
        return Broken(folder)
    above, name = os.path.split(folder)
    return _opened(above if name == ".git" else folder, folder)


def _opened(root: str, git_dir: str | None) -> Repository | None:
    """Give the repository in `git_dir`, None when git would see none there."""
    if git_dir is None or _head(git_dir) is None:
        return None
    common = git_dir
    named = small_text(f"{git_dir}/commondir", limit=MAX_POINTER)
    if named is not None:
        resolved = _resolved(git_dir, named.rstrip("\r\n"))
        if resolved is None:
            return None
        common = resolved
    if not (is_folder(f"{common}/objects") and is_folder(f"{common}/refs")):
        return None
    return Repository(root, git_dir, common)


def _head(git_dir: str) -> str | None:
    """Give what HEAD refers to: nothing when detached, None when it is no HEAD."""
    try:
        target = os.readlink(f"{git_dir}/HEAD")  # noqa: PTH115 - text, as HEAD holds it
    except (OSError, ValueError):
        text = small_text(f"{git_dir}/HEAD", limit=MAX_POINTER) or ""
    else:
        text = f"ref: {target}"
    match = _HEAD.fullmatch(text)
    return None if match is None else match[1] or ""


def _rebased(git_dir: str) -> str | None:
    """Give the reference that is being rebased, if one is."""
    for state in _REBASING:
        text = small_text(f"{git_dir}/{state}/head-name", limit=MAX_POINTER)
        match = _HEAD.fullmatch(f"ref: {text}")
        if text is not None and match is not None:
            return match[1]
    return None


def _pointed_at(marker: str) -> str | None:
    """Give the folder that a `.git` stands for, itself or by what it says."""
    if is_folder(marker):
        return _resolved(marker)
    text = small_text(marker, limit=MAX_POINTER) or ""
    if not text.startswith("gitdir: "):
        return None
    named = text.removeprefix("gitdir: ").rstrip("\r\n")
    return _resolved(os.path.dirname(marker), named) if named else None  # noqa: PTH120 - text


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except (OSError, ValueError):
        return False
    return True


def _resolved(path: str, named: str = "") -> str | None:
    """Give a path, or what is named from there, without any link."""
    try:
        return os.path.realpath(os.path.join(path, named))  # noqa: PTH118 - text
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def _device(folder: str) -> int | None:
    try:
        return os.stat(folder).st_dev  # noqa: PTH116 - text
    except (OSError, ValueError):
        return None
