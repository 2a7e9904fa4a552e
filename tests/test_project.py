"""A directory's project is the one git would name, found without starting git."""

from __future__ import annotations

import hashlib
import os
import sys
from subprocess import run
from typing import TYPE_CHECKING

import pytest

from agentctx.project import Project, path_id, remote_id, resolve_project
from tests.gitrepos import URL, Git

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("A2.4")

REMOTE = "git.example/acme/widget"


@pytest.fixture
def git(tmp_path: Path) -> Git:
    home = tmp_path / "home"
    home.mkdir()
    return Git(home)


def resolve(git: Git, folder: Path) -> Project:
    return resolve_project(folder, environ=git.environ)


def digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()


def test_a_clone_is_named_by_its_remote(git: Git, tmp_path: Path) -> None:
    one = git.repository(tmp_path / "one", url=URL)
    two = git.repository(tmp_path / "two", url="git@git.example:Acme/Widget")
    found = resolve(git, one)
    assert found == Project(
        project_id=hashlib.sha256(REMOTE.encode()).hexdigest(),
        name="one",
        folder=str(one),
        main_folder=str(one),
        worktree=None,
        branch="main",
        remote=REMOTE,
    )
    assert (found.root, found.main_root) == (one, one)
    assert resolve(git, two).project_id == found.project_id


def test_a_fork_and_a_clone_without_remote_are_other_projects(
    git: Git, tmp_path: Path
) -> None:
    fork = git.repository(tmp_path / "f", url="https://git.example/jo/widget")
    bare = git.repository(tmp_path / "b")
    assert resolve(git, fork).project_id != remote_id(REMOTE)
    assert resolve(git, bare).project_id == digest(bare)
    assert resolve(git, bare).remote is None


@pytest.mark.parametrize(
    "url",
    ["../other", "/srv/git/widget.git", "C:\\git\\widget", "https://", "ext::a b"],
)
def test_a_remote_that_names_no_host_falls_back_to_the_root(
    git: Git, tmp_path: Path, url: str
) -> None:
    root = git.repository(tmp_path / "r", url=url)
    assert resolve(git, root).project_id == digest(root)


def test_any_folder_inside_leads_to_the_root(git: Git, tmp_path: Path) -> None:
    root = git.repository(tmp_path / "r", url=URL)
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "link").symlink_to(deep)
    for folder in (deep, tmp_path / "link", root / ".git", root / ".git" / "hooks"):
        found = resolve(git, folder)
        assert (found.root, found.project_id) == (root, remote_id(REMOTE))
    assert str(root) == git(deep, "rev-parse", "--show-toplevel")


def test_a_folder_that_is_gone_and_a_file_lead_to_the_root(
    git: Git, tmp_path: Path
) -> None:
    root = git.repository(tmp_path / "r", url=URL)
    (root / "file").write_text("", encoding="utf-8")
    for inside in (root / "gone" / "deeper", root / "file"):
        assert resolve(git, inside).root == root


def test_a_remote_of_another_name_does_not_count(git: Git, tmp_path: Path) -> None:
    root = git.repository(tmp_path / "r")
    git(root, "remote", "add", "upstream", URL)
    assert resolve(git, root).remote is None


@pytest.mark.parametrize("url", [URL, None], ids=["with a remote", "without"])
def test_working_trees_share_the_namespace_of_the_main_one(
    git: Git, tmp_path: Path, url: str | None
) -> None:
    root = git.repository(tmp_path / "r", url=url)
    tree = tmp_path / "tree"
    git(root, "worktree", "add", "-q", "-b", "topic/x", str(tree))
    (tree / "sub").mkdir()
    main, linked = resolve(git, root), resolve(git, tree / "sub")
    assert linked.project_id == main.project_id
    assert (linked.root, linked.main_root) == (tree, root)
    assert (linked.worktree, linked.branch) == ("tree", "topic/x")
    assert linked.name == main.name == "r"
    assert str(linked.root) == git(tree, "rev-parse", "--show-toplevel")


