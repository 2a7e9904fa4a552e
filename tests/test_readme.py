"""Every command that the README and the documentation show can be run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from agentctx.cli.app import PROGRAM as AGENTCTX
from corpus.cli.app import PROGRAM, command_parser

if TYPE_CHECKING:
    from tests.conftest import InProcess

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]

PROGRAMS = {program.name: program for program in (PROGRAM, AGENTCTX)}

COPIED = [README, ROOT / "docs/quickstart.md"]
"""The pages whose commands people copy."""

FIVE_MINUTES = "## Five minutes on your own Markdown"
"""The part of the README whose commands are run here, in order."""

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str, under: str = "") -> list[str]:
    """Give the fenced blocks written in one of the languages, from a heading on."""
    text = page.read_text(encoding="utf-8")
    text = text[text.index(under) :]
    return [body for language, body in _FENCE.findall(text) if language in languages]


def commands(page: Path) -> list[str]:
    """Give the calls of our programs that a page shows."""
    shown = "".join(blocks(page, "sh", "console"))
    shown = re.sub(r"\$\([^)]*\)", "WHAT-IT-PRINTS", shown)
    lines = shown.replace("\\\n", " ").splitlines()
    bare = (line.removeprefix("$ ").partition("  #")[0] for line in lines)
    return [line for line in bare if line.partition(" ")[0] in PROGRAMS]


@pytest.fixture
def on_path(tmp_path: Path, program_env: dict[str, str]) -> dict[str, str]:
    """Give an environment in which the program's name starts the one under test."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, package, entry in (
        (PROGRAM.name, "corpus", "run"),
        (AGENTCTX.name, "agentctx", "main"),
    ):
        code = f"import sys; from {package}.cli.app import {entry}; sys.exit({entry}())"
        command = shlex.join([sys.executable, "-c", code])
        starter = folder / name
        starter.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        starter.chmod(0o755)
    return {**program_env, "PATH": f"{folder}:{program_env['PATH']}"}


@pytest.mark.requirement("P18.3")
def test_the_commands_of_the_readme_work_in_order(
    tmp_path: Path, on_path: dict[str, str]
) -> None:
    project = tmp_path / "weather-station"
    project.mkdir()
    shown = blocks(README, "sh", under=FIVE_MINUTES)
    assert len(shown) >= 5
    for block in shown:
        done = subprocess.run(
            ["/bin/sh", "-eu", "-c", block],
            cwd=project,
            env=on_path,
            capture_output=True,
            check=False,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        assert done.stderr == ""


@pytest.mark.requirement("P18.1")
def test_what_the_readme_shows_is_what_is_printed(
    tmp_path: Path, cli: InProcess
) -> None:
    project = tmp_path / "weather-station"
    project.mkdir()
    first = blocks(README, "sh", under=FIVE_MINUTES)[0].splitlines()
    shown = blocks(README, "text", under=FIVE_MINUTES)
    for command in first:
        done = cli(*shlex.split(command)[1:], cwd=project, terminal=True)
        assert done.status == 0
    assert [done.out] == shown


@pytest.mark.requirement("P10.1", "P12.1")
def test_the_documented_examples_of_input_fit_their_schemas() -> None:
    shown = blocks(ROOT / "docs/formats.md", "json")
    names = ("candidate", "eval-dataset")
    for name, block in zip(names, shown, strict=True):
        path = ROOT / "exports" / name / f"{name}.schema.json"
        schema = json.loads(path.read_text(encoding="utf-8"))
        value = json.loads(block.replace("HASH", "0" * 64))
        Draft202012Validator(schema).validate(value)


@pytest.mark.parametrize("page", COPIED, ids=lambda page: page.name)
def test_no_command_is_shown_with_a_prompt(page: Path) -> None:
    assert blocks(page, "console") == []
    assert [b for b in blocks(page, "sh") if re.search(r"^\$ ", b, re.MULTILINE)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_call_in_the_documentation_is_understood(page: Path) -> None:
    for line in commands(page):
        name, *words = shlex.split(line.partition(" > ")[0])
        program = PROGRAMS[name]
        if words in (["--help"], ["--version"]):
            continue
        command = program.find(words)
        assert command is not None, line
        parser = command_parser(program, command, import_module(command.module))
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
