"""What packages register is found as the standard reader finds it, and cheaply."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import metadata
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

import pytest

from corpus.entrypoints import EntryPoint, entry_points
from tests.corpora import write

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

GROUP = "corpus.providers"
PAGE = f"""\
[console_scripts]
one = elsewhere:run

# what follows is ours
[{GROUP}]
first.records=json:dumps
; second = gone:away
third = os.path : join [extra]
fourth = json

[other]
fifth = json:loads
"""


@pytest.fixture
def plain_finders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take other programs' finders away, which some libraries leave when imported."""
    others = [one for one in sys.meta_path if not hasattr(one, "find_distributions")]
    monkeypatch.setattr(sys, "meta_path", [*others, PathFinder])


def package(folder: Path, name: str, text: str | None = PAGE) -> None:
    write(folder / name / "METADATA", "Metadata-Version: 2.1\nName: x\nVersion: 1\n")
    if text is not None:
        write(folder / name / "entry_points.txt", text)


def pairs(points: Iterable[EntryPoint | metadata.EntryPoint]) -> set[tuple[str, str]]:
    return {(one.name, one.value) for one in points}


@pytest.mark.requirement("P16.3")
@pytest.mark.parametrize("group", ["console_scripts", "pytest11", GROUP])
def test_what_is_installed_here_is_what_the_standard_reader_finds(group: str) -> None:
    expected = metadata.entry_points(group=group)
    assert pairs(entry_points(group)) == pairs(expected)


@pytest.mark.requirement("P16.3")
@pytest.mark.usefixtures("plain_finders")
def test_a_file_is_read_as_the_standard_reader_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / "a", "my_own-1.0.dist-info")
    package(tmp_path / "b", "My.Own-0.9.dist-info", f"[{GROUP}]\nold = json:load\n")
    package(tmp_path / "b", "plain.egg-info", None)
    for folder in ("missing", "b", "a"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    found = {one.name: one for one in entry_points(GROUP)}
    assert {"first.records", "third", "fourth"} <= found.keys()
    assert not {"one", "; second", "fifth", "old"} & found.keys()
    assert found["first.records"].load() is __import__("json").dumps
    assert found["third"].load() is __import__("os").path.join
    assert found["fourth"].load() is __import__("json")


@pytest.mark.requirement("P16.3")
@pytest.mark.usefixtures("plain_finders")
def test_a_line_that_names_nothing_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGE.replace("fourth = json\n", "no equals sign\nfourth = json\n")
    package(tmp_path, "mine-1.0.dist-info", page)
    monkeypatch.syspath_prepend(tmp_path)
    assert {"third", "fourth"} <= {one.name for one in entry_points(GROUP)}


@pytest.mark.requirement("P16.3")
def test_a_package_in_an_archive_is_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path / "wheel", "zipped-1.0.dist-info")
    archive = tmp_path / "zipped.zip"
    shutil.make_archive(str(archive.with_suffix("")), "zip", tmp_path / "wheel")
    monkeypatch.syspath_prepend(archive)
    assert "first.records" in {one.name for one in entry_points(GROUP)}


CODE = """
import sys
from corpus.entrypoints import entry_points
entry_points("corpus.providers")
print(*sys.modules)
"""


def test_looking_loads_nothing_that_costs(program_env: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", CODE],
        env=program_env,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert not {"importlib.metadata", "email", "zipfile"} & set(done.stdout.split())
