"""Help, version and start-up, for every command there is."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from corpus.cli.app import PROGRAM, command_parser
from corpus.cli.arguments import about, actions_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.cli.program import Command
    from tests.conftest import InProcess, OutOfProcess


@pytest.mark.requirement("P18.3")
def test_help_names_every_command_without_loading_any(
    program: OutOfProcess, tmp_path: Path
) -> None:
    done = program("--help", cwd=tmp_path)
    assert (done.status, done.err) == (0, "")
    assert [c.name for c in PROGRAM.commands if f"  {c.name}  " not in done.out] == []
    assert "example:" in done.out


@pytest.mark.requirement("P18.3")
def test_start_up_imports_nothing_heavy(
    program_env: dict[str, str], tmp_path: Path
) -> None:
    code = (
        "import sys; from corpus.cli.app import main; main(['--help']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=program_env,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    heavy = {"markdown_it", "yaml", "frontmatter", "watchfiles", "platformdirs"}
    heavy |= {"ctypes", "sqlite3", "argparse", "dataclasses", "pathlib", "asyncio"}
    heavy |= {"snowballstemmer"}
    assert loaded & heavy == set()
    assert [
        command.module
        for command in PROGRAM.commands
        if command.module in done.stderr.split()
    ] == []


@pytest.mark.requirement("P18.3")
@pytest.mark.parametrize("command", PROGRAM.commands, ids=lambda c: c.name)
def test_every_command_explains_itself_and_its_options(
    cli: InProcess, command: Command
) -> None:
    module = import_module(command.module)
    done = cli(*command.path, "--help")
    assert (done.status, done.err) == (0, "")
    assert command.summary == module.SUMMARY
    assert module.EXAMPLE in done.out.replace("\n  ", "\n")
    assert f"project-corpus {command.name}" in module.EXAMPLE
    for action in actions_of(command_parser(PROGRAM, command, module)):
        assert about(action).strip(), action.dest


@pytest.mark.requirement("P18.3")
def test_a_group_lists_its_commands(cli: InProcess) -> None:
    done = cli("context", "--help")
    assert done.status == 0
    assert "context build" in done.out
    assert "  init " not in done.out


@pytest.mark.requirement("P18.3")
def test_version_names_the_program_and_its_version(cli: InProcess) -> None:
    assert cli("--version").out == f"project-corpus {PROGRAM.version}\n"


@pytest.mark.parametrize(
    "arguments", [["context"], ["context", "nope"], ["nope", "--help"], ["--nope"]]
)
def test_a_call_that_names_no_command_is_a_usage_error(
    cli: InProcess, arguments: list[str]
) -> None:
    done = cli(*arguments)
    assert (done.status, done.out) == (2, "")
    assert json.loads(done.err)["error"] == "USAGE"


@pytest.mark.requirement("P18.3")
@pytest.mark.parametrize(
    ("arguments", "listed", "other"),
    [
        ([], "  init ", "  nothing "),
        (["context"], "  context build ", "  init "),
    ],
    ids=["the program", "a group"],
)
def test_a_person_who_names_no_command_sees_the_commands(
    cli: InProcess, arguments: list[str], listed: str, other: str
) -> None:
    done = cli(*arguments, terminal=True)
    assert (done.status, done.out) == (2, "")
    assert listed in done.err
    assert other not in done.err


@pytest.mark.requirement("P18.3")
@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["query", "x"], "context query"),
        (["ask", "why"], "context query"),
        (["contxt"], "context"),
        (["contxt", "query", "x"], "context query"),
        (["context", "qurey"], "context query"),
        (["context", "validate"], "validate"),
        (["Status"], "status"),
        (["find", "x"], "search"),
    ],
    ids=str,
)
def test_a_command_that_is_nearly_one_is_guessed(
    cli: InProcess, arguments: list[str], meant: str
) -> None:
    error = json.loads(cli(*arguments).err)
    assert error["error"] == "USAGE"
    assert f"did you mean `project-corpus {meant}`?" in error["hint"]


@pytest.mark.parametrize("word", ["xyzzy", "", "\x00", "x" * 100_000])
def test_nothing_is_guessed_from_what_is_like_no_command(
    cli: InProcess, word: str
) -> None:
    error = json.loads(cli(word, "y").err)
    assert error["error"] == "USAGE"
    assert "did you mean" not in error["hint"]


def test_every_other_name_leads_to_a_command_and_is_none() -> None:
    names = {command.name for command in PROGRAM.commands}
    for word, command in PROGRAM.other_names:
        assert command in names
        assert word not in names
