"""A machine with Claude Code on it: its files, and `agentctx` run beside them."""

from __future__ import annotations

import io
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from agentctx.cli.commands import PROGRAM
from corpus.cli.app import run_program
from corpus.cli.program import Command
from tests.agentctx.answers import answer
from tests.conftest import FakeTerminal, Outcome, caught

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = (
    Command(("init",), "agentctx.cli.init", "Begin."),
    Command(("uninstall",), "agentctx.cli.uninstall", "End."),
)
SETTING_UP = PROGRAM._replace(commands=COMMANDS)

START = (
    "import sys; from agentctx.cli.commands import PROGRAM;"
    "from corpus.cli.app import run_program; from corpus.cli.program import Command;"
    "rows = [Command((w,), f'agentctx.cli.{w}', '') for w in ('init', 'uninstall')];"
    "sys.exit(run_program(PROGRAM._replace(commands=tuple(rows)), sys.argv[1:]))"
)
"""What a process of its own runs."""


class Host:
    """The files of one user: `.claude/settings.json`, `.claude.json`, our home."""

    def __init__(
        self, patch: pytest.MonkeyPatch, *, user: Path, home: Path, project: Path
    ) -> None:
        self.patch = patch
        self.user = user
        self.home = home
        self.project = project
        self.folder = user / ".claude"
        self.settings = self.folder / "settings.json"
        self.account = user / ".claude.json"
        self.programs = user / "bin"
        self.programs.mkdir()
        for name in ("agentctx", "project-corpus"):
            self.provide(name)
        patch.setenv("PATH", str(self.programs))
        for name in ("CLAUDE_CONFIG_DIR", "ANTHROPIC_API_KEY"):
            patch.delenv(name, raising=False)

    def provide(self, name: str) -> None:
        """Put a program on the PATH."""
        path = self.programs / name
        path.write_text("#!/bin/sh\n", encoding="utf-8")
        path.chmod(0o755)

    def has(self, settings: str | bytes | None, account: str | bytes | None) -> None:
        """Let Claude Code be installed with these files."""
        self.folder.mkdir(exist_ok=True)
        for path, text in ((self.settings, settings), (self.account, account)):
            if text is not None:
                path.write_bytes(text.encode() if isinstance(text, str) else text)

    def run(self, *words: str, terminal: bool = False, says: str = "") -> Outcome:
        """Run `agentctx` in the project; a person at a terminal may say something."""
        with self.patch.context() as patch:
            patch.chdir(self.project)
            kind = FakeTerminal if terminal else io.TextIOWrapper
            stdin = kind(io.BytesIO(says.encode()), encoding="utf-8")
            patch.setattr(sys, "stdin", stdin)
            return caught(partial(run_program, SETTING_UP), words, terminal=terminal)

    def init(self, *words: str) -> Any:  # noqa: ANN401 - any JSON
        """Let `init` change things, and give its answer."""
        return answer(self.run("init", "--yes", *words))

    def uninstall(self, *words: str) -> Any:  # noqa: ANN401 - any JSON
        """Let `uninstall` change things, and give its answer."""
        return answer(self.run("uninstall", "--yes", *words))

    def files(self) -> dict[str, bytes | None]:
        """Give every file and folder of the user but our own home, as it is."""
        found: dict[str, bytes | None] = {}
        for path in sorted(self.user.rglob("*")):
            if not path.is_relative_to(self.programs):
                name = path.relative_to(self.user).as_posix()
                found[name] = path.read_bytes() if path.is_file() else None
        return found


def needs_modes() -> None:
    """Skip where files have no owner and no mode."""
    if os.name == "nt":
        pytest.skip("no modes there")
