"""Builds that race each other, and builds that are killed (P5.5)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from corpus.errors import CodedError
from corpus.search import search
from corpus.view import build_index, open_view
from tests.corpora import HOME, NOW, dirs_of, fixed_bytes, write_corpus

if TYPE_CHECKING:
    from pathlib import Path

BUILD = """
import os, sys
from pathlib import Path
from tests.corpora import NOW, dirs_of
from corpus.view import build_index
root = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    build_index(root, dirs=dirs_of(root), random=os.urandom, now=NOW)
"""

KILLED = """
import os, signal, sys
from pathlib import Path
from tests.corpora import NOW, dirs_of
from corpus.view import build_index
name, count = sys.argv[2], int(sys.argv[3])
real = getattr(os, name)
calls = 0
def dying(*arguments, **options):
    global calls
    calls += 1
    if calls == count:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)
setattr(os, name, dying)
root = Path(sys.argv[1])
build_index(root, dirs=dirs_of(root), random=os.urandom, now=NOW)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_corpus(tmp_path / "one")
    build_index(root, dirs=dirs_of(root), random=fixed_bytes, now=NOW)
    return root


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def edit(root: Path, text: str) -> None:
    (root / HOME / "history/year-one.md").write_text(f"# Year one\n\n{text}\n", "utf-8")


@pytest.mark.requirement("P5.5")
def test_any_number_of_concurrent_builds_succeed(tmp_path: Path) -> None:
    root = write_corpus(tmp_path / "one")
    with ThreadPoolExecutor(6) as pool:
        ended = list(pool.map(lambda _: run(BUILD, str(root), "5"), range(6)))
    assert [process.returncode for process in ended] == [0] * 6, ended
    view = open_view(root, dirs=dirs_of(root))
    assert search(view, "frozen winter").hits
    assert [p.name for p in (root / HOME / "cache").iterdir()] == ["context.sqlite3"]


@pytest.mark.requirement("P5.5")
def test_a_reader_never_sees_a_torn_index(root: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        builds = [pool.submit(run, BUILD, str(root), "20") for _ in range(2)]
        reads = 0
        while not all(build.done() for build in builds) or not reads:
            edit(root, f"The gauge froze {reads} times.")
            try:
                open_view(root, dirs=dirs_of(root))
            except CodedError as refused:
                assert refused.code in {"INDEX_STALE", "CONTEXT_SCOPE"}  # noqa: PT017
            reads += 1
        assert [build.result().returncode for build in builds] == [0, 0]


@pytest.mark.requirement("P5.5")
@pytest.mark.parametrize("call", ["write", "fsync", "rename", "replace"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_killed_build_leaves_the_old_index_or_the_new(
    root: Path, call: str, count: int
) -> None:
    edit(root, "The gauge drowned in spring.")
    ended = run(KILLED, str(root), call, str(count))
    assert ended.returncode in {0, -signal.SIGKILL}, ended.stderr
    try:
        view = open_view(root, dirs=dirs_of(root))
    except CodedError as refused:
        assert refused.code == "INDEX_STALE"  # noqa: PT017 - old and whole
        build_index(root, dirs=dirs_of(root), random=fixed_bytes, now=NOW)
        view = open_view(root, dirs=dirs_of(root))
    assert search(view, "drowned in spring").hits[0].text.startswith("The gauge")


@pytest.mark.requirement("P5.5")
def test_the_next_build_sweeps_stages_older_than_an_hour(root: Path) -> None:
    cache = root / HOME / "cache"
    old, young = (
        cache / ".context.sqlite3.aaaaaaaaaaaaaaaa.stage",
        cache / ".context.sqlite3.bbbbbbbbbbbbbbbb.stage",
    )
    for path, age in ((old, 3601), (young, 10)):
        path.write_bytes(b"cut")
        os.utime(path, (NOW - age, NOW - age))
    build_index(root, dirs=dirs_of(root), random=fixed_bytes, now=NOW)
    assert not old.exists()
    assert young.exists()
