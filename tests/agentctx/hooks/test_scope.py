"""The files a prompt names: in the project, there, and never our own (M1.6, C12)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from agentctx.hooks.scope import named_paths

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a project with a few files."""
    root = (tmp_path / "p").resolve()
    for name in ("src/a.py", "src/b c.md", "Makefile", "docs/x/y.md", "é.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    (root / ".agentctx").mkdir()
    (root / ".agentctx" / "memory.db").touch()
    (root / ".git").mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "own").symlink_to(root / ".agentctx")
    (root / "short.py").symlink_to(root / "src" / "a.py")
    os.mkfifo(root / "queue")
    (tmp_path / "secret.txt").touch()
    return root


@pytest.mark.requirement("M1.6(a)", "C12")
@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("fix src/a.py", ["src/a.py"]),
        ("fix @src/a.py:12:3, then (docs/x/).", ["src/a.py", "docs/x"]),
        ("see `src/b c.md` and `pytest src/a.py`", ["src/a.py", "src/b c.md"]),
        ("don't touch src/a.py, it isn't done", ["src/a.py"]),
        ("src/a.py#L3-L9 ./src/../src/a.py", ["src/a.py"]),
        ("the Makefile", ["Makefile"]),
        ("what is in docs and src?", []),
        ("é.txt", ["é.txt"]),
        ("short.py", ["src/a.py"]),
        ("nothing.py here", []),
        (".agentctx/memory.db .AGENTCTX/memory.db own/memory.db own .git/", []),
        ("out/secret.txt ../secret.txt /etc/passwd ~/.bashrc / .. . //", []),
        ("queue", []),
        ("\x00 src\x00/a.py \ud800", []),
        ("", []),
    ],
)
def test_what_a_prompt_names(root: Path, prompt: str, expected: list[str]) -> None:
    found = named_paths(prompt, cwd=str(root), root=str(root))
    assert list(found) == expected


@pytest.mark.requirement("M1.6(a)")
def test_a_name_counts_from_the_sessions_folder_and_from_the_root(root: Path) -> None:
    prompt = f"a.py, docs/x/y.md and {root}/Makefile"
    found = named_paths(prompt, cwd=str(root / "src"), root=str(root))
    assert found == ("src/a.py", "docs/x/y.md", "Makefile")


@pytest.mark.requirement("M1.6(a)", "A3.2")
def test_both_ends_of_any_prompt_cost_the_same(root: Path) -> None:
    filler = "a/b/c.py " * 500_000
    prompt = f"Makefile {filler} src/a.py"
    started = time.process_time()
    found = named_paths(prompt, cwd=str(root), root=str(root))
    assert time.process_time() - started < 0.5
    assert found == ("src/a.py", "Makefile")


@pytest.mark.requirement("M1.6(a)")
def test_ten_paths_are_enough(root: Path) -> None:
    names = [f"src/f{number}.py" for number in range(12)]
    for name in names:
        (root / name).touch()
    found = named_paths(" ".join(names), cwd=str(root), root=str(root))
    assert list(found) == names[:10]
