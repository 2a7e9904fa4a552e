"""Which project a directory belongs to, and the namespace of its records (A2.4).

In a git repository that is the remote `origin`, normalised, so two clones share a
namespace; without a usable remote it is the main repository's root, so its working
trees do. Outside git it is the nearest marked directory, else the directory itself.
Any directory has an answer: nothing here raises, starts a program or reads without end.

The caller's environment counts for `HOME`, `XDG_CONFIG_HOME` and `AGENTCTX_HOME` only.
"""

from __future__ import annotations

import os

from agentctx.gitconfig import remote_url, rewritten, user_settings
from agentctx.repository import (
    Broken,
    Repository,
    branch_of,
    find_repository,
    main_root,
    repository_settings,
    upwards,
    worktree_name,
)
from agentctx.smallfile import is_folder
from corpus.checksum import sha256
from corpus.values import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agentctx.gitconfig import Setting

REMOTE = "origin"
MAX_NAME = 120

_STORE = ".agentctx"
_CORPUS = ".project-corpus"


class Project(NamedTuple):
    """A directory's project; `project_id` is the namespace of its records.

    `remote` is the normalised text, which carries no credentials; it is None where the
    namespace comes from a path. Of one working tree `folder` and `main_folder` are the
    same; they are texts, for whoever waits for a hook.
    """

    project_id: str
    name: str
    folder: str
    main_folder: str
    worktree: str | None
    branch: str | None
    remote: str | None

    @property
    def root(self) -> Path:
        """The top folder of this working tree."""
        from pathlib import Path  # noqa: PLC0415 - hooks do without

        return Path(self.folder)

    @property
    def main_root(self) -> Path:
        """The top folder of the main working tree, or the repository without one."""
        from pathlib import Path  # noqa: PLC0415 - hooks do without

        return Path(self.main_folder)


def resolve_project(directory: Path | str, *, environ: Mapping[str, str]) -> Project:
    """Give the project of `directory`, from any folder inside it."""
    try:
        start = os.path.realpath(directory)
    except (OSError, ValueError):  # a NUL, or a working directory that is gone
        return _plain(os.fspath(directory))
    found = find_repository(start)
    if isinstance(found, Repository):
        return _versioned(found, environ)
    if isinstance(found, Broken):
        return _plain(found.root)
    return _plain(_marked(start, environ) or start)


def path_id(root: Path | str) -> str:
    """Give the namespace of a project that has only a place."""
    return sha256(os.fsencode(root)).hexdigest()


def remote_id(remote: str) -> str:
    """Give the namespace of a normalised remote."""
    return sha256(remote.encode("utf-8")).hexdigest()


def _versioned(repository: Repository, environ: Mapping[str, str]) -> Project:
    settings = repository_settings(repository)
    main = main_root(repository, settings)
    remote = _remote(repository, settings, environ)
    return Project(
        project_id=path_id(main) if remote is None else remote_id(remote),
        name=_name(main),
        folder=repository.root,
        main_folder=main,
        worktree=worktree_name(repository),
        branch=branch_of(repository),
        remote=remote,
    )


def _remote(
    repository: Repository, settings: tuple[Setting, ...], environ: Mapping[str, str]
) -> str | None:
    """Give the normalised remote; the repository's own rewriting comes last."""
    url = remote_url(settings, REMOTE)
    if url is None:
        return None
    from agentctx.remotes import normalise  # noqa: PLC0415 - where there is a remote
    from agentctx.sshconfig import real_host  # noqa: PLC0415 - as above

    rules = user_settings(environ, repository.git_dir) + settings
    home = environ.get("HOME")

    def named(host: str) -> str:
        return real_host(host, home) if home else host

    return normalise(rewritten(url, rules), real_host=named)


def _plain(root: str) -> Project:
    return Project(path_id(root), _name(root), root, root, None, None, None)


def _marked(start: str, environ: Mapping[str, str]) -> str | None:
    """Give the nearest directory with a marker; the user's own store is no marker."""
    own = _own_stores(environ)
    for folder in upwards(start):
        store = f"{folder.rstrip('/')}/{_STORE}"
        if is_folder(store) and not {store, os.path.realpath(store)} & own:
            return folder
        if is_folder(f"{folder}/{_CORPUS}"):
            return folder
    return None


def _own_stores(environ: Mapping[str, str]) -> set[str]:
    home = environ.get("HOME")
    given = environ.get("AGENTCTX_HOME")
    named = [given] if given else []
    named += [f"{home}/{_STORE}"] if home else []
    own: set[str] = set()
    for one in named:
        try:
            own |= {os.path.normpath(one), os.path.realpath(one)}
        except (OSError, ValueError):
            continue
    return own


def _name(root: str) -> str:
    """Give a name to show: one line, nothing invisible."""
    last = os.path.basename(root)  # noqa: PTH119 - text
    name = last if last == ".git" else last.removesuffix(".git")
    shown = "".join(char if char.isprintable() else "?" for char in name)
    return shown[:MAX_NAME].strip() or "project"