def test_working_trees_of_a_bare_repository_share_its_namespace(
    git: Git, tmp_path: Path
) -> None:
    source = git.repository(tmp_path / "source")
    bare = tmp_path / "widget.git"
    git(tmp_path, "clone", "-q", "--bare", str(source), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    found = resolve(git, bare)
    assert (found.root, found.name, found.project_id) == (bare, "widget", digest(bare))
    assert resolve(git, bare / "refs").root == bare
    assert resolve(git, tmp_path / "tree").project_id == digest(bare)


def test_a_bare_repository_beside_its_trees_is_named_by_their_folder(
    git: Git, tmp_path: Path
) -> None:
    source = git.repository(tmp_path / "source")
    git(tmp_path, "clone", "-q", "--bare", str(source), str(tmp_path / "w" / ".git"))
    git(tmp_path / "w" / ".git", "worktree", "add", "-q", "../tree", "main")
    assert resolve(git, tmp_path / "w" / "tree").main_root == tmp_path / "w"


@pytest.mark.parametrize("url", [URL, None], ids=["with a remote", "without"])
def test_a_separate_repository_is_one_project_with_its_trees(
    git: Git, tmp_path: Path, url: str | None
) -> None:
    kept = tmp_path / "kept.git"
    root = git.repository(tmp_path / "r", "--separate-git-dir", str(kept), url=url)
    git(root, "worktree", "add", "-q", "-b", "two", str(tmp_path / "tree"))
    main, linked = resolve(git, root), resolve(git, tmp_path / "tree")
    assert main.root == root
    assert main.project_id == linked.project_id
    assert main.worktree is None
    assert (linked.worktree, linked.main_root) == ("tree", main.main_root)


def test_a_submodule_is_a_project_of_its_own(git: Git, tmp_path: Path) -> None:
    inner = git.repository(tmp_path / "inner")
    outer = git.repository(tmp_path / "outer", url=URL)
    local = ("-c", "protocol.file.allow=always")
    git(outer, *local, "submodule", "-q", "add", str(inner), "libs/inner")
    sub = outer / "libs" / "inner"
    found = resolve(git, sub)
    assert (found.root, found.main_root, found.name) == (sub, sub, "inner")
    assert found.project_id == digest(sub)
    assert found.worktree is None
    assert str(sub) == git(sub, "rev-parse", "--show-toplevel")
    git(sub, "worktree", "add", "-q", "-b", "two", str(tmp_path / "tree"))
    assert resolve(git, tmp_path / "tree").project_id == digest(sub)
    git(sub, "remote", "set-url", "origin", "https://git.example/acme/inner")
    assert resolve(git, sub).remote == "git.example/acme/inner"


def test_the_branch_is_what_git_says(git: Git, tmp_path: Path) -> None:
    root = git.repository(tmp_path / "r")
    git(root, "checkout", "-q", "-b", "feature/größe-1")
    assert resolve(git, root).branch == git(root, "branch", "--show-current")
    git(root, "pack-refs", "--all")
    assert resolve(git, root).branch == "feature/größe-1"
    git(root, "checkout", "-q", "--detach")
    assert resolve(git, root).branch is None


def test_a_branch_without_commits_has_its_name(git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "new", "r")
    assert resolve(git, tmp_path / "r").branch == "new"


CONFIGS = {
    "as git writes it": '[remote "origin"]\n\turl = {url}\n',
    "case": '[REMOTE "origin"]\nURL={url}\n',
    "quoted": '[remote "origin"]\n url = "{url}" ; what\n',
    "half quoted": '[remote "origin"]\n url = https://git.example"/acme/"widget.git\n',
    "comment": '[remote "origin"] # here\n; no\n# no\n url = {url} # there\n',
    "one line": '[remote "origin"] url = {url}\n',
    "continued": '[remote "origin"]\n url = https://git.exa\\\nmple/acme/widget.git\n',
    "continued before": '[x]\n a = b \\\n[b]\n[remote "origin"]\nurl={url}\n',
    "old form": "[remote.origin]\n url = {url}\n",
    "two": '[remote "origin"]\n url = {url}\n url = https://git.example/b\n',
    "another first": '[remote "a"]\nurl = h:b\n[remote "origin"]\nurl={url}',
    "another case": '[remote "Origin"]\nurl = h:b\n[remote "origin"]\nurl={url}',
    "byte order mark": '\ufeff[remote "origin"]\nurl = {url}\n',
    "Windows lines": '[remote "origin"]\r\n\turl = {url}\r\n',
    "no end": '[remote "origin"]\nurl = {url}',
    "escaped name": '[remote "o\\rigin"]\nurl = {url}\n',
    "included": "[include]\n path = more\n",
}


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS.keys())
def test_a_configuration_is_read_as_git_reads_it(
    git: Git, tmp_path: Path, text: str
) -> None:
    root = git.repository(tmp_path / "r")
    head = "[core]\n\trepositoryformatversion = 0\n"
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = mark + head + text.removeprefix("\ufeff").replace("{url}", URL)
    (root / ".git" / "config").write_text(text, encoding="utf-8", newline="")
    (root / ".git" / "more").write_text(
        f'[remote "origin"]\nurl = {URL}\n', encoding="utf-8"
    )
    assert git(root, "config", "--get-all", "remote.origin.url").startswith(URL)
    assert resolve(git, root).remote == REMOTE


