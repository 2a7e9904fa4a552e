"""Help, version and start-up of `agentctx`, for every command there is."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from agentctx.cli.app import PROGRAM
from corpus.cli.app import command_parser
from corpus.cli.arguments import about, actions_of

if TYPE_CHECKING:
    from pathlib import Path

    from corpus.cli.program import Command
    from tests.conftest import InProcess


@pytest.mark.requirement("A9")
def test_help_names_every_command_without_loading_any(
    program_env: dict[str, str], tmp_path: Path
) -> None:
    code = (
        "import sys; from agentctx.cli.app import main; main(['--help']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=program_env,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert [
        c.name for c in PROGRAM.commands if f"  {c.name}  " not in done.stdout
    ] == []
    loaded = done.stderr.split()
    assert [c.module for c in PROGRAM.commands if c.module in loaded] == []
    heavy = {"markdown_it", "sqlite3", "argparse", "dataclasses", "pathlib"}
    assert {name.partition(".")[0] for name in loaded} & heavy == set()


@pytest.mark.requirement("A9")
@pytest.mark.parametrize("command", PROGRAM.commands, ids=lambda c: c.name)
def test_every_command_explains_itself_and_takes_a_format(
    agentctx: InProcess, command: Command
) -> None:
    module = import_module(command.module)
    done = agentctx(*command.path, "--help")
    assert (done.status, done.err) == (0, "")
    assert command.summary == module.SUMMARY
    assert module.EXAMPLE in done.out.replace("\n  ", "\n")
    assert f"agentctx {command.name}" in module.EXAMPLE
    if not hasattr(module, "FORMATS"):
        assert "--format {json,text}" in done.out
    for action in actions_of(command_parser(PROGRAM, command, module)):
        assert about(action).strip(), action.dest


@pytest.mark.requirement("A9")
def test_a_call_that_names_no_command_is_a_usage_error(agentctx: InProcess) -> None:
    for words in ((), ("profile",), ("nope",), ("profile", "nope")):
        done = agentctx(*words)
        assert (done.status, done.out) == (2, "")
        assert json.loads(done.err)["error"] == "USAGE"
    assert agentctx("--version").out == f"agentctx {PROGRAM.version}\n"
    page = agentctx("memory", "--help")
    assert (page.status, page.out.splitlines()[0]) == (
        0,
        "usage: agentctx memory COMMAND [options]",
    )
    assert page.out.endswith("example:\n  agentctx memory on --help\n")


@pytest.mark.requirement("A9")
def test_nothing_is_guessed_from_what_is_like_no_command_of_a_group(
    agentctx: InProcess,
) -> None:
    hint = json.loads(agentctx("memory", "bogus").err)["hint"]
    assert hint == "`agentctx memory --help` lists the commands"
    near = json.loads(agentctx("memory", "forgte").err)["hint"]
    assert near.startswith("did you mean `agentctx memory forget`?")


@pytest.mark.requirement("A9")
def test_every_other_name_leads_to_a_command_and_is_none(agentctx: InProcess) -> None:
    names = {command.name for command in PROGRAM.commands}
    for word, command in PROGRAM.other_names:
        assert command in names
        assert word not in names
        error = json.loads(agentctx(word).err)
        assert f"did you mean `agentctx {command}`?" in error["hint"]
