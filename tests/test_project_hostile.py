"""Whatever lies where git's files should be, a directory has a project at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from agentctx.project import Project, path_id, resolve_project
from tests.gitrepos import URL, Git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.requirement("A2.4"), pytest.mark.timeout(20)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return Git(home).repository(tmp_path / "r", url=URL)


def resolve(root: Path) -> Project:
    return resolve_project(root, environ={"HOME": str(root.parent / "home")})


def large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)


def loop(path: Path) -> None:
    path.symlink_to(path.name)


MARKERS: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "empty": lambda path: path.write_bytes(b""),
    "large": large,
    "endless link": loop,
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "leads to nothing": lambda path: path.write_bytes(b"gitdir: ../nothing\n"),
    "leads to itself": lambda path: path.write_bytes(b"gitdir: .git\n"),
    "leads to its folder": lambda path: path.write_bytes(b"gitdir: .\n"),
    "NUL": lambda path: path.write_bytes(b"gitdir: a\0b\n"),
    "no text": lambda path: path.write_bytes(b"gitdir: \xff\xfe\n"),
    "no path": lambda path: path.write_bytes(b"gitdir: \n"),
    "long": lambda path: path.write_bytes(b"gitdir: " + b"a/" * 6000 + b"\n"),
    "other text": lambda path: path.write_bytes(b"what?"),
}


@pytest.mark.parametrize("make", MARKERS.values(), ids=MARKERS.keys())
def test_a_git_file_that_leads_nowhere_leaves_the_directory(
    root: Path, make: Callable[[Path], object]
) -> None:
    inner = root / "inner"
    (inner / "deep").mkdir(parents=True)
    make(inner / ".git")
    found = resolve(inner / "deep")
    assert (found.root, found.project_id) == (inner, path_id(inner))


def test_git_files_that_lead_to_one_another_leave_each_its_directory(
    tmp_path: Path,
) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (tmp_path / one).mkdir()
        (tmp_path / one / ".git").write_text(f"gitdir: ../{other}/.git\n", "utf-8")
    assert resolve(tmp_path / "a").root == tmp_path / "a"


def test_an_empty_git_folder_is_passed_over_as_git_does(root: Path) -> None:
    (root / "inner" / ".git").mkdir(parents=True)
    assert resolve(root / "inner").root == root


HEADS: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "large": large,
    "empty": lambda path: path.write_bytes(b""),
    "no reference": lambda path: path.write_bytes(b"ref: main\n"),
    "two words": lambda path: path.write_bytes(b"ref: refs/heads/a b\n"),
    "endless link": loop,
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("make", HEADS.values(), ids=HEADS.keys())
def test_a_broken_head_is_no_repository(
    root: Path, make: Callable[[Path], object]
) -> None:
    (root / ".git" / "HEAD").unlink()
    make(root / ".git" / "HEAD")
    found = resolve(root)
    assert (found.remote, found.project_id) == (None, path_id(root))


def test_a_head_may_be_a_link(root: Path) -> None:
    head = root / ".git" / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/topic")
    assert resolve(root).branch == "topic"


@pytest.mark.parametrize("name", [b"a\x1b[31m", b"\xff", b"x" * 300, b".invalid"])
def test_a_branch_that_cannot_be_shown_is_none(root: Path, name: bytes) -> None:
    (root / ".git" / "HEAD").write_bytes(b"ref: refs/heads/" + name + b"\n")
    found = resolve(root)
    assert (found.root, found.branch) == (root, None)


CONFIGS: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "large": large,
    "endless link": loop,
    "missing": lambda path: path.unlink(missing_ok=True),
    "folder": lambda path: path.mkdir(),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 4000),
    "brackets": lambda path: path.write_bytes(b"[" * 4_000_000),
    "quotes": lambda path: path.write_bytes(b'[remote "' * 400_000),
    "continued": lambda path: path.write_bytes(
        b'[remote "origin"]\nurl = ' + b"a\\\n" * 1_000_000
    ),
    "includes": lambda path: path.write_bytes(b"[include]\npath=config\n" * 3_000),
    "tree that is not its own": lambda path: path.write_bytes(
        b"[core]\nworktree = ../../other\n"
    ),
}


@pytest.mark.parametrize("make", CONFIGS.values(), ids=CONFIGS.keys())
def test_a_broken_configuration_leaves_the_root(
    root: Path, make: Callable[[Path], object]
) -> None:
    (root / ".git" / "config").unlink()
    make(root / ".git" / "config")
    found = resolve(root)
    assert (found.root, found.project_id) == (root, path_id(root))


@pytest.mark.parametrize("named", [b"../nothing", b"a\0b", b"", b".", b"\xff"])
def test_a_common_folder_that_is_none_never_raises(root: Path, named: bytes) -> None:
    (root / ".git" / "commondir").write_bytes(named + b"\n")
    assert resolve(root).root == root


def test_a_repository_cannot_claim_the_root_of_another(root: Path) -> None:
    other = root.parent / "other"
    other.mkdir()
    (root / ".git").rename(root.parent / "kept")
    (root / ".git").write_text("gitdir: ../kept\n", "utf-8")
    (root.parent / "kept" / "config").write_text(
        f"[core]\nworktree = {other}\n", encoding="utf-8"
    )
    assert resolve(root).project_id != path_id(other)


@pytest.mark.parametrize("kind", ["NUL", "missing", "long", "link", "file", "bytes"])
def test_a_directory_that_is_none_has_a_project(tmp_path: Path, kind: str) -> None:
    folder = {
        "NUL": tmp_path / "a\0b",
        "missing": tmp_path / "a" / "b",
        "long": tmp_path / ("a" * 5000),
        "link": tmp_path / "link",
        "file": tmp_path / "file",
        "bytes": tmp_path / "\udcff",
    }[kind]
    loop(tmp_path / "link")
    (tmp_path / "file").write_bytes(b"")
    found = resolve_project(folder, environ={"HOME": "a\0b", "AGENTCTX_HOME": "c\0d"})
    assert len(found.project_id) == 64
    assert found.name.isprintable()


def test_a_home_full_of_traps_never_blocks(root: Path) -> None:
    home = root.parent / "home"
    (home / ".ssh").mkdir()
    for name in (".ssh/config", ".gitconfig"):
        os.mkfifo(home / name)
    (root / ".git" / "config").write_text(
        '[remote "origin"]\nurl = git@work:a/b\n', encoding="utf-8"
    )
    assert resolve(root).remote == "work/a/b"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_repository_that_may_not_be_read_is_passed_over(root: Path) -> None:
    (root / ".git").chmod(0)
    try:
        assert resolve(root).project_id == path_id(root)
    finally:
        (root / ".git").chmod(0o700)