BROKEN_CONFIGS = {
    "open section": '[remote "origin"\nurl = {url}\n',
    "open quote": '[remote "origin"]\nurl = "{url}\n',
    "bad escape": '[remote "origin"]\nurl = {url}\\q\n',
    "no value": '[remote "origin"]\nurl\n',
    "empty": '[remote "origin"]\nurl =\n',
    "NUL": '[remote "origin"]\nurl = https://git.exa\0mple/a/b\n',
    "not a key": '[remote "origin"]\n= {url}\n',
    "continued past the end": '[remote "origin"]\nurl = {url}\\',
    "absolute include": "[include]\npath = {outside}\n",
    "include of itself": "[include]\npath = config\n",
    "include of a folder": "[include]\npath = refs\n",
    "include of nothing": "[include]\npath = \n path\n path = a\0b\n other = c\n",
    "conditional include": '[includeIf "gitdir:**"]\npath = ../../outside\n',
    "unknown include": '[includeIf "onbranch:main"]\npath = ../../outside\n',
}


@pytest.mark.parametrize("text", BROKEN_CONFIGS.values(), ids=BROKEN_CONFIGS.keys())
def test_a_configuration_that_gives_no_remote_falls_back_to_the_root(
    git: Git, tmp_path: Path, text: str
) -> None:
    root = git.repository(tmp_path / "r")
    outside = tmp_path / "outside"
    outside.write_text(f'[remote "origin"]\nurl = {URL}\n', encoding="utf-8")
    text = text.replace("{url}", URL).replace("{outside}", str(outside))
    (root / ".git" / "config").write_text(text, encoding="utf-8")
    assert resolve(git, root).project_id == digest(root)


def test_a_working_tree_may_have_a_configuration_of_its_own(
    git: Git, tmp_path: Path
) -> None:
    root = git.repository(tmp_path / "r")
    git(root, "config", "extensions.worktreeConfig", "true")
    git(root, "config", "--worktree", "remote.origin.url", URL)
    assert resolve(git, root).remote == REMOTE
    git(root, "config", "--unset", "extensions.worktreeConfig")
    assert resolve(git, root).remote is None


