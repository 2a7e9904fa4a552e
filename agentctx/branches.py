"""On which branch what is learned now is staged, and why it is on none (A8.6).

The main line takes what is learned on it. A branch that is not the main line stages it.
Where it cannot be told which of both it is nothing is staged, and that is said. Git's
files are read, git is not started.
"""

from __future__ import annotations

from agentctx.config import read_config
from agentctx.gitconfig import last_value, user_settings
from agentctx.references import is_branch_name, is_readable, main_line, tips_of
from agentctx.repository import (
    Repository,
    branch_of,
    find_repository,
    repository_settings,
)
from corpus.values import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentctx.config import Config

    Why = Literal[
        "branch", "main_line", "detached", "no_git", "unreadable", "unknown", "off"
    ]

AUTOMATIC = "auto"
"""The value of the setting `mainBranch` that leaves the main line to be found."""


class Standing(NamedTuple):
    """Where one stands in git: `branch` is where to stage, None to stage nowhere.

    `why` says how that comes, `main` is the main line where it is known, and `tip` the
    commit that the branch is at. `said_at` is when it was said what is learned, as a
    stamp, where that is not now.
    """

    branch: str | None
    why: Why
    main: str | None = None
    tip: str | None = None
    said_at: str | None = None


UNSTAGED = Standing(None, "no_git")
"""Where nothing is staged."""


def standing_at(
    directory: str, *, home: str, environ: Mapping[str, str], branch: str | None = None
) -> Standing:
    """Say where one stands in a directory, or stood there on a branch that is named."""
    config = read_config(home)
    if not config.flag("branchStaging"):
        return Standing(None, "off")
    found = find_repository(directory)
    if not isinstance(found, Repository):
        return Standing(None, "no_git")
    if not is_readable(repository_settings(found)):
        return Standing(None, "unreadable")
    here = branch_of(found) if branch is None else branch
    if here is None or not is_branch_name(here) or here == "HEAD":
        return Standing(None, "detached")
    main = main_of(found, config, environ)
    if main is None:
        return Standing(None, "unknown")
    if here == main:
        return Standing(None, "main_line", main)
    tips = tips_of(found, here)
    return Standing(here, "branch", main, tips[0] if tips else None)


def main_of(
    repository: Repository, config: Config, environ: Mapping[str, str]
) -> str | None:
    """Give the main line of a repository, None where nothing tells it."""
    named = config.text("mainBranch")
    wanted = None if named == AUTOMATIC else named
    settings = user_settings(environ, repository.git_dir)
    usual = last_value(settings, "init", "defaultbranch")
    head = branch_of(repository)
    return main_line(repository, wanted=wanted, usual=usual, head=head)
