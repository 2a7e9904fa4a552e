"""What the guarantee of each level rests on: the system, or a stand-in for it."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast, get_args

import pytest

from corpus.confined.folder import is_link
from corpus.confined.portable import PortableTree, without_device_prefix
from corpus.confined.reader import (
    ConfinedRoot,
    GuaranteeLevel,
    Unreadable,
    open_root,
)
from corpus.refs import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS: tuple[GuaranteeLevel, ...] = get_args(GuaranteeLevel)
REPOSITORY = Path(__file__).parents[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path


def write(project: Path, path: str, content: bytes = b"text\n") -> None:
    place = project / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)


def reason(root: ConfinedRoot, path: str) -> str:
    with pytest.raises(Unreadable) as caught:
        root.read(RelPath(path), limit=1000)
    return caught.value.reason


def markdown(path: str) -> bool:
    return path.endswith(".md")


@pytest.mark.requirement("P4.3")
@pytest.mark.parametrize("level", ["openat2", "walk"])
def test_what_the_user_may_not_read_is_reported(level: GuaranteeLevel) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        project.chmod(0o755)
        write(project, "r/open.md")
        write(project, "r/shut.md")
        (project / "r/shut.md").chmod(0)
        write(project, "r/shut/a.md")
        (project / "r/shut").chmod(0)
        with open_root(project, level) as opened:
            found = without_privilege(
                lambda: [
                    opened.entries(RelPath("r"), wanted=markdown, enter=bool),
                    reason(opened, "r/shut.md"),
                ]
            )
        (project / "r/shut").chmod(0o700)
    assert found == [
        [
            ["r/open.md", None],
            ["r/shut", "permission denied"],
            ["r/shut.md", None],
        ],
        "permission denied",
    ]


def without_privilege(work: Callable[[], object]) -> object:
    """Run `work` as a user without rights of its own and give its JSON."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            os.write(sender, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        content = stream.read()
    os.waitpid(child, 0)
    return json.loads(content)


MOUNTED = """
import subprocess, sys
from pathlib import Path
from corpus.confined.reader import open_root, Unreadable
project, level = Path(sys.argv[1]), sys.argv[2]
subprocess.run(["mount", "-t", "tmpfs", "none", project / "r/other"], check=True)
(project / "r/other/a.md").write_text("elsewhere", "utf-8")
with open_root(project, level) as root:
    for path, problem in root.entries("r", wanted=lambda p: "." in p, enter=bool):
        print(path, problem)
    try:
        root.read("r/other/a.md", limit=99)
    except Unreadable as problem:
        print(problem.reason)
"""


@pytest.mark.requirement("P4.1", "P4.3")
@pytest.mark.parametrize("level", LEVELS)
def test_another_file_system_is_not_entered(
    project: Path, level: GuaranteeLevel
) -> None:
    alone = ["unshare", "--mount"]
    probe = subprocess.run(
        [*alone, "mount", "-t", "tmpfs", "none", "/mnt"], check=False
    )
    if probe.returncode != 0:
        pytest.skip("mounting is for root alone")
    write(project, "r/a.md")
    (project / "r/other").mkdir()
    done = run_script([*alone, sys.executable, "-c", MOUNTED, str(project), level])
    assert done.splitlines() == [
        "r/a.md None",
        "r/other other file system",
        "other file system",
    ]


FORBIDDEN = """
import ctypes, struct, sys
from pathlib import Path
from corpus.confined.reader import open_root
def rule(code, yes, no, value):
    return struct.pack("=HBBI", code, yes, no, value)
rules = rule(0x20, 0, 0, 0) + rule(0x15, 0, 1, 437)
rules += rule(0x06, 0, 0, 0x00050000 | int(sys.argv[2])) + rule(0x06, 0, 0, 0x7FFF0000)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(ctypes.c_char.from_buffer(
    buffer := bytearray(rules))))
prctl = ctypes.CDLL(None, use_errno=True).prctl
assert prctl(38, 1, 0, 0, 0) == 0
if prctl(22, 2, program, 0, 0) != 0:
    sys.exit("no filter")
with open_root(Path(sys.argv[1])) as root:
    print(root.guarantee_level, root.read("r/a.md", limit=9).content)
"""


@pytest.mark.requirement("P4.1", "P4.2")
@pytest.mark.parametrize("refusal", ["ENOSYS", "EINVAL", "EPERM", "E2BIG"])
def test_where_openat2_is_refused_the_walk_takes_over(
    project: Path, refusal: str
) -> None:
    write(project, "r/a.md", b"walked")
    number = str(getattr(errno, refusal))
    command = [sys.executable, "-c", FORBIDDEN, str(project), number]
    assert run_script(command) == "walk b'walked'\n"


def run_script(command: list[str]) -> str:
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, encoding="utf-8", check=False
    )
    if "no filter" in done.stderr:
        pytest.skip("this system filters no system calls")
    assert done.stderr == ""
    return done.stdout


@pytest.mark.requirement("P4.1")
@pytest.mark.parametrize(
    ("attributes", "mode", "link"),
    [
        (stat.FILE_ATTRIBUTE_REPARSE_POINT, stat.S_IFDIR, True),
        (stat.FILE_ATTRIBUTE_DIRECTORY, stat.S_IFDIR, False),
        (0, stat.S_IFLNK, True),
        (stat.FILE_ATTRIBUTE_ARCHIVE, stat.S_IFREG, False),
    ],
    ids=["junction", "folder", "link", "file"],
)
def test_a_reparse_point_counts_as_a_link(
    attributes: int, mode: int, *, link: bool
) -> None:
    status = SimpleNamespace(st_file_attributes=attributes, st_mode=mode)
    assert is_link(cast("os.stat_result", status)) is link


@pytest.mark.requirement("P4.4")
def test_a_file_whose_real_path_is_another_one_is_not_read(project: Path) -> None:
    write(project, "r/a.md")
    tree = PortableTree(str(project), real_path=lambda _: str(project / "r/b.md"))
    assert reason(ConfinedRoot(tree), "r/a.md") == "changed while reading"
    blind = PortableTree(str(project), real_path=lambda _: None)
    found = ConfinedRoot(blind).read(RelPath("r/a.md"), limit=9)
    assert found.content == b"text\n"


def test_a_windows_path_is_told_as_people_write_it() -> None:
    assert without_device_prefix("\\\\?\\C:\\a\\b") == "C:\\a\\b"
    assert without_device_prefix("\\\\?\\UNC\\server\\share") == "\\\\server\\share"


@pytest.mark.requirement("P2.4", "P4.1")
def test_a_file_answers_only_to_its_own_spelling_where_case_does_not_matter(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "secret/key.md")
    write(project, "open/Plan.md")
    real = os.open

    def without_case(
        path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> int:
        if dir_fd is not None and path != ".":
            names = [entry.name for entry in Path(f"/proc/self/fd/{dir_fd}").iterdir()]
            path = next((n for n in names if n.lower() == path.lower()), path)
        return real(path, flags, mode, dir_fd=dir_fd)

    with open_root(project, "walk") as root:
        monkeypatch.setattr(os, "open", without_case)
        for path in ("SECRET/key.md", "secret/KEY.md", "Secret/Key.MD", "open/plan.md"):
            assert reason(root, path) == "not found"
        for path in ("secret/key.md", "open/Plan.md"):
            assert root.content(RelPath(path), limit=100) == b"text\n"
