"""The confined reader gives a file's bytes or the reason why not, at every level."""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import subprocess
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from corpus.confined.reader import (
    MAX_DEPTH,
    ConfinedRoot,
    Entry,
    GuaranteeLevel,
    Unreadable,
    open_root,
    printable,
)
from corpus.errors import RootNotFoundError
from corpus.refs import RelPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LEVELS: tuple[GuaranteeLevel, ...] = get_args(GuaranteeLevel)
PRIVATE = b"what lies outside"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_bytes(PRIVATE)
    return folder


@pytest.fixture(params=LEVELS)
def root(project: Path, request: pytest.FixtureRequest) -> Iterator[ConfinedRoot]:
    with open_root(project, request.param) as opened:
        yield opened


def write(project: Path, path: str, content: bytes = b"text\n") -> Path:
    place = project / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return place


def reason(root: ConfinedRoot, path: str, *, limit: int = 1000) -> str:
    with pytest.raises(Unreadable) as caught:
        root.read(RelPath(path), limit=limit)
    return caught.value.reason


def markdown(path: str) -> bool:
    return path.endswith(".md")


def listed(
    root: ConfinedRoot,
    directory: str = "r",
    enter: Callable[[str], bool] = lambda _: True,
) -> list[Entry]:
    return root.entries(RelPath(directory), wanted=markdown, enter=enter)


@pytest.mark.requirement("P4.1", "P4.2")
def test_a_file_is_read_whole_with_what_identifies_it(
    root: ConfinedRoot, project: Path
) -> None:
    place = write(project, "r/deep/a.md", b"\xef\xbb\xbfbytes\r\n")
    found = root.read(RelPath("r/deep/a.md"), limit=10)
    status = place.stat()
    assert found.content == b"\xef\xbb\xbfbytes\r\n"
    assert (found.size, found.mtime_ns) == (10, status.st_mtime_ns)
    assert (found.device, found.inode) == (status.st_dev, status.st_ino)


@pytest.mark.requirement("P4.2")
@pytest.mark.parametrize("level", LEVELS)
def test_a_root_says_the_guarantee_it_gives(
    project: Path, level: GuaranteeLevel
) -> None:
    with open_root(project, level) as opened:
        assert opened.guarantee_level == level
    with open_root(project) as opened:
        assert opened.guarantee_level in LEVELS


def test_an_empty_file_and_one_at_the_limit_are_read(
    root: ConfinedRoot, project: Path
) -> None:
    write(project, "empty.md", b"")
    write(project, "full.md", b"12345")
    assert root.read(RelPath("empty.md"), limit=5).content == b""
    assert root.read(RelPath("full.md"), limit=5).content == b"12345"


@pytest.mark.requirement("P4.3", "P14")
def test_a_file_over_the_limit_is_too_large(root: ConfinedRoot, project: Path) -> None:
    write(project, "a.md", b"123456")
    assert reason(root, "a.md", limit=5) == "too large"


@pytest.mark.requirement("P4.1", "P4.3")
def test_links_are_never_followed(root: ConfinedRoot, project: Path) -> None:
    write(project, "r/inside.md")
    (project / "r/file.md").symlink_to("../../outside/a.md")
    (project / "r/inner.md").symlink_to("inside.md")
    (project / "r/loop.md").symlink_to("loop.md")
    (project / "linked").symlink_to("../outside")
    (project / "magic").symlink_to("/proc/self/cwd")
    for path in ("r/file.md", "r/inner.md", "r/loop.md", "linked/a.md", "magic/a.md"):
        assert reason(root, path) == "symbolic link", path


@pytest.mark.requirement("P4.1", "P4.3")
def test_what_is_no_plain_file_is_refused_without_blocking(
    root: ConfinedRoot, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "r/one.md")
    os.mkfifo(project / "fifo.md")
    monkeypatch.chdir(project)  # a socket's address has to be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        assert reason(root, "socket.md") == "not a regular file"
    assert reason(root, "fifo.md") == "not a regular file"
    assert reason(root, "r") == "not a regular file"
    assert reason(root, "none.md") == "not found"
    assert reason(root, "r/one.md/below.md") == "not a directory"


