"""What a program is made of, as data: its name, its commands, its overview.

Nothing here loads a command: the overview is written from the table alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Command(NamedTuple):
    """One row of a program's table: the words that name it and where it lives.

    The module provides `SUMMARY`, `EXAMPLE`, `configure(parser)`,
    `run(call, **arguments)` and `lines(value)`; it may provide `exit_status(value)`,
    `as_json(value)` and `FORMATS`, a mapping of format names to a function from the
    value to lines of text, or to None for JSON.
    """

    path: tuple[str, ...]
    module: str
    summary: str

    @property
    def name(self) -> str:
        """The words a person types after the program's name."""
        return " ".join(self.path)


class Program(NamedTuple):
    """A program: what it is called, what it is for, what it can do."""

    name: str
    version: str
    about: str
    example: str
    commands: tuple[Command, ...]

    def find(self, arguments: Sequence[str]) -> Command | None:
        """Find the command whose words `arguments` begins with."""
        for command in self.commands:
            if tuple(arguments[: len(command.path)]) == command.path:
                return command
        return None

    def group(self, word: str) -> tuple[Command, ...]:
        """Give the commands that `word` gathers, such as those of `context`."""
        return tuple(
            command
            for command in self.commands
            if len(command.path) > 1 and command.path[0] == word
        )


def overview(program: Program, commands: Sequence[Command]) -> str:
    """Write the help page that lists `commands`, all of them or one group."""
    return "\n".join(_overview_lines(program, commands)) + "\n"


def _overview_lines(program: Program, commands: Sequence[Command]) -> Iterator[str]:
    call = "COMMAND [options]" if commands else "[--help | --version]"
    yield f"usage: {program.name} {call}"
    yield ""
    yield program.about
    yield ""
    if commands:
        yield "commands:"
        width = max(len(command.name) for command in commands)
        for command in commands:
            yield f"  {command.name:<{width}}  {command.summary}"
        yield ""
    yield "options:"
    yield "  -h, --help  show this page; after a command, the command's own page"
    yield "  --version   show the version"
    yield ""
    yield "example:"
    yield f"  {program.example}"
