"""JSON that is handed in: where it may lie and what it may hold."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest

from corpus.authority import JSON_BYTES
from corpus.confined.reader import open_root
from corpus.errors import InputJsonError, InputPathError
from corpus.jsoninput import (
    MAX_NESTING,
    MAX_WHOLE,
    parse_json,
    read_json_anywhere,
    read_json_inside,
)
from tests.corpora import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def inside(project: Path, name: str | Path) -> object:
    with open_root(project) as opened:
        return read_json_inside(opened, project, str(name))


@pytest.mark.requirement("P10.4")
def test_ordinary_json_comes_through_unchanged() -> None:
    content = '{"a": [1, -2.5, true, null, "é\\u00e9"], "b": {}}'.encode()
    assert parse_json(content, name="x") == {"a": [1, -2.5, True, None, "éé"], "b": {}}


def test_a_byte_order_mark_is_accepted() -> None:
    assert parse_json(b"\xef\xbb\xbf[]", name="x") == []


@pytest.mark.requirement("P10.4")
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{} {}", id="two values"),
        pytest.param(b"{'a': 1}", id="not JSON"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param(b'{"a": 1, "a": 1}', id="a repeated key"),
        pytest.param(b'[{"b": {"a": 1, "a": 2}}]', id="a repeated key, inside"),
        pytest.param(b'["\\ud800"]', id="half a surrogate pair"),
        pytest.param(b'{"\\udc00": 1}', id="half a surrogate pair as a key"),
        pytest.param(b"[NaN]", id="NaN"),
        pytest.param(b"[-Infinity]", id="infinity"),
        pytest.param(b"[1e999]", id="a number that becomes infinite"),
        pytest.param(b"[" + b"9" * 400_000 + b"]", id="an endless number"),
        pytest.param(str(MAX_WHOLE + 1).encode(), id="beyond 64 bits"),
        pytest.param(b"[" * 65 + b"]" * 65, id="one array too deep"),
        pytest.param(b'{"a":' * 500_00, id="an abyss of objects"),
        pytest.param(b"[" * JSON_BYTES, id="an abyss of arrays"),
        pytest.param(b'["a\nb"]', id="a raw control character"),
    ],
)
def test_what_cannot_be_carried_is_refused(content: bytes) -> None:
    with pytest.raises(InputJsonError) as caught:
        parse_json(content, name="given.json")
    assert caught.value.facts["path"] == "given.json"


@pytest.mark.requirement("P10.4")
def test_nesting_is_allowed_up_to_the_bound_and_never_counted_in_texts() -> None:
    deep = b"[" * MAX_NESTING + b"]" * MAX_NESTING
    assert parse_json(deep, name="x")
    assert parse_json(b'"' + b"[" * 100 + b'\\"{"', name="x") == "[" * 100 + '"{'


@pytest.mark.requirement("P10.4")
@pytest.mark.timeout(60)
def test_a_mebibyte_of_quotes_or_backslashes_is_refused_with_its_name() -> None:
    for content in (b'"' + b'\\"' * 500_000, b'"' * 1_000_000, b"\\" * 1_000_000):
        with pytest.raises(InputJsonError) as caught:
            parse_json(content, name="x")
        assert caught.value.facts["path"] == "x"


@pytest.mark.requirement("P10.4")
def test_a_file_inside_is_named_from_where_one_stands_or_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "project/data/any name.txt", '{"a": 1}')
    monkeypatch.chdir(tmp_path / "project/data")
    assert inside(tmp_path / "project", path) == {"a": 1}
    assert inside(tmp_path / "project", "any name.txt") == {"a": 1}
    assert inside(tmp_path / "project", "../data/any name.txt") == {"a": 1}


@pytest.mark.requirement("P10.4")
def test_links_above_the_project_do_not_matter(tmp_path: Path) -> None:
    write(tmp_path / "real/project/a.json", "[]")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert inside(tmp_path / "real/project", tmp_path / "link/project/a.json") == []


@pytest.mark.requirement("P10.4")
@pytest.mark.parametrize("name", ["../a.json", "gone.json", "folder", "x\0y", "."])
def test_what_is_no_file_inside_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.json", "[]")
    (tmp_path / "project/folder").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    with pytest.raises(InputPathError):
        inside(tmp_path / "project", name)


@pytest.mark.requirement("P10.4")
def test_links_fifos_and_second_links_inside_are_refused(tmp_path: Path) -> None:
    project = tmp_path / "project"
    outside = write(tmp_path / "a.json", "[]")
    write(project / "b.json", "[]")
    (project / "link.json").symlink_to(project / "b.json")
    (project / "folder").symlink_to(tmp_path)
    os.mkfifo(project / "fifo.json")
    (project / "hard.json").hardlink_to(outside)
    for name in ("link.json", "folder/a.json", "fifo.json", "hard.json"):
        with pytest.raises(InputPathError):
            inside(project, project / name)


@pytest.mark.requirement("P10.4", "P14")
def test_one_mebibyte_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    largest = b'"' + b"x" * (JSON_BYTES - 2) + b'"'
    path = write(tmp_path / "project/a.json", largest)
    assert len(str(inside(tmp_path / "project", path))) == JSON_BYTES - 2
    assert len(str(read_json_anywhere(str(path)))) == JSON_BYTES - 2
    path.write_bytes(largest + b" ")
    with pytest.raises(InputPathError):
        inside(tmp_path / "project", path)
    with pytest.raises(InputPathError):
        read_json_anywhere(str(path))
    with pytest.raises(InputPathError):
        read_json_anywhere("-", stdin=io.BytesIO(largest + b" "))


def test_a_bundle_may_lie_anywhere_and_behind_a_link(tmp_path: Path) -> None:
    write(tmp_path / "a.json", "[1]")
    (tmp_path / "link").symlink_to(tmp_path / "a.json")
    assert read_json_anywhere(str(tmp_path / "link")) == [1]


def test_a_dash_is_standard_input(tmp_path: Path) -> None:
    assert read_json_anywhere("-", stdin=io.BytesIO(b"[2]")) == [2]
    with pytest.raises(InputPathError):
        read_json_anywhere(str(tmp_path / "-"))


@pytest.mark.parametrize("name", ["gone", "folder", "fifo", "a\0b", ""])
def test_what_is_no_regular_file_is_refused_at_once(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(InputPathError):
        read_json_anywhere(f"{tmp_path}/{name}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_nobody_may_read_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", "[]")
    path.chmod(0)
    with pytest.raises(InputPathError):
        read_json_anywhere(str(path))


@pytest.mark.requirement("P18.2")
def test_a_missing_file_is_not_a_matter_of_its_size(tmp_path: Path) -> None:
    hints = set()
    for read in (inside_of(tmp_path), read_json_anywhere):
        with pytest.raises(InputPathError) as caught:
            read(str(tmp_path / "gone.json"))
        hints.add(caught.value.hint)
    assert len(hints) == 1
    assert "MiB" not in hints.pop()
    with pytest.raises(InputPathError) as caught:
        read_json_anywhere(str(tmp_path))
    assert caught.value.hint == InputPathError.hint


def inside_of(project: Path) -> Callable[[str], object]:
    return lambda name: inside(project, name)
