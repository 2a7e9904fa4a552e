"""What every act stands on: desks to run commands at, and promises that are checked."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SAMPLE = Path(__file__).parent / "corpus"
NAME = "parcel-lockers"
OURS = ("project-corpus", "agentctx")
"""The programs that are shown; each prints text on a terminal."""

_FOREIGN = ("ANTHROPIC_", "CLAUDE_", "AGENTCTX_", "GIT_")
_WIDTH = 78


class BrokenPromiseError(Exception):
    """A step did not do what it says."""


class Answer(NamedTuple):
    """What one command left."""

    status: int
    out: str
    err: str

    @property
    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """Give the JSON that was answered."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Somebody's working folder, and the environment to run commands in."""

    root: Path
    env: Mapping[str, str]
    person: str = ""

    def ask(self, program: str, *arguments: str) -> Answer:
        """Run a command without showing it."""
        done = subprocess.run(  # noqa: S603 - our own programs, and git
            [program, *arguments],
            cwd=self.root,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def value(self, program: str, *arguments: str) -> Any:  # noqa: ANN401 - any JSON
        """Ask a program of ours again, as a script does, for the checks."""
        answer = self.ask(program, *arguments, "--format", "json")
        require(answer.status == 0, f"`{program} {arguments[0]}` answers")
        return answer.value

    def show(
        self,
        program: str,
        *arguments: str,
        status: int = 0,
        into: str = "",
        only: Callable[[str], str] | None = None,
    ) -> Answer:
        """Print a command and run it; print what it says, or what `only` leaves of it.

        Our programs print text, as on a terminal, where no format is asked for. With
        `into` the output goes into a file of that name instead, as JSON.
        """
        prompt = f"{self.person}$" if self.person else "$"
        goes = f" > {into}" if into else ""
        say(f"{prompt} {program} {shlex.join(arguments)}{goes}")
        if program in OURS and "--format" not in arguments:
            arguments = (*arguments, "--format", "json" if into else "text")
        answer = self.ask(program, *arguments)
        if into:
            (self.root / into).write_text(answer.out, encoding="utf-8")
        elif answer.out:
            say((only(answer.out) if only else answer.out).rstrip("\n"))
        if answer.err:
            say(answer.err.rstrip("\n"))
        if answer.status:
            say(f"(exit status {answer.status})")
        say()
        require(answer.status == status, f"the command ends with status {status}")
        return answer


def first(count: int) -> Callable[[str], str]:
    """Leave the first lines of an output, and say how many more there are."""

    def leave(text: str) -> str:
        lines = text.rstrip("\n").split("\n")
        more = len(lines) - count
        return text if more < 2 else "\n".join([*lines[:count], left_out(more)])  # noqa: PLR2004 - the line that says so counts, too

    return leave


def with_words(*words: str) -> Callable[[str], str]:
    """Leave the lines that hold one of some words, and say how many more there are."""

    def leave(text: str) -> str:
        lines = text.rstrip("\n").split("\n")
        kept = [line for line in lines if any(word in line for word in words)]
        more = len(lines) - len(kept)
        return "\n".join([*kept, *([left_out(more)] if more else [])])

    return leave


def left_out(more: int) -> str:
    """Say that lines are not shown."""
    return f"  ({more} more lines)"


def require(kept: object, promise: str) -> None:
    """Stop the demonstration when a promise is not kept."""
    if not kept:
        raise BrokenPromiseError(promise)


def say(text: str = "") -> None:
    """Print and flush, so that what is seen is what has happened."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def act(text: str) -> None:
    """Announce a part of the story."""
    say(f"\n{'=' * _WIDTH}\n{text}\n{'=' * _WIDTH}")


def title(text: str) -> None:
    """Announce a step: what happens, and why it matters."""
    say()
    for line in textwrap.wrap(text, _WIDTH - 2):
        say(f"# {line}")
    say()


def edit(path: Path, old: str, new: str) -> None:
    """Change a file as with an editor."""
    text = path.read_text(encoding="utf-8")
    require(old in text, f"`{old}` stands in {path.name}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def programs() -> Path:
    """Give the folder that both commands are installed in."""
    installed = Path(sys.executable).parent
    require(
        all((installed / name).is_file() for name in OURS),
        f"both commands are installed beside {sys.executable}; `make demo` does that",
    )
    return installed


def own_environment(home: Path, bin_folder: Path) -> dict[str, str]:
    """Give the environment of a user who has nothing yet, and no key of any service."""
    folders = {
        "HOME": "",
        "AGENTCTX_HOME": ".agentctx",
        "XDG_CONFIG_HOME": ".config",
        "XDG_STATE_HOME": ".local/state",
        "XDG_DATA_HOME": ".local/share",
        "XDG_CACHE_HOME": ".cache",
        "LOCALAPPDATA": "AppData/Local",
    }
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(_FOREIGN) and not name.lower().endswith("_proxy")
    }
    places = {name: str(home / folder) for name, folder in folders.items()}
    path = os.pathsep.join((str(bin_folder), os.environ.get("PATH", os.defpath)))
    return {**kept, **places, "PATH": path, "GIT_CONFIG_NOSYSTEM": "1"}
