"""Every command that the README and the documentation show can be run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from corpus.cli.app import PROGRAM, command_parser

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[str]:
    """Give the fenced blocks of a page that are written in one of the languages."""
    text = page.read_text(encoding="utf-8")
    return [body for language, body in _FENCE.findall(text) if language in languages]


def script(block: str) -> str:
    """Take the prompts off a console block; what follows a command belongs to it."""
    return re.sub(r"^\$ ", "", block, flags=re.MULTILINE)


def commands(page: Path) -> list[str]:
    """Give the calls of our program that a page shows."""
    lines = "".join(blocks(page, "sh", "console")).splitlines()
    bare = (line.removeprefix("$ ").partition("  #")[0] for line in lines)
    return [line for line in bare if line.startswith(f"{PROGRAM.name} ")]


@pytest.fixture
def on_path(tmp_path: Path, program_env: dict[str, str]) -> dict[str, str]:
    """Give an environment in which the program's name starts the one under test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    code = "import sys; from corpus.cli.app import run; run()"
    command = shlex.join([sys.executable, "-c", code])
    starter = folder / PROGRAM.name
    starter.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    starter.chmod(0o755)
    return {**program_env, "PATH": f"{folder}:{program_env['PATH']}"}


@pytest.mark.requirement("P18.3")
def test_the_commands_of_the_readme_work_in_order(
    tmp_path: Path, on_path: dict[str, str]
) -> None:
    project = tmp_path / "weather-station"
    project.mkdir()
    shown = blocks(README, "console")
    assert len(shown) >= 5
    for block in shown:
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", script(block)],
            cwd=project,
            env=on_path,
            capture_output=True,
            check=False,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        assert done.stderr == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_call_in_the_documentation_is_understood(page: Path) -> None:
    for line in commands(page):
        words = shlex.split(line.partition(" > ")[0])[1:]
        if words in (["--help"], ["--version"]):
            continue
        command = PROGRAM.find(words)
        assert command is not None, line
        parser = command_parser(PROGRAM, command, import_module(command.module))
        parser.parse(words[len(command.path) :])


@pytest.mark.requirement("P8.3")
def test_the_documented_check_of_a_bundle_works(tmp_path: Path) -> None:
    check = blocks(ROOT / "docs/formats.md", "python")[-1]
    example = ROOT / "exports/bundle/bundle.example.json"
    text = example.read_text(encoding="utf-8")
    for content, status in ((text, 0), (text.replace("HTTPS", "HTTP"), 1)):
        (tmp_path / "bundle.json").write_text(content, encoding="utf-8")
        command = [sys.executable, "-c", check]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == status, done.stderr


def test_the_readme_names_every_command_group_that_matters() -> None:
    text = README.read_text(encoding="utf-8")
    for name in ("init", "validate", "context build", "context query", "context eval"):
        assert f"{PROGRAM.name} {name}" in text
    for name in ("context bundle", "context receipt", "context verify"):
        assert f"{PROGRAM.name} {name}" in text
    for target in ("make demo", "make test"):
        assert target in text