@pytest.mark.requirement("P4.1", "P4.3")
def test_a_device_is_refused(root: ConfinedRoot, project: Path) -> None:
    try:
        os.mknod(project / "null.md", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("devices can be made by root alone")
    assert reason(root, "null.md") == "not a regular file"
    assert listed(root, "") == [Entry(RelPath("null.md"), "not a regular file")]


@pytest.mark.requirement("P4.1", "P4.3")
def test_a_file_with_two_names_is_refused_by_both(
    root: ConfinedRoot, project: Path
) -> None:
    (project / "b.md").hardlink_to(project.parent / "outside" / "a.md")
    write(project, "c.md")
    assert reason(root, "b.md") == "hard link"
    assert root.read(RelPath("c.md"), limit=10).content == b"text\n"


@pytest.mark.requirement("P4.1")
@pytest.mark.parametrize(
    "path", ["../outside/a.md", "r/../../outside/a.md", "/etc/passwd", "", ".", "r//a"]
)
def test_no_path_leads_outside(root: ConfinedRoot, project: Path, path: str) -> None:
    write(project, "r/a.md")
    assert reason(root, path).startswith("name is not portable: ")


@pytest.mark.requirement("P4.1")
@pytest.mark.parametrize("path", ["../outside/a.md", "r/../../outside/a.md"])
@pytest.mark.parametrize("level", LEVELS)
def test_even_below_the_check_of_names_no_path_leads_outside(
    project: Path, level: GuaranteeLevel, path: str
) -> None:
    write(project, "r/a.md")
    with open_root(project, level) as opened:
        assert opened._tree.level == level  # noqa: SLF001 - the layer below
        for touch in (opened._tree.open_file, opened._tree.open_folder):  # noqa: SLF001
            with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
                touch(path)


@pytest.mark.requirement("P4.1")
def test_the_root_may_be_reached_through_links_and_is_pinned(
    project: Path, tmp_path: Path
) -> None:
    write(project, "a.md", b"mine")
    (tmp_path / "way").symlink_to(project)
    with open_root(tmp_path / "way") as opened:
        (tmp_path / "way").unlink()
        (tmp_path / "way").symlink_to(tmp_path / "outside")
        assert opened.read(RelPath("a.md"), limit=10).content == b"mine"


@pytest.mark.parametrize("level", [None, *LEVELS])
def test_a_root_that_is_no_folder_is_not_found(
    project: Path, level: GuaranteeLevel | None
) -> None:
    write(project, "file")
    (project / "loop").symlink_to("loop")
    for name in ("file", "none", "loop", "nul\x00"):
        with pytest.raises(RootNotFoundError):
            open_root(project / name, level)


@pytest.mark.requirement("P4.3")
def test_one_bad_file_keeps_no_other_from_being_listed(
    root: ConfinedRoot, project: Path
) -> None:
    write(project, "r/z.md")
    write(project, "r/deep/b.md")
    write(project, "r/skipped.txt")
    os.mkfifo(project / "r/fifo.md")
    os.mkfifo(project / "r/fifo.txt")
    (project / "r/link.md").symlink_to("z.md")
    (project / "r/folder").symlink_to("deep")
    write(project, "r/what?.md")
    write(project, "r/con.md")
    write(project, "r/bad:folder/a.md")
    assert listed(root) == [
        Entry(
            RelPath("r/bad:folder"),
            "name is not portable: it has a character that is not portable",
        ),
        Entry(RelPath("r/con.md"), "name is not portable: it is a Windows device name"),
        Entry(RelPath("r/deep/b.md"), None),
        Entry(RelPath("r/fifo.md"), "not a regular file"),
        Entry(RelPath("r/folder"), "symbolic link"),
        Entry(RelPath("r/link.md"), "symbolic link"),
        Entry(
            RelPath("r/what?.md"),
            "name is not portable: it has a character that is not portable",
        ),
        Entry(RelPath("r/z.md"), None),
    ]


@pytest.mark.requirement("P4.3")
def test_names_that_differ_only_in_case_give_the_first(
    root: ConfinedRoot, project: Path
) -> None:
    for name in ("Note.md", "note.md", "Straße.md", "STRASSE.md", "Б.md", "б.md"):
        write(project, f"r/{name}")
    write(project, "r/Sub/a.md")
    write(project, "r/sub/b.md")
    write(project, "r/NOTE.txt")
    case = "name differs only in case from"
    assert listed(root) == [
        Entry(RelPath("r/Note.md"), None),
        Entry(RelPath("r/STRASSE.md"), None),
        Entry(RelPath("r/Straße.md"), f"{case} `STRASSE.md`"),
        Entry(RelPath("r/Sub/a.md"), None),
        Entry(RelPath("r/note.md"), f"{case} `Note.md`"),
        Entry(RelPath("r/sub"), f"{case} `Sub`"),
        Entry(RelPath("r/Б.md"), None),
        Entry(RelPath("r/б.md"), f"{case} `Б.md`"),
    ]


@pytest.mark.requirement("P4.3")
def test_a_name_in_another_normal_form_is_reported(
    root: ConfinedRoot, project: Path
) -> None:
    write(project, "r/é.md")
    other = unicodedata.normalize("NFD", "é.md")
    write(project, f"r/{other}")
    problems = [entry.problem for entry in listed(root)]
    assert problems == ["name is not portable: it is not in Unicode form NFC", None]


@pytest.mark.requirement("P4.3")
def test_a_name_that_is_no_text_is_reported_in_printable_form(
    root: ConfinedRoot, project: Path
) -> None:
    (project / "r").mkdir()
    folder = os.fsencode(project / "r")
    for name in (b"\xff\xfe.md", b"line\nbreak.md", b"\xed\xa0\x80.md"):
        Path(os.fsdecode(folder + b"/" + name)).touch()
    entries = listed(root)
    assert {entry.path for entry in entries} == {
        r"r/\xff\xfe.md",
        r"r/line\nbreak.md",
        r"r/\xed\xa0\x80.md",
    }
    assert all(entry.problem for entry in entries)
    json.dumps(entries, ensure_ascii=False).encode()


def test_what_is_printable_stays_as_it_is() -> None:
    assert printable("отчёт 報告.md") == "отчёт 報告.md"
    assert printable("\x1b[2J\u202e") == r"\x1b[2J\u202e"


@pytest.mark.requirement("P4.3")
def test_a_missing_folder_holds_nothing_and_a_false_one_is_reported(
    root: ConfinedRoot, project: Path
) -> None:
    write(project, "file")
    (project / "link").symlink_to("../outside")
    (project / "above").symlink_to("..")
    assert listed(root, "none") == []
    assert listed(root, "file") == [Entry(RelPath("file"), "not a directory")]
    assert listed(root, "link") == [Entry(RelPath("link"), "symbolic link")]
    below = RelPath("above/outside")
    assert listed(root, below) == [Entry(below, "symbolic link")]


@pytest.mark.requirement("P2.4")
def test_a_folder_that_may_not_be_entered_is_never_opened(
    root: ConfinedRoot, project: Path
) -> None:
    write(project, "r/a.md")
    write(project, "r/private/b.md")
    write(project, "r/private/bad:name.md")
    (project / "r/hidden").symlink_to("private")
    private = project / "r/private"
    before = 946_684_800
    os.utime(private, (before, before))
    asked: list[str] = []

    def enter(path: str) -> bool:
        asked.append(path)
        return path == "r"

    assert listed(root, enter=enter) == [Entry(RelPath("r/a.md"), None)]
    assert sorted(asked) == ["r", "r/hidden", "r/private"]
    assert private.stat().st_atime == before
    assert listed(root, enter=lambda _: False) == []


@pytest.mark.requirement("P2.4")
def test_an_unwanted_file_is_not_named_even_by_a_neighbour(
    root: ConfinedRoot, project: Path
) -> None:
    write(project, "r/SECRET.md")
    write(project, "r/secret.md")
    (project / "r/no.md").symlink_to("secret.md")
    found = root.entries(
        RelPath("r"), wanted=lambda path: path == "r/secret.md", enter="r".__eq__
    )
    assert found == [Entry(RelPath("r/secret.md"), None)]


@pytest.mark.requirement("P4.3")
def test_a_tree_a_thousand_folders_deep_is_cut_and_reported(
    root: ConfinedRoot, project: Path
) -> None:
    here = os.open(project, os.O_RDONLY)
    for name in ["r"] + ["d"] * 1000:
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    write(project, "r/a.md")
    deep = "/".join(["r"] + ["d"] * (MAX_DEPTH - 2))
    write(project, f"{deep}/last.md")
    found = listed(root)
    subprocess.run(["rm", "-rf", str(project / "r")], check=True)
    assert found == [
        Entry(RelPath("r/a.md"), None),
        Entry(RelPath(f"{deep}/d"), "nested too deep"),
        Entry(RelPath(f"{deep}/last.md"), None),
    ]


def test_the_deepest_file_that_is_listed_can_be_read(
    root: ConfinedRoot, project: Path
) -> None:
    deep = "/".join(["d"] * (MAX_DEPTH - 1))
    write(project, f"{deep}/a.md")
    write(project, f"{deep}/d/b.md")
    assert listed(root, "d") == [
        Entry(RelPath(f"{deep}/a.md"), None),
        Entry(RelPath(f"{deep}/d"), "nested too deep"),
    ]
    assert root.read(RelPath(f"{deep}/a.md"), limit=9).size == 5
    assert reason(root, f"{deep}/d/b.md") == "nested too deep"


def test_a_system_that_reads_in_small_pieces_gives_the_whole(
    root: ConfinedRoot, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "a.md", b"0123456789")
    read = os.read
    monkeypatch.setattr(os, "read", lambda file, size: read(file, min(size, 3)))
    assert root.read(RelPath("a.md"), limit=10).content == b"0123456789"


@pytest.mark.requirement("P4.3")
def test_a_failure_without_a_phrase_of_its_own_is_told_by_its_name(
    root: ConfinedRoot, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "a text that is never shown")

    write(project, "a.md")
    monkeypatch.setattr(os, "read", fail)
    assert reason(root, "a.md") == "cannot be read (EIO)"
