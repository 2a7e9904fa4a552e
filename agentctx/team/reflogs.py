"""What git's logs tell of branches: commits that were made on them, new names.

They are files; git is not started. A log that is missing or too large tells nothing.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from agentctx.smallfile import small_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentctx.repository import Repository

MAX_LOG = 8 * 1024 * 1024
MOST_LOGS = 64

_OWN = re.compile(
    r"(?:commit(?: \([a-z]+\))?|cherry-pick|revert|am|(?:rebase|pull)[^:]*\(pick\)"
    r"|(?:merge|pull)[^:]*(?=: Merge made)):"
)
"""What git's logs call making a commit; to be moved to one is something else."""

_MOVED = re.compile(r"checkout: moving from (\S+) to (\S+)")
_RENAMED = re.compile(r"Branch: renamed refs/heads/(\S+) to refs/heads/(\S+)")
_ENTRY = re.compile(r"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}$")
_NOTHING = re.compile(r"0+")


class Made(NamedTuple):
    """A commit that was made on a branch, and when, in whole seconds."""

    commit: str
    at: int


def made_on(repository: Repository, branch: str) -> list[Made]:
    """Give the commits that were made on a branch, as git's logs tell, the last last.

    A branch's own log goes with it; those of the working trees stay.
    """
    found: dict[Made, None] = {}  # two of one second keep the order of the logs
    for _, new, at, said in _entries(_branch_log(repository, branch)):
        if _OWN.match(said):
            found.setdefault(Made(new, at))
    for log in _head_logs(repository):
        here: str | None = None
        for _, new, at, said in _entries(log):
            moved = _MOVED.match(said)
            called = _RENAMED.fullmatch(said)
            if moved is not None:
                here = moved[2]
            elif called is not None and called[1] == here:
                here = called[2]
            elif here == branch and _OWN.match(said):
                found.setdefault(Made(new, at))
    return sorted(found, key=lambda one: one.at)


def renamed_to(repository: Repository, branch: str) -> str | None:
    """Give what a branch is called now, where git's logs tell that it was renamed."""
    renamed: dict[str, tuple[int, str]] = {}
    logs = [*_head_logs(repository), *_branch_logs(repository)]
    for log in logs:
        for _, _, at, said in _entries(log):
            found = _RENAMED.fullmatch(said)
            if found is not None and renamed.get(found[1], (0, ""))[0] <= at:
                renamed[found[1]] = at, found[2]
    seen = {branch}
    name = branch
    while name in renamed and renamed[name][1] not in seen:
        name = renamed[name][1]
        seen.add(name)
    return None if name == branch else name


def _branch_log(repository: Repository, branch: str) -> str:
    return f"{repository.common_dir}/logs/refs/heads/{branch}"


def _branch_logs(repository: Repository) -> Iterator[str]:
    folder = f"{repository.common_dir}/logs/refs/heads"
    count = 0
    for above, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            count += 1
            if count > MOST_LOGS:
                return
            yield f"{above}/{name}"


def _head_logs(repository: Repository) -> Iterator[str]:
    common = repository.common_dir
    yield f"{common}/logs/HEAD"
    with suppress(OSError):
        for name in sorted(os.listdir(f"{common}/worktrees"))[:MOST_LOGS]:  # noqa: PTH208 - text
            yield f"{common}/worktrees/{name}/logs/HEAD"


def _entries(log: str) -> Iterator[tuple[str, str, int, str]]:
    """Read one of git's logs: the commit before and after, when, and why."""
    for line in (small_text(log, limit=MAX_LOG) or "").split("\n"):
        head, _, said = line.partition("\t")
        match = _ENTRY.match(head)
        if match is not None and not _NOTHING.fullmatch(match[2]):
            yield match[1], match[2], int(match[3]), said
