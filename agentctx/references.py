"""What git's references say of branches, read from their files without starting git.

A name that git would refuse names no branch, and no path that a name or a link leads to
lies outside the repository's references. What cannot be read is not there.
"""

from __future__ import annotations

import os

from agentctx.gitconfig import last_value
from agentctx.smallfile import small_text
from corpus.patterns import pattern
from corpus.values import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.gitconfig import Setting
    from agentctx.repository import Repository

MAX_REFERENCE = 4096
"""Bytes of the largest loose reference that is read."""

MAX_PACKED = 4 * 1024 * 1024
"""Bytes of the largest file of packed references that is read."""

MAX_LISTED = 1000
"""Folders and files of loose references that are looked at where all are wanted."""

LONGEST_BRANCH = 255

USUAL = ("main", "master")
"""What the main line is called where nothing says it."""

_LOCAL, _REMOTE = "refs/heads/", "refs/remotes/origin/"
_OBJECT = pattern(r"(?:[0-9a-f]{40}|[0-9a-f]{64})")
_REFUSED = pattern(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)")
_REMOTE_HEAD = pattern(r"ref: *refs/remotes/origin/(\S+)\s*")


def is_branch_name(name: str) -> bool:
    """Say whether git could have a branch of this name that can be shown."""
    return (
        0 < len(name) <= LONGEST_BRANCH
        and name.isprintable()
        and not name.startswith(("-", "/", "."))
        and not name.endswith(("/", "."))
        and name != "@"
        and _REFUSED.search(name) is None
    )


def is_readable(settings: tuple[Setting, ...]) -> bool:
    """Say whether references are files; in a table only git itself can read them."""
    storage = last_value(settings, "extensions", "refstorage")
    return storage is None or storage.lower() == "files"


def tips_of(repository: Repository, branch: str) -> tuple[str, ...]:
    """Give the commits that a branch is at: here, then at `origin` as last heard."""
    found = (_commit(repository, f"{kind}{branch}") for kind in (_LOCAL, _REMOTE))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def main_line(
    repository: Repository, *, wanted: str | None, usual: str | None, head: str | None
) -> str | None:
    """Give the branch that is the main line; None where nothing tells it.

    That is the one that is wanted, if it is there, else `origin`'s own, else `main` or
    `master` where there is one, else what git calls a first branch (`usual`), else the
    only branch. A repository that has no branch yet will have the one in HEAD.
    """
    if wanted is not None and tips_of(repository, wanted):
        return wanted
    text = small_text(f"{repository.common_dir}/{_REMOTE}HEAD", limit=MAX_REFERENCE)
    match = _REMOTE_HEAD.fullmatch(text or "")
    named = "" if match is None else str(match[1])
    if is_branch_name(named):
        return named
    for name in (*USUAL, usual or ""):
        if is_branch_name(name) and tips_of(repository, name):
            return name
    there = local_branches(repository)
    if not there:
        return head
    return there[0] if len(there) == 1 else None


def local_branches(repository: Repository) -> tuple[str, ...]:
    """List the branches that are here, sorted; of very many not all."""
    packed = {
        name.removeprefix(_LOCAL)
        for name, _ in _packed(repository)
        if name.startswith(_LOCAL)
    }
    loose = _loose(f"{repository.common_dir}/{_LOCAL}")
    return tuple(sorted(name for name in {*packed, *loose} if is_branch_name(name)))


def _commit(repository: Repository, name: str) -> str | None:
    """Give the object that a reference is at, in its own file or among the packed."""
    if not is_branch_name(name.removeprefix(_LOCAL).removeprefix(_REMOTE)):
        return None
    folder = f"{repository.common_dir}/refs"
    path = f"{repository.common_dir}/{name}"
    try:
        real, inside = os.path.realpath(path), os.path.realpath(folder)
    except (OSError, ValueError):
        return None
    if not real.startswith(inside + os.sep):
        return None
    text = (small_text(path, limit=MAX_REFERENCE) or "").strip()
    if _OBJECT.fullmatch(text):
        return text
    packed: dict[str, str] = dict(_packed(repository))
    return packed.get(name)


def _packed(repository: Repository) -> Iterator[tuple[str, str]]:
    text = small_text(f"{repository.common_dir}/packed-refs", limit=MAX_PACKED) or ""
    for line in text.split("\n"):
        commit, _, name = line.partition(" ")
        if name and _OBJECT.fullmatch(commit):
            yield name.rstrip("\r"), commit


def _loose(folder: str) -> Iterator[str]:
    """Walk the files of loose references, links not followed, as far as the bound."""
    waiting, seen = [""], 0
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(f"{folder}{below}") as entries:
                for entry in entries:
                    seen += 1
                    if seen > MAX_LISTED:
                        return
                    name = f"{below}{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(f"{name}/")
                    elif entry.is_file(follow_symlinks=False):
                        yield name
        except OSError:
            continue