USER_CONFIGS = {
    "user's": (".gitconfig", '[url "https://git.example/"]\ninsteadOf = w:\n'),
    "longest": (
        ".gitconfig",
        '[url "h:"]\ninsteadOf = w\n[url "https://git.example/"]\ninsteadOf = w:\n',
    ),
    "XDG": (".config/git/config", '[url "ssh://git.example/"]\ninsteadof = w:\n'),
    "repository's": ("r/.git/config", '[url "https://git.example/"]\ninsteadOf=w:\n'),
    "included": (".gitconfig", "[include]\npath = ~/more\n"),
    "included by an absolute path": (".gitconfig", "[include]\npath = {home}/more\n"),
    "by condition": (".gitconfig", '[includeIf "gitdir:~/r/"]\npath = more\n'),
    "by a case": (".gitconfig", '[includeIf "gitdir/i:~/R/"]\npath = more\n'),
    "by pattern": (".gitconfig", '[includeIf "gitdir:**/r/.g?t"]\npath = more\n'),
    "by name": (".gitconfig", '[includeIf "gitdir:r/"]\npath = more\n'),
    "by relation": (".gitconfig", '[includeIf "gitdir:./r/*"]\npath = more\n'),
}


@pytest.mark.parametrize(
    ("name", "text"), USER_CONFIGS.values(), ids=USER_CONFIGS.keys()
)
def test_urls_are_rewritten_as_git_rewrites_them(
    git: Git, name: str, text: str
) -> None:
    root = git.repository(git.home / "r", url="w:acme/widget.git")
    path = git.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(before + text.replace("{home}", str(git.home)), encoding="utf-8")
    more = '[url "https://git.example/"]\ninsteadOf = w:\n'
    (git.home / "more").write_text(more, encoding="utf-8")
    assert "git.example/acme/widget" in git(root, "remote", "get-url", "origin")
    assert resolve(git, root).remote == REMOTE


def test_a_condition_that_does_not_hold_includes_nothing(git: Git) -> None:
    root = git.repository(git.home / "r", url="ww:acme/widget.git")
    more = '[url "https://git.example/"]\ninsteadOf = ww:\n'
    (git.home / "more").write_text(more, encoding="utf-8")
    for condition in ("gitdir:~/other/", "gitdir:", "hasconfig:x:y", "gitdir:~/R/"):
        (git.home / ".gitconfig").write_text(
            f'[includeIf "{condition}"]\npath = more\n', encoding="utf-8"
        )
        assert resolve(git, root).remote == "ww/acme/widget"


SSH = {
    "host": "Host other\n HostName h.example\nHost work\n  HostName git.example\n",
    "equals": "host=work\nhostname = git.example\n",
    "pattern": "Host w?r*\n HostName git.example\n",
    "several": 'Host other "work"\n HostName "git.example"\n',
    "negated": "Host !work *\n HostName h.example\nHost *\n HostName git.example\n",
    "first wins": "Host work\n HostName git.example\nHost *\n HostName h.example\n",
    "token": "Host w*\n HostName git.%%\nHost *\n",
    "before any host": "HostName git.example\n",
    "match": "Match exec date\n HostName h.example\nMatch all\n HostName git.example\n",
    "included": "# first\n\nInclude conf.d/*.conf\nHost work\n HostName h.example\n",
    "included by home": "Include ~/.ssh/conf.d/a.conf\n",
    "included in a block": (
        "Host other\n Include conf.d/b\nHost work\n Include conf.d/a.conf\n"
    ),
}


@pytest.mark.parametrize("text", SSH.values(), ids=SSH.keys())
def test_an_ssh_alias_is_resolved(git: Git, text: str) -> None:
    root = git.repository(git.home / "r", url="git@work:acme/widget.git")
    folder = git.home / ".ssh" / "conf.d"
    folder.mkdir(parents=True)
    (folder / "a.conf").write_text("Host work\nHostName git.example\n", "utf-8")
    (folder / "b").write_text("HostName h.example\n", "utf-8")
    (folder / ".c.conf").write_text("HostName h.example\n", "utf-8")
    text = text.replace("git.%%", "git.exam%%").replace("exam%%", "example")
    (folder.parent / "config").write_text(text, encoding="utf-8")
    assert resolve(git, root).remote == REMOTE


