"""A grant is written whole, for its owner alone, and read only when nobody else can."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import socket
import stat
from typing import TYPE_CHECKING

import pytest

from corpus.errors import CodedError
from corpus.grant import serialize_grant
from corpus.refs import ProjectId
from corpus.refusals import (
    GrantChangedError,
    GrantExistsError,
    GrantMissingError,
    GrantParseError,
    GrantUnsafeError,
    GrantUnwritableError,
)
from corpus.trust import (
    grant_path,
    list_grants,
    read_grant,
    remove_grant,
    write_grant,
)
from tests.corpora import fixed_bytes
from tests.granted import ID, sample_grant

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue
    from pathlib import Path

pytestmark = pytest.mark.requirement("P3.1")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return grant_path(ID, directory=tmp_path / "config" / "trust")


def put(place: Path, project: Path, *, replace: bool = False) -> None:
    write_grant(
        place, sample_grant(project), root=project, replace=replace, random=fixed_bytes
    )


def refusal(place: Path, project: Path | None) -> str:
    with pytest.raises(GrantUnsafeError) as caught:
        read_grant(place, root=project)
    return str(caught.value.facts["reason"])


def names(folder: Path) -> list[str]:
    return sorted(child.name for child in folder.iterdir())


def test_a_grant_is_for_its_owner_alone(place: Path, project: Path) -> None:
    put(place, project)
    assert read_grant(place, root=project) == sample_grant(project)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    for folder in (place.parent, place.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert names(place.parent) == [place.name]


def test_a_grant_that_is_there_is_kept(place: Path, project: Path) -> None:
    put(place, project)
    before = place.read_bytes()
    with pytest.raises(GrantExistsError):
        put(place, project.parent / "another")
    assert place.read_bytes() == before
    assert names(place.parent) == [place.name]


def test_a_grant_takes_the_place_of_the_one_that_was_looked_at(
    place: Path, project: Path
) -> None:
    put(place, project)
    old = sample_grant(project)
    new = old._replace(filesystem="xfs")
    write_grant(place, new, root=project, replace=old, random=fixed_bytes)
    assert read_grant(place, root=project) == new
    with pytest.raises(GrantChangedError):
        write_grant(place, old, root=project, replace=old, random=fixed_bytes)
    remove_grant(place)
    with pytest.raises(GrantMissingError):
        write_grant(place, old, root=project, replace=new, random=fixed_bytes)
    assert names(place.parent) == []


def test_a_grant_that_is_missing_is_told_with_its_project(
    place: Path, project: Path
) -> None:
    for folder in (place.parent.parent, place.parent):
        with pytest.raises(GrantMissingError) as caught:
            read_grant(place, root=project)
        assert caught.value.facts == {"project_id": ID}
        folder.mkdir()
    (place.parent / "file").write_bytes(b"")
    with pytest.raises(GrantMissingError):
        read_grant(place.parent / "file" / "grant.toml", root=project)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_grant_that_others_can_write_is_refused(
    place: Path, project: Path, mode: int
) -> None:
    put(place, project)
    place.chmod(mode)
    assert refusal(place, project) == "others can write it"


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777, 0o702])
def test_a_grant_that_others_can_replace_is_refused(
    place: Path, project: Path, mode: int
) -> None:
    put(place, project)
    place.parent.chmod(mode)
    assert refusal(place, project) == "others can write its folder"
    with pytest.raises(GrantUnsafeError):
        put(place, project, replace=True)


def test_a_grant_of_another_user_is_refused(place: Path, project: Path) -> None:
    put(place, project)
    try:
        os.chown(place.parent, 65534, -1)
    except PermissionError:
        pytest.skip("giving files away is for root alone")
    assert refusal(place, project) == "its folder belongs to another user"
    os.chown(place.parent, os.geteuid(), -1)
    os.chown(place, 65534, -1)
    assert refusal(place, project) == "it belongs to another user"


def test_a_grant_with_two_names_is_refused(
    place: Path, project: Path, tmp_path: Path
) -> None:
    put(place, project)
    (tmp_path / "other").hardlink_to(place)
    assert refusal(place, project) == "it has another name, a hard link"


def test_a_grant_reached_by_a_link_is_refused(
    place: Path, project: Path, tmp_path: Path
) -> None:
    put(place, project)
    (place.parent / "link.toml").symlink_to(place.name)
    assert refusal(place.parent / "link.toml", project) == "it is a symbolic link"
    (place.parent / "gone.toml").symlink_to("nothing")
    assert refusal(place.parent / "gone.toml", project) == "it is a symbolic link"
    (tmp_path / "way").symlink_to(place.parent)
    found = refusal(tmp_path / "way" / place.name, project)
    assert found == "its folder is a symbolic link"
    with pytest.raises(GrantUnsafeError):
        put(tmp_path / "way" / "new.toml", project)


def test_a_grant_that_is_no_file_is_refused_and_nothing_waits(
    place: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.parent.mkdir(parents=True, mode=0o700)
    os.mkfifo(place)
    assert refusal(place, project) == "it is not a regular file"
    place.unlink()
    place.mkdir()
    assert refusal(place, project) == "it is not a regular file"
    place.rmdir()
    monkeypatch.chdir(place.parent)  # a socket's whole path must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place.name)
        assert refusal(place, project) == "it is not a regular file"


def test_a_large_grant_is_refused_unread(place: Path, project: Path) -> None:
    put(place, project)
    with place.open("ab") as file:
        file.truncate(10_000_000)
    assert refusal(place, project) == "it is too large"


def test_a_grant_that_the_project_could_carry_is_refused(
    place: Path, project: Path, tmp_path: Path
) -> None:
    inside = project / "deep" / "trust" / place.name
    inside.parent.mkdir(parents=True, mode=0o700)
    inside.write_bytes(serialize_grant(sample_grant(project)))
    inside.chmod(0o600)
    (tmp_path / "way").symlink_to(project)
    (tmp_path / "trust").symlink_to(inside.parent)
    for one in (
        inside,
        tmp_path / "way" / "deep" / "trust" / place.name,
        tmp_path / "trust" / place.name,
        place.parent.parent / ".." / "project" / "deep" / "trust" / place.name,
    ):
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        assert refusal(one, project) == "it lies inside the project"
        assert refusal(one, tmp_path / "way") == "it lies inside the project"
        with pytest.raises(GrantUnsafeError):
            put(one, project, replace=True)
    assert refusal(inside, None) == "it lies inside the project"


def test_a_way_that_leaves_the_project_at_once_is_not_inside(
    place: Path, project: Path, tmp_path: Path
) -> None:
    put(project / ".." / "config" / "trust" / place.name, project)
    assert read_grant(place, root=project).project_id == ID
    (project / "sub").symlink_to(place.parent)
    for way in ("sub/../trust", "sub"):
        found = refusal(project / way / place.name, project)
        assert found == "it lies inside the project"
    assert read_grant(tmp_path / "project/../config/trust" / place.name, root=project)


def test_a_grant_may_lie_above_its_project(tmp_path: Path) -> None:
    trust = tmp_path / "trust"
    inner = trust / "project"
    inner.mkdir(parents=True, mode=0o700)
    put(trust / "demo-one.toml", inner)
    assert read_grant(trust / "demo-one.toml", root=inner).project_id == ID
    assert [one.name for one in list_grants(trust)] == ["demo-one.toml"]


def test_a_path_that_no_system_takes_is_refused(project: Path, tmp_path: Path) -> None:
    for name in ("nul\0.toml", "x" * 5000):
        with pytest.raises(CodedError) as caught:
            read_grant(tmp_path / "t" / name, root=project)
        assert caught.value.code in {"TRUST_UNSAFE", "TRUST_MISSING"}
        with pytest.raises(GrantUnwritableError):
            put(tmp_path / "t" / name, project)


def test_a_grant_that_cannot_be_written_leaves_nothing(
    place: Path, project: Path
) -> None:
    place.mkdir(parents=True, mode=0o700)
    place.parent.chmod(0o700)
    with pytest.raises(GrantUnwritableError):
        put(place, project, replace=True)
    assert names(place.parent) == [place.name]
    (place.parent.parent / "file").write_bytes(b"")
    with pytest.raises(GrantUnwritableError):
        put(place.parent.parent / "file" / "grant.toml", project)


def test_a_removed_grant_is_gone_and_a_link_alone_is_removed(
    place: Path, project: Path
) -> None:
    put(place, project)
    (place.parent / "link.toml").symlink_to(place.name)
    remove_grant(place.parent / "link.toml")
    assert names(place.parent) == [place.name]
    place.parent.chmod(0o777)
    remove_grant(place)
    assert names(place.parent) == []
    for gone in (place, place.parent / "no" / "grant.toml"):
        with pytest.raises(GrantMissingError):
            remove_grant(gone)


@pytest.mark.requirement("P3.2")
def test_the_list_tells_what_is_wrong_with_a_file(place: Path, project: Path) -> None:
    folder = place.parent
    assert list_grants(folder) == ()
    put(place, project)
    for name, content in {
        "broken": b"grant_version",
        "wrong": b'grant_version = "1"',
        "older": b'grant_version = "0"',
        "misnamed": serialize_grant(sample_grant(project)),
    }.items():
        (folder / f"{name}.toml").write_bytes(content)
        (folder / f"{name}.toml").chmod(0o600)
    os.mkfifo(folder / "fifo.toml")
    (folder / "notes.txt").write_bytes(b"")
    (folder / ".hidden.toml").write_bytes(b"")
    found = {one.name: one.problem and one.problem.code for one in list_grants(folder)}
    assert found == {
        "broken.toml": "TRUST_PARSE",
        "demo-one.toml": None,
        "fifo.toml": "TRUST_UNSAFE",
        "misnamed.toml": "TRUST_PROJECT",
        "older.toml": "TRUST_VERSION",
        "wrong.toml": "TRUST_SCHEMA",
    }
    with pytest.raises(GrantParseError):
        read_grant(folder / "broken.toml", root=project)


def test_of_many_creators_one_wins(tmp_path: Path, project: Path) -> None:
    fork = multiprocessing.get_context("fork")
    for attempt in range(5):
        place = tmp_path / str(attempt) / "trust" / "demo-one.toml"
        queue = fork.SimpleQueue()
        start = fork.Event()
        workers = [
            fork.Process(target=_create, args=(place, project, start, queue, number))
            for number in range(4)
        ]
        for worker in workers:
            worker.start()
        start.set()
        answers = [queue.get() for _ in workers]
        for worker in workers:
            worker.join(30)
        won = [answer for answer in answers if answer.isdecimal()]
        assert sorted(set(answers) - set(won)) == ["TRUST_EXISTS"]
        assert read_grant(place, root=project).filesystem == f"fs-{won[0]}"
        assert len(won) == 1
        assert names(place.parent) == [place.name]


def _create(
    place: Path, project: Path, start: object, queue: SimpleQueue[str], number: int
) -> None:
    start.wait()  # type: ignore[attr-defined]
    grant = sample_grant(project)._replace(filesystem=f"fs-{number}")
    try:
        write_grant(place, grant, root=project, replace=False, random=os.urandom)
    except CodedError as error:
        queue.put(error.code)
    else:
        queue.put(str(number))


def test_a_writer_waits_for_another_one_but_not_for_ever(
    place: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(place, project)
    holding = os.open(place.parent, os.O_RDONLY)
    fcntl.flock(holding, fcntl.LOCK_EX)
    monkeypatch.setattr("corpus.trust.PATIENCE", 0.03)
    with pytest.raises(GrantUnwritableError):
        put(place, project, replace=True)
    with pytest.raises(GrantUnwritableError):
        remove_grant(place)
    assert read_grant(place, root=project) == sample_grant(project)
    os.close(holding)
    put(place, project, replace=True)


def test_an_id_makes_the_name_of_the_file(tmp_path: Path) -> None:
    found = grant_path(ProjectId("a.b"), directory=tmp_path)
    assert found == tmp_path / "a.b.toml"
