"""The completion scripts offer what the commands take, in shells that are here."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from corpus.cli.app import PROGRAM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import InProcess

SHELLS = ("bash", "zsh", "fish")


def script(cli: InProcess, shell: str) -> str:
    done = cli("completion", shell)
    assert (done.status, done.err) == (0, "")
    return done.out


def offered(cli: InProcess, folder: Path, *words: str) -> set[str]:
    """Ask a real bash what it would offer for the last of `words`."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not here")
    source = folder / "completion.bash"
    source.write_text(script(cli, "bash"), encoding="utf-8")
    code = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
        ' _project_corpus; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", code, "bash", source, PROGRAM.name, *words],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.requirement("P18.3")
def test_bash_offers_commands_then_their_own_commands(
    cli: InProcess, tmp_path: Path
) -> None:
    assert {"init", "context", "completion"} <= offered(cli, tmp_path, "")
    assert offered(cli, tmp_path, "val") == {"validate"}
    assert offered(cli, tmp_path, "context", "bu") == {"build", "bundle"}


@pytest.mark.requirement("P18.3")
def test_bash_offers_options_and_their_values(cli: InProcess, tmp_path: Path) -> None:
    assert "--limit" in offered(cli, tmp_path, "context", "query", "--")
    values = offered(cli, tmp_path, "context", "bundle", "--format", "")
    assert values == {"json", "prompt"}
    assert offered(cli, tmp_path, "completion", "z") == {"zsh"}


@pytest.mark.requirement("P18.3")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command(cli: InProcess, shell: str) -> None:
    text = script(cli, shell)
    words = {word for command in PROGRAM.commands for word in command.path}
    assert [word for word in words if word not in text] == []
    assert "%(" not in text


@pytest.mark.requirement("P18.3")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_good_grammar_for_its_shell(
    cli: InProcess, tmp_path: Path, shell: str
) -> None:
    executable = shutil.which(shell)
    if executable is None:
        pytest.skip(f"{shell} is not here")
    source = tmp_path / "script"
    source.write_text(script(cli, shell), encoding="utf-8")
    done = subprocess.run(
        [executable, "-n", source], capture_output=True, check=False, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_is_a_usage_error(cli: InProcess) -> None:
    done = cli("completion", "tcsh")
    assert (done.status, done.out) == (2, "")
    assert '"USAGE"' in done.err