def test_tokens_in_a_host_name_are_filled_in(git: Git) -> None:
    root = git.repository(git.home / "r", url="git@git:acme/widget.git")
    (git.home / ".ssh").mkdir()
    (git.home / ".ssh" / "config").write_text("Host *\nHostName %h.example", "utf-8")
    assert resolve(git, root).remote == REMOTE


def test_ssh_files_that_include_one_another_end(git: Git) -> None:
    root = git.repository(git.home / "r", url="git@work:acme/widget.git")
    (git.home / ".ssh").mkdir()
    (git.home / ".ssh" / "config").write_text(
        "Include config config\nInclude none/* conf\x00*\n"
        "Host work\nHostName git.example\n",
        encoding="utf-8",
    )
    assert resolve(git, root).remote == REMOTE


def test_without_a_home_an_alias_stays_what_it_is(git: Git, tmp_path: Path) -> None:
    root = git.repository(tmp_path / "r", url="git@work:acme/widget.git")
    assert resolve_project(root, environ={}).remote == "work/acme/widget"


@pytest.mark.parametrize("marker", [".agentctx", ".project-corpus"])
def test_outside_git_the_nearest_marked_directory_is_the_project(
    git: Git, tmp_path: Path, marker: str
) -> None:
    inner = tmp_path / "p" / "q"
    deep = inner / "r" / "s"
    deep.mkdir(parents=True)
    (tmp_path / "p" / ".agentctx").mkdir()
    (inner / marker).mkdir()
    found = resolve(git, deep)
    assert (found.root, found.main_root) == (inner, inner)
    assert found.project_id == digest(inner) == path_id(inner)
    assert (found.worktree, found.branch, found.remote) == (None, None, None)


def test_outside_git_without_a_marker_the_directory_is_the_project(
    git: Git, tmp_path: Path
) -> None:
    folder = tmp_path / "p" / "q"
    folder.mkdir(parents=True)
    (tmp_path / "p" / ".agentctx").write_text("a file marks nothing", "utf-8")
    assert resolve(git, folder).project_id == digest(folder)


def test_the_users_own_store_marks_no_project(git: Git, tmp_path: Path) -> None:
    folder = git.home / "p"
    folder.mkdir()
    (git.home / ".agentctx").mkdir()
    assert resolve(git, folder).root == folder
    assert resolve(git, git.home).root == git.home
    other = tmp_path / "elsewhere" / ".agentctx"
    (other.parent / "p").mkdir(parents=True)
    other.mkdir()
    environ = {**git.environ, "AGENTCTX_HOME": str(other)}
    found = resolve_project(other.parent / "p", environ=environ)
    assert found.root == other.parent / "p"
    (git.home / ".project-corpus").mkdir()
    assert resolve(git, folder).root == git.home


def test_a_link_to_the_home_does_not_make_its_store_a_marker(
    git: Git, tmp_path: Path
) -> None:
    (git.home / ".agentctx").mkdir()
    (git.home / "p").mkdir()
    (tmp_path / "linked").symlink_to(git.home)
    environ = {"HOME": str(tmp_path / "linked")}
    found = resolve_project(git.home / "p", environ=environ)
    assert found.root == git.home / "p"


def test_variables_of_git_do_not_move_a_project(git: Git, tmp_path: Path) -> None:
    one = git.repository(tmp_path / "one")
    two = git.repository(tmp_path / "two")
    environ = {
        **git.environ,
        "GIT_DIR": str(two / ".git"),
        "GIT_WORK_TREE": str(two),
    }
    assert resolve_project(one, environ=environ).root == one


def test_resolving_loads_only_what_is_light() -> None:
    heavy = {"subprocess", "dataclasses", "argparse", "glob", "logging", "tempfile"}
    code = "import agentctx.project, sys; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    done = run(command, capture_output=True, check=True, encoding="utf-8")
    assert not heavy & set(done.stdout.split())
